"""One call of every operation of a cache."""

from typing import Final

from tests.support.samples import Samples

from toril.toolkit.cache.operations.begin_store import BeginStore
from toril.toolkit.cache.operations.bump_generation import BumpGeneration
from toril.toolkit.cache.operations.close_write import CloseWrite
from toril.toolkit.cache.operations.fetch import Fetch
from toril.toolkit.cache.operations.fill import Fill
from toril.toolkit.cache.operations.invalidate import Invalidate
from toril.toolkit.cache.operations.new_value import NewValue
from toril.toolkit.cache.operations.open_write import OpenWrite
from toril.toolkit.cache.operations.read_generation import ReadGeneration
from toril.toolkit.cache.operations.release import Release
from toril.toolkit.cache.operations.renew_lease import RenewLease
from toril.toolkit.cache.operations.renew_write import RenewWrite
from toril.toolkit.cache.operations.store import Store
from toril.toolkit.cache.wire import CacheKeys

_NAME: Final = "samples"
_KEYS: Final = CacheKeys("toril", _NAME)
_ENTRY: Final = _KEYS.entry("entry")
_KEEP_MS: Final = 60_000
_A, _B, _C, _D = "abcd"
_VALUE: Final = NewValue(codec=1, payload=b"1", ttl_us=60_000_000, life_ms=60_000)

CACHE: Final = Samples(
    "cache",
    (f"toril:c:{{{_NAME}", f"toril:cl:{{{_NAME}"),
    (
        (
            "the lease is taken",
            Fetch(
                keys=_ENTRY,
                generation_keys=(_KEYS.generation("entry"),),
                keep_ms=_KEEP_MS,
                token=_A,
                lease_ms=9_000,
                draw=0.5,
            ),
        ),
        ("the lease is renewed", RenewLease(keys=_ENTRY, token=_A, lease_ms=9_000)),
        ("loading has failed", Release(keys=_ENTRY, token=_A, backoff_ms=1_000, reason="OSError")),
        ("the lease is gone", Fill(keys=_ENTRY, token=_A, value=_VALUE, compute_us=7)),
        ("the entry is looked at", Fetch(keys=_ENTRY, generation_keys=(), keep_ms=_KEEP_MS)),
        (
            "a value is to be stored",
            BeginStore(keys=_ENTRY, generation_keys=(_KEYS.generation("entry"),), keep_ms=_KEEP_MS),
        ),
        ("the entry is stored", Store(keys=_ENTRY, token=_B, value=_VALUE, changed=b"", version=3)),
        (
            "the entry is refreshed",
            Fetch(
                keys=_ENTRY,
                generation_keys=(),
                keep_ms=_KEEP_MS,
                token=_C,
                lease_ms=9_000,
                draw=1e300,
            ),
        ),
        ("the entry is filled", Fill(keys=_ENTRY, token=_C, value=_VALUE, compute_us=7)),
        ("the entry is invalidated", Invalidate(keys=_ENTRY)),
        (
            "a write begins",
            OpenWrite(
                keys=_ENTRY,
                token=_D,
                is_versioned=True,
                length_ms=9_000,
                generation_keys=(),
                keep_ms=_KEEP_MS,
            ),
        ),
        ("a write goes on", RenewWrite(keys=_ENTRY, token=_D, length_ms=9_000)),
        ("a write ends", CloseWrite(keys=_ENTRY, token=_D, version=4, value=_VALUE)),
        (
            "a generation is read",
            ReadGeneration(generation_key=_KEYS.generation("tag"), keep_ms=_KEEP_MS),
        ),
        (
            "a generation begins",
            BumpGeneration(generation_key=_KEYS.generation(None), keep_ms=_KEEP_MS),
        ),
    ),
)
