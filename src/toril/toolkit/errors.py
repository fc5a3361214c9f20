"""Errors of the toolkit, in the tree of `core.errors`."""

from collections.abc import Mapping

from toril.core.errors import ConflictError, TorilError, TransientError


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


class InProgressError(ConflictError):
    """Somebody else runs this key, and the caller did not want to wait, or for so long."""

    def __init__(self, name: str, key: str, by: str = "") -> None:
        super().__init__(f"{key!r} of {name!r} is being run{by}")
        self.name = name
        self.key = key


class RecursiveRunError(InProgressError):
    """A run asks for its own key, and would wait for itself."""

    hint = "call the function itself, or give the inner run a key of its own"

    def __init__(self, name: str, key: str) -> None:
        super().__init__(name, key, " by the caller itself")


class RunFailedError(TorilError):
    """The one run of this key has failed, and that was to be kept."""

    def __init__(self, name: str, key: str, kind: str, reason: str) -> None:
        super().__init__(f"{key!r} of {name!r} failed: {kind}: {reason}")
        self.name = name
        self.key = key
        self.kind = kind
        """The class of the error that was raised."""
        self.reason = reason


class QuorumImpossibleError(TorilError):
    """So many servers of a lock are not what they must be that there is no majority, ever."""

    def __init__(self, name: str, problems: Mapping[str, TorilError]) -> None:
        told = "; ".join(str(problem) for problem in problems.values())
        super().__init__(f"redlock {name!r} has no majority of servers: {told}")
        self.name = name
        self.problems = problems
        """What is wrong, by server."""


class StaleFenceError(ConflictError):
    """Somebody with a later lease was here before."""

    def __init__(self, resource: str, fence: int, newest: int) -> None:
        super().__init__(f"fence {fence} of {resource!r} is stale: {newest} was here before")
        self.resource = resource
        self.fence = fence
        self.newest = newest


class LoaderFailedError(TransientError):
    """Another caller tried to load this entry of a cache and failed; no value is there to serve.

    Whoever ran the loader got its own exception.
    """

    def __init__(self, cache: str, reason: str) -> None:
        super().__init__(f"loading into cache {cache!r} failed: {reason}")
        self.cache = cache
        self.reason = reason
        """The class of what the loader raised."""


class LoaderTimeoutError(TransientError, TimeoutError):
    """A loader of a cache took longer than `hard_timeout`."""

    def __init__(self, cache: str, timeout_ms: int) -> None:
        super().__init__(f"loading into cache {cache!r} did not end within {timeout_ms / 1000:g} s")
        self.cache = cache
        self.timeout_ms = timeout_ms
