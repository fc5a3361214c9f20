"""What is granted in vain is given back before anything else is tried."""

from contextlib import nullcontext

import pytest

from toril.connection.errand import Delivery
from toril.core.errors import DeniedError, OutcomeUnknownError, TorilError, UnavailableError
from toril.core.operation import Operation
from toril.telemetry.emitter import Emitter
from toril.toolkit.keys import Keys
from toril.toolkit.leases._async.desk import AsyncDesk
from toril.toolkit.leases.backstage import Backstage
from toril.toolkit.leases.claim import Claim, Granted
from toril.toolkit.leases.hold import Office
from toril.toolkit.leases.options import LeaseSettings
from toril.toolkit.leases.terms import Terms
from toril.toolkit.locks.claim import LockClaim
from toril.toolkit.locks.operations.release import Release
from toril.toolkit.locks.wire import LockKeys

CLAIM = LockClaim(
    keys=LockKeys(Keys("toril", "lk"), "a"),
    token="t",  # noqa: S106 - whose it is
    holder="{}",
    is_fair=False,
    is_sharded=False,
)
SETTINGS = LeaseSettings(Terms(replicas=1), None, 5_000, None, cancels=True)


class Lonely:
    """A server that grants everything, has no replicas, and cannot be told of the end."""

    emitter = Emitter()

    def __init__(self, problem: TorilError) -> None:
        self.problem = problem
        self.granted = 0

    async def run(self, operation: Operation[object], *, within_ms: int | None = None) -> object:
        del within_ms
        assert isinstance(operation, Release)
        raise self.problem

    async def deliver(self, operation: Operation[object], delivery: Delivery) -> object:
        del operation, delivery
        self.granted += 1
        return Granted(self.granted)

    async def close(self) -> None:
        """There is nothing to close."""


class Forbidding(Lonely):
    """A server that may have got a request, lost its reply, and may not be asked any more."""

    async def deliver(self, operation: Operation[object], delivery: Delivery) -> object:
        del operation
        delivery.was_lost = True
        raise self.problem


class Background:
    """Notes what it is told to give up; rings no bells."""

    def __init__(self) -> None:
        self.given_up: list[tuple[Claim[object], bool]] = []

    def give_up(self, claim: Claim[object], office: Office, *, in_doubt: bool) -> None:
        del office
        self.given_up.append((claim, in_doubt))

    def listening(self, *_: object) -> nullcontext[None]:
        return nullcontext()


@pytest.mark.parametrize("wait_ms", [0, 5_000])
@pytest.mark.parametrize(
    "problem", [OutcomeUnknownError("release", "there"), UnavailableError("there", "it is away")]
)
async def test_what_cannot_be_given_back_is_given_up_in_doubt_and_not_tried_again(
    wait_ms: int, problem: TorilError
) -> None:
    server, background = Lonely(problem), Background()
    desk = AsyncDesk(
        server,  # type: ignore[arg-type]
        SETTINGS,
        Backstage(lambda: background, lambda: background),  # type: ignore[arg-type, return-value]
    )

    with pytest.raises(type(problem)):
        await desk.acquire(CLAIM, wait_ms)

    assert server.granted == 1
    assert background.given_up[0] == (CLAIM, True)


async def test_what_was_refused_after_a_lost_reply_is_given_up_in_doubt() -> None:
    background = Background()
    desk = AsyncDesk(
        Forbidding(DeniedError("there", "NOPERM")),  # type: ignore[arg-type]
        SETTINGS,
        Backstage(lambda: background, lambda: background),  # type: ignore[arg-type, return-value]
    )

    with pytest.raises(DeniedError):
        await desk.acquire(CLAIM, 0)

    assert background.given_up == [(CLAIM, True)]
