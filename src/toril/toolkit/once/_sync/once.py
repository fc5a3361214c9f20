"""Run something once for a key, and give everybody the result."""  # generated from _async/once.py by tools/generate_sync.py: edit that file

from collections.abc import Callable, Hashable
from functools import wraps
from time import monotonic
from typing import Final, ParamSpec, TypeVar, Unpack, cast

from toril.core.durations import Duration
from toril.core.errors import BadInputError, OutcomeUnknownError, UnavailableError
from toril.telemetry.toolkit_once import OnceRan, OnceRefused, OnceReplayed
from toril.toolkit._sync.client import Client
from toril.toolkit._sync.function import Function
from toril.toolkit.call_names import CallName
from toril.toolkit.errors import (
    InProgressError,
    LeaseLostError,
    RecursiveRunError,
    RunFailedError,
)
from toril.toolkit.keys import Keys, check_name, check_prefix
from toril.toolkit.leases._sync.body import Body
from toril.toolkit.leases._sync.desk import Desk
from toril.toolkit.leases._sync.lease import Lease
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


class Once:
    """Runs what it is given at most once at a time for a key, in all processes of this name.

    The result is kept for `ttl`, and whoever comes with the key meanwhile gets it instead of a
    run. It is kept as JSON, and everybody gets it as JSON gives it back, the one who ran it too.
    A run goes on under a lease that is renewed; when its process dies, another may begin as soon
    as the lease ends. A run whose lease is lost is cancelled, and its end counts for nothing.

    A run that raises is forgotten, so that the next caller runs it again, or kept by
    `on_failure="store"`. One that was cancelled is always forgotten.

    >>> with Connection("embedded://") as connection:
    ...     payments = Once("payments", connection, ttl=86_400)
    ...     receipt = payments.run("order:7", charge)
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
        self._client: Final = Client(
            target, timeout_ms=settings.leases.timeout_ms, emitter=options.get("emitter")
        )
        self._desk: Final = Desk(
            self._client, settings.leases, Backstage.of(self._client.target)
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"

    def run(self, key: str, work: Function[[], R]) -> R:
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
        begun = self._desk.acquire(claim, self._settings.leases.wait_ms)
        match begun:
            case None:
                self._client.emitter.emit(OnceRefused(subject=self.name))
                raise InProgressError(self.name, key)
            case Ended(is_done, text):
                self._client.emitter.emit(OnceReplayed(subject=self.name))
                if is_done:
                    return cast("R", read_result(text))
                raise RunFailedError(self.name, key, *read_error(text))
            case Lease() as lease:
                return self._run(lease, claim, work)

    def per_call(self, key: str) -> Callable[[Function[P, R]], Function[P, R]]:
        """Decorate a function, so that each call is a run of its key: `"order:{order_id}"`.

        Raises:
            BadInputError: the key names what is no parameter of the function.
        """

        def decorate(function: Function[P, R]) -> Function[P, R]:
            call_key = CallName(key, function, "key")

            @wraps(function)
            def run(*args: P.args, **kwargs: P.kwargs) -> R:
                def work() -> R:
                    return function(*args, **kwargs)

                return self.run(call_key.of(args, kwargs), work)

            return run

        return decorate

    def forget(self, key: str) -> bool:
        """Let the key be run again; False when nothing was kept. One that runs is left alone.

        Raises:
            UnavailableError: the server could not be asked.
        """
        return self._client.run(Forget(keys=self._run_keys(key)))

    def close(self) -> None:
        """Renew no lease any more, and let go of the connection, where no others share it."""
        self._desk.close()

    def _run_keys(self, key: str) -> RunKeys:
        is_sharded = self._client.target.is_cluster
        return RunKeys(self._keys, self.name, check_name(key, "key"), is_sharded)

    def _place_of(self, claim: RunClaim) -> Hashable:
        return self._client.target, claim.keys.run

    def _run(self, lease: Lease, claim: RunClaim, work: Function[[], R]) -> R:
        def begin() -> Lease:
            return lease

        # Whoever leaves this without having kept an end forgets the run.
        with Body(begin, cancels=True):
            try:
                with running(self._place_of(claim), lease.hold):
                    result = work()
            except Exception as error:
                if self._settings.stores_failures:
                    self._keep(lease, claim, "failed", error_text(error))
                raise
            try:
                text = result_text(result, self._settings.max_result_bytes)
            except BadInputError as error:
                self._keep(lease, claim, "failed", error_text(error))
                raise
            self._keep(lease, claim, "done", text)
        return cast("R", read_result(text))

    def _keep(self, lease: Lease, claim: RunClaim, state: State, text: bytes) -> None:
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
            is_kept = self._insist(finish, until=lease.deadline)
        except BaseException:
            self._desk.give_up(claim, in_doubt=True)
            raise
        self._desk.settle(claim)
        if not is_kept:
            raise LeaseLostError(claim.kind, self.name, "it ended before the run did")
        self._client.emitter.emit(OnceRan(subject=self.name, outcome=state))

    def _insist(self, finish: Finish, *, until: float) -> bool:
        while True:
            try:
                return self._client.run(finish)
            except (UnavailableError, OutcomeUnknownError):
                if monotonic() > until:
                    raise
