"""How a run ended, as JSON and back."""

from typing import Final

from toril.core.codec import check_size, decode, encode
from toril.core.errors import UndecodableError

_LONGEST_MESSAGE: Final = 1_000
"""Letters of an error's text that are kept."""


def result_text(result: object, limit_bytes: int) -> bytes:
    """The result as it is kept.

    Raises:
        BadInputError: it cannot be written as JSON, or is too large.
    """
    text = encode(result, field="result")
    check_size(len(text), field="result", limit_bytes=limit_bytes)
    return text


def read_result(text: bytes) -> object:
    """The result, the same for whoever reads it.

    Raises:
        UndecodableError: somebody else has written there.
    """
    return decode(text, field="result")


def error_text(error: BaseException) -> bytes:
    """The kind of an error and what it says."""
    message = str(error)[:_LONGEST_MESSAGE].encode("utf-8", "replace").decode()
    return encode({"kind": type(error).__name__, "message": message}, field="error")


def read_error(text: bytes) -> tuple[str, str]:
    """The kind of an error and what it said.

    Raises:
        UndecodableError: somebody else has written there.
    """
    match decode(text, field="error"):
        case {"kind": str(kind), "message": str(message)}:
            return kind, message
        case _:
            raise UndecodableError("error", "it has no kind and message")
