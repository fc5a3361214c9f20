"""Run something once for a key, and give everybody the result."""

from collections.abc import Callable, Hashable
from functools import wraps
from time import monotonic
from typing import Final, ParamSpec, TypeVar, Unpack, cast

from toril.core.durations import Duration
from toril.core.errors import BadInputError, OutcomeUnknownError, UnavailableError
from toril.telemetry.toolkit_once import OnceRan, OnceRefused, OnceReplayed
from toril.toolkit._async.client import AsyncClient
from toril.toolkit._async.function import AsyncFunction
from toril.toolkit.call_names import CallName
from toril.toolkit.errors import (
    InProgressError,
    LeaseLostError,
    RecursiveRunError,
    RunFailedError,
)
from toril.toolkit.keys import Keys, check_name, check_prefix
from toril.toolkit.leases._async.body import AsyncBody
from toril.toolkit.leases._async.desk import AsyncDesk
from toril.toolkit.leases._async.lease import AsyncLease
from toril.toolkit.leases.backstage import Backstage
from toril.toolkit.once.claim import RunClaim
from toril.toolkit.once.ends import error_text, read_error, read_result, result_text
from toril.toolkit.once.operations.begin import Ended
from toril.toolkit.once.operations.finish import Finish, State
from toril.toolkit.once.operations.forget import Forget
from toril.toolkit.once.options import OnceOptions, OnceSettings
from toril.toolkit.once.own_runs import running, runs_here
from toril.toolkit.once.wire import ONCE, RunKeys
from toril.toolkit.tokens import new_token

P = ParamSpec("P")
R = TypeVar("R")


class AsyncOnce:
    """Runs what it is given at most once at a time for a key, in all processes of this name.

    The result is kept for `ttl`, and whoever comes with the key meanwhile gets it instead of a
    run. It is kept as JSON, and everybody gets it as JSON gives it back, the one who ran it too.
    A run goes on under a lease that is renewed; when its process dies, another may begin as soon
    as the lease ends. A run whose lease is lost is cancelled, and its end counts for nothing.

    A run that raises is forgotten, so that the next caller runs it again, or kept by
    `on_failure="store"`. One that was cancelled is always forgotten.

    >>> async with AsyncConnection("embedded://") as connection:
    ...     payments = AsyncOnce("payments", connection, ttl=86_400)
    ...     receipt = await payments.run("order:7", charge)
    """

    def __init__(
        self,
        name: str,
        target: object = None,
        *,
        ttl: Duration,
        **options: Unpack[OnceOptions],
    ) -> None:
        settings = OnceSettings.of(ttl, options)
        self.name: Final = check_name(name)
        self._keys: Final = Keys(check_prefix(options.get("prefix")), ONCE)
        self._settings: Final = settings
        self._client: Final = AsyncClient(
            target, timeout_ms=settings.leases.timeout_ms, emitter=options.get("emitter")
        )
        self._desk: Final = AsyncDesk(
            self._client, settings.leases, Backstage.of(self._client.target)
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"

    async def run(self, key: str, work: AsyncFunction[[], R]) -> R:
        """Call `work` without arguments, unless that was done for this key; return its result.

        Whatever `work` raises is raised here, where it ran.

        Raises:
            InProgressError: somebody else runs it, and that is not to be waited for any longer.
            RecursiveRunError: it runs, and this is called by that run.
            RunFailedError: it has failed, and that is kept.
            LeaseLostError: it ran here, but somebody else may have begun meanwhile.
            BadInputError: its result is no JSON or too large; kept as a failure, as it has run.
            UndecodableError: what is kept was not written by toril.
            UnavailableError: the server could not be asked, or not be told of the end.
        """
        claim = RunClaim(self._run_keys(key), new_token())
        if runs_here(self._place_of(claim)):
            raise RecursiveRunError(self.name, key)
        begun = await self._desk.acquire(claim, self._settings.leases.wait_ms)
        match begun:
            case None:
                self._client.emitter.emit(OnceRefused(subject=self.name))
                raise InProgressError(self.name, key)
            case Ended(is_done, text):
                self._client.emitter.emit(OnceReplayed(subject=self.name))
                if is_done:
                    return cast("R", read_result(text))
                raise RunFailedError(self.name, key, *read_error(text))
            case AsyncLease() as lease:
                return await self._run(lease, claim, work)

    def per_call(self, key: str) -> Callable[[AsyncFunction[P, R]], AsyncFunction[P, R]]:
        """Decorate a function, so that each call is a run of its key: `"order:{order_id}"`.

        Raises:
            BadInputError: the key names what is no parameter of the function.
        """

        def decorate(function: AsyncFunction[P, R]) -> AsyncFunction[P, R]:
            call_key = CallName(key, function, "key")

            @wraps(function)
            async def run(*args: P.args, **kwargs: P.kwargs) -> R:
                async def work() -> R:
                    return await function(*args, **kwargs)

                return await self.run(call_key.of(args, kwargs), work)

            return run

        return decorate

    async def forget(self, key: str) -> bool:
        """Let the key be run again; False when nothing was kept. One that runs is left alone.

        Raises:
            UnavailableError: the server could not be asked.
        """
        return await self._client.run(Forget(keys=self._run_keys(key)))

    async def close(self) -> None:
        """Renew no lease any more, and let go of the connection, where no others share it."""
        await self._desk.close()

    def _run_keys(self, key: str) -> RunKeys:
        is_sharded = self._client.target.is_cluster
        return RunKeys(self._keys, self.name, check_name(key, "key"), is_sharded)

    def _place_of(self, claim: RunClaim) -> Hashable:
        return self._client.target, claim.keys.run

    async def _run(self, lease: AsyncLease, claim: RunClaim, work: AsyncFunction[[], R]) -> R:
        async def begin() -> AsyncLease:
            return lease

        # Whoever leaves this without having kept an end forgets the run.
        async with AsyncBody(begin, cancels=True):
            try:
                with running(self._place_of(claim), lease.hold):
                    result = await work()
            except Exception as error:
                if self._settings.stores_failures:
                    await self._keep(lease, claim, "failed", error_text(error))
                raise
            try:
                text = result_text(result, self._settings.max_result_bytes)
            except BadInputError as error:
                await self._keep(lease, claim, "failed", error_text(error))
                raise
            await self._keep(lease, claim, "done", text)
        return cast("R", read_result(text))

    async def _keep(self, lease: AsyncLease, claim: RunClaim, state: State, text: bytes) -> None:
        """Store an end; a server that is away is waited for as long as nobody else can begin."""
        lease.check()
        lease.hold.end()  # it is renewed no more: that would fail behind the end
        finish = Finish(
            keys=claim.keys,
            owner=claim.token,
            state=state,
            value=text,
            keep_ms=self._settings.keep_ms,
        )
        try:
            is_kept = await self._insist(finish, until=lease.deadline)
        except BaseException:
            self._desk.give_up(claim, in_doubt=True)
            raise
        self._desk.settle(claim)
        if not is_kept:
            raise LeaseLostError(claim.kind, self.name, "it ended before the run did")
        self._client.emitter.emit(OnceRan(subject=self.name, outcome=state))

    async def _insist(self, finish: Finish, *, until: float) -> bool:
        while True:
            try:
                return await self._client.run(finish)
            except (UnavailableError, OutcomeUnknownError):
                if monotonic() > until:
                    raise
