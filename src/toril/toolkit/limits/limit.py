"""One limit: a rate, and the algorithm that keeps it."""

from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias, cast

from toril.core.checks import check_one_of, check_whole
from toril.core.durations import LONGEST_MS
from toril.core.errors import BadInputError
from toril.toolkit.limits.rate import MOST, Rate, parse_rate
from toril.toolkit.limits.wire import PARTS

Algorithm: TypeAlias = Literal[
    "gcra", "token_bucket", "leaky_bucket", "fixed_window", "sliding_log", "sliding_counter"
]
Align: TypeAlias = Literal["epoch", "first_hit"]
Mode: TypeAlias = Literal["strict", "weighted"]

Terms: TypeAlias = tuple[str, int, int, int]
"""The kind of gauge, its measure of time, what may be granted at once, and one number more."""

LONGEST_LOG: Final = 10_000
"""Of a sliding log, which remembers every grant of a period."""

MOST_BUCKETS: Final = 100

_ALGORITHMS: Final = (
    *("gcra", "token_bucket", "leaky_bucket"),
    *("fixed_window", "sliding_log", "sliding_counter"),
)
_BY_ARRIVAL: Final = frozenset({"gcra", "token_bucket", "leaky_bucket"})
_EXACT: Final = 2**53


@dataclass(frozen=True, slots=True)
class Limit:
    """How much may happen in which time: `Limit("100/minute")`.

    | algorithm | what it guarantees |
    |---|---|
    | `gcra`, also called `token_bucket` | no more than `burst` + rate · T in any time T |
    | `leaky_bucket` | the same with a burst of 1, so grants keep a distance |
    | `fixed_window` | no more than the limit in a window, or twice that in any such time |
    | `sliding_log` | no more than the limit in any window; remembers up to 10,000 grants |
    | `sliding_counter` | the same in a few numbers; may refuse a bucket's length too early |

    `burst` is for the first two, and is the limit itself or 1 when it is not given. The windows of
    `fixed_window` are those of the clock, or with `align="first_hit"` begin with the first hit.
    `sliding_counter` divides a period into `buckets`; with `mode="weighted"` it keeps two counts
    and estimates, which may let nearly twice the limit through in a window.

    Raises:
        BadInputError: it is no rate, or an option is not one of the algorithm's.

    >>> Limit("100/minute", burst=20)
    Limit('100/minute', burst=20)
    """

    rate: str
    burst: int | None = field(default=None, kw_only=True)
    algorithm: Algorithm = field(default="gcra", kw_only=True)
    align: Align | None = field(default=None, kw_only=True)
    buckets: int | None = field(default=None, kw_only=True)
    mode: Mode | None = field(default=None, kw_only=True)
    quota: int = field(init=False, compare=False)
    """How much in a period."""
    period_ms: int = field(init=False, compare=False)
    capacity: int = field(init=False, compare=False)
    """How much at once, when nothing has happened for long."""
    part: str = field(init=False, compare=False)
    """What the key of its state is called, which does not change with the quota or the burst."""
    terms: Terms = field(init=False, compare=False)

    def __post_init__(self) -> None:
        quota, period_ms = rate = parse_rate(self.rate)
        check_one_of(self.algorithm, cast("tuple[Algorithm, ...]", _ALGORITHMS), "algorithm")
        self._refuse_strays()
        if self.algorithm in _BY_ARRIVAL:
            part, terms = self._by_arrival(rate)
        elif self.algorithm == "fixed_window":
            part, terms = self._fixed(rate)
        elif self.algorithm == "sliding_log":
            check_whole(quota, "rate", 1, LONGEST_LOG)
            part, terms = "log", ("log", period_ms * 1000, quota, 0)
        else:
            part, terms = self._counter(rate)
        object.__setattr__(self, "quota", quota)
        object.__setattr__(self, "period_ms", period_ms)
        object.__setattr__(self, "capacity", terms[2])
        object.__setattr__(self, "part", f"{part}-{period_ms}")
        object.__setattr__(self, "terms", terms)

    def __repr__(self) -> str:
        options = ("burst", "algorithm", "align", "buckets", "mode")
        given = ((name, getattr(self, name)) for name in options)
        shown = [f"{name}={value!r}" for name, value in given if value not in {None, "gcra"}]
        return f"Limit({', '.join([repr(self.rate), *shown])})"

    def _refuse_strays(self) -> None:
        places = {
            "burst": self.algorithm in _BY_ARRIVAL,
            "align": self.algorithm == "fixed_window",
            "buckets": self.algorithm == "sliding_counter" and self.mode != "weighted",
            "mode": self.algorithm == "sliding_counter",
        }
        for name, has_it in places.items():
            if getattr(self, name) is not None and not has_it:
                mode = f" ({self.mode})" if self.mode else ""
                raise BadInputError(name, f"is no option of {self.algorithm}{mode}")

    def _by_arrival(self, rate: Rate) -> tuple[str, Terms]:
        is_leaky = self.algorithm == "leaky_bucket"
        default = 1 if is_leaky else rate.quota
        burst = default if self.burst is None else check_whole(self.burst, "burst", 1, MOST)
        period_us = rate.period_ms * 1000
        if rate.quota > period_us:
            raise BadInputError("rate", f"{self.rate!r} is more than a million a second")
        # Rounded up, so that no rounding ever grants more than the rate.
        interval_us, parts = divmod(-(-period_us * PARTS // rate.quota), PARTS)
        if burst * period_us > LONGEST_MS * 1000 * rate.quota:
            raise BadInputError(
                "burst", f"{burst:,} at {self.rate!r} take more than ten years to come back"
            )
        return "leaky" if is_leaky else "gcra", ("arrivals", interval_us, burst, parts)

    def _fixed(self, rate: Rate) -> tuple[str, Terms]:
        align = self.align or "epoch"
        is_aligned = check_one_of(align, ("epoch", "first_hit"), "align") == "epoch"
        terms = ("fixed", rate.period_ms * 1000, rate.quota, int(is_aligned))
        return "fixed" if is_aligned else "first", terms

    def _counter(self, rate: Rate) -> tuple[str, Terms]:
        mode = self.mode or "strict"
        if check_one_of(mode, ("strict", "weighted"), "mode") == "weighted":
            if rate.quota * rate.period_ms >= _EXACT:
                raise BadInputError("rate", f"{self.rate!r} is too much for a weighted counter")
            return "weighted", ("weighted", rate.period_ms, rate.quota, 0)
        buckets = 10 if self.buckets is None else self.buckets
        check_whole(buckets, "buckets", 1, MOST_BUCKETS)
        width_us = -(-rate.period_ms * 1000 // buckets)
        return f"counter{buckets}", ("counter", width_us, rate.quota, buckets)
