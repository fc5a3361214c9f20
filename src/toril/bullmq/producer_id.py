"""Who a producer is to the server, and the number of its request."""

from itertools import count
from typing import Final
from uuid import uuid4

from toril.core.process import process_id


class ProducerId:
    """A name that no other producer has: not in another process, and not after a fork.

    One batch of a producer is in flight at a time, so its numbers reach the server in order.
    """

    def __init__(self) -> None:
        self._stem: Final = uuid4().hex
        # Threads share it: two of them must never draw the same number.
        self._numbers: Final = count(1)

    def next(self) -> tuple[str, int]:
        """The producer and the number of its next request."""
        return f"{self._stem}-{process_id()}", next(self._numbers)

    def once(self) -> str:
        """A producer that sends a single request."""
        name, number = self.next()
        return f"{name}-{number}"
