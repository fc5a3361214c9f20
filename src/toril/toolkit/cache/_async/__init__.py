"""The cache's shells, written by hand; their twins are generated."""
