"""The shells for asyncio: written by hand, thin, and the source of their blocking twins."""  # generated from _async/__init__.py by tools/generate_sync.py: edit that file
