"""What can be said about a cache, checked once and counted in the units of scripts."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Final, Literal, TypeAlias, TypedDict

from toril.core.checks import check_one_of, check_whole
from toril.core.durations import Duration, to_ms
from toril.core.errors import BadInputError
from toril.core.option_names import check_names
from toril.toolkit.cache.level import LocalLevel
from toril.toolkit.cache.wire import CacheKeys
from toril.toolkit.keys import check_name, check_prefix

OnError: TypeAlias = Literal["open", "raise"]

LONGEST_MS: Final = 400 * 24 * 3_600 * 1_000
"""400 days: of a value's time, fresh and stale."""

MOST_TAGS: Final = 32

_MIB: Final = 2**20
_LARGEST_VALUE: Final = 512 * _MIB
_GENERATIONS_KEPT_MS: Final = 30 * 24 * 3_600 * 1_000
_LONGEST_LEASE_MS: Final = 3_600 * 1_000


class CacheOptions(TypedDict, total=False):
    """Settings of one cache object; durations are seconds or a timedelta."""

    ttl_jitter: float
    """By which part the time of each value is longer or shorter: 0.1 unless said otherwise."""

    stale_for: Duration
    """How long a value is kept beyond its time, for when a new one cannot be had; 0."""

    beta: float
    """How eagerly values are renewed before their time; 1, and 0 for never."""

    cache_none: bool
    """Whether None is a value to keep; True."""

    none_ttl: Duration
    """The time of None; that of other values."""

    lease: Duration
    """How long loading and writing keep others away when their process dies; 10."""

    wait: Duration
    """How long to wait for whoever loads, before loading oneself; until it ends."""

    soft_timeout: Duration
    """How long to wait for a loader before the stale value is used; until it ends."""

    hard_timeout: Duration
    """How long a loader may take; for ever."""

    error_backoff: Duration
    """How long nobody tries again after a loader has failed; 5."""

    on_error: OnError
    """When the server cannot be asked: go on without it ("open") or raise; "open"."""

    max_value_bytes: int
    """What is larger is returned and not stored; 8 MiB."""

    timeout: Duration
    """How long one call to the server may take; 1."""

    prefix: str
    """What the keys in Redis begin with; "toril"."""

    local: LocalLevel | None
    """How much to keep in the memory of this process, too; None for nothing."""


@dataclass(frozen=True, slots=True)
class CacheRules:
    """The settings of a cache, as its parts need them."""

    name: str
    prefix: str
    ttl_us: int
    none_ttl_us: int
    ttl_jitter: float
    stale_us: int
    beta: float
    cache_none: bool
    lease_ms: int
    wait_ms: int | None
    soft_ms: int | None
    hard_ms: int | None
    backoff_ms: int
    is_open: bool
    max_value_bytes: int
    timeout_ms: int
    local: LocalLevel | None

    @staticmethod
    def of(name: str, ttl: Duration, options: CacheOptions) -> "CacheRules":
        """Check everything.

        Raises:
            BadInputError: names the option and its limit.
        """
        check_names(options, CacheOptions, "cache")
        ttl_us = ttl_to_us(ttl)
        lease_ms = to_ms(options.get("lease", 10), "lease", minimum=50, maximum=_LONGEST_LEASE_MS)
        most = options.get("max_value_bytes", 8 * _MIB)
        on_error = check_one_of(options.get("on_error", "open"), ("open", "raise"), "on_error")
        return CacheRules(
            name=check_name(name),
            prefix=check_prefix(options.get("prefix")),
            ttl_us=ttl_us,
            none_ttl_us=ttl_to_us(options["none_ttl"], "none_ttl")
            if "none_ttl" in options
            else ttl_us,
            ttl_jitter=_part(options.get("ttl_jitter", 0.1), "ttl_jitter", most=0.5),
            stale_us=to_ms(options.get("stale_for", 0), "stale_for", maximum=LONGEST_MS) * 1_000,
            beta=_part(options.get("beta", 1.0), "beta", most=1_000),
            cache_none=options.get("cache_none", True),
            lease_ms=lease_ms,
            wait_ms=_some_ms(options, "wait"),
            soft_ms=_some_ms(options, "soft_timeout"),
            hard_ms=_some_ms(options, "hard_timeout"),
            backoff_ms=to_ms(options.get("error_backoff", 5), "error_backoff", maximum=LONGEST_MS),
            is_open=on_error == "open",
            max_value_bytes=check_whole(most, "max_value_bytes", 1, _LARGEST_VALUE),
            timeout_ms=to_ms(options.get("timeout", 1), "timeout", minimum=1),
            local=_local(options.get("local")),
        )

    @property
    def keys(self) -> CacheKeys:
        """What it calls its keys."""
        return CacheKeys(self.prefix, self.name)

    @property
    def shares_objects(self) -> bool:
        """Whether callers in one process are given the same object."""
        return self.local is not None and self.local.share == "object"

    @property
    def keep_ms(self) -> int:
        """How long generations are kept from their last use: longer than any value by default."""
        return max(_GENERATIONS_KEPT_MS, 2 * (self.ttl_us + self.stale_us) // 1_000)


def ttl_to_us(ttl: Duration, field: str = "ttl") -> int:
    """The time of a value: 1 ms to 400 days.

    Raises:
        BadInputError: it is something else.
    """
    return to_ms(ttl, field, minimum=1, maximum=LONGEST_MS) * 1_000


def check_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """The tags, each once.

    Raises:
        BadInputError: they are too many, or one is no name.
    """
    if isinstance(tags, str):
        raise BadInputError("tags", "is a string: pass a list of them")
    if not tags:
        return ()
    unique = tuple(dict.fromkeys(check_name(one, "tags") for one in tags))
    if len(unique) > MOST_TAGS:
        raise BadInputError("tags", f"{len(unique)} tags exceed the limit of {MOST_TAGS}")
    return unique


def _part(value: object, field: str, *, most: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise BadInputError(field, f"{value!r} is not a finite number")
    if not 0 <= value <= most:
        raise BadInputError(field, f"{value!r} is not from 0 to {most:g}")
    return float(value)


def _some_ms(
    options: CacheOptions, field: Literal["wait", "soft_timeout", "hard_timeout"]
) -> int | None:
    given = options.get(field)
    return None if given is None else to_ms(given, field, maximum=LONGEST_MS)


def _local(local: object) -> LocalLevel | None:
    if local is not None and not isinstance(local, LocalLevel):
        raise BadInputError("local", f"{local!r} is not a LocalLevel")
    return local
