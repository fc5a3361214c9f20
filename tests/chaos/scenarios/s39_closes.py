"""Workers that are closed at every moment of their life."""

from tests.chaos.case import Case
from tests.chaos.scenario import Scenario
from tests.chaos.stage import Stage

_CLOSER = "tests.chaos.programs.closer"


class Closes(Scenario):
    id = "S39"
    title = "closed at every moment"
    does = (
        "Closes 200 workers, each a step of its tasks later than the one before: "
        "by `close`, by `stop_now`, by cancelling `run`."
    )
    must = "Nothing stays active or locked; no task, no descriptor is left; what was begun ends."
    seconds = 60
    programs = (_CLOSER,)
    short = 18

    def play(self, stage: Stage) -> None:
        closes = 200 if stage.seconds == self.seconds else 60
        stage.run(_CLOSER, {"closes": closes, "name": "closer"}, timeout_s=2 * stage.seconds)
        stage.begin(seconds=0)
        stage.staff.hire(1)

    def judge(self, case: Case) -> None:
        case.dup_limit = len(case.evidence.others["JobGivenBack"])
        case.recovered_within(3.0, _lengths(case), "closing")
        case.no_stalls()
        case.calls_were_answered()
        case.adds_were_exact()


def _lengths(case: Case) -> list[float]:
    """Seconds from each close to its end."""
    ends = case.evidence.others["closed"]
    return [
        end.at - begin.at for begin, end in zip(case.evidence.others["fault"], ends, strict=True)
    ]
