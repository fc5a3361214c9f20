"""Events of locks on several servers. They name the object and the servers; never a token."""

from toril.telemetry.events import Event


class QuorumMissed(Event, frozen=True, kw_only=True, gc=False):
    """Other servers than before were missing when a lock was not to be had; `problems` says why."""

    subject: str
    granted: int
    needed: int
    problems: tuple[str, ...]
