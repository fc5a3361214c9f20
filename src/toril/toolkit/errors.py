"""The errors of the toolkit, below those of toril."""

from toril.core.errors import TransientError


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
