"""The algorithms in Python, for a process that has lost its server; the scripts have them in Lua.

A gauge is opened on a stored state, which stays as it is until `state` is stored again. Tests hold
both spellings to the same answers.
"""

from collections.abc import Mapping
from typing import Final, Protocol, TypeAlias

from toril.toolkit.limits.wire import PARTS, Row

State: TypeAlias = tuple[tuple[int, ...], ...]
"""Numbers, in whatever way a kind of gauge puts them."""

EMPTY: Final[State] = ()

_FARTHEST_US: Final = 3_155_760_000_000_000


class Gauge(Protocol):
    """What a limit says about one key now."""

    def slot(self, cost: int) -> int:
        """The first moment at which this cost, no more than the capacity, is allowed."""
        ...

    def take(self, cost: int, at_us: int) -> None:
        """Count it, for that moment or the first one after it that is in order."""
        ...

    def give(self, cost: int, at_us: int, taken: int) -> None:
        """Give back some of what was taken for that moment, as far as it harms nobody."""
        ...

    @property
    def left(self) -> int:
        """How much is allowed now."""
        ...

    @property
    def neutral_us(self) -> int:
        """From when on the state says nothing any more."""
        ...

    @property
    def state(self) -> State:
        """What to store."""
        ...


class Arrivals:
    """`arrivals.lua`; in parts of microseconds, all but the moments that others see."""

    def __init__(self, state: State, row: Row, now_us: int) -> None:
        [(self._reached, self._latest_us)] = state or ((0, 0),)
        _, _, _, interval_us, self._burst, parts = row
        self._interval: Final = interval_us * PARTS + parts
        self._now_us: Final = now_us

    def slot(self, cost: int) -> int:
        early = (self._burst - cost) * self._interval
        return max(self._now_us, -((early - self._reached) // PARTS))

    def take(self, cost: int, at_us: int) -> None:
        reached = max(self._reached, at_us * PARTS) + cost * self._interval
        self._reached = min(reached, (self._now_us + _FARTHEST_US) * PARTS)
        self._latest_us = max(self._latest_us, at_us)

    def give(self, cost: int, at_us: int, taken: int) -> None:
        del taken
        passed_us = max(self._now_us, self._latest_us) - at_us
        self._reached -= max(0, cost * self._interval - passed_us * PARTS)

    @property
    def left(self) -> int:
        ahead = max(self._reached - self._now_us * PARTS, 0)
        return max(0, (self._burst * self._interval - ahead) // self._interval)

    @property
    def neutral_us(self) -> int:
        return max(self._now_us, -(-self._reached // PARTS))

    @property
    def state(self) -> State:
        return ((self._reached, self._latest_us),)


class FixedWindow:
    """`fixed_window.lua`."""

    def __init__(self, state: State, row: Row, now_us: int) -> None:
        [(self._start_us, self._used, self._owed)] = state or ((0, 0, 0),)
        _, _, _, self._period_us, self._limit, is_aligned = row
        self._is_aligned: Final = bool(is_aligned)
        self._now_us: Final = now_us
        self._roll(now_us)

    def _roll(self, at_us: int) -> None:
        passed = (at_us - self._start_us) // self._period_us
        if passed > 0:
            due = max(0, self._owed - (passed - 1) * self._limit)
            self._used, self._owed = min(due, self._limit), max(0, due - self._limit)
            self._start_us += passed * self._period_us
            if not self._is_aligned and not self._used:
                self._start_us = at_us

    def slot(self, cost: int) -> int:
        if self._used + cost <= self._limit:
            return max(self._now_us, self._start_us)
        windows = 1 + max(0, -((self._limit - cost - self._owed) // self._limit))
        return self._start_us + windows * self._period_us

    def take(self, cost: int, at_us: int) -> None:
        self._roll(at_us)
        beyond = max(0, cost - max(0, self._limit - self._used))
        self._used += cost - beyond
        most_owed = -(-_FARTHEST_US // self._period_us) * self._limit
        self._owed = min(self._owed + beyond, most_owed)

    def give(self, cost: int, at_us: int, taken: int) -> None:
        del taken
        if self._start_us <= at_us < self._start_us + self._period_us:
            relief = min(self._owed, cost)
            self._owed -= relief
            self._used = max(0, self._used - (cost - relief))

    @property
    def left(self) -> int:
        return 0 if self._start_us > self._now_us else self._limit - self._used

    @property
    def neutral_us(self) -> int:
        lasts = 1 - (-self._owed // self._limit) if self._used else 0
        return max(self._now_us, self._start_us + lasts * self._period_us)

    @property
    def state(self) -> State:
        return ((self._start_us, self._used, self._owed),)


class SlidingLog:
    """`sliding_log.lua`."""

    def __init__(self, state: State, row: Row, now_us: int) -> None:
        _, _, _, self._period_us, self._limit, _ = row
        self._now_us: Final = now_us
        self._newest_us = state[-1][0] if state else 0
        self._entries = [(at, cost) for at, cost in state if at > now_us - self._period_us]
        self._used = sum(cost for _, cost in self._entries)

    def slot(self, cost: int) -> int:
        need = self._used + cost - self._limit
        slot_us = max(self._now_us, self._newest_us)
        entries = iter(self._entries)
        while need > 0:
            at_us, freed = next(entries)
            need -= freed
            slot_us = max(slot_us, at_us + self._period_us)
        return slot_us

    def take(self, cost: int, at_us: int) -> None:
        self._newest_us = max(self._newest_us, at_us)
        self._entries.append((self._newest_us, cost))
        self._used += cost

    def give(self, cost: int, at_us: int, taken: int) -> None:
        entry = (at_us, taken)
        if entry in self._entries:
            place = len(self._entries) - 1 - self._entries[::-1].index(entry)
            self._entries[place : place + 1] = [(at_us, taken - cost)] if taken > cost else []
            self._used -= cost

    @property
    def left(self) -> int:
        return 0 if self._newest_us > self._now_us else self._limit - self._used

    @property
    def neutral_us(self) -> int:
        return self._newest_us + self._period_us if self._used else self._now_us

    @property
    def state(self) -> State:
        return tuple(self._entries)


class SlidingCounter:
    """`sliding_counter.lua`."""

    def __init__(self, state: State, row: Row, now_us: int) -> None:
        _, _, _, self._width_us, self._limit, self._buckets = row
        self._now_us: Final = now_us
        self._here: Final = now_us // self._width_us
        self._counts = {pair[0]: pair[1] for pair in state}
        self._newest = max([self._here, *self._counts])

    def _busy(self) -> dict[int, int]:
        oldest = self._newest - self._buckets
        return {one: count for one, count in self._counts.items() if one >= oldest and count}

    def slot(self, cost: int) -> int:
        bucket, used = self._newest, sum(self._busy().values())
        while used + cost > self._limit:
            used -= self._counts.get(bucket - self._buckets, 0)
            bucket += 1
        return max(self._now_us, bucket * self._width_us)

    def take(self, cost: int, at_us: int) -> None:
        self._newest = max(self._newest, at_us // self._width_us)
        self._counts[self._newest] = self._counts.get(self._newest, 0) + cost

    def give(self, cost: int, at_us: int, taken: int) -> None:
        del taken
        bucket = at_us // self._width_us
        if bucket in self._counts:
            self._counts[bucket] = max(0, self._counts[bucket] - cost)

    @property
    def left(self) -> int:
        return 0 if self._newest > self._here else self._limit - sum(self._busy().values())

    @property
    def neutral_us(self) -> int:
        busy = self._busy()
        last = max(busy) + self._buckets + 1 if busy else self._newest
        return max(self._now_us, last * self._width_us)

    @property
    def state(self) -> State:
        oldest = self._newest - self._buckets
        return tuple((one, count) for one, count in self._counts.items() if one >= oldest)


class WeightedCounter:
    """`weighted_counter.lua`."""

    def __init__(self, state: State, row: Row, now_us: int) -> None:
        [(self._window, self._before, self._used)] = state or ((0, 0, 0),)
        _, _, _, self._period_ms, self._limit, _ = row
        self._now_us: Final = now_us
        self._here: Final = self._window_of(now_us)
        self._roll(self._here)

    def _window_of(self, at_us: int) -> int:
        return at_us // 1000 // self._period_ms

    def _roll(self, to: int) -> None:
        if to > self._window:
            self._before = self._used if to == self._window + 1 else 0
            self._window, self._used = to, 0

    def _fits_after(self, room: int, weight: int) -> int:
        if room < 0:
            return self._period_ms
        return 0 if weight <= room else self._period_ms - room * self._period_ms // weight

    def slot(self, cost: int) -> int:
        after_ms = self._fits_after(self._limit - self._used - cost, self._before)
        if after_ms == self._period_ms:
            after_ms += self._fits_after(self._limit - cost, self._used)
        return max(self._now_us, (self._window * self._period_ms + after_ms) * 1000)

    def take(self, cost: int, at_us: int) -> None:
        self._roll(self._window_of(at_us))
        self._used += cost

    def give(self, cost: int, at_us: int, taken: int) -> None:
        del taken
        granted_in = self._window_of(at_us)
        if granted_in == self._window:
            self._used = max(0, self._used - cost)
        elif granted_in == self._window - 1:
            self._before = max(0, self._before - cost)

    @property
    def left(self) -> int:
        if self._window > self._here:
            return 0
        weight_ms = self._period_ms - (self._now_us // 1000 - self._window * self._period_ms)
        return self._limit - self._used + (-self._before * weight_ms // self._period_ms)

    @property
    def neutral_us(self) -> int:
        lasts = 2 if self._used else 1 if self._before else 0
        return max(self._now_us, (self._window + lasts) * self._period_ms * 1000)

    @property
    def state(self) -> State:
        return ((self._window, self._before, self._used),)


class _Opening(Protocol):
    def __call__(self, state: State, row: Row, now_us: int) -> Gauge: ...


_KINDS: Final[Mapping[str, _Opening]] = {
    "arrivals": Arrivals,
    "fixed": FixedWindow,
    "log": SlidingLog,
    "counter": SlidingCounter,
    "weighted": WeightedCounter,
}


def open_gauge(state: State, row: Row, now_us: int) -> Gauge:
    """The gauge of this row, on what was stored for its key."""
    _, kind, *_ = row
    return _KINDS[kind](state, row, now_us)
