"""Every pattern of the toolkit at once, for a long time, on a cluster in bad weather."""
