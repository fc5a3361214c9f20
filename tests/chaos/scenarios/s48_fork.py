"""Queues that were made before a fork, and are used in every process after it."""

from tests.chaos.case import Case
from tests.chaos.scenario import Scenario
from tests.chaos.stage import Stage

_FORKER = "tests.chaos.programs.forker"


class Fork(Scenario):
    id = "S48"
    title = "fork"
    does = (
        "Makes and uses a queue object of each colour, forks (`os.fork` and `multiprocessing`), "
        "and uses both in every process and in threads at once."
    )
    must = "Each process has connections of its own; every answer belongs to its question."
    seconds = 10
    programs = (_FORKER,)
    short = 10

    def play(self, stage: Stage) -> None:
        stage.staff.hire(2)
        stage.begin(rate=20)
        stage.run(_FORKER, {}, timeout_s=30)
        stage.wait_for_end()

    def judge(self, case: Case) -> None:
        case.expect(case.faults == 6, f"{case.faults} forks, not 6")
        case.no_stalls()
        case.calls_were_answered()
        case.adds_were_exact()
