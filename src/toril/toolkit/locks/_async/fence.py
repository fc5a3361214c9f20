"""Keep holders of old leases away from what they no longer hold."""

from typing import Final

from toril.core.checks import check_whole
from toril.core.durations import Duration, to_ms
from toril.telemetry.emitter import Emitter
from toril.toolkit._async.client import AsyncClient
from toril.toolkit.errors import StaleFenceError
from toril.toolkit.keys import Keys, check_name, check_prefix
from toril.toolkit.locks.operations.check_fence import CheckFence
from toril.toolkit.locks.wire import FENCE

LARGEST_FENCE: Final = 2**53 - 1
_LONGEST_TIMEOUT_MS: Final = 3_600_000


class AsyncFence:
    """Remembers the newest fence that came to each resource, and refuses every older one.

    For resources that cannot compare fences themselves, such as a service behind HTTP. Between
    the check and what follows it a process may be stopped; where the resource itself can compare,
    let it: `UPDATE … WHERE fence <= :fence`.

    >>> async with lock.hold() as lease:
    ...     await fence.check("invoice:7", lease.fence)
    """

    def __init__(
        self,
        target: object = None,
        *,
        prefix: str | None = None,
        timeout: Duration = 5,
        emitter: Emitter | None = None,
    ) -> None:
        self._keys: Final = Keys(check_prefix(prefix), FENCE)
        timeout_ms = to_ms(timeout, "timeout", minimum=1, maximum=_LONGEST_TIMEOUT_MS)
        self._client: Final = AsyncClient(target, timeout_ms=timeout_ms, emitter=emitter)

    async def check(self, resource: str, fence: int) -> None:
        """Go on only with the newest fence; the same one may come again.

        Raises:
            StaleFenceError: a newer one was here before; it has the number.
            UnavailableError: the server could not be asked.
        """
        key = self._keys.key(check_name(resource, "resource"))
        check_whole(fence, "fence", 1, LARGEST_FENCE)
        newest = await self._client.run(CheckFence(key=key, fence=fence))
        if newest is not None:
            raise StaleFenceError(resource, fence, newest)

    async def close(self) -> None:
        """Let go of the connection, where no others share it."""
        await self._client.close()
