"""A server that others make busy, and whose connections and scripts they throw away."""

from concurrent.futures import ThreadPoolExecutor
from typing import ClassVar

from redis.exceptions import ResponseError
from tests.chaos.case import Case
from tests.chaos.scenario import Scenario
from tests.chaos.stage import Stage

_BUSY_S = 3
_LOOP = "while true do end"


class Storms(Scenario):
    id = "S35"
    title = "BUSY, flushes, killed clients"
    does = (
        "About 50 times one of: `SCRIPT FLUSH` ten times over, `CLIENT KILL` of every connection, "
        "and three times a Lua loop of 3 s by another client, during which the server says BUSY. "
        "Locks last 6 s: nobody can renew one while the server loops."
    )
    must = "No call raises, and each is answered within 2 s of the storm; nothing runs twice."
    seconds = 60
    short = 20
    server: ClassVar = {"busy_reply_threshold": 100}

    def play(self, stage: Stage) -> None:
        stage.staff.hire(2, lock=2 * _BUSY_S)
        stage.begin()
        for number in stage.beats(0.8, least_s=_BUSY_S):
            if number % 16 == 8:
                self._be_busy(stage)
            elif stage.dice.random() < 0.5:
                stage.record.fault("flush")
                for _ in range(10):
                    stage.client.script_flush()
                    stage.wait(0.01)
            else:
                stage.record.fault("client kill")
                stage.client.client_kill_filter(_type="normal", skipme=True)

    def _be_busy(self, stage: Stage) -> None:
        """Loop in a script, and have it killed in time: it knows no clock of its own."""
        stage.record.fault("busy")
        with (
            stage.server.client(socket_timeout=4 * _BUSY_S) as stranger,
            ThreadPoolExecutor() as pool,
        ):
            looping = pool.submit(stranger.eval, _LOOP, 0)
            stage.wait(_BUSY_S)
            stage.client.script_kill()
            assert isinstance(looping.exception(_BUSY_S), ResponseError)
        stage.record.healed()

    def judge(self, case: Case) -> None:
        case.recovered_within(_BUSY_S + 2, case.answers(), "answering a call")
        case.recovered_within(3.0, case.resumptions(), "resuming")
        case.no_stalls()
        case.calls_were_answered()
        case.adds_were_exact()
