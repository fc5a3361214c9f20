"""Refuse options that do not exist, with the one that may have been meant."""

from collections.abc import Iterable
from difflib import get_close_matches

from toril.core.errors import BadInputError


def check_names(given: Iterable[str], known: type, whose: str) -> None:
    """Compare with the names that a TypedDict declares.

    Raises:
        BadInputError: names the option and its nearest neighbour.
    """
    names = list(known.__annotations__)
    for option in given:
        if option in names:
            continue
        close = get_close_matches(option, names, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(names)}"
        raise BadInputError(option, f"is not an option of a {whose}; {hint}")
