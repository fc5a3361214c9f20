"""What is said about an error: a short reason for people, a trace for whoever looks closer."""

import traceback
from collections.abc import Sequence
from typing import Final

REASON_LIMIT: Final = 8_192
TRACE_LIMIT: Final = 16_384
FRAMES: Final = 20


def reason_of(error: BaseException) -> str:
    """The message of the error, or its type where it has none; never empty, always encodable."""
    try:
        message = str(error)
    except Exception:  # noqa: BLE001 - a broken __str__ must not stop the worker
        message = ""
    name = type(error).__name__
    return _clean(message or name, REASON_LIMIT)


def trace_of(error: BaseException) -> str:
    """The traceback, causes included, cut to a size that a job can carry."""
    try:
        lines = traceback.TracebackException.from_exception(error, limit=-FRAMES).format()
        text = "".join(lines)
    except Exception:  # noqa: BLE001 - an error that cannot be formatted still is one
        text = f"{type(error).__name__}: {reason_of(error)}"
    return _clean(text, TRACE_LIMIT)


def with_trace(earlier: Sequence[str], trace: str, limit: int | None) -> Sequence[str]:
    """The traces of all attempts, the newest last, at most `limit` of them."""
    traces = [*(_clean(row, TRACE_LIMIT) for row in earlier), trace]
    if limit is None:
        return traces
    return traces[len(traces) - min(limit, len(traces)) :]


def _clean(text: str, limit: int) -> str:
    encodable = text.encode("utf-8", "replace").decode("utf-8")
    if len(encodable) <= limit:
        return encodable
    half = limit // 2
    left_out = f"\n… {len(encodable) - 2 * half} characters left out …\n"
    return encodable[:half] + left_out + encodable[-half:]
