"""Which errors may be gone the next time: those of networks, servers, time and resources.

Clients of HTTP and of Redis are known by the shape of their errors, and none is imported: by the
status that an error carries, and by the names of its classes, on which the clients agree.
"""

import errno
from collections.abc import Mapping
from typing import Final

from toril.core.errors import (
    ChildrenPendingError,
    OutcomeUnknownError,
    PermanentError,
    TransientError,
    UnavailableError,
)

_OURS: Final = (TransientError, UnavailableError, OutcomeUnknownError, ChildrenPendingError)

_STATUS_NAMES: Final = ("status_code", "status", "code", "http_status")
_ERROR_STATUSES: Final = range(400, 600)
_PASSING_STATUSES: Final = frozenset({408, 425, 429, *range(500, 600)})

_TRANSIENT: Final = frozenset(
    {
        *("ConnectionError", "NetworkError", "ClientConnectionError", "APIConnectionError"),
        *("TimeoutError", "Timeout", "TimeoutException", "HTTPTimeoutError"),
        *("ProxyError", "RemoteProtocolError", "ProtocolError", "HTTPClientError"),
        *("ChunkedEncodingError", "ClientPayloadError", "IncompleteRead", "BadStatusLine"),
        *("ContentTooShortError", "HTTPStreamClosedError", "StreamClosedError", "RetryError"),
        *("ConnectionNotAvailable", "EmptyPoolError", "FullPoolError", "gaierror"),
        *("SSLEOFError", "SSLZeroReturnError", "SSLSyscallError"),
        *("ReadOnlyError", "TryAgainError", "ClusterDownError", "MasterDownError"),
        *("ClusterError", "SlotNotCoveredError", "BusyLoadingError", "OutOfMemoryError"),
        *("LockError", "WatchError", "MemoryError"),
    }
)
_PERMANENT: Final = frozenset(
    {
        *("SSLError", "ClientSSLError", "ServerFingerprintMismatch"),
        *("AuthenticationError", "AuthorizationError"),
        *("LocalProtocolError", "ResponseNotChunked"),
    }
)

_EXHAUSTED: Final = ("EAGAIN", "EMFILE", "ENFILE", "ENOBUFS", "ENOMEM", "ENOSPC", "EDQUOT")
_UNREACHED: Final = ("EHOSTDOWN", "EHOSTUNREACH", "ENETDOWN", "ENETRESET", "ENETUNREACH")
_ERRNOS: Final = frozenset(
    getattr(errno, name) for name in (*_EXHAUSTED, *_UNREACHED) if hasattr(errno, name)
)
"""Beside those for which Python has classes."""


def is_transient(error: BaseException) -> bool:
    """Whether another attempt may succeed. An error that nobody knows will come again.

    These pass: errors of networks and of Redis, timeouts, HTTP's 5xx, 408, 425 and 429, and a lack
    of memory, disk or files. Of a group, all must. Bad input, other 4xx, wrong types and all else
    stay.

    >>> is_transient(ConnectionResetError()), is_transient(KeyError("to"))
    (True, False)
    """
    if isinstance(error, BaseExceptionGroup):
        return all(map(is_transient, error.exceptions))
    if isinstance(error, (PermanentError, *_OURS)):
        return not isinstance(error, PermanentError)
    status = _status_of(error)
    if status is not None:
        return status in _PASSING_STATUSES
    reason = _attribute(error, "reason")
    return _passes(reason if isinstance(reason, BaseException) else error)


def _passes(error: BaseException) -> bool:
    """Go by the class, or by the nearest of its bases that is known; else by the number."""
    for kind in type(error).__mro__:
        if kind.__name__ in _PERMANENT:
            return False
        if kind.__name__ in _TRANSIENT:
            return True
    return isinstance(error, OSError) and error.errno in _ERRNOS


def _status_of(error: BaseException) -> int | None:
    """The status of an HTTP response that is an error, however its client puts it."""
    response = _attribute(error, "response")
    if isinstance(response, Mapping):
        details = response.get("ResponseMetadata")
        status = details.get("HTTPStatusCode") if isinstance(details, Mapping) else None
        return _error_status(status)
    found = (
        _error_status(_attribute(one, name)) for one in (response, error) for name in _STATUS_NAMES
    )
    return next((status for status in found if status is not None), None)


def _error_status(value: object) -> int | None:
    return int(value) if isinstance(value, int) and value in _ERROR_STATUSES else None


def _attribute(owner: object, name: str) -> object:
    try:
        return getattr(owner, name, None)
    except Exception:  # noqa: BLE001 - an error that cannot be asked says nothing
        return None
