"""On asyncio's own loop: what a process says at its socket, and what it does to the path."""

import os
from pathlib import Path

import pytest

from toril.cli.health_socket import HealthReport, NoAnswerError, answering, ask
from toril.core.errors import BadInputError
from toril.runtime import Health, State

HEALTH = Health(
    state=State.RUNNING,
    is_paused=False,
    slots=1,
    running=0,
    stuck=0,
    unsettled=0,
    last_answer_ms_ago=1.5,
    problem='UnavailableError: nothing between "quotes"',
)
REPORT = HealthReport(queue="mail", worker="night", health=HEALTH)


async def test_who_asks_gets_the_report_of_this_moment(tmp_path: Path) -> None:
    path, queues = tmp_path / "health", iter("ab")
    async with answering(path, lambda: HealthReport(queue=next(queues))):
        first, second = await ask(path, 5), await ask(path, 5)

    assert (first.queue, second.queue) == ("a", "b")
    assert first.pid == os.getpid()
    assert not path.exists()


async def test_a_report_arrives_as_it_was_sent(tmp_path: Path) -> None:
    async with answering(tmp_path / "health", lambda: REPORT):
        assert await ask(tmp_path / "health", 5) == REPORT


async def test_a_path_that_is_taken_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "health"
    async with answering(path, lambda: REPORT):
        with pytest.raises(BadInputError, match="another process answers"):
            async with answering(path, lambda: REPORT):
                pass

        assert await ask(path, 5) == REPORT


@pytest.mark.parametrize("name", ["nowhere/health", "file", "x" * 200])
async def test_a_path_that_cannot_be_a_socket_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("text")

    with pytest.raises(BadInputError, match="cannot be a socket"):
        async with answering(tmp_path / name, lambda: REPORT):
            pass

    assert (tmp_path / "file").read_text() == "text"
    with pytest.raises(NoAnswerError, match="no worker answers"):
        await ask(tmp_path / name, 5)


async def test_without_a_path_nobody_can_ask() -> None:
    async with answering(None, lambda: REPORT):
        pass
