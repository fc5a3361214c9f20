"""Shells of rate limits, written by hand; their twins are generated."""
