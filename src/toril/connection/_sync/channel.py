"""One socket to one server: bytes out, as many replies back, in time or never again.

A hand-written pair with `_async/channel.py`.
"""

import math
import socket
import threading
from time import monotonic
from typing import Final, Self

import hiredis

from toril.core.process import known_process_id
from toril.connection.greeting import Greeting
from toril.connection.refusal import LostError, Refusal, explain, explain_end
from toril.connection.sockets import Lookout, tune
from toril.connection.target import Address, Session, Tcp
from toril.connection.tls import tls_context
from toril.core.errors import UnavailableError
from toril.core.operation import Reply

_NOTHING: Final = object()
_ABORTED: Final = "closed here"
_READ_BYTES: Final = 64 * 1024
"""Each read allocates as much: from twice as much on, from the operating system."""

_SLACK_S: Final = 0.005
"""A timeout of the socket that is so near to the right one is left as it is."""


class Channel:
    """A connection with one user and one request in flight; another thread may abort it.

    It never reconnects. After a failure or a timeout it is closed, because the next reply on it
    would belong to somebody else's question.
    """

    def __init__(self, address: Address, sock: socket.socket) -> None:
        self.address: Final = address
        self.server: Final = str(address)
        self._socket: Final = sock
        self._lookout: Final = Lookout(sock.fileno())
        self._pid: Final = known_process_id()
        self._reader: Final = hiredis.Reader(replyError=Refusal, notEnoughData=_NOTHING)
        self._timeout_s = -math.inf
        # Held during an exchange. Only its holder may close the socket: a closed descriptor can
        # be somebody else's a moment later.
        self._busy: Final = threading.Lock()
        # Written by any thread that breaks the channel, read by its user.
        self._problem = ""

    @classmethod
    def open(
        cls, address: Address, session: Session, within_s: float = math.inf
    ) -> Self:
        """Connect and introduce ourselves.

        Raises:
            UnavailableError: Nobody answers there, or not now.
            DeniedError: The credentials are refused.
        """
        timeout_s = min(session.connect_timeout_ms / 1000, within_s)
        deadline = monotonic() + timeout_s
        try:
            channel = cls(address, _dial(address, session, timeout_s))
            try:
                channel._greet(session, max(deadline - monotonic(), 0.001))
            except BaseException:
                channel.abort()
                raise
        except (LostError, OSError) as error:
            raise UnavailableError(str(address), explain(error)) from error
        return channel

    def _greet(self, session: Session, timeout_s: float) -> None:
        source = session.credentials
        greeting = Greeting(session, source.get_credentials() if source else ())
        replies = self.exchange(greeting.packed, greeting.count, timeout_s)
        greeting.check(replies, self.server)

    @property
    def is_usable(self) -> bool:
        """Whether a request may be sent: in order, and not hung up on in the meantime."""
        return self.is_in_order and not self._lookout.sees_something()

    @property
    def is_in_order(self) -> bool:
        """Whether it has not been broken here, and is of this process."""
        return not self._problem and self._pid == known_process_id()

    @property
    def was_aborted(self) -> bool:
        """Whether it ended because somebody here wanted it to."""
        return self._problem == _ABORTED

    def exchange(self, payload: bytes, count: int, timeout_s: float) -> list[Reply]:
        """Send these bytes and wait for that many replies.

        Raises:
            LostError: The connection broke or stayed silent; whether the server acted is unknown.
        """
        replies: list[Reply] = []
        with self._busy:
            if self._problem:
                raise LostError(self._problem)
            try:
                self._talk(payload, count, timeout_s, replies)
            except (OSError, hiredis.HiredisError, EOFError) as error:
                self._break(explain_end(error, replies))
                raise LostError(self._problem, replies) from error
            except BaseException:
                self._problem = "interrupted"
                raise
            finally:
                if self._problem:
                    self._socket.close()
        return replies

    def _talk(self, payload: bytes, count: int, timeout_s: float, replies: list[Reply]) -> None:
        deadline = monotonic() + timeout_s
        self._wait_until(deadline)
        self._socket.sendall(payload)
        while True:
            while (reply := self._reader.gets()) is not _NOTHING:
                replies.append(reply)
            if len(replies) >= count:
                return
            self._wait_until(deadline)
            data = self._socket.recv(_READ_BYTES)
            if not data:
                raise EOFError
            self._reader.feed(data)

    def _wait_until(self, deadline: float) -> None:
        """Let the socket wait so long; it costs system calls, and is mostly as it was."""
        timeout_s = max(deadline - monotonic(), 0.001)
        if not self._timeout_s - _SLACK_S < timeout_s <= self._timeout_s + _SLACK_S:
            self._socket.settimeout(timeout_s)
            self._timeout_s = timeout_s

    def abort(self) -> None:
        """Close at once, without a word to the server; wakes a thread that waits for replies."""
        self._break(_ABORTED)
        if self._pid != known_process_id():
            # The connection is the parent's; the descriptor is ours.
            self._socket.close()
            return
        try:
            # Not through TLS, which would say goodbye.
            socket.socket.shutdown(self._socket, socket.SHUT_RDWR)
        except OSError:
            pass  # already closed
        if self._busy.acquire(blocking=False):
            self._socket.close()
            self._busy.release()

    def _break(self, problem: str) -> None:
        self._problem = self._problem or problem


def _dial(address: Address, session: Session, timeout_s: float) -> socket.socket:
    if not isinstance(address, Tcp):
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        sock.settimeout(timeout_s)
        try:
            sock.connect(address.path)
        except BaseException:
            sock.close()
            raise
        return sock
    sock = socket.create_connection((address.host, address.port), timeout_s)
    try:
        tune(sock)
        if session.tls:
            return tls_context(session.tls).wrap_socket(sock, server_hostname=address.host)
    except BaseException:
        sock.close()
        raise
    return sock
