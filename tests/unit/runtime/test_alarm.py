"""The alarm rings when work is due, and less and less often for a store that gives none."""

import asyncio

from tests.support.virtual_time import pass_time

from toril.runtime.alarm import Alarm


def alarm_and_rings() -> tuple[Alarm, list[float]]:
    """An alarm, and the moments at which it rang."""
    rings: list[float] = []
    loop = asyncio.get_running_loop()
    return Alarm(lambda: rings.append(loop.time())), rings


async def waits_after(
    alarm: Alarm, rings: list[float], answers: list[tuple[int, bool]]
) -> list[int]:
    """Give the alarm these answers, each when it has rung for the one before; waits in ms."""
    waits = []
    for in_ms, gave in answers:
        began = asyncio.get_running_loop().time()
        alarm.set(in_ms, gave=gave)
        await pass_time(2)
        waits.append(round((rings[-1] - began) * 1_000))
    return waits


async def test_jobs_that_come_due_one_close_after_the_other_are_each_rung_for() -> None:
    alarm, rings = alarm_and_rings()

    waits = await waits_after(alarm, rings, [(15, True), (1, True), (3, True), (0, True)] * 10)

    assert waits == [15, 2, 3, 2] * 10


async def test_a_job_that_is_nearly_due_does_not_put_off_the_next_one() -> None:
    alarm, rings = alarm_and_rings()

    waits = await waits_after(alarm, rings, [(1, False), (5, False), (1, False), (7, False)])

    assert waits == [2, 5, 2, 7]


async def test_a_store_that_says_due_now_and_gives_nothing_is_asked_less_and_less_often() -> None:
    alarm, rings = alarm_and_rings()

    waits = await waits_after(alarm, rings, [(0, False)] * 12)

    assert waits == [2, 4, 8, 16, 32, 64, 128, 256, 512, 1_000, 1_000, 1_000]


async def test_jobs_end_the_suspicion_of_a_store() -> None:
    alarm, rings = alarm_and_rings()

    waits = await waits_after(alarm, rings, [(0, False)] * 5 + [(0, True), (0, True)])

    assert waits[-2:] == [2, 2]


async def test_an_answer_without_a_moment_leaves_the_alarm_as_it_is() -> None:
    alarm, rings = alarm_and_rings()
    alarm.set(10, gave=False)

    alarm.set(None, gave=False)

    await pass_time(1)
    assert [round(ring * 1_000) for ring in rings] == [10]
