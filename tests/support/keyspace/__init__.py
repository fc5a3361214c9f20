"""The keyspace checker: what must be true of a BullMQ queue in Redis at any instant.

    violations = check(client, "bull", "mail", at_rest=True)

The laws are those of `toril doctor`, and some that only a queue of tests must keep.
Laws about what happens in time (a due job moves within a block, a metric counts every finish)
are not here: one look cannot tell.
"""

from tests.support.keyspace.checker import check, clean_keyspace, queues, violations
from tests.support.keyspace.snapshot import take_snapshot

from toril.bullmq.doctor.findings import Finding
from toril.bullmq.doctor.layout import Layout
from toril.bullmq.doctor.snapshot import Key, Snapshot

__all__ = [
    "Finding",
    "Key",
    "Layout",
    "Snapshot",
    "check",
    "clean_keyspace",
    "queues",
    "take_snapshot",
    "violations",
]
