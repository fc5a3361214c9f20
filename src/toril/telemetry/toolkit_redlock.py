"""Events of locks on several servers. They name the object and the servers; never a token."""

from toril.telemetry.events import Event


class QuorumMissed(Event, frozen=True, kw_only=True, gc=False):
    """Servers were missing when a majority was asked for a lock; `problems` says which, and why."""

    subject: str
    granted: int
    needed: int
    problems: tuple[str, ...]
