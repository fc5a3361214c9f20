"""Connections for asyncio, written by hand."""  # generated from _async/__init__.py by tools/generate_sync.py: edit that file
