"""Checks that the options of jobs, queues and workers share."""

from toril.core.errors import BadInputError


def check_whole(value: object, field: str, least: int, most: int) -> int:
    """The value, if it is an int within these bounds."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise BadInputError(field, f"{value!r} is not a whole number from {least:,} to {most:,}")
    return value
