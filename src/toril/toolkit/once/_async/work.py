"""What a run calls. A hand-written pair with `_sync/work.py`."""

from collections.abc import Awaitable, Callable
from typing import ParamSpec, TypeAlias, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

AsyncWork: TypeAlias = Callable[[], Awaitable[R]]
AsyncFunction: TypeAlias = Callable[P, Awaitable[R]]
