"""Shells, written by hand; their twins are generated."""
