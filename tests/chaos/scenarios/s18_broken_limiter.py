"""A rate limit whose counter is broken again and again, under workers with wrong clocks."""

from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta

from redis.client import Pipeline
from tests.chaos.case import Case
from tests.chaos.scenario import Scenario
from tests.chaos.stage import BASE, Stage

_MOST = 25
_PERIOD_S = 0.5
_LATE_MS = 50
"""Between the moment that the counter expires by and the one that a script reads: the machine may
have had no time for the server in between."""

_KEY = f"{BASE}limiter"
_USED_UP = 2**53 - 1
_BREAKS: dict[str, Callable[[Pipeline], object]] = {
    "gone": lambda pipe: pipe.delete(_KEY),
    "no end": lambda pipe: pipe.persist(_KEY),
    "used up without an end": lambda pipe: pipe.set(_KEY, _USED_UP),
    "no number": lambda pipe: pipe.set(_KEY, "many", px=60_000),
}


class BrokenLimiter(Scenario):
    id = "S18"
    title = "counter of a rate limit"
    does = (
        "Deletes the counter of a rate limit, takes its expiry, stores a used-up one without any, "
        "or a text, in turns every 0.7 s; the clocks of three workers are 5 s late, right and "
        "5 s early."
    )
    must = (
        "In no period do more jobs start than may, counted anew from each break; "
        "the next ones start within a period, and no period is left unused."
    )
    seconds = 30
    short = 12

    def play(self, stage: Stage) -> None:
        for skew_s in (-5.0, 0.0, 5.0):
            stage.staff.hire(skew_s=skew_s)
        with stage.queue() as queue:
            queue.limits.set_global_rate_limit(_MOST, duration=timedelta(seconds=_PERIOD_S))
            stage.begin()
            kinds = list(_BREAKS)
            for number in stage.beats(0.7, least_s=2 * _PERIOD_S):
                self._break(stage, kinds[number % len(kinds)])
            stage.record.journal.write("lifted", "limit")
            queue.limits.remove_global_rate_limit()

    def _break(self, stage: Stage, kind: str) -> None:
        """Do it, and note when by the clock that counts: the server's."""
        stage.record.fault(kind)
        pipe = stage.client.pipeline(transaction=True)
        pipe.time()
        _BREAKS[kind](pipe)
        (seconds, microseconds), _ = pipe.execute()
        now_ms = seconds * 1_000 + microseconds // 1_000
        stage.record.journal.write("broken", kind, number=now_ms)

    def judge(self, case: Case) -> None:
        [lifted] = case.evidence.others["lifted"]
        breaks = [entry.number for entry in case.evidence.others["broken"]]
        starts = sorted(stored.number("processedOn") for stored in case.evidence.stored.values())
        starts = [ms for ms in starts if ms < lifted.wall_ms]
        # Of jobs that started in the very millisecond of a break nobody knows which came first.
        counts = [sum(ms not in breaks for ms in window) for window in _windows(starts, breaks)]
        case.expect(max(counts) <= _MOST, f"{max(counts)} started in a period, not {_MOST}")
        used = len(starts) / ((starts[-1] - starts[0]) / 1_000 / _PERIOD_S) / _MOST
        case.expect(used > 1, f"only {used:.0%} of what may start did")
        resumed = [next((at for at in starts if at >= ms), lifted.wall_ms) - ms for ms in breaks]
        case.recovered_within(_PERIOD_S + 0.2, [ms / 1_000 for ms in resumed], "starting again")
        case.no_stalls()
        case.calls_were_answered()
        case.adds_were_exact()


def _windows(starts: Sequence[int], breaks: Sequence[int]) -> Iterator[list[int]]:
    """What started in each period. The first job begins it, and the first one after a break."""
    window: list[int] = []
    for at in starts:
        if window and (
            at >= window[0] + 1_000 * _PERIOD_S - _LATE_MS
            or any(window[0] <= ms <= at for ms in breaks)
        ):
            yield window
            window = []
        window.append(at)
    yield window
