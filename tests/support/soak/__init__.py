"""All patterns of the toolkit but `Redlock`, at once and for long, on a cluster in bad weather."""
