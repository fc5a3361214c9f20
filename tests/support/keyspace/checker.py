"""Read a queue in one instant and hold every law against it."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager

from tests.support.keyspace import event_laws
from tests.support.keyspace.own_keys import own_base, own_key_problems
from tests.support.keyspace.snapshot import Client, names, take_snapshot

from toril.bullmq.doctor.book import ALWAYS, AT_REST
from toril.bullmq.doctor.findings import Finding, findings
from toril.bullmq.doctor.layout import Layout

LAWS = (event_laws,)
"""Importing a module of laws enters them in the book, beside those that the package holds."""


def check(
    client: Client,
    prefix: str,
    queue: str,
    *,
    at_rest: bool = True,
    ignoring: Collection[str] = (),
) -> list[Finding]:
    """Look at one queue. `queue` is the stored name, with its braces if it has any.

    At rest means that no worker runs and no job is claimed.
    """
    base = f"{prefix}:{queue}:"
    layout = Layout.of(take_snapshot(client, base), base)
    own = take_snapshot(client, own_base(base))
    return violations(layout, at_rest=at_rest, ignoring=ignoring) + [
        Finding(law, name, problem)
        for law, name, problem in own_key_problems(own, own_base(base))
        if law not in ignoring
    ]


def violations(
    layout: Layout, *, at_rest: bool = True, ignoring: Collection[str] = ()
) -> list[Finding]:
    """Hold every law against keys that were already read."""
    return findings(layout, ALWAYS + AT_REST if at_rest else ALWAYS, ignoring)


@contextmanager
def clean_keyspace(
    client: Client, *, at_rest: bool = True, ignoring: Collection[str] = ()
) -> Iterator[None]:
    """Check every queue on the server when the block ends: the last line of a test's fixture."""
    yield
    broken = [
        f"{prefix}:{queue}: {violation}"
        for prefix, queue in queues(client)
        for violation in check(client, prefix, queue, at_rest=at_rest, ignoring=ignoring)
    ]
    if broken:
        raise AssertionError("the keyspace is not clean:\n  " + "\n  ".join(broken))


def queues(client: Client) -> list[tuple[str, str]]:
    """Prefix and stored name of every queue that left anything: each has `meta` or `id`."""
    found = {name.rpartition(":")[0] for name in names(client) if name.endswith((":meta", ":id"))}
    named = ((prefix, queue) for prefix, _, queue in (name.rpartition(":") for name in found))
    return sorted((prefix, queue) for prefix, queue in named if not prefix.startswith("toril"))
