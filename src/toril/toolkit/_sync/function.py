"""What a function is that a decorator takes. A hand-written pair with `_async/function.py`."""

from collections.abc import Callable
from typing import ParamSpec, TypeAlias, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

Function: TypeAlias = Callable[P, R]
"""A function whose result is there when it returns."""
