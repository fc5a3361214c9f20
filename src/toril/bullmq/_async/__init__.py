"""The shells for asyncio: written by hand, thin, and the source of their blocking twins."""
