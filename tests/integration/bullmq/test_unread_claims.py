"""A job whose claim was answered while the loop stood still is kept until the loop goes on."""

import asyncio
from collections.abc import AsyncIterator
from time import monotonic

import pytest
import redis
from tests.support.servers import wait_until
from tests.support.turns import turns

from toril import Queue
from toril.bullmq.naming import QueueName
from toril.bullmq.operations.maintain.reap_stalled import ReapStalled
from toril.bullmq.worker.source import BullSource, SourceOptions
from toril.connection import AsyncRunner, Runner, Target
from toril.telemetry.emitter import Emitter

NAME = QueueName.of("mail", hash_tag=None, cluster=False)
LOCK_S = 0.4


@pytest.fixture
async def source(redis_url: str) -> AsyncIterator[BullSource]:
    target = Target.of(redis_url)
    options = SourceOptions(worker="one", worker_name="one", lock_ms=int(LOCK_S * 1_000))
    async with AsyncRunner(target) as runner:
        source = BullSource(NAME, target, runner, options, Emitter())
        await source.open()
        assert (await source.exchange([], 1)).claimed == [], "the connection is made"
        yield source
        await source.close()


@pytest.mark.parametrize("keeps", [True, False])
async def test_a_claim_that_nobody_has_read_is_kept(
    redis_url: str, redis_client: redis.Redis, source: BullSource, *, keeps: bool
) -> None:
    with Queue("mail", redis_url, emitter=Emitter()) as queue:
        queue.add("n")
    call = asyncio.create_task(source.exchange([], 1))
    await turns(3)

    # From here on the loop stands still: what follows is what other threads and workers do.
    wait_until(lambda: redis_client.llen(NAME.keys.active) == 1, "it is claimed")
    recovered: list[str] = []
    ends_at = monotonic() + 3 * LOCK_S
    with Runner(Target.of(redis_url)) as other:

        def pass_time() -> bool:
            if keeps:
                source.renew_unread()
            reap = ReapStalled(keys=NAME.keys, max_stalled=3, interval_ms=1)
            recovered.extend(other.run(reap).recovered)
            return monotonic() > ends_at

        wait_until(pass_time, "three leases are over")

    claimed = (await call).claimed
    await source.give_back([one.lease for one in claimed])
    if keeps:
        assert (recovered, [one.lease.job_id for one in claimed]) == ([], ["1"])
    else:
        assert (recovered, claimed) == (["1"], [])


async def test_nothing_is_asked_while_replies_are_read_in_time(
    redis_client: redis.Redis, source: BullSource
) -> None:
    redis_client.config_resetstat()

    source.renew_unread()
    await source.exchange([], 1)
    source.renew_unread()

    assert redis_client.info("commandstats")["cmdstat_evalsha"]["calls"] == 1
