"""Random histories through Node and through toril, compared after every step."""

from tests.chaos.case import Case
from tests.chaos.scenario import Scenario
from tests.chaos.stage import Stage

_DIFFER = "tests.chaos.programs.differ"
_FEWEST = 20


class RandomHistories(Scenario):
    id = "S47"
    title = "differential beside Node"
    does = (
        "Plays random histories of 30 moves through Node 5.62.0 and through toril, each on a "
        "server of its own, as many as a minute allows; the machine is busy with another scenario."
    )
    must = f"At least {_FEWEST} histories; after every step both servers hold the same."
    seconds = 60
    programs = (_DIFFER,)

    def play(self, stage: Stage) -> None:
        options = {"seed": stage.dice.randrange(10**6), "seconds": stage.seconds}
        stage.run(_DIFFER, options, timeout_s=stage.seconds + 60)
        stage.begin(seconds=0)

    def judge(self, case: Case) -> None:
        equal = sum(entry.number for entry in case.evidence.others["equal"])
        case.faults = equal
        case.expect(equal >= _FEWEST, f"{equal} histories were equal, of {_FEWEST} at least")
