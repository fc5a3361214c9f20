"""A source tells its worker which of its jobs were cancelled, and gives them to nobody to run."""

from tests.contracts.harness import OOPS, Harness, claim, settle

from toril.core.outcome import GiveBack
from toril.runtime.source import Claimed, Effect, Raised, Returned, Said, Source


class Cancelling:
    async def test_a_source_hears_of_its_own_cancelled_jobs_alone(self, harness: Harness) -> None:
        for job_id in ("a", "b", "c"):
            await harness.add(job_id)
        source, other = await harness.source(), await harness.source()
        mine, kept = await claim(source, 2)
        [theirs] = await claim(other)
        assert list(await source.cancelled()) == []

        await harness.cancel(mine.lease.job_id)
        await harness.cancel(theirs.lease.job_id)

        assert list(await source.cancelled()) == [mine.lease]
        assert list(await other.cancelled()) == [theirs.lease]
        assert await settle(source, kept, Returned(None)) is Effect.COMPLETED

    async def test_it_hears_again_until_the_run_is_settled(self, harness: Harness) -> None:
        await harness.add("a")
        source = await harness.source()
        [claimed] = await claim(source)
        await harness.cancel("a")
        for _ in range(3):
            assert list(await source.cancelled()) == [claimed.lease]

        await settle(source, claimed, Raised(ValueError("cancelled"), final=True))

        assert list(await source.cancelled()) == []
        assert await harness.state_of("a") == "failed"

    async def test_a_run_that_ends_first_has_ended(self, harness: Harness) -> None:
        await harness.add("a")
        source = await harness.source()
        [claimed] = await claim(source)
        await harness.cancel("a")

        assert await settle(source, claimed, Returned(None)) is Effect.COMPLETED
        assert await harness.state_of("a") == "completed"

    async def test_a_cancelled_job_is_not_run_again_after_a_failed_attempt(
        self, harness: Harness
    ) -> None:
        await harness.add("a", attempts=5)
        source = await harness.source()
        [claimed] = await claim(source)
        await harness.cancel("a")

        assert await settle(source, claimed, OOPS) is Effect.RETRIED

        await self._fails_at_the_next_claim(harness, source)

    async def test_a_cancelled_job_that_is_given_back_is_not_run_again(
        self, harness: Harness
    ) -> None:
        await harness.add("a")
        source = await harness.source()
        [claimed] = await claim(source)
        await harness.cancel("a")

        assert await settle(source, claimed, Said(GiveBack())) is Effect.GIVEN_BACK

        await self._fails_at_the_next_claim(harness, source)

    async def test_a_cancelled_job_that_is_lost_is_not_run_again(self, harness: Harness) -> None:
        await harness.add("a", attempts=5)
        source, other = await harness.source(), await harness.source()
        [claimed] = await claim(source)
        await harness.cancel("a")
        await harness.break_lease("a")
        assert list(await source.cancelled()) == []
        recovered: list[str] = []
        for _ in range(3):
            await harness.reap_again()
            recovered += (await other.reap()).recovered

        await self._fails_at_the_next_claim(harness, other)

        assert recovered == ["a"]
        assert await settle(source, claimed, Returned(None)) is Effect.SUPERSEDED

    async def test_a_cancelled_job_that_waits_is_gone(self, harness: Harness) -> None:
        await harness.add("a")
        await harness.add("b")
        source = await harness.source()

        await harness.cancel("a")

        [claimed] = await claim(source, 2)
        assert claimed.lease.job_id == "b"

    async def _fails_at_the_next_claim(self, harness: Harness, source: Source[object]) -> None:
        claimed: Claimed[object]
        [claimed] = await claim(source)
        assert claimed.defect is not None
        assert str(claimed.defect) == "cancelled"
        assert await settle(source, claimed, Raised(claimed.defect, final=True)) is Effect.FAILED
        assert await harness.state_of("a") == "failed"
