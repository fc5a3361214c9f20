"""Events of what is run once. They name the object; never a key, a result or a token."""

from toril.telemetry.events import Event


class OnceEvent(Event, frozen=True, kw_only=True, gc=False):
    """Something that happened to one key of this object, in this process."""

    subject: str


class OnceRan(OnceEvent, frozen=True, kw_only=True, gc=False):
    """It was run here, and how that ended is kept; `outcome` is `done` or `failed`."""

    outcome: str


class OnceReplayed(OnceEvent, frozen=True, kw_only=True, gc=False):
    """It had been run before; the caller got how that ended."""


class OnceRefused(OnceEvent, frozen=True, kw_only=True, gc=False):
    """Somebody else was running it for as long as the caller wanted to wait."""
