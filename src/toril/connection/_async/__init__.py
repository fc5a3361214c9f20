"""Connections for asyncio, written by hand."""
