"""Ten processes with one idempotency key make one job, and lost replies make no second one."""

import asyncio
import json
import subprocess
import sys
from typing import Final

import pytest
import redis
from tests.support.proxy import Proxy
from tests.support.proxy_rules import Fault, Rule

from toril import AsyncQueue
from toril.bullmq.operations.add.add_jobs import ADD_JOBS
from toril.core.errors import OutcomeUnknownError
from toril.telemetry.emitter import Emitter

PROCESSES: Final = 10
ROUNDS: Final = 20
PATIENCE_S: Final = 60.0

PRODUCER: Final = """
import json, sys
from toril import Queue

url, rounds = sys.argv[1], int(sys.argv[2])
with Queue("mail", url) as queue:
    queue.counts()
    print("ready", flush=True)
    sys.stdin.readline()
    jobs = [queue.add("n", idempotency_key=f"round {number}") for number in range(rounds)]
print(json.dumps([[job.id, job.created] for job in jobs]))
"""


@pytest.mark.timeout(60)  # ten processes have to begin
def test_ten_processes_that_race_with_the_same_keys_make_one_job_for_each(
    redis_url: str, redis_client: redis.Redis
) -> None:
    command = [sys.executable, "-c", PRODUCER, redis_url, str(ROUNDS)]
    racers = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(PROCESSES)
    ]
    for racer in racers:
        assert racer.stdout is not None
        assert racer.stdout.readline() == "ready\n"
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write("go\n")
        racer.stdin.flush()
    answers = [json.loads(racer.communicate(timeout=PATIENCE_S)[0]) for racer in racers]

    assert redis_client.llen("bull:{mail}:wait") == ROUNDS
    for number in range(ROUNDS):
        answered = [answer[number] for answer in answers]
        assert len({job_id for job_id, _ in answered}) == 1
        assert [created for _, created in answered].count(True) == 1


async def test_calls_at_the_same_time_make_one_job(redis_url: str) -> None:
    async with AsyncQueue("mail", redis_url, emitter=Emitter()) as queue:
        jobs = await asyncio.gather(
            *(queue.add("n", number, idempotency_key="k") for number in range(50))
        )
        counts = await queue.counts()

    assert {job.id for job in jobs} == {"1"}
    assert [job.created for job in jobs].count(True) == 1
    assert counts.waiting == 1


@pytest.mark.parametrize("fault", [Fault.LOSE_REPLY, Fault.LOSE_HALF_REPLY, Fault.LOSE_REQUEST])
async def test_producers_whose_replies_are_lost_make_one_job_for_each_key(
    proxy: Proxy, redis_client: redis.Redis, fault: Fault
) -> None:
    queues = [AsyncQueue("mail", proxy.url, emitter=Emitter()) for _ in range(4)]
    await asyncio.gather(*(queue.counts() for queue in queues))
    proxy.add_rule(Rule(ADD_JOBS.sha.encode(), fault, every=5))

    async def add_all(queue: AsyncQueue) -> list[str]:
        return [(await queue.add("n", idempotency_key=f"k{number}")).id for number in range(25)]

    answers = await asyncio.gather(*(add_all(queue) for queue in queues))
    await asyncio.gather(*(queue.close() for queue in queues))

    assert proxy.cuts >= 20
    assert answers == [answers[0]] * 4
    assert redis_client.llen("bull:{mail}:wait") == 25


async def test_after_an_unknown_outcome_the_same_key_says_what_became_of_it(
    proxy: Proxy, redis_url: str, redis_client: redis.Redis
) -> None:
    async with AsyncQueue("mail", proxy.url, emitter=Emitter()) as queue:
        await queue.add("warm")
        proxy.add_rule(Rule(ADD_JOBS.sha.encode(), Fault.LOSE_REPLY))
        with pytest.raises(OutcomeUnknownError):
            await queue.add("n", idempotency_key="k")

    async with AsyncQueue("mail", redis_url) as successor:
        job = await successor.add("n", idempotency_key="k")

    assert (job.id, job.created) == ("2", False)
    assert redis_client.llen("bull:{mail}:wait") == 2


async def test_jobs_without_a_key_cost_no_look_for_one(
    redis_url: str, redis_client: redis.Redis
) -> None:
    looks = []
    async with AsyncQueue("mail", redis_url, emitter=Emitter()) as queue:
        await queue.add("warm")
        for count in (1, 100):
            redis_client.config_resetstat()
            await queue.add_many([("n", number) for number in range(count)])
            looks.append(redis_client.info("commandstats")["cmdstat_get"]["calls"])
        redis_client.config_resetstat()
        await queue.add_many([("n", n, {"idempotency_key": str(n)}) for n in range(100)])
        looks.append(redis_client.info("commandstats")["cmdstat_get"]["calls"])

    assert looks[0] == looks[1] == looks[2] - 200
