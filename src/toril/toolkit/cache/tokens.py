"""Tokens that no other loader, writer or value has, at the price of counting."""

from itertools import count
from secrets import token_hex
from typing import Final

from toril.core.process import process_id

_COUNT: Final = count()
_START: Final = token_hex(8)


def new_token() -> str:
    """A token; forks differ by their process id."""
    return f"{_START}:{process_id()}:{next(_COUNT)}"
