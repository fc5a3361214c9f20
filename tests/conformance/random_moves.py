"""What random histories are made of: moves that become steps when it is known which jobs exist.

A move names jobs by where they are (`held`, `delayed`, `anywhere`), and is passed over when nobody
is there. Left out is what toril stores otherwise by decision, with the reason beside it here:

- ends and retries that ask for nothing while delayed jobs are due: toril makes those ready
- the next job in one call with a retry: Node's retries do not ask for it
- retries by hand of prioritized jobs: toril puts them among their like
- retries by hand that count from nothing: unknown to 5.62.0
- resuming a queue that is not paused: toril wakes a worker whenever jobs wait
- lifting a limit through the queue: toril wakes a worker then, so a bare command does it here
- failures without a message, and reasons that toril shortens: other texts
- pauses of more than an hour before a retry: toril's workers wait an hour at most
- backoff with jitter, and of kinds nobody knows: random pauses, other pauses
- `keep_last_if_active`: BullMQ 5.62.0 ignores it; its scenarios are compared with 6.7
- deduplication ids that point to no job: taken over
- jobs lost too often: Node's driver gets them, toril's worker fails them as it claims
- several delayed jobs in one call: Node gives each its own millisecond
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from hypothesis import strategies as st
from tests.support.keyspace import Layout

Row: TypeAlias = dict[str, object]
"""A step as a scenario file spells it."""

Rows: TypeAlias = Sequence[Row]
Draw: TypeAlias = st.SearchStrategy[object]

QUEUE: Final = "mail"
BASE: Final = f"bull:{QUEUE}:"
SOON_MS: Final = 20
LONG_MS: Final = 3_600_000
WAITED_FOR_MS: Final = 10_000


@dataclass(frozen=True)
class Pick:
    """Some job that is in this place when the step comes; `frame` is the text around its id."""

    place: str
    number: int
    frame: str = "{}"


class NobodyError(Exception):
    """No job is where a move looks for one."""


@dataclass(frozen=True)
class Scene:
    """Who is where, just before a move."""

    layout: Layout
    number: int
    """Of the move."""

    def rows(self, move: Rows) -> Rows:
        """The move's steps with the ids of jobs; none when it does not apply."""
        if not all(map(self._is_modelled, move)):
            return ()
        try:
            return [{name: self._fill(value) for name, value in row.items()} for row in move]
        except NobodyError:
            return ()

    def _fill(self, value: object) -> object:
        if isinstance(value, Pick):
            ids = self._ids(value.place)
            if not ids:
                raise NobodyError(value.place)
            return value.frame.format(ids[value.number % len(ids)])
        if isinstance(value, list):
            return [self._fill(item) for item in value]
        if value is WORKER:
            return self._worker
        return value

    def _ids(self, place: str) -> list[str]:
        words = place.split()
        match words:
            case ["anywhere"]:
                return sorted(self.layout.jobs)
            case ["held"]:
                active = self.layout.key("active").items()
                return [job for job in active if self.layout.sub_key(job, "lock").kind != "none"]
            case ["plain", state]:
                ids = self.layout.key(state).items()
                return [job for job in ids if not self.layout.number(job, "priority")]
            case _:
                return self.layout.key(place).items()

    def _is_modelled(self, row: Row) -> bool:
        match row:
            case {"do": "complete" | "fail"} if not row.get("fetch"):
                return not self._has_due_jobs
            case {"do": "resume"}:
                return self.layout.is_paused
            case _:
                return True

    @property
    def _has_due_jobs(self) -> bool:
        scores = self.layout.key("delayed").scores().values()
        return any(score / 4096 <= self.layout.now_ms for score in scores)

    @property
    def _worker(self) -> str:
        """Node's worker remembers for how long it was limited: each claim has a new one then."""
        is_limited = "max" in self.layout.key("meta").fields() or self.layout.is_in_window
        return f"worker {self.number}" if is_limited else "ada"


WORKER: Final = object()
"""Stands for a worker that may claim."""


def histories(length: int) -> st.SearchStrategy[list[Rows]]:
    """So many moves; to become shorter, moves become nothing."""
    return st.lists(_moves(), min_size=length, max_size=length)


