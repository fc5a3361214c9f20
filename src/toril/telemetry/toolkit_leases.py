"""Events of what is held under a lease. They name the object; never a token."""

from toril.telemetry.events import Event


class LeaseEvent(Event, frozen=True, kw_only=True, gc=False):
    """Something that happened to a lease; `kind` is `lock`, or another, and `subject` its name."""

    kind: str
    subject: str


class LeaseAcquired(LeaseEvent, frozen=True, kw_only=True, gc=False):
    """It is held now, after so long."""

    waited_ms: float


class LeaseContended(LeaseEvent, frozen=True, kw_only=True, gc=False):
    """Others have it; the caller begins to wait."""


class LeaseRenewed(LeaseEvent, frozen=True, kw_only=True, gc=False):
    """It was prolonged in the background."""


class LeaseReleased(LeaseEvent, frozen=True, kw_only=True, gc=False):
    """Its holder let it go."""


class LeaseGone(LeaseEvent, frozen=True, kw_only=True, gc=False):
    """It was lost while it was held; whoever held it is told."""

    why: str


class LeaseBroken(LeaseEvent, frozen=True, kw_only=True, gc=False):
    """It was taken from its holder on request."""
