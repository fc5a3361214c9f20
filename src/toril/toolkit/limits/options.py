"""What can be said about a limiter, besides its limits and its server."""

from typing import Literal, TypeAlias, TypedDict

from toril.core.durations import Duration

OnError: TypeAlias = Literal["local", "closed", "open", "raise"]


class LimiterOptions(TypedDict, total=False):
    """Settings of one limiter object."""

    on_error: OnError
    """What happens while the server is away; `local` unless something else is said."""

    deny_cache: Duration
    """For how long at most a refusal is repeated without asking; a second is the default and the
    longest, 0 asks every time."""

    scope: str | None
    """What limiters have in common that are asked together; it is one slot of a cluster."""

    prefix: str | None
    """What all keys begin with: `toril`."""
