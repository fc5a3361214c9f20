"""A script that a server does not know is given to it, and what it says is never misread."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from tests.support.operations import BUMP, Bump

from toril.connection._async.dialogue import ask
from toril.connection.errand import Errand
from toril.connection.refusal import Kind, Refusal
from toril.connection.request import Request
from toril.core.operation import Reply
from toril.telemetry.emitter import Emitter

if TYPE_CHECKING:
    from toril.connection._async.channel import AsyncChannel

_UNKNOWN = Refusal("NOSCRIPT No matching script. Please use EVAL.")
_ROOM = len(BUMP.room)


class Dictated:
    """A channel whose replies are written down beforehand, one list for each exchange."""

    server = "nowhere:1"

    def __init__(self, *replies: Sequence[object]) -> None:
        self.replies = [list(batch) for batch in replies]

    async def exchange(self, _payload: bytes, count: int, _timeout_s: float) -> list[Reply]:
        batch = self.replies.pop(0)
        assert len(batch) == count
        return cast("list[Reply]", batch)


async def asked(*replies: Sequence[object]) -> object:
    channel = cast("AsyncChannel", Dictated(*replies))
    [reply] = await ask(channel, [Request(Bump("a"))], 1.0, Emitter())
    return reply


async def test_a_script_that_was_unknown_is_loaded_and_run() -> None:
    assert await asked([_UNKNOWN], [b"digest"] * _ROOM + [7]) == 7


async def test_a_script_that_was_thrown_away_once_more_is_still_unknown() -> None:
    assert await asked([_UNKNOWN], [b"digest"] * _ROOM + [_UNKNOWN]) is _UNKNOWN


async def test_why_a_script_cannot_be_loaded_says_more_than_that_it_is_unknown() -> None:
    busy = Refusal("BUSY a script is running")

    assert await asked([_UNKNOWN], [busy] * _ROOM + [_UNKNOWN]) is busy


def test_a_request_whose_script_is_unknown_is_tried_again() -> None:
    errand = Errand([Bump("a")])
    errand.begin_attempt()

    errand.answered(0, _UNKNOWN, "nowhere:1")

    assert _UNKNOWN.kind is Kind.UNLOADED
    assert errand.pending == [0]
