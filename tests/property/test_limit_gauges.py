"""The scripts count as the gauges in Python do, whatever is asked of them in whatever order.

The gauges are told the moments at which the server decided. Periods are short, so that time passes
while a history is played, and keys end in the middle of it. What was granted and not given back is
held to the laws of limits, which know nothing of gauges.
"""

from itertools import count
from typing import Final

import pytest
import redis
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test
from tests.lua.sending import send
from tests.support.limit_laws import Granted, breaches

from toril.toolkit.limits.arbiter import Arbiter
from toril.toolkit.limits.limit import Limit
from toril.toolkit.limits.local_limits import LocalLimits
from toril.toolkit.limits.operations.adjust import Adjust
from toril.toolkit.limits.operations.hit import Hit  # noqa: TC001 - hypothesis reads types
from toril.toolkit.limits.operations.reset import Reset
from toril.toolkit.limits.ruling import Ruling

STEPS: Final = 60
LONG: Final = (pytest.mark.long, pytest.mark.timeout(900))

MIXES: Final = {
    "gcra": [Limit("7/20ms", burst=4)],
    "leaky": [Limit("3/9ms", algorithm="leaky_bucket")],
    "fixed": [Limit("5/8ms", algorithm="fixed_window")],
    "first hit": [Limit("5/8ms", algorithm="fixed_window", align="first_hit")],
    "log": [Limit("5/9ms", algorithm="sliding_log")],
    "counter": [Limit("6/10ms", algorithm="sliding_counter", buckets=4)],
    "weighted": [Limit("6/10ms", algorithm="sliding_counter", mode="weighted")],
    "several": [
        Limit("5/5ms"),
        Limit("7/30ms", algorithm="sliding_log"),
        Limit("6/20ms", algorithm="fixed_window"),
        Limit("9/40ms", algorithm="sliding_counter"),
        Limit("9/30ms", algorithm="sliding_counter", mode="weighted"),
    ],
}


class Histories(RuleBasedStateMachine):
    """Plays on a server and on gauges in Python."""

    client: redis.Redis
    limits: list[Limit]
    names = count()

    def __init__(self) -> None:
        super().__init__()
        self.arbiter = Arbiter(f"history-{next(self.names)}", self.limits, {})
        self.tokens = count()
        self.gauges = LocalLimits()
        self.granted: list[tuple[Hit, Ruling]] = []
        self.kept: list[Granted] = []
        self.reset_us = 0

    @rule(cost=st.integers(0, 6), patience_us=st.sampled_from([0, 0, 0, 2_000, 30_000, -1]))
    def hit(self, cost: int, patience_us: int) -> None:
        hit = self.arbiter.request("k", cost, patience_us=patience_us).hit
        ruling = send(self.client, hit)

        assert isinstance(ruling, Ruling)
        assert ruling == self.gauges.hit(hit.rows, patience_us, ruling.now_us)
        if ruling.granted and cost:
            self.granted.append((hit, ruling))
            self.kept.append(Granted(ruling.slot_us, cost))

    @rule(which=st.integers(0, 3), actual=st.integers(0, 8))
    def adjust(self, which: int, actual: int) -> None:
        """One of the latest grants; what is charged beyond it is no grant."""
        if which >= len(self.granted):
            return
        hit, ruling = self.granted.pop(-1 - which)
        taken = Granted(ruling.slot_us, hit.rows[0][2])
        now_us = send(
            self.client,
            Adjust(
                receipt_key=self.arbiter.keys("k").correction(str(next(self.tokens))),
                answer_key=hit.receipt_key,
                rows=hit.rows,
                granted_us=ruling.now_us,
                slot_us=ruling.slot_us,
                actual=actual,
            ),
        )

        assert isinstance(now_us, int)
        self.gauges.adjust(
            hit.rows,
            actual,
            granted_us=ruling.now_us,
            slot_us=ruling.slot_us,
            now_us=now_us,
        )
        if ruling.now_us > self.reset_us:
            self.kept.remove(taken)
            self.kept.append(taken._replace(cost=min(actual, taken.cost)))

    @rule()
    def reset(self) -> None:
        """What was granted before counts no more, whether it is given back or not."""
        keys = self.arbiter.keys("k").limits
        now_us = send(self.client, Reset(keys=keys))
        assert isinstance(now_us, int)
        self.reset_us = now_us
        self.gauges.reset(keys, now_us)
        self.kept.clear()

    @rule(steps=st.integers(1, 40))
    def let_time_pass(self, steps: int) -> None:
        for _ in range(steps):
            self.client.ping()

    def teardown(self) -> None:
        assert [found for limit in self.limits for found in breaches(limit, self.kept)] == []


@pytest.mark.parametrize("examples", [15, pytest.param(170, marks=LONG)])
@pytest.mark.parametrize("mix", MIXES)
def test_scripts_and_gauges_agree(redis_client: redis.Redis, mix: str, examples: int) -> None:
    machine = type("Machine", (Histories,), {"client": redis_client, "limits": MIXES[mix]})

    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples, stateful_step_count=STEPS, deadline=None, database=None
        ),
    )

    assert all(client_ttl != -1 for client_ttl in map(redis_client.pttl, redis_client.keys("*")))
