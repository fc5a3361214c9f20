"""A source claims jobs in order, and does with each outcome what it asks for."""

import asyncio

import pytest
from tests.contracts.harness import (
    LONG_MS,
    OOPS,
    PATIENCE_S,
    SOON_MS,
    Harness,
    claim,
    ids,
    settle,
    settling,
)

from toril.core.errors import PermanentError
from toril.core.outcome import Delay, Discard, GiveBack, RateLimited, Retry, WaitForChildren
from toril.runtime.source import Effect, Ending, Outcome, Raised, Returned, Said


class Claiming:
    async def test_jobs_are_claimed_in_the_order_of_their_adding(self, harness: Harness) -> None:
        for job_id in ("a", "b", "c"):
            await harness.add(job_id)
        source = await harness.source()

        assert ids(await source.exchange([], 2)) == ["a", "b"]
        assert ids(await source.exchange([], 2)) == ["c"]

    async def test_nothing_is_claimed_when_nothing_is_wanted(self, harness: Harness) -> None:
        await harness.add("a")
        source = await harness.source()

        assert ids(await source.exchange([], 0)) == []
        assert await harness.state_of("a") == "waiting"

    async def test_a_claimed_job_is_active_and_nobody_elses(self, harness: Harness) -> None:
        await harness.add("a")
        mine, theirs = await harness.source(), await harness.source()

        assert ids(await mine.exchange([], 1)) == ["a"]

        assert await harness.state_of("a") == "active"
        assert ids(await theirs.exchange([], 1)) == []

    async def test_a_smaller_priority_goes_first_and_none_before_all(
        self, harness: Harness
    ) -> None:
        await harness.add("low", priority=7)
        await harness.add("high", priority=1)
        await harness.add("high too", priority=1)
        await harness.add("none")
        source = await harness.source()

        assert ids(await source.exchange([], 4)) == ["none", "high", "high too", "low"]

    async def test_two_exchanges_at_once_share_the_jobs(self, harness: Harness) -> None:
        expected = {f"job {number}" for number in range(20)}
        for job_id in sorted(expected):
            await harness.add(job_id)
        source = await harness.source()

        first, second = await asyncio.gather(source.exchange([], 10), source.exchange([], 10))

        assert sorted(ids(first) + ids(second)) == sorted(expected)

    async def test_a_delayed_job_is_not_claimed_before_its_time(self, harness: Harness) -> None:
        await harness.add("later", delay_ms=LONG_MS)
        source = await harness.source()

        answer = await source.exchange([], 1)

        assert ids(answer) == []
        assert answer.next_in_ms is not None
        assert 0 < answer.next_in_ms <= LONG_MS
        assert await harness.state_of("later") == "delayed"

    async def test_a_delayed_job_is_claimed_when_it_is_due(self, harness: Harness) -> None:
        await harness.add("soon", delay_ms=SOON_MS)
        source = await harness.source()

        await harness.pass_time(SOON_MS + 5)

        assert ids(await source.exchange([], 1)) == ["soon"]


