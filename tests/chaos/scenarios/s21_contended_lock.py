"""Fifty want one lock; those who hold it are killed, and stopped."""

from collections.abc import Iterator, Sequence

from tests.chaos.case import Case
from tests.chaos.programs.lockers import TTL_S
from tests.chaos.scenario import Scenario
from tests.chaos.stage import Stage
from tests.support.journal import Entry

_LOCKERS = "tests.chaos.programs.lockers"
_PROCESSES = 5
_MOMENT_S = 0.1
"""Within which a process that goes on may write down what was so when it was stopped."""

Turn = tuple[Entry, Entry | None]
"""When a lease was held, and how that ended, if it did."""


class ContendedLock(Scenario):
    id = "S21"
    title = "a lock that fifty want"
    does = (
        "Fifty tasks in five processes hold one lock in turn; every few seconds a process is "
        "killed, or stopped for longer than the lease."
    )
    must = (
        "No two hold it at once, but while one is stopped, and that one is told; fences grow; "
        "the lock is held again within the lease and a second."
    )
    seconds = 60
    short = 20
    programs = (_LOCKERS,)

    def play(self, stage: Stage) -> None:
        stage.staff.hire(1)
        lockers = stage.staff.hire(_PROCESSES, module=_LOCKERS)
        stage.begin(rate=10)
        for number in stage.beats(3, least_s=2 * TTL_S):
            victim = stage.dice.choice(lockers)
            if number % 2:
                stage.staff.freeze(victim)
                stage.wait(TTL_S * 1.5)
                stage.staff.thaw(victim)
            else:
                stage.staff.kill(victim)
                lockers.remove(victim)
                lockers.append(stage.staff.replace(victim))
            stage.record.healed()

    def judge(self, case: Case) -> None:
        turns = list(_turns(case))
        disturbances = [entry for entry in case.evidence.others["fault"] if entry.number]
        disturbances += case.evidence.others["thawed"]
        bad = [
            f"{later.number} by {later.pid}, while {earlier.number} by {earlier.pid}"
            for earlier, later in _overlaps(turns)
            if not _excuse(earlier, later, disturbances)
        ]
        case.expect(not bad, f"{len(bad)} times held by two: {bad[:2]}")
        case.expect(len(turns) > 20 * self.short, f"it was held {len(turns)} times only")
        fences = [held.number for held, _ in turns]
        case.expect(len(set(fences)) == len(fences), "a fence was given out twice")
        self._judge_order(case, turns, disturbances)
        stopped = [entry for entry in disturbances if entry.subject == "stop"]
        self._judge_stopped(case, turns, stopped)
        hits = [entry for entry in disturbances if entry.what == "fault"]
        took = [_free_after(hit, turns) for hit in hits]
        case.recovered_within(TTL_S + 1, took, "holding it again")
        case.calls_were_answered()

    @staticmethod
    def _judge_order(case: Case, turns: Sequence[Turn], disturbances: Sequence[Entry]) -> None:
        newest = 0
        for held, _ in turns:
            if held.number < newest and not _was_disturbed(held, disturbances):
                case.expect(False, f"fence {held.number} came after {newest}")
            newest = max(newest, held.number)

    @staticmethod
    def _judge_stopped(case: Case, turns: Sequence[Turn], stopped: Sequence[Entry]) -> None:
        """Who held it when it was stopped was told; one may have been between check and word."""
        untold = [
            held.number
            for stop in stopped
            for held, end in turns
            if end and held.pid == stop.number and held.at < stop.at < end.at
            if end.what != "lost it"
        ]
        case.expect(len(untold) <= 1, f"stopped, and not told: {untold[:3]}")


def _turns(case: Case) -> Iterator[Turn]:
    others = case.evidence.others
    ends = {entry.number: entry for entry in [*others["left"], *others["lost it"]]}
    for held in others["held"]:
        yield held, ends.get(held.number)


def _overlaps(turns: Sequence[Turn]) -> Iterator[tuple[Entry, Entry]]:
    """Each turn with the ones before it that were not over when it began."""
    open_turns: list[Turn] = []
    for held, end in turns:
        open_turns = [turn for turn in open_turns if not turn[1] or turn[1].at > held.at]
        for earlier, _ in open_turns:
            yield earlier, held
        open_turns.append((held, end))


def _excuse(earlier: Entry, later: Entry, disturbances: Sequence[Entry]) -> bool:
    """Whether one of both was killed or stopped in between, or has just gone on."""
    return _was_disturbed(later, disturbances) or any(
        entry.number == earlier.pid and earlier.at - _MOMENT_S < entry.at < later.at
        for entry in disturbances
    )


def _was_disturbed(held: Entry, disturbances: Sequence[Entry]) -> bool:
    return any(
        entry.number == held.pid and held.at - _MOMENT_S < entry.at <= held.at
        for entry in disturbances
    )


def _free_after(hit: Entry, turns: Sequence[Turn]) -> float:
    """Seconds until another process holds it."""
    after = (held.at for held, _ in turns if held.at > hit.at and held.pid != hit.number)
    return next(after, float("inf")) - hit.at
