"""The cache's shells, written by hand; their twins are generated."""  # generated from _async/__init__.py by tools/generate_sync.py: edit that file
