"""Calls made while another is under way travel together. A pair with `_async/coalescer.py`."""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final, Generic, TypeVar

from toril.connection.batch import BatchLimits
from toril.core.errors import OutcomeUnknownError

T = TypeVar("T")
R = TypeVar("R")


class _Ticket(Generic[R]):
    """A thread's place in the queue. It is woken once: answered, or told to send."""

    def __init__(self) -> None:
        self.woken = threading.Event()
        self.results: list[R | Exception] = []

    def settle(self, result: R | Exception) -> None:
        self.results.append(result)
        self.woken.set()


class Coalescer(Generic[T, R]):
    """Gathers items of many threads into batches for `send`, which answers each in its place.

    One batch is in flight at a time; what comes meanwhile waits for the next, in order. There is
    no thread behind it: whoever finds nobody sending sends, and then wakes the next in the queue
    to send what has gathered.
    """

    def __init__(
        self,
        send: Callable[[Sequence[T]], Sequence[R | Exception]],
        *,
        max_items: int,
        max_bytes: int,
        size: Callable[[T], int],
    ) -> None:
        self._send: Final = send
        self._limits: Final = BatchLimits(max_items, max_bytes, size)
        self._lock: Final = threading.Lock()
        # Both under the lock.
        self._waiting: Final[deque[tuple[T, _Ticket[R]]]] = deque()
        self._is_sending = False

    def submit(self, item: T) -> R:
        """Send the item with its neighbours; returns or raises what `send` says of it."""
        ticket: _Ticket[R] = _Ticket()
        with self._lock:
            self._waiting.append((item, ticket))
            sends = not self._is_sending
            self._is_sending = True
        if not sends:
            self._wait(ticket)
        if not ticket.results:
            self._send_one_batch()
        [result] = ticket.results
        if isinstance(result, Exception):
            raise result
        return result

    def _wait(self, ticket: _Ticket[R]) -> None:
        try:
            ticket.woken.wait()
        except BaseException:
            self._leave(ticket)
            raise

    def _leave(self, ticket: _Ticket[R]) -> None:
        """An interrupted thread takes its item back; if it was to send, somebody else must."""
        with self._lock:
            still_waiting = [entry for entry in self._waiting if entry[1] is not ticket]
            was_to_send = ticket.woken.is_set() and len(still_waiting) < len(self._waiting)
            self._waiting.clear()
            self._waiting.extend(still_waiting)
        if was_to_send:
            self._pass_on()

    def _send_one_batch(self) -> None:
        # The sender's own item is at the front: it was first to come, or first to be woken.
        with self._lock:
            batch = self._limits.take(self._waiting)
        results: Sequence[R | Exception] = []
        try:
            results = self._send([item for item, _ in batch])
        except Exception as error:  # noqa: BLE001 - it belongs to the callers
            results = [error] * len(batch)
        finally:
            # The sending thread was interrupted when there are none.
            unknown = OutcomeUnknownError("a batch of calls", "the server")
            for (_, ticket), result in zip(batch, results or [unknown] * len(batch), strict=True):
                ticket.settle(result)
            self._pass_on()

    def _pass_on(self) -> None:
        with self._lock:
            self._is_sending = bool(self._waiting)
            if self._waiting:
                self._waiting[0][1].woken.set()
