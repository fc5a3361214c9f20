"""Shells of the toolkit, written by hand; their twins are generated."""
