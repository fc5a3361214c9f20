"""Cut a queue of waiting calls into batches; shared by both coalescers."""

from collections import deque
from collections.abc import Callable
from typing import Final, Generic, TypeVar

T = TypeVar("T")
W = TypeVar("W")


class BatchLimits(Generic[T]):
    """How much may travel together. One item always may, whatever its size."""

    def __init__(self, max_items: int, max_bytes: int, size: Callable[[T], int]) -> None:
        self._max_items: Final = max_items
        self._max_bytes: Final = max_bytes
        self._size: Final = size

    def take(self, waiting: deque[tuple[T, W]]) -> list[tuple[T, W]]:
        """Remove the next batch from the front."""
        batch = [waiting.popleft()]
        size_bytes = self._size(batch[0][0])
        while waiting and len(batch) < self._max_items:
            size_bytes += self._size(waiting[0][0])
            if size_bytes > self._max_bytes:
                break
            batch.append(waiting.popleft())
        return batch
