"""What each algorithm promises, as a law about what was granted when; it knows nothing of how."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from toril.toolkit.limits.limit import Limit

_BY_ARRIVAL: Final = {"gcra", "token_bucket", "leaky_bucket"}


class Granted(NamedTuple):
    """So much for that moment, by the server's clock."""

    at_us: int
    cost: int


def breaches(limit: Limit, grants: Iterable[Granted]) -> list[str]:
    """In which windows more was granted than the limit promises."""
    in_order = sorted(grants)
    if limit.algorithm in _BY_ARRIVAL:
        return _beyond_rate(limit, in_order)
    if limit.algorithm == "fixed_window":
        found = _beyond_window(limit, in_order, 2 * limit.quota)
        return found if limit.align == "first_hit" else found + _beyond_clock(limit, in_order)
    most = 2 * limit.quota if limit.mode == "weighted" else limit.quota
    return _beyond_window(limit, in_order, most)


def _beyond_rate(limit: Limit, grants: Sequence[Granted]) -> list[str]:
    """`burst` + rate · T in any time T, in whole numbers: costs times the period."""
    period_us, found = limit.period_ms * 1000, []
    so_far, least = 0, 0
    for number, (at_us, cost) in enumerate(grants):
        drained = so_far * period_us - at_us * limit.quota
        least = drained if not number else min(least, drained)
        so_far += cost
        if so_far * period_us - at_us * limit.quota > least + limit.capacity * period_us:
            found.append(f"{limit}: too much at {at_us}")
    return found


def _beyond_window(limit: Limit, grants: Sequence[Granted], most: int) -> list[str]:
    """In any window of the limit's length that ends with a grant, its beginning left out."""
    found, first, inside = [], 0, 0
    for at_us, cost in grants:
        inside += cost
        while grants[first].at_us <= at_us - limit.period_ms * 1000:
            inside -= grants[first].cost
            first += 1
        if inside > most:
            found.append(f"{limit}: {inside} in the window that ends at {at_us}")
    return found


def _beyond_clock(limit: Limit, grants: Sequence[Granted]) -> list[str]:
    """In the windows of the clock."""
    used: dict[int, int] = {}
    for at_us, cost in grants:
        window = at_us // (limit.period_ms * 1000)
        used[window] = used.get(window, 0) + cost
    return [f"{limit}: {n} in window {w}" for w, n in used.items() if n > limit.quota]
