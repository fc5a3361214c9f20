"""Errors of the toolkit, in the tree of `core.errors`."""

from toril.core.errors import ConflictError, TorilError


class LimitExceededError(TorilError):
    """A rate limit does not allow this now."""

    def __init__(self, name: str, limit: str, retry_after: float | None) -> None:
        when = "never allowed" if retry_after is None else f"try again in {retry_after:.3g} s"
        super().__init__(f"the limit {limit} of {name!r} is exceeded: {when}")
        self.name = name
        self.limit = limit
        self.retry_after = retry_after
        """Seconds; None when the cost is more than the limit ever allows."""


class LeaseLostError(ConflictError):
    """What was held is held no more; somebody else may have it."""

    hint = "whatever is written under it should carry the lease's fence"

    def __init__(self, kind: str, name: str, why: str) -> None:
        super().__init__(f"the lease on {kind} {name!r} is over: {why}")
        self.kind = kind
        self.name = name
        self.why = why


class LockTimeoutError(TorilError, TimeoutError):
    """Others had it for as long as the caller wanted to wait."""

    def __init__(self, kind: str, name: str, wait_ms: int) -> None:
        super().__init__(f"{kind} {name!r} was not free within {wait_ms / 1000:g} s")
        self.kind = kind
        self.name = name
        self.wait_ms = wait_ms


class StaleFenceError(ConflictError):
    """Somebody with a later lease was here before."""

    def __init__(self, resource: str, fence: int, newest: int) -> None:
        super().__init__(f"fence {fence} of {resource!r} is stale: {newest} was here before")
        self.resource = resource
        self.fence = fence
        self.newest = newest
