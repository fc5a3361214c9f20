"""Several leases that stand and fall together."""

from dataclasses import replace
from time import monotonic

from toril.telemetry.emitter import Emitter
from toril.toolkit.keys import Keys
from toril.toolkit.leases.hold import Hold, Office
from toril.toolkit.leases.joint import JointHold, Label
from toril.toolkit.leases.terms import Terms
from toril.toolkit.locks.claim import LockClaim
from toril.toolkit.locks.wire import LockKeys

KEYS = Keys("toril", "lk")
FIRST = LockClaim(
    keys=LockKeys(KEYS, "a"),
    token="t",  # noqa: S106 - whose it is
    holder="{}",
    is_fair=False,
    is_sharded=False,
)
SECOND = replace(FIRST, keys=LockKeys(KEYS, "b"))


def test_what_is_let_go_when_another_part_has_run_out_is_given_up() -> None:
    given_up: list[object] = []
    office = Office(Terms(ttl_ms=1_000), Emitter())
    stands = Hold(FIRST, office, fence=1, sent_at=monotonic())
    ran_out = Hold(SECOND, office, fence=1, sent_at=monotonic() - 2)
    joint = JointHold(
        Label("locks", "a, b", "t"), [stands, ran_out], [FIRST, SECOND], given_up.append
    )

    assert joint.end() is False
    assert given_up == [FIRST]
