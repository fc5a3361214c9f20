"""One call of every operation on locks, as two who want the same one make them."""

from dataclasses import replace
from typing import Final

from tests.support.samples import Samples

from toril.toolkit.keys import Keys
from toril.toolkit.locks.operations.acquire import Acquire
from toril.toolkit.locks.operations.acquire_all import AcquireAll
from toril.toolkit.locks.operations.break_lock import Break
from toril.toolkit.locks.operations.check_fence import CheckFence
from toril.toolkit.locks.operations.give_up import GiveUp
from toril.toolkit.locks.operations.look import Look
from toril.toolkit.locks.operations.release import Release
from toril.toolkit.locks.operations.renew import Renew
from toril.toolkit.locks.wire import LockKeys

_LOCK: Final = LockKeys(Keys("toril", "lk"), "order:1")
_HOLDER: Final = '{"label":"","host":"here","pid":1}'

_ONE: Final = Acquire(keys=_LOCK, token="one", ttl_ms=10_000, holder=_HOLDER)  # noqa: S106
_TWO: Final = replace(_ONE, token="two", member="ptwo", is_fair=True)  # noqa: S106
_THREE: Final = replace(_ONE, token="three", member="sthree")  # noqa: S106
_ALL: Final = AcquireAll(locks=[_LOCK], token="four", ttl_ms=10_000, holder=_HOLDER)  # noqa: S106


def _give_up(token: str, *, in_doubt: bool) -> GiveUp:
    return GiveUp(keys=_LOCK, token=token, member=f"s{token}", in_doubt=in_doubt)


LOCKS: Final = Samples(
    "locks",
    ("toril:lk:{order:1}", "toril:fe:{order:1}"),
    (
        ("a lock is taken", _ONE),
        ("its answer was lost", replace(_ONE, least_fence=2**52)),
        ("another gets in line", _TWO),
        ("a third listens to shards", _THREE),
        ("a lock is looked at", Look(keys=_LOCK)),
        ("a lock is renewed", Renew(keys=_LOCK, token=_ONE.token, ttl_ms=20_000)),
        ("a lock is released", Release(keys=_LOCK, token=_ONE.token)),
        ("it is the turn of another", _THREE),
        ("whose turn it is takes it", _TWO),
        ("a lock is broken", Break(keys=_LOCK)),
        ("a claim is given up in doubt", _give_up("two", in_doubt=True)),
        ("what was given up comes late", _TWO),
        ("who waits leaves", _give_up("three", in_doubt=False)),
        ("several locks are taken", _ALL),
        ("several locks are not free", replace(_ALL, token="five")),  # noqa: S106
        ("what is held is given up", _give_up("four", in_doubt=False)),
        ("a fence is let through", CheckFence(key="toril:fe:{order:1}", fence=7)),
        ("a fence is refused", CheckFence(key="toril:fe:{order:1}", fence=6)),
    ),
)