class Settling:
    async def test_a_result_completes_the_job(self, harness: Harness) -> None:
        await harness.add("a")
        source = await harness.source()
        [claimed] = await claim(source)

        assert await settle(source, claimed, Returned({"sent": True})) is Effect.COMPLETED
        assert await harness.state_of("a") == "completed"

    async def test_one_exchange_settles_and_claims(self, harness: Harness) -> None:
        for job_id in ("a", "b", "c", "d"):
            await harness.add(job_id)
        source = await harness.source()
        claimed = await claim(source, 2)

        answer = await source.exchange(settling(claimed, Returned(None)), 2)

        assert [settled.job_id for settled in answer.settled] == ["a", "b"]
        assert ids(answer) == ["c", "d"]

    @pytest.mark.parametrize(
        "ending",
        [
            pytest.param(OOPS, id="no attempts left"),
            pytest.param(Said(Retry("again")), id="no attempts left for a retry"),
            pytest.param(Raised(ValueError("oops"), final=True), id="final"),
            pytest.param(Raised(PermanentError("never"), final=True), id="permanent"),
            pytest.param(Said(Discard("unwanted")), id="discarded"),
        ],
    )
    async def test_a_job_that_will_not_be_tried_again_fails(
        self, harness: Harness, ending: Ending
    ) -> None:
        last = ending is OOPS or (isinstance(ending, Said) and isinstance(ending.what, Retry))
        await harness.add("a", attempts=1 if last else 5)
        source = await harness.source()
        [claimed] = await claim(source)

        [settled] = (await source.exchange(settling([claimed], ending), 0)).settled

        assert (settled.effect, await harness.state_of("a")) == (Effect.FAILED, "failed")
        assert settled.reason in {"oops", "again", "never", "unwanted"}

    async def test_a_failed_attempt_is_tried_again_while_there_are_any(
        self, harness: Harness
    ) -> None:
        await harness.add("a", attempts=2)
        source = await harness.source()
        [first] = await claim(source)
        assert await settle(source, first, OOPS) is Effect.RETRIED

        [second] = await claim(source)

        assert second.lease != first.lease
        assert await settle(source, second, OOPS) is Effect.FAILED

    async def test_a_retry_waits_for_its_backoff(self, harness: Harness) -> None:
        await harness.add("a", attempts=2, backoff_ms=LONG_MS)
        source = await harness.source()

        [settled] = (await source.exchange(settling(await claim(source), OOPS), 0)).settled

        assert (settled.effect, settled.delay_ms) == (Effect.RETRIED, LONG_MS)
        assert await harness.state_of("a") == "delayed"

    async def test_a_retry_that_names_its_delay_gets_it(self, harness: Harness) -> None:
        await harness.add("a", attempts=2, backoff_ms=5)
        source = await harness.source()
        ending = Said(Retry(delay=60))

        [settled] = (await source.exchange(settling(await claim(source), ending), 0)).settled

        assert (settled.effect, settled.delay_ms) == (Effect.RETRIED, 60_000)

    async def test_a_delay_does_not_count_as_an_attempt(self, harness: Harness) -> None:
        await harness.add("a", attempts=1)
        source = await harness.source()
        [claimed] = await claim(source)

        assert await settle(source, claimed, Said(Delay(until=SOON_MS / 1_000))) is Effect.DELAYED
        assert await harness.state_of("a") == "delayed"
        await harness.pass_time(SOON_MS + 5)
        [again] = await claim(source)

        assert await settle(source, again, Returned(None)) is Effect.COMPLETED

    async def test_a_job_given_back_is_the_next_and_has_lost_no_attempt(
        self, harness: Harness
    ) -> None:
        await harness.add("a", attempts=1)
        await harness.add("b")
        source = await harness.source()
        [claimed] = await claim(source)

        assert await settle(source, claimed, Said(GiveBack())) is Effect.GIVEN_BACK
        assert await harness.state_of("a") == "waiting"
        [again] = await claim(source)

        assert again.lease.job_id == "a"
        assert await settle(source, again, Returned(None)) is Effect.COMPLETED

    async def test_a_job_may_ask_for_a_rest_that_costs_it_nothing(self, harness: Harness) -> None:
        await harness.add("a", attempts=1)
        await harness.add("b")
        source = await harness.source()
        [claimed] = await claim(source)
        outcomes = settling([claimed], Said(RateLimited(for_=SOON_MS / 1_000)))

        answer = await source.exchange(outcomes, 2)

        assert [settled.effect for settled in answer.settled] == [Effect.LIMITED]
        assert ids(answer) == []
        assert answer.next_in_ms is not None
        assert 0 < answer.next_in_ms <= SOON_MS
        await harness.pass_time(SOON_MS + 5)
        assert ids(again := await source.exchange([], 2)) == ["a", "b"]
        assert await settle(source, again.claimed[0], Returned(None)) is Effect.COMPLETED

    async def test_the_end_of_a_rest_wakes_whoever_waits(self, harness: Harness) -> None:
        await harness.add("a")
        source = await harness.source()
        await settle(source, *await claim(source), Said(RateLimited(for_=SOON_MS / 1_000)))
        await source.wait_for_work(1, 1)
        waiting = asyncio.create_task(source.wait_for_work(1, LONG_MS))

        await harness.pass_time(SOON_MS + 5)
        await source.exchange([], 0)

        assert ids(await asyncio.wait_for(waiting, PATIENCE_S)) == ["a"]

    async def test_a_job_without_children_does_not_wait_for_them(self, harness: Harness) -> None:
        await harness.add("a", attempts=1)
        source = await harness.source()
        [claimed] = await claim(source)

        assert await settle(source, claimed, Said(WaitForChildren())) is Effect.GIVEN_BACK
        [again] = await claim(source)

        assert again.lease.job_id == "a"
        assert await settle(source, again, Returned(None)) is Effect.COMPLETED

    async def test_a_result_that_cannot_be_stored_fails_its_own_job_alone(
        self, harness: Harness
    ) -> None:
        await harness.add("bad")
        await harness.add("good")
        source = await harness.source()
        bad, good = await claim(source, 2)

        answer = await source.exchange(
            [Outcome(bad, Returned(object())), Outcome(good, Returned(1))], 0
        )

        assert [settled.effect for settled in answer.settled] == [Effect.FAILED, Effect.COMPLETED]
