"""Ask several limiters about one call: in one step where they share a slot, else one by one."""

from collections.abc import Sequence
from contextlib import suppress
from typing import TypeAlias

from toril.core.errors import OutcomeUnknownError, TorilError, UnavailableError
from toril.toolkit.limits._async.desk import AsyncDesk, refund
from toril.toolkit.limits.arbiter import Request, check_calls, merged
from toril.toolkit.limits.decision import Decision, combined

Question: TypeAlias = "tuple[AsyncDesk, Request]"


async def hit_together(questions: Sequence[Question]) -> Decision:
    """All of them count, or none does."""
    check_calls([request for _, request in questions])
    desks = [desk for desk, _ in questions]
    places = {(desk.arbiter.scope, desk.arbiter.prefix, desk.client.target) for desk in desks}
    if len(places) > 1 or desks[0].arbiter.scope is None:
        return await _one_by_one(questions)
    if any(desk.arbiter.blackout.rests() for desk in desks):
        return await _one_by_one(questions)
    first, request = desks[0], merged([request for _, request in questions])
    try:
        ruling = await first.client.run(request.hit)
    except (UnavailableError, OutcomeUnknownError) as error:
        for desk in desks:
            desk.arbiter.unanswered(error)
        return await _one_by_one(questions)
    for desk in desks:
        desk.arbiter.answered()
    return first.arbiter.decided(request, ruling, first)


async def _one_by_one(questions: Sequence[Question]) -> Decision:
    """For a moment what will be given back counts; at no moment does too little."""
    decisions: list[Decision] = []
    try:
        for desk, request in questions:
            decisions.append(await desk.decide(request))
            if not decisions[-1].allowed:
                break
        else:
            return combined(decisions)
    except BaseException:
        await _give_back(decisions)
        raise
    await _give_back(decisions)
    return decisions[-1]


async def _give_back(decisions: Sequence[Decision]) -> None:
    for decision in decisions:
        with suppress(TorilError):
            await refund(decision)
