"""The `toril` command: one file per command; each parses, calls a product and prints."""
