"""Errors of the toolkit, in the tree of `core.errors`."""

from toril.core.errors import TorilError


class LimitExceededError(TorilError):
    """A rate limit does not allow this now."""

    def __init__(self, name: str, limit: str, retry_after: float | None) -> None:
        when = "never allowed" if retry_after is None else f"try again in {retry_after:.3g} s"
        super().__init__(f"the limit {limit} of {name!r} is exceeded: {when}")
        self.name = name
        self.limit = limit
        self.retry_after = retry_after
        """Seconds; None when the cost is more than the limit ever allows."""
