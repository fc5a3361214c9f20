"""Remember refusals for a moment: whoever asks again at once costs the server nothing."""

from dataclasses import dataclass
from time import monotonic
from typing import Final

from msgspec.structs import replace

from toril.toolkit.fork_lock import ForkLock
from toril.toolkit.limits.decision import Decision
from toril.toolkit.limits.ruling import NEVER, Reading, Ruling

_MOST: Final = 10_000
_US: Final = 1_000_000
_STALE_S: Final = 0.001
"""How old what is told of the time to wait may be."""


@dataclass(slots=True)
class _Denial:
    refusal: Decision
    refused_at: float
    until: float
    told: Decision
    told_at: float


class DenyCache:
    """The latest refusals, by key, for as long as they certainly hold, and `longest_s` at most.

    Threads may share it.
    """

    def __init__(self, longest_s: float) -> None:
        self._longest_s: Final = longest_s
        self._denials: Final[dict[str, _Denial]] = {}
        self._lock: Final = ForkLock()

    def keep(self, key: str, refusal: Decision) -> None:
        """This was refused just now."""
        if not self._longest_s:
            return
        retry_after = refusal.retry_after
        lasts_s = self._longest_s if retry_after is None else min(self._longest_s, retry_after)
        now = monotonic()
        told = replace(refusal, cached=True)
        with self._lock:
            self._denials.pop(key, None)
            if len(self._denials) >= _MOST:
                del self._denials[next(iter(self._denials))]
            self._denials[key] = _Denial(refusal, now, now + lasts_s, told, now)

    def find(self, key: str, cost: int) -> Decision | None:
        """The refusal of the same, if it certainly holds now."""
        denial = self._denials.get(key)
        if denial is None or denial.refusal.cost != cost:
            return None
        now = monotonic()
        if now >= denial.until:
            self.forget(key)
            return None
        if now - denial.told_at > _STALE_S:
            ruling = _later(denial.refusal.ruling, round((now - denial.refused_at) * _US))
            denial.told = replace(denial.told, ruling=ruling)
            denial.told_at = now
        return denial.told

    def forget(self, key: str) -> None:
        """It may have changed for the better."""
        with self._lock:
            self._denials.pop(key, None)


def _later(ruling: Ruling, by_us: int) -> Ruling:
    """The same when some time has passed, but not so much that it would be granted."""
    now_us = ruling.now_us + by_us
    if ruling.slot_us != NEVER:
        now_us = min(now_us, ruling.slot_us)
    readings = [
        Reading(slot_us, left, max(neutral_us, now_us))
        for slot_us, left, neutral_us in ruling.readings
    ]
    return Ruling(ruling.granted, now_us, ruling.slot_us, readings)
