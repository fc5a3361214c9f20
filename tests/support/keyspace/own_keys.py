"""What toril keeps beside a queue, under its own prefix: known parts, none of them for ever."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from toril.bullmq.doctor.snapshot import Snapshot

_HASH_TAG: Final = re.compile(r"\{([^}]+)\}")

OWN_PARTS: Final[Mapping[str, str]] = {
    "cancel": "hash",
    "fence": "string",
    "once": "string",
    "receipt": "string",
}
"""The first segment of a key's name, with the type of the key."""


def own_base(base: str) -> str:
    """What toril's own keys of a queue begin with: in the queue's slot, outside of its prefix."""
    tag = _HASH_TAG.search(base)
    return f"toril:{{{tag[1] if tag else ''}}}:{base}"


def own_key_problems(snapshot: Snapshot, base: str) -> Iterator[tuple[str, str, str]]:
    """Law, key and problem of every key that begins with `base` and should not be as it is."""
    for name, key in snapshot.keys.items():
        part = name.removeprefix(base).partition(":")[0]
        if OWN_PARTS.get(part) != key.kind:
            yield "T1", name, f"({key.kind}) is not a key toril is known to keep"
        if key.ttl_ms is None:
            yield "T2", name, "never expires"
