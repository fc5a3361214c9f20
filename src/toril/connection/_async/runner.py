"""Run operations wherever their keys live, again where that is allowed, until patience ends."""

import math
from collections.abc import Sequence
from functools import partial
from time import monotonic
from typing import Final, Self, TypeVar

from toril.connection._async.channel import AsyncChannel
from toril.connection._async.dialogue import ask, ask_early
from toril.connection._async.locator import locator_of
from toril.connection._async.pause import sleep, together
from toril.connection._async.pool import AsyncPool
from toril.connection.errand import Delivery, Errand, Trouble
from toril.connection.outage import Outage
from toril.connection.refusal import LostError, Refusal
from toril.connection.request import Request, pack
from toril.connection.target import Address, Target, Tcp
from toril.core.errors import ClosedError, TorilError, UnavailableError
from toril.core.operation import Operation, Reply, ServerQuestion
from toril.telemetry.emitter import Emitter

R = TypeVar("R")

_POOL_SIZE: Final = 32
_PATIENCE_MS: Final = 5_000
"""Long enough for a failover or a restart, short enough for somebody who waits."""

_MOMENT_S: Final = 0.001


class AsyncRunner:
    """Runs operations on a pool of connections; made for producers and for looking at things.

    An operation that certainly did not happen is tried again until `patience_ms` is over, and
    then reported as `UnavailableError`. One whose reply was lost is tried again only where it
    says that this is harmless; otherwise the caller gets `OutcomeUnknownError`.
    """

    def __init__(
        self,
        target: Target,
        *,
        emitter: Emitter | None = None,
        patience_ms: int = _PATIENCE_MS,
    ) -> None:
        # Said with every call, and put together only here.
        self._label: Final = target.label
        self._emitter: Final = emitter or Emitter()
        self._patience_s: Final = patience_ms / 1000
        self._timeout_s: Final = target.session.reply_timeout_ms / 1000
        self._locator: Final = locator_of(target)
        self._pool: Final = AsyncPool(self._locator, _POOL_SIZE)
        self._outage: Final = Outage("calls", emitter)
        self._is_closed = False

    async def run(self, operation: Operation[R], *, within_ms: int | None = None) -> R:
        """Run one operation and return its outcome, or raise what went wrong."""
        [result] = await self.run_all((operation,), within_ms=within_ms)
        if isinstance(result, TorilError):
            raise result
        return result

    async def deliver(
        self, operation: Operation[R], delivery: Delivery, *, within_ms: int | None = None
    ) -> R:
        """Run one operation and note how it reached the server, and its replicas.

        These are asked on the same connection; it takes as much longer.
        """
        [result] = await self.run_all((operation,), within_ms=within_ms, delivery=delivery)
        if isinstance(result, TorilError):
            raise result
        return result

    async def run_all(
        self,
        operations: Sequence[Operation[R]],
        *,
        within_ms: int | None = None,
        delivery: Delivery | None = None,
    ) -> list[R | TorilError]:
        """Run these in one round trip for each server; errors stand in their places.

        Without `within_ms` a server that is slow but there gets its whole reply timeout, beyond
        the runner's patience. With it the call ends in time, come what may.
        """
        if self._is_closed:
            raise ClosedError(f"the connection to {self._label}")
        errand = Errand(operations, delivery)
        patience_s = self._patience_s if within_ms is None else within_ms / 1000
        deadline = monotonic() + patience_s
        cut_off = math.inf if within_ms is None else deadline
        await self._attempt(errand, cut_off)
        while errand.pending:
            rest_s = self._outage.rest_s
            if monotonic() + rest_s > deadline:
                break
            await sleep(rest_s)
            await self._attempt(errand, cut_off)
        return errand.results

    async def ask_every_server(self, question: ServerQuestion[R]) -> list[R]:
        """Ask each server that has keys, again until patience ends.

        Raises:
            UnavailableError: one of them did not answer.
            DeniedError: one of them does not answer that question to us.
        """
        if self._is_closed:
            raise ClosedError(f"the connection to {self._label}")
        deadline = monotonic() + self._patience_s
        while True:
            known = self._outage.failures
            try:
                servers = await self._locator.addresses()
                answers = [await self._ask_server(address, question) for address in servers]
            except UnavailableError as error:
                self._judge(Trouble(error.server, error.problem, is_elsewhere=True), known)
                rest_s = self._outage.rest_s
                if monotonic() + rest_s > deadline:
                    raise
                await sleep(rest_s)
            else:
                self._judge(None, known)
                return answers

    async def _ask_server(self, address: Address, question: ServerQuestion[R]) -> R:
        words = question.words()
        try:
            async with self._pool.channel_to(address) as channel:
                [reply] = await channel.exchange(pack(*words), 1, self._timeout_s)
        except LostError as lost:
            raise UnavailableError(str(address), lost.problem) from lost
        if isinstance(reply, Refusal):
            raise reply.as_error(str(address), str(words[0]))
        return question.decode(reply)

    async def _attempt(self, errand: Errand[R], cut_off: float) -> None:
        indexes, known = errand.begin_attempt(), self._outage.failures
        nodes: dict[Address, list[int]] = {}
        try:
            for index in indexes:
                address = await self._locator.address_of(errand.requests[index].key)
                nodes.setdefault(address, []).append(index)
        except TorilError as error:
            errand.not_sent(indexes, error)
        else:
            await together(
                [
                    partial(self._ask, address, errand, places, cut_off)
                    for address, places in nodes.items()
                ]
            )
        self._judge(errand.trouble, known)

    async def _ask(
        self, address: Address, errand: Errand[R], places: Sequence[int], cut_off: float
    ) -> None:
        requests = [errand.requests[index] for index in places]
        try:
            async with self._pool.channel_to(address, _left_s(cut_off)) as channel:
                timeout_s = min(self._timeout_s, _left_s(cut_off))
                replies = await ask(channel, requests, timeout_s, self._emitter)
                if errand.delivery.copies:
                    await self._count(channel, errand.delivery, requests[0].read(replies[0], ""))
        except TorilError as error:
            # Only opening a connection raises: nothing was sent.
            errand.not_sent(places, error)
            return
        for index, request, reply in zip(places, requests, replies, strict=True):
            if isinstance(reply, Refusal) and (node := reply.ask_at):
                errand.answered(
                    index, await self._ask_early(Tcp(*node), request, reply), channel.server
                )
            else:
                errand.answered(index, reply, channel.server)

    async def _count(self, channel: AsyncChannel, delivery: Delivery, result: object) -> None:
        delivery.reached = 0
        if not delivery.counts(result):
            return
        wait = pack("WAIT", delivery.copies, delivery.within_ms)
        timeout_s = self._timeout_s + delivery.within_ms / 1000
        try:
            [reached] = await channel.exchange(wait, 1, timeout_s)
        except LostError:
            return
        if isinstance(reached, int):
            delivery.reached = reached

    async def _ask_early(self, address: Tcp, request: Request[R], refusal: Refusal) -> Reply:
        try:
            async with self._pool.channel_to(address) as channel:
                return await ask_early(channel, request, self._timeout_s)
        except UnavailableError:
            return refusal

    def _judge(self, trouble: Trouble | None, known: int) -> None:
        """One bad reply is enough to rest for, and to look again where the keys are."""
        if trouble is None:
            self._outage.ended(self._label)
            return
        self._outage.failed(trouble.server, trouble.problem, known=known)
        if trouble.is_elsewhere:
            self._locator.forget()
            self._pool.drop_idle()

    async def rest(self, seconds: float) -> None:
        """Let time pass between two runs, for whoever looks twice."""
        await sleep(seconds)

    async def close(self) -> None:
        """Let go of every connection that is not in use; needs no network."""
        self._is_closed = True
        self._pool.close()
        # One turn of the loop, in which it takes leave of the sockets.
        await sleep(0)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


def _left_s(cut_off: float) -> float:
    """At least a moment: a timeout of nothing would break a connection that is in order."""
    return max(cut_off - monotonic(), _MOMENT_S)
