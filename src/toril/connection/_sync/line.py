"""A connection of one's own: what a worker's engine, doorbell and lease keeper talk through."""  # generated from _async/line.py by tools/generate_sync.py: edit that file

from collections.abc import Sequence
from typing import Final, Self, TypeVar

from toril.connection._sync.channel import Channel
from toril.connection._sync.dialogue import ask
from toril.connection._sync.locator import locator_of
from toril.connection._sync.pause import sleep
from toril.connection.outage import Outage
from toril.connection.refusal import Kind, LostError, Refusal
from toril.connection.request import AnyRequest, BlockingRequest, Request
from toril.connection.target import Target
from toril.core.errors import (
    ClosedError,
    DeniedError,
    OutcomeUnknownError,
    TorilError,
    UnavailableError,
)
from toril.core.operation import BlockingRead, Operation, Reply
from toril.telemetry.emitter import Emitter

R = TypeVar("R")
S = TypeVar("S")

_BLOCK_MARGIN_MS: Final = 2_000
"""How late a blocking command's reply may be before the server is taken for dead."""


class Line:
    """One dedicated connection to the node that has `key`; one user, one request in flight.

    It connects at the first call and again at the call after a failure, resting a little longer
    each time; only `close` ends it. It never sends anything twice: what to do about a lost reply
    is for the caller to know. Cancelling a call drops the connection, and with it the reply.
    """

    def __init__(
        self,
        target: Target,
        *,
        key: str,
        purpose: str,
        client_name: str | None = None,
        emitter: Emitter | None = None,
    ) -> None:
        self._target: Final = target.with_client_name(client_name) if client_name else target
        self._key: Final = key
        self._purpose: Final = purpose
        self._emitter: Final = emitter or Emitter()
        self._locator: Final = locator_of(self._target)
        self._outage: Final = Outage(purpose, emitter)
        # Set by the user's calls; read by `abort` and `close`, which may come from elsewhere.
        self._channel: Channel | None = None
        self._is_closed = False

    def connect(self) -> None:
        """Connect now rather than at the first call.

        Raises:
            UnavailableError: The server could not be reached.
            DeniedError: The server does not let us in.
        """
        self._ready_channel()

    def run_all(self, operations: Sequence[Operation[R]]) -> list[R | TorilError]:
        """Run these in one round trip; what went wrong with one of them stands in its place.

        Raises:
            UnavailableError: Nothing was sent.
            DeniedError: The server does not let us in; nothing was sent.
            OutcomeUnknownError: All was sent, and a reply is missing.
        """
        requests = [Request(operation) for operation in operations]
        server, replies = self._exchange(requests, self._target.session.reply_timeout_ms)
        return [
            request.read(reply, server) for request, reply in zip(requests, replies, strict=True)
        ]

    def read(
        self, blocking: BlockingRead[R], then: Sequence[Operation[S]] = ()
    ) -> tuple[R | TorilError, list[S | TorilError]]:
        """Wait on the server, then run these; all of it written in one go.

        The server begins with `then` when the wait is over. A refused wait stands in its place
        like a refused operation, because the operations ran all the same.

        Raises:
            UnavailableError: Nothing was sent.
            OutcomeUnknownError: All was sent, and a reply is missing.
        """
        wait = BlockingRequest(blocking)
        requests = [Request(operation) for operation in then]
        timeout_ms = wait.block_ms + _BLOCK_MARGIN_MS
        server, replies = self._exchange([wait, *requests], timeout_ms)
        return wait.read(replies[0], server), [
            request.read(reply, server)
            for request, reply in zip(requests, replies[1:], strict=True)
        ]

    def _exchange(
        self, requests: Sequence[AnyRequest], timeout_ms: int
    ) -> tuple[str, list[Reply]]:
        channel = self._ready_channel()
        server = channel.server
        replies = ask(channel, requests, timeout_ms / 1000, self._emitter)
        for request, reply in zip(requests, replies, strict=True):
            if isinstance(reply, LostError):
                self._lost(server, reply.problem)
                raise OutcomeUnknownError(request.name, server) from reply
        self._judge(server, replies)
        return server, replies

    def _ready_channel(self) -> Channel:
        if rest_s := self._outage.rest_s:
            sleep(rest_s)
        channel = self._channel
        if channel and channel.is_usable:
            return channel
        self._refuse_when_closed()
        if channel and not channel.was_aborted:
            self._lost(channel.server, "the connection was closed")
        return self._connect()

    def _connect(self) -> Channel:
        try:
            address = self._locator.address_of(self._key)
            channel = self._locator.open(address)
        except (DeniedError, UnavailableError) as error:
            self._locator.forget()
            self._outage.failed(error.server, error.problem)
            raise
        self._channel = channel
        if self._is_closed:
            channel.abort()
        self._refuse_when_closed()
        return channel

    def _refuse_when_closed(self) -> None:
        if self._is_closed:
            raise ClosedError(f"the {self._purpose} connection to {self._target.label}")

    def _judge(self, server: str, replies: Sequence[Reply]) -> None:
        """A server that answers is not yet one that works."""
        for reply in replies:
            if isinstance(reply, Refusal) and reply.kind in (Kind.ELSEWHERE, Kind.PASSING):
                self._outage.failed(server, reply.text)
                if reply.kind is Kind.ELSEWHERE:
                    self._drop()
                return
        self._outage.ended(server)

    def _lost(self, server: str, problem: str) -> None:
        self._drop()
        if not self._is_closed:
            self._outage.failed(server, problem)

    def _drop(self) -> None:
        channel, self._channel = self._channel, None
        self._locator.forget()
        if channel:
            channel.abort()

    def abort(self) -> None:
        """Break the connection under a call that is waiting; the next call makes a new one."""
        if channel := self._channel:
            channel.abort()

    def close(self) -> None:
        """Let go of the connection, for good; needs no network."""
        self._is_closed = True
        self.abort()
        # One turn of the loop, in which it takes leave of the socket.
        sleep(0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