@st.composite
def _moves(draw: st.DrawFn) -> Rows:
    # `one_of` would take a move that is there twice for one.
    chosen = draw(st.sampled_from(_LOTS))
    return draw(MOVES[chosen][1]) if chosen >= 0 else ()


def _step(verb: str, **arguments: Draw | object) -> Draw:
    """A strategy for a step whose arguments are strategies, or plain."""
    drawn = {
        name: value if isinstance(value, st.SearchStrategy) else st.just(value)
        for name, value in arguments.items()
    }
    return st.fixed_dictionaries({"do": st.just(verb), **drawn})


def _redis(*words: Draw | object) -> Draw:
    drawn = (word if isinstance(word, st.SearchStrategy) else st.just(word) for word in words)
    return _step("redis", command=st.tuples(*drawn).map(list))


def _moves_of(*steps: Draw) -> st.SearchStrategy[Rows]:
    return st.tuples(*steps)


def _pick(place: str, frame: str = "{}") -> Draw:
    return st.builds(Pick, st.just(place), st.integers(0, 9), st.just(frame))


def _options(optional: Mapping[str, Draw]) -> Draw:
    return st.fixed_dictionaries({"attempts": st.sampled_from([2, 3, 3, 1, 0])}, optional=optional)


_TEXTS: Final = st.text(st.characters(codec="utf-8"), max_size=6)
_JSON: Final = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | _TEXTS | st.just(1.5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", "__proto__x"]), inner, max_size=2)
    ),
    max_leaves=5,
)
_NAMES: Final = st.sampled_from(["welcome", "n", "Grüße: 你好", "a b"])
_KEPT: Final = st.sampled_from(
    [True, 0, 1, 2, False, {"count": 1}, {"age_s": 3600}, {"count": 2, "age_s": 3600}]
)
_IDS: Final = st.sampled_from(["d", "e:1"])
_DEDUPLICATION: Final = st.fixed_dictionaries(
    {"id": _IDS},
    optional={"ttl_ms": st.just(30_000), "replace": st.just(True)},
) | st.fixed_dictionaries(
    {"id": _IDS, "ttl_ms": st.just(30_000), "extend": st.just(True)},
    optional={"replace": st.just(True)},
)
_BACKOFF: Final = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["fixed", "exponential"]),
        "delay_ms": st.sampled_from([SOON_MS, LONG_MS // 12]),
    }
)
_PRIORITIES: Final = st.sampled_from([1, 1, 2, 9, 0, 2**21 - 1])
_DELAYS: Final = st.sampled_from([SOON_MS, LONG_MS, 2 * LONG_MS])
_PLAIN: Final[Mapping[str, Draw]] = {
    "backoff": _BACKOFF,
    "priority": _PRIORITIES,
    "lifo": st.booleans(),
    "job_id": st.sampled_from(["a", "b", "007"]),
    "remove_on_complete": _KEPT,
    "remove_on_fail": _KEPT,
    "stack_trace_limit": st.integers(0, 2),
    "keep_logs": st.integers(1, 3),
    "timestamp_ms": st.just(1_700_000_000_000),
}
_FREE: Final = _options({**_PLAIN, "delay_ms": _DELAYS})
_DEDUPLICATED: Final = st.builds(
    lambda options, rule: {**options, "deduplication": rule},
    _options({"delay_ms": st.sampled_from([LONG_MS, 2 * LONG_MS]), "priority": st.just(3)}),
    _DEDUPLICATION,
)
_NEW_JOBS: Final = st.lists(
    st.fixed_dictionaries({"name": _NAMES, "data": _JSON, "options": _options(_PLAIN)}),
    min_size=1,
    max_size=4,
)

_ERRORS: Final = st.sampled_from(["boom", "Fehler: ü\n你好"])
_FAIL_FOR_GOOD: Final = _step(
    "fail", job=_pick("held"), error=_ERRORS, final=True, fetch=st.booleans()
)
_LOOK_FOR_STALLS: Final = _step(
    "check_stalled", worker="eve", worker_options={"max_stalled_count": 99}
)

