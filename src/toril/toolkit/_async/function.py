"""What a function is that a decorator takes. A hand-written pair with `_sync/function.py`."""

from collections.abc import Awaitable, Callable
from typing import ParamSpec, TypeAlias, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

AsyncFunction: TypeAlias = Callable[P, Awaitable[R]]
"""A function whose result is awaited."""
