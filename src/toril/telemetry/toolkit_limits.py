"""What rate limiters report. The key that is limited may be a person's, and is in none of it."""

from toril.telemetry.events import Event


class LimiterEvent(Event, frozen=True, kw_only=True, gc=False):
    """Something that happened at a rate limiter of this process."""

    limiter: str


class HitAllowed(LimiterEvent, frozen=True, kw_only=True, gc=False):
    """A limiter has granted something, perhaps for a moment `wait_ms` away."""

    cost: int
    wait_ms: float
    degraded: bool


class HitRefused(LimiterEvent, frozen=True, kw_only=True, gc=False):
    """A limiter has refused something, because of the limit it names."""

    cost: int
    limit: str
    degraded: bool


class LimiterDegraded(LimiterEvent, frozen=True, kw_only=True, gc=False):
    """A limiter decides without its server until that is back."""

    policy: str
    problem: str


class LimiterRestored(LimiterEvent, frozen=True, kw_only=True, gc=False):
    """A limiter asks its server again."""
