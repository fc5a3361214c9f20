"""Ask several limiters about one call: in one step where they share a slot, else one by one."""  # generated from _async/together.py by tools/generate_sync.py: edit that file

from collections.abc import Sequence
from contextlib import suppress
from typing import TypeAlias

from toril.core.errors import OutcomeUnknownError, TorilError, UnavailableError
from toril.toolkit.limits._sync.desk import Desk, refund
from toril.toolkit.limits.arbiter import Request, check_calls, merged
from toril.toolkit.limits.decision import Decision, combined

Question: TypeAlias = "tuple[Desk, Request]"


def hit_together(questions: Sequence[Question]) -> Decision:
    """All of them count, or none does."""
    check_calls([request for _, request in questions])
    desks = [desk for desk, _ in questions]
    places = {(desk.arbiter.scope, desk.arbiter.prefix, desk.client.target) for desk in desks}
    if len(places) > 1 or desks[0].arbiter.scope is None:
        return _one_by_one(questions)
    if any(desk.arbiter.blackout.rests() for desk in desks):
        return _one_by_one(questions)
    first, request = desks[0], merged([request for _, request in questions])
    try:
        ruling = first.client.run(request.hit)
    except (UnavailableError, OutcomeUnknownError) as error:
        for desk in desks:
            desk.arbiter.unanswered(error)
        return _one_by_one(questions)
    for desk in desks:
        desk.arbiter.answered()
    return first.arbiter.decided(request, ruling, first)


def _one_by_one(questions: Sequence[Question]) -> Decision:
    """For a moment what will be given back counts; at no moment does too little."""
    decisions: list[Decision] = []
    try:
        for desk, request in questions:
            decisions.append(desk.decide(request))
            if not decisions[-1].allowed:
                break
        else:
            return combined(decisions)
    except BaseException:
        _give_back(decisions)
        raise
    _give_back(decisions)
    return decisions[-1]


def _give_back(decisions: Sequence[Decision]) -> None:
    for decision in decisions:
        with suppress(TorilError):
            refund(decision)
