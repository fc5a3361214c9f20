"""A password is in no log, error, event, representation or client name."""

import logging
import traceback

import pytest
import redis
from tests.support.event_log import EventLog
from tests.support.operations import Bump
from tests.support.servers import ValkeyServer

from toril.connection import AsyncLine, AsyncRunner, Line, Runner, Target
from toril.core.errors import TorilError

CANARY = "canary-in-a-coal-mine"


async def test_a_password_is_never_shown(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    log = EventLog()
    shown: list[object] = []
    with ValkeyServer(requirepass=CANARY) as server:
        right = Target.of(server.url.replace("://", f"://:{CANARY}@"))
        wrong = Target.of(server.url.replace("://", f"://:{CANARY}x@"))
        for target in (right, wrong):
            async with (
                AsyncRunner(target, emitter=log.emitter, patience_ms=0) as runner,
                AsyncLine(target, key="a", purpose="test", emitter=log.emitter) as line,
            ):
                shown += [target, target.session, runner, line, vars(line), vars(runner)]
                for call in (runner.run(Bump("a")), line.run_all([Bump("a", by="x")])):
                    try:
                        shown.append(await call)
                    except TorilError as error:
                        shown += [traceback.format_exception(error), vars(error)]
            with (
                Runner(target, patience_ms=0) as runner,
                Line(target, key="a", purpose="t") as line,
            ):
                shown += [runner, line, vars(line), vars(runner)]
                for blocking in (lambda: runner.run(Bump("a")), lambda: line.run_all([Bump("a")])):
                    try:
                        shown.append(blocking())
                    except TorilError as error:
                        shown += [traceback.format_exception(error), vars(error)]
        with redis.Redis(port=server.port, password=CANARY) as client:
            shown.append(client.client_list())

    text = f"{shown} {log.events} {caplog.text}"
    assert "WRONGPASS" in text
    assert CANARY not in text
