"""Tokens that no other claim, loader or value has, at the price of counting."""

from itertools import count
from secrets import token_hex
from typing import Final

from toril.core.process import in_every_fork, process_id

_BYTES: Final = 12

_count: Final = count()
_stem = token_hex(_BYTES)


def new_token() -> str:
    """Letters, digits and a dash; for any thread."""
    process_id()  # a fork that nobody told of is found here
    return f"{_stem}-{next(_count)}"


def _renew() -> None:
    """A fork goes on counting where its parent was: another fork did so, too."""
    global _stem  # noqa: PLW0603 - of the process, as there is one
    _stem = token_hex(_BYTES)


in_every_fork(_renew)
