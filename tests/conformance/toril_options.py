"""Options as scenario files spell them, turned into toril's."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final, cast

from toril.bullmq import CustomBackoff, Deduplication, Keep, RateLimit
from toril.core.backoff import BACKOFF_KINDS, Backoff, BackoffKind

Table = Mapping[str, object]


def to_toril(options: object) -> dict[str, object]:
    """A scenario's options; where it gives any but no backoff it means none, as in Node.

    A scenario that gives no options at all gets toril's own defaults.
    """
    if options is None:
        return {}
    turned = dict(_turn(name, value) for name, value in cast("Table", options).items())
    return {"backoff": None, **turned}


def to_worker_options(options: Table) -> dict[str, Any]:
    """A worker's options of a scenario."""
    return dict(_WORKER_TURNED[name](value) for name, value in options.items())


def _turn(name: str, value: object) -> tuple[str, object]:
    turn = _TURNED.get(name)
    return turn(value) if turn else (name, value)


def _ms(value: object) -> timedelta:
    return timedelta(milliseconds=cast("float", value))


def _backoff(value: object) -> tuple[str, object]:
    row = cast("Mapping[str, float]", value)
    if row["type"] not in BACKOFF_KINDS:
        delay = _ms(row["delay_ms"]) if "delay_ms" in row else None
        return "backoff", CustomBackoff(str(row["type"]), delay)
    kind = cast("BackoffKind", row["type"])
    backoff = Backoff(kind=kind, base_ms=row["delay_ms"], jitter=row.get("jitter", 0))
    return "backoff", backoff


def _keep(name: str) -> Callable[[object], tuple[str, object]]:
    def turn(value: object) -> tuple[str, object]:
        if not isinstance(value, Mapping):
            return name, value
        return name, Keep(count=value.get("count"), age=value.get("age_s"))

    return turn


def _created(value: object) -> tuple[str, object]:
    return "timestamp", datetime.fromtimestamp(cast("float", value) / 1000, UTC)


def _deduplication(value: object) -> tuple[str, object]:
    row = dict(cast("Mapping[str, object]", value))
    ttl = {"ttl": _ms(row.pop("ttl_ms"))} if "ttl_ms" in row else {}
    return "deduplication", Deduplication(**row, **ttl)  # type: ignore[arg-type]


_TURNED: Final[Mapping[str, Callable[[object], tuple[str, object]]]] = {
    "backoff": _backoff,
    "deduplication": _deduplication,
    "delay_ms": lambda value: ("delay", _ms(value)),
    "timestamp_ms": _created,
    "toril_timeout_ms": lambda value: ("timeout", _ms(value)),
    "remove_on_complete": _keep("remove_on_complete"),
    "remove_on_fail": _keep("remove_on_fail"),
}


def _limiter(value: object) -> tuple[str, object]:
    row = cast("Mapping[str, int]", value)
    return "limiter", RateLimit(row["max"], _ms(row["duration_ms"]))


def _strategy(value: object) -> tuple[str, object]:
    factor_s = cast("int", value) / 1000
    return "backoff_strategy", lambda failure: failure.attempts * factor_s


_WORKER_TURNED: Final[Mapping[str, Callable[[object], tuple[str, object]]]] = {
    "backoff_factor_ms": _strategy,
    "concurrency": lambda value: ("concurrency", value),
    "limiter": _limiter,
    "metrics": lambda value: ("metrics", 60 * cast("Mapping[str, int]", value)["max_data_points"]),
    "max_started_attempts": lambda value: ("max_started", value),
    "max_stalled_count": lambda value: ("max_stalled", value),
}