MOVES: Final[Sequence[tuple[int, st.SearchStrategy[Rows]]]] = [
    (6, _moves_of(_step("add", name=_NAMES, data=_JSON, options=_FREE))),
    (2, _moves_of(_step("add", name=_NAMES, data={}, options=_DEDUPLICATED))),
    (1, _moves_of(_step("add_many", jobs=_NEW_JOBS))),
    (10, _moves_of(_step("claim", worker=WORKER))),
    (6, _moves_of(_step("complete", job=_pick("held"), value=_JSON, fetch=st.booleans()))),
    (5, _moves_of(_step("fail", job=_pick("held"), error=_ERRORS))),
    (1, _moves_of(_FAIL_FOR_GOOD)),
    (1, _moves_of(_step("renew", job=_pick("held"), lock_ms=30_000))),
    (3, _moves_of(_redis("DEL", _pick("held", BASE + "{}:lock")))),
    (3, _moves_of(_redis("DEL", f"{BASE}stalled-check"), _LOOK_FOR_STALLS)),
    (1, _moves_of(_step("progress", job=_pick("anywhere"), value=_JSON))),
    (1, _moves_of(_step("log", job=_pick("anywhere"), row=_TEXTS))),
    (
        1,
        _moves_of(
            _step(
                "logs",
                job=_pick("anywhere"),
                start=st.integers(0, 1),
                end=2,
                newest_first=st.booleans(),
            )
        ),
    ),
    (1, _moves_of(_step("clear_logs", job=_pick("anywhere"), keep=st.integers(0, 2)))),
    (1, _moves_of(_step("update_data", job=_pick("anywhere"), data=_JSON))),
    (1, _moves_of(_step("deduplication_owner", id=_IDS))),
    (1, _moves_of(_step("remove_deduplication", id=_IDS))),
    (1, _moves_of(_step("read", job=_pick("anywhere")))),
    (1, _moves_of(_step("counts"))),
    (1, _moves_of(_step("pause"))),
    (3, _moves_of(_step("resume"))),
    (1, _moves_of(_step("state", job=_pick("anywhere")))),
    (2, _moves_of(_step("promote", job=_pick("delayed")))),
    (1, _moves_of(_step("promote", job=_pick("anywhere")))),
    (1, _moves_of(_step("change_delay", job=_pick("delayed"), delay_ms=_DELAYS))),
    (1, _moves_of(_step("change_delay", job=_pick("anywhere"), delay_ms=_DELAYS))),
    (
        2,
        _moves_of(
            _step(
                "change_priority", job=_pick("anywhere"), priority=_PRIORITIES, lifo=st.booleans()
            )
        ),
    ),
    (2, _moves_of(_step("retry", job=_pick("plain failed"), state="failed"))),
    (
        1,
        _moves_of(_step("retry", job=_pick("plain completed"), state="completed")),
    ),
    (1, _moves_of(_step("retry", job=_pick("active"), state="failed"))),
    (1, _moves_of(_redis("HSET", f"{BASE}meta", "concurrency", st.sampled_from(["1", "2"])))),
    (2, _moves_of(_redis("HDEL", f"{BASE}meta", "concurrency"))),
    (1, _moves_of(_step("set_global_rate_limit", max=2, duration_ms=30_000))),
    (1, _moves_of(_step("rate_limit", duration_ms=30_000))),
    (1, _moves_of(_step("limits", max=2))),
    (2, _moves_of(_redis("HDEL", f"{BASE}meta", "max", "duration"))),
    (1, _moves_of(_redis("DEL", f"{BASE}limiter"))),
]
"""How often, and one or more steps that follow each other."""

_LOTS: Final = [-1, *(place for place, (often, _) in enumerate(MOVES) for _ in range(often))]


def opening() -> Rows:
    """Both sides write the queue's settings when they first add, and Node also when it looks."""
    return [{"do": "add", "name": "first", "data": {}, "options": {"attempts": 1}}]


def due_soon(layout: Layout) -> Rows:
    """Waiting follows at once when a job is due soon: steps never race with the clock."""
    scores = layout.key("delayed").scores().values()
    if any(0 < score / 4096 - layout.now_ms < WAITED_FOR_MS for score in scores):
        return [{"do": "wait_due", "within_ms": WAITED_FOR_MS}]
    return ()
