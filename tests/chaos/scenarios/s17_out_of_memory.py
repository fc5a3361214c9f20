"""The server has no memory left for ten seconds, while jobs of two leases run."""

from tests.chaos.case import Case
from tests.chaos.load import deed, sleep_20_ms
from tests.chaos.scenario import Scenario
from tests.chaos.staff import LEASE_S
from tests.chaos.stage import Stage

_SHORTAGE_S = 10


class OutOfMemory(Scenario):
    id = "S17"
    title = "server out of memory"
    does = "Leaves the server without memory for 10 s, 3 times, while jobs of two leases run."
    must = (
        "Adding raises `UnavailableError`; running jobs end and keep their locks; "
        "nothing runs twice; work resumes within 2 s."
    )
    seconds = 45
    short = 18

    def play(self, stage: Stage) -> None:
        stage.staff.hire(2)
        stage.begin(deeds=[sleep_20_ms(150), deed("sleep", **{"for": 2 * LEASE_S})])
        for _ in stage.beats(4, jitter=0.1, least_s=_SHORTAGE_S + 0.5):
            stage.record.fault("memory")
            stage.client.config_set("maxmemory", 1)
            stage.wait(_SHORTAGE_S)
            stage.client.config_set("maxmemory", 0)
            stage.record.healed()

    def judge(self, case: Case) -> None:
        case.recovered_within(2.0, case.resumptions(), "resuming")
        verdicts = [call.verdict for call in case.evidence.calls.values()]
        case.expect(verdicts.count("refused") > 100, "hardly an add was refused")
        case.expect("unknown" not in verdicts, "the outcome of an add was unknown")
        case.no_stalls()
        case.adds_were_exact()
