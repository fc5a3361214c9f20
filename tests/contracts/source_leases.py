"""A job belongs to whoever holds its lease, and comes back when nobody does."""

import asyncio

from tests.contracts.harness import OOPS, Harness, claim, ids, settle, settling

from toril.runtime.source import Claimed, Effect, Lease, Raised, Returned, Source


class Leasing:
    async def test_a_late_outcome_changes_nothing_and_hurts_no_other(
        self, harness: Harness
    ) -> None:
        await harness.add("late")
        await harness.add("in time")
        source = await harness.source()
        claimed = await claim(source, 2)
        await harness.break_lease("late")

        answer = await source.exchange(settling(claimed, Returned(None)), 0)

        assert [settled.effect for settled in answer.settled] == [
            Effect.SUPERSEDED,
            Effect.COMPLETED,
        ]
        assert await harness.state_of("late") == "active"

    async def test_an_outcome_that_was_settled_already_is_superseded(
        self, harness: Harness
    ) -> None:
        await harness.add("a")
        source = await harness.source()
        [claimed] = await claim(source)
        assert await settle(source, claimed, Returned(None)) is Effect.COMPLETED

        assert await settle(source, claimed, OOPS) is Effect.SUPERSEDED
        assert await harness.state_of("a") == "completed"

    async def test_a_renewed_lease_outlives_its_first_end(self, harness: Harness) -> None:
        await harness.add("a")
        source = await harness.source()
        [claimed] = await claim(source)

        for _ in range(3):
            await harness.pass_time(harness.lease_ms * 6 // 10)
            assert list(await asyncio.to_thread(source.renew, [claimed.lease])) == []

        assert await settle(source, claimed, Returned(None)) is Effect.COMPLETED

    async def test_renewing_tells_which_leases_are_lost(self, harness: Harness) -> None:
        for job_id in ("kept", "broken", "settled"):
            await harness.add(job_id)
        source = await harness.source()
        kept, broken, settled = await claim(source, 3)
        await harness.break_lease("broken")
        await settle(source, settled, Returned(None))
        leases = [kept.lease, broken.lease, settled.lease]

        lost = await asyncio.to_thread(source.renew, leases)

        assert set(lost) == {broken.lease, settled.lease}

    async def test_a_stranger_cannot_settle_or_renew(self, harness: Harness) -> None:
        await harness.add("a")
        source, stranger = await harness.source(), await harness.source()
        [claimed] = await claim(source)
        forged = Claimed(Lease("a", "somebody else"), claimed.job)

        assert await settle(stranger, forged, Returned(None)) is Effect.SUPERSEDED
        assert list(await asyncio.to_thread(stranger.renew, [forged.lease])) == [forged.lease]
        assert await settle(source, claimed, Returned(None)) is Effect.COMPLETED

    async def test_giving_back_returns_what_is_still_ours_and_counts_it(
        self, harness: Harness
    ) -> None:
        for job_id in ("a", "b", "lost", "c"):
            await harness.add(job_id)
        source = await harness.source()
        claimed = await claim(source, 3)
        await harness.break_lease("lost")

        assert await source.give_back([claim.lease for claim in claimed]) == 2

        assert [await harness.state_of(job_id) for job_id in ("a", "b")] == ["waiting"] * 2
        other = await harness.source()
        assert sorted(ids(await other.exchange([], 2))) == ["a", "b"]

    async def test_giving_back_nothing_is_fine(self, harness: Harness) -> None:
        source = await harness.source()

        assert await source.give_back([]) == 0


class Reaping:
    async def test_a_job_whose_lease_holds_is_left_alone(self, harness: Harness) -> None:
        await harness.add("a")
        source, other = await harness.source(), await harness.source()
        [claimed] = await claim(source)

        for _ in range(2):
            assert list((await other.reap()).recovered) == []
            await harness.reap_again()

        assert await settle(source, claimed, Returned(None)) is Effect.COMPLETED

    async def test_a_lost_job_is_put_back_and_its_old_owner_is_too_late(
        self, harness: Harness
    ) -> None:
        await harness.add("a", attempts=1)
        source, other = await harness.source(), await harness.source()
        [claimed] = await claim(source)

        assert await self._lose(harness, other, "a") == (["a"], [])

        [again] = await claim(other)
        assert again.lease.job_id == "a"
        assert await settle(source, claimed, OOPS) is Effect.SUPERSEDED
        assert await settle(other, again, Returned(None)) is Effect.COMPLETED

    async def test_a_job_lost_too_often_is_not_run_again(self, harness: Harness) -> None:
        await harness.add("poison", attempts=10)
        source = await harness.source()
        for _ in range(harness.max_losses):
            await claim(source)
            assert await self._lose(harness, source, "poison") == (["poison"], [])
        await claim(source)

        assert await self._lose(harness, source, "poison") == ([], ["poison"])

        for claimed in await claim(source):
            assert claimed.defect is not None
            assert (
                await settle(source, claimed, Raised(claimed.defect, final=True)) is Effect.FAILED
            )
        assert await harness.state_of("poison") == "failed"

    async def test_a_job_given_back_has_not_been_lost(self, harness: Harness) -> None:
        await harness.add("a")
        source = await harness.source()
        for _ in range(harness.max_losses + 2):
            [claimed] = await claim(source)
            assert claimed.defect is None
            await source.give_back([claimed.lease])

        [claimed] = await claim(source)
        assert await settle(source, claimed, Returned(None)) is Effect.COMPLETED

    async def test_reaping_says_when_to_look_again(self, harness: Harness) -> None:
        source = await harness.source()

        assert (await source.reap()).again_in_ms > 0

    async def _lose(
        self, harness: Harness, source: Source[object], job_id: str
    ) -> tuple[list[str], list[str]]:
        """Lose the job; a store may need to look twice before it calls a job lost."""
        await harness.break_lease(job_id)
        for _ in range(3):
            await harness.reap_again()
            reaped = await source.reap()
            if reaped.recovered or reaped.exhausted:
                return list(reaped.recovered), list(reaped.exhausted)
        return [], []
