"""What a run calls. A hand-written pair with `_async/work.py`."""

from collections.abc import Callable
from typing import ParamSpec, TypeAlias, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

Work: TypeAlias = Callable[[], R]
Function: TypeAlias = Callable[P, R]
