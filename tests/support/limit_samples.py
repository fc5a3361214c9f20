"""Calls of every operation of rate limits, for every algorithm."""

from typing import Final

from tests.support.samples import Samples

from toril.toolkit.limits.arbiter import Arbiter
from toril.toolkit.limits.limit import Limit
from toril.toolkit.limits.operations.adjust import Adjust
from toril.toolkit.limits.operations.reset import Reset

_ARBITER: Final = Arbiter(
    "api",
    [
        Limit("10/second"),
        Limit("9/minute", algorithm="leaky_bucket", burst=9),
        Limit("9/minute", algorithm="fixed_window"),
        Limit("9/minute", algorithm="sliding_log"),
        Limit("9/minute", algorithm="sliding_counter"),
        Limit("9/minute", algorithm="sliding_counter", mode="weighted"),
    ],
    {},
)
_HIT: Final = _ARBITER.request("ada", 2).hit
_ONCE: Final = _ARBITER.request("ada", 2, operation_id="o").hit
_WAIT: Final = _ARBITER.request("ada", 4, patience_us=600_000_000).hit


def _adjust(token: str, actual: int) -> Adjust:
    return Adjust(
        receipt_key=_ARBITER.keys("ada").correction(token),
        answer_key=_HIT.receipt_key,
        rows=_HIT.rows,
        granted_us=9,
        slot_us=9,
        actual=actual,
    )


LIMITS: Final = Samples(
    "limits",
    ("toril:rl:{api:ada}:",),
    (
        ("a hit", _HIT),
        ("a hit with a receipt", _ONCE),
        ("a hit that was answered before", _ONCE),
        ("a slot to wait for", _WAIT),
        ("a hit that is refused", _HIT),
        ("a refund", _adjust("refund", 0)),
        ("a charge", _adjust("charge", 99)),
        ("a look", _ARBITER.request("ada", 1, patience_us=-1).hit),
        ("limits are reset", Reset(keys=_ARBITER.keys("ada").limits)),
    ),
)
