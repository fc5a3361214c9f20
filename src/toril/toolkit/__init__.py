"""Patterns that every team with a Redis needs: rate limits, locks, caches."""

from toril.toolkit.cache._async.cache import AsyncCache
from toril.toolkit.cache._sync.cache import Cache
from toril.toolkit.cache.codec import Codec, JsonCodec
from toril.toolkit.cache.level import LocalLevel
from toril.toolkit.cache.load import Load
from toril.toolkit.cache.view import MISSING, Entry
from toril.toolkit.errors import LoaderFailedError, LoaderTimeoutError

__all__ = [
    "MISSING",
    "AsyncCache",
    "Cache",
    "Codec",
    "Entry",
    "JsonCodec",
    "Load",
    "LoaderFailedError",
    "LoaderTimeoutError",
    "LocalLevel",
]
