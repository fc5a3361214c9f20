"""The keyspace checker: what must be true of a BullMQ queue in Redis at any instant.

    violations = check(client, "bull", "mail", at_rest=True)

Laws about what happens in time (a due job moves within a block, a metric counts every finish)
are not here: one look cannot tell.
"""

from tests.support.keyspace.checker import (
    Violation,
    check,
    clean_keyspace,
    queues,
    violations,
)
from tests.support.keyspace.layout import Layout
from tests.support.keyspace.snapshot import Key, Snapshot, take_snapshot

__all__ = [
    "Key",
    "Layout",
    "Snapshot",
    "Violation",
    "check",
    "clean_keyspace",
    "queues",
    "take_snapshot",
    "violations",
]
