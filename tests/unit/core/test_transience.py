"""Which errors may pass: by class, by number, by status, by the names that clients agree on."""

import errno
import http.client
import json
import socket
import ssl
import urllib.error
from email.message import Message
from http import HTTPStatus
from types import SimpleNamespace

import pytest
import redis.exceptions

from toril.core.errors import (
    BadInputError,
    ChildrenPendingError,
    HandlerTimeoutError,
    JobCancelledError,
    OutcomeUnknownError,
    PermanentError,
    TorilError,
    TransientError,
    UnavailableError,
)
from toril.core.transience import is_transient


class UnheardError(Exception):
    """An error that nobody knows."""


class UnaskableError(Exception):
    """An error whose every attribute raises."""

    def __getattr__(self, name: str) -> object:
        raise RuntimeError(name)


class FalseResponse(SimpleNamespace):
    """What a client answers with: false when the status is an error."""

    def __bool__(self) -> bool:
        return False


def of_classes(*names: str) -> BaseException:
    """An error whose classes have these names, the nearest first, as a client's would."""
    kind: type[BaseException] = Exception
    for name in reversed(names):
        kind = type(name, (kind,), {})
    return kind("from somebody's client")


def with_attributes(**attributes: object) -> BaseException:
    error = UnheardError()
    error.__dict__.update(attributes)
    return error


def http_error(status: int) -> BaseException:
    error = urllib.error.HTTPError("http://localhost", status, "no", Message(), None)
    error.close()
    return error


@pytest.mark.parametrize(
    "error",
    [
        TransientError("t"),
        HandlerTimeoutError(5),
        UnavailableError("s", "p"),
        OutcomeUnknownError("o", "s"),
        ChildrenPendingError("7"),
        ConnectionError(),
        ConnectionRefusedError(),
        BrokenPipeError(),
        TimeoutError(),
        OSError(errno.EHOSTUNREACH, "no route"),
        OSError(errno.ENETUNREACH, "no network"),
        OSError(errno.EMFILE, "too many files"),
        OSError(errno.ENOSPC, "no space"),
        BlockingIOError(errno.EAGAIN, "later"),
        MemoryError(),
        socket.gaierror(-3, "no name server"),
        ssl.SSLEOFError(),
        http.client.RemoteDisconnected("gone"),
        http.client.IncompleteRead(b""),
        http.client.BadStatusLine(""),
        urllib.error.URLError(ConnectionRefusedError()),
        redis.exceptions.ConnectionError(),
        redis.exceptions.TimeoutError(),
        redis.exceptions.BusyLoadingError(),
        redis.exceptions.ReadOnlyError(),
        redis.exceptions.OutOfMemoryError(),
        redis.exceptions.ClusterDownError("CLUSTERDOWN"),
        redis.exceptions.LockError(),
    ],
    ids=repr,
)
def test_what_may_pass(error: BaseException) -> None:
    assert is_transient(error)


@pytest.mark.parametrize(
    "error",
    [
        PermanentError("p"),
        JobCancelledError(),
        BadInputError("f", "p"),
        TorilError(),
        UnheardError(),
        UnaskableError(),
        KeyError("k"),
        ValueError("v"),
        TypeError("t"),
        RecursionError(),
        json.JSONDecodeError("m", "d", 0),
        UnicodeDecodeError("utf-8", b"", 0, 1, "no"),
        FileNotFoundError(errno.ENOENT, "no file"),
        PermissionError(errno.EACCES, "no"),
        OSError(),
        ssl.SSLError(),
        ssl.SSLCertVerificationError(),
        urllib.error.URLError("unknown url type"),
        urllib.error.URLError(ssl.SSLCertVerificationError()),
        redis.exceptions.ResponseError("WRONGTYPE"),
        redis.exceptions.AuthenticationError(),
        redis.exceptions.DataError(),
        KeyboardInterrupt(),
    ],
    ids=repr,
)
def test_what_stays(error: BaseException) -> None:
    assert not is_transient(error)


@pytest.mark.parametrize(
    ("names", "passes"),
    [
        (("ConnectTimeout", "ConnectionError", "Timeout", "RequestException"), True),
        (("SSLError", "ConnectionError", "RequestException"), False),
        (("ChunkedEncodingError", "RequestException"), True),
        (("RetryError", "RequestException"), True),
        (("MissingSchema", "RequestException", "ValueError"), False),
        (("TooManyRedirects", "RequestException"), False),
        (("PoolTimeout", "TimeoutException", "TransportError"), True),
        (("ReadError", "NetworkError", "TransportError"), True),
        (("RemoteProtocolError", "ProtocolError", "TransportError"), True),
        (("LocalProtocolError", "ProtocolError", "TransportError"), False),
        (("UnsupportedProtocol", "TransportError"), False),
        (("ServerDisconnectedError", "ServerConnectionError", "ClientConnectionError"), True),
        (("ClientConnectorCertificateError", "ClientSSLError", "ClientConnectionError"), False),
        (("ClientPayloadError", "ClientError"), True),
        (("NameResolutionError", "NewConnectionError", "TimeoutError", "HTTPError"), True),
        (("EmptyPoolError", "PoolError", "HTTPError"), True),
        (("EndpointConnectionError", "ConnectionError", "BotoCoreError"), True),
        (("ReadTimeoutError", "HTTPClientError", "BotoCoreError"), True),
        (("APITimeoutError", "APIConnectionError", "APIError"), True),
        (("AuthenticationError", "ConnectionError"), False),
    ],
)
def test_an_error_of_a_client_is_known_by_the_nearest_name(
    names: tuple[str, ...], *, passes: bool
) -> None:
    assert is_transient(of_classes(*names)) is passes


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 422, 499])
def test_most_statuses_of_the_caller_stay(status: int) -> None:
    for error in statuses(status):
        assert not is_transient(error)


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504, 599])
def test_a_status_of_the_server_or_of_haste_may_pass(status: int) -> None:
    for error in statuses(status):
        assert is_transient(error)


def statuses(status: int) -> list[BaseException]:
    """One status, as different clients put it."""
    return [
        http_error(status),
        with_attributes(response=FalseResponse(status_code=status)),
        with_attributes(response=SimpleNamespace(status=status)),
        with_attributes(status=status),
        with_attributes(status_code=status),
        with_attributes(http_status=status),
        with_attributes(code=status),
        with_attributes(response={"ResponseMetadata": {"HTTPStatusCode": status}}),
    ]


def test_a_status_goes_before_the_name() -> None:
    refused = of_classes("ConnectionError")
    refused.__dict__["status"] = HTTPStatus.FORBIDDEN

    assert not is_transient(refused)


@pytest.mark.parametrize(
    "attributes",
    [
        {"code": 7},
        {"status": 200},
        {"status_code": "503"},
        {"code": True},
        {"code": lambda: 503},
        {"response": {"ResponseMetadata": None}},
        {"response": {}},
        {"response": None},
    ],
)
def test_what_is_no_error_s_status_says_nothing(attributes: dict[str, object]) -> None:
    assert not is_transient(with_attributes(**attributes))


def test_a_group_passes_when_all_of_it_does() -> None:
    assert is_transient(ExceptionGroup("g", [TimeoutError(), ConnectionError()]))
    assert not is_transient(ExceptionGroup("g", [TimeoutError(), ValueError()]))
