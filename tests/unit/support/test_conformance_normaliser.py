"""The normaliser makes two honest runs equal, and lets every real difference through."""

from dataclasses import dataclass, field

import pytest
from tests.conformance.clock import StepClock
from tests.conformance.compare import is_same
from tests.conformance.normalise import Normaliser, Told
from tests.support.keyspace import Key, Snapshot

BASE = "bull:mail:"


@dataclass
class Run:
    """A run whose step n took the ten milliseconds from `start_ms` + 100 n on."""

    start_ms: int = 1_700_000_000_000
    delays_between: tuple[int, int] | None = None
    keys: dict[str, Key] = field(default_factory=dict)

    def __post_init__(self) -> None:
        clock = StepClock([(self.at(n), self.at(n) + 10) for n in (1, 2, 3)])
        self._normaliser = Normaliser([BASE], clock, delays_between=self.delays_between)

    def at(self, step: int, late_ms: int = 0) -> int:
        return self.start_ms + 100 * step + late_ms

    def put(self, suffix: str, kind: str, content: object, ttl_ms: int | None = None) -> None:
        self.keys[BASE + suffix] = Key(kind, content, ttl_ms)  # type: ignore[arg-type]

    def tell(self) -> Told:
        return self._normaliser.tell(Snapshot(self.at(3, 20), self.keys))


def told(suffix: str, kind: str, content: object, ttl_ms: int | None = None) -> Told:
    """How one key reads, without what every key has."""
    run = Run()
    run.put(suffix, kind, content, ttl_ms)
    return {
        path.removeprefix(f"{BASE}{suffix} "): value
        for path, value in run.tell().items()
        if not path.endswith((" type", " expires"))
    }


def test_runs_at_other_times_of_day_read_the_same() -> None:
    def tell(start_ms: int, late_ms: int) -> Told:
        run = Run(start_ms)
        finished_ms = run.at(3, late_ms)
        times = {"timestamp": str(run.at(1, late_ms)), "finishedOn": str(finished_ms)}
        run.put("1", "hash", times)
        run.put("completed", "zset", {"1": float(finished_ms)})
        return run.tell()

    assert tell(1_700_000_000_000, 1) == tell(1_800_000_000_123, 9)


def test_a_time_is_told_as_its_step() -> None:
    assert told("1", "hash", {"processedOn": str(Run().at(2))}) == {"processedOn": "<step 2>"}


@pytest.mark.parametrize("stored", ["0", "1700000000", "1700000000050", "1700000000200.5", ""])
def test_a_time_outside_of_every_step_stays_as_it_is(stored: str) -> None:
    assert told("1", "hash", {"processedOn": stored}) == {"processedOn": stored}


def test_only_fields_that_hold_times_are_told_as_times() -> None:
    stored = {"failedReason": str(Run().at(1)), "atm": str(Run().at(2))}

    assert told("1", "hash", stored) == stored


@pytest.mark.parametrize(("suffix", "unit"), [("completed", 1), ("delayed", 4096)])
def test_members_of_one_millisecond_have_no_order_and_others_have(suffix: str, unit: int) -> None:
    def tell(first: str, second: str, apart_ms: int) -> object:
        run = Run()
        times = {first: run.at(2), second: run.at(2, apart_ms)}
        scores = {name: float(ms * unit + int(name) * (unit > 1)) for name, ms in times.items()}
        run.put(suffix, "zset", dict(sorted(scores.items(), key=lambda pair: pair[1])))
        return run.tell()[f"{BASE}{suffix} members"]

    assert is_same(tell("2", "1", 1), tell("1", "2", 0))
    assert is_same(tell("2", "1", 1), tell("2", "1", 3))
    assert not is_same(tell("2", "1", 1), tell("1", "2", 1))


def test_a_score_that_is_not_the_time_of_the_finish_shows() -> None:
    run = Run()
    run.put("1", "hash", {"finishedOn": str(run.at(2))})
    run.put("completed", "zset", {"1": float(run.at(2, 1))})

    assert run.tell()[f"{BASE}completed members"] == ["1 at <step 2>, not finishedOn"]


def test_a_delayed_score_keeps_its_delay_and_its_counter() -> None:
    run = Run()
    run.put("1", "hash", {"delay": "5000"})
    run.put("delayed", "zset", {"1": float((run.at(2) + 5000) * 4096 + 3)})

    assert run.tell()[f"{BASE}delayed members"] == ["1 at (<step 2>+5000)*4096+3"]


def test_a_delayed_score_that_its_delay_does_not_explain_shows() -> None:
    run = Run()
    run.put("1", "hash", {"delay": "5000"})
    run.put("delayed", "zset", {"1": float((run.at(2) + 4950) * 4096)})

    assert "step" not in str(run.tell()[f"{BASE}delayed members"])


def test_a_stale_marker_still_tells_the_time_it_was_set_for() -> None:
    run = Run()
    due_ms = run.at(2) + 5000
    run.put("1", "hash", {"delay": "5000"})
    run.put("delayed", "zset", {"1": float(due_ms * 4096)})
    run.tell()
    run.put("1", "hash", {"delay": "0"})
    run.put("delayed", "zset", {})
    run.put("marker", "zset", {"1": float(due_ms)})

    assert run.tell()[f"{BASE}marker members"] == ["1 at (<step 2>+5000)*4096+0"]


def test_a_random_delay_within_what_was_declared_is_told_as_random() -> None:
    run = Run(delays_between=(500, 1000))
    run.put("1", "hash", {"delay": "731"})
    run.put("delayed", "zset", {"1": float((run.at(2) + 731) * 4096)})

    assert run.tell()[f"{BASE}1 delay"] == "<random delay>"
    assert run.tell()[f"{BASE}delayed members"] == ["1 at (<step 2>+<random delay>)*4096+0"]


def test_a_random_delay_beyond_what_was_declared_shows() -> None:
    run = Run(delays_between=(500, 1000))
    run.put("1", "hash", {"delay": "1001"})

    assert run.tell()[f"{BASE}1 delay"] == "1001"


def test_a_lock_is_told_by_its_presence_and_by_the_step_it_was_set_in() -> None:
    run = Run()
    run.put("1:lock", "string", "any-token", ttl_ms=30_000 - (run.at(3, 20) - run.at(2, 5)))

    assert run.tell()[f"{BASE}1:lock value"] == "<token>"
    assert run.tell()[f"{BASE}1:lock expires"] == "<step 2>+30000"


def test_a_lock_of_another_length_shows() -> None:
    run = Run()
    run.put("1:lock", "string", "any-token", ttl_ms=29_000)

    assert run.tell()[f"{BASE}1:lock expires"] == "in 29000 ms"


def test_a_lock_without_a_token_or_without_an_end_shows() -> None:
    run = Run()
    run.put("1:lock", "string", "")

    assert run.tell()[f"{BASE}1:lock value"] == ""
    assert run.tell()[f"{BASE}1:lock expires"] == "never"


def test_traces_are_counted_not_read() -> None:
    assert told("1", "hash", {"stacktrace": '["Error: a", "Traceback b"]'}) == {
        "stacktrace": ["<trace>", "<trace>"]
    }


def test_an_empty_trace_shows() -> None:
    assert told("1", "hash", {"stacktrace": '["", null]'}) == {"stacktrace": ["", None]}


def test_options_are_told_one_by_one_whatever_their_order() -> None:
    stored = told("1", "hash", {"opts": '{"backoff":{"delay":5,"type":"fixed"},"attempts":3}'})

    assert stored == {"opts.attempts": 3, "opts.backoff.type": "fixed", "opts.backoff.delay": 5}


def test_the_text_of_data_counts_to_the_last_space() -> None:
    assert told("1", "hash", {"data": '{"a": 1}'}) != told("1", "hash", {"data": '{"a":1}'})


def test_only_a_version_is_told_as_a_version() -> None:
    assert told("meta", "hash", {"version": "bullmq:5.62.0"}) == {"version": "<library:version>"}
    assert told("meta", "hash", {"version": "1"}) == {"version": "1"}


def test_events_keep_their_order_and_the_order_of_their_fields() -> None:
    one = (("event", "active"), ("jobId", "1"), ("prev", "waiting"))
    rows = [("1-0", one), ("2-0", tuple(reversed(one)))]

    assert told("events", "stream", rows) == {
        "[0]": "event=active jobId=1 prev=waiting",
        "[1]": "prev=waiting jobId=1 event=active",
    }


def test_lists_keep_their_order_and_sets_have_none() -> None:
    assert told("wait", "list", ["2", "1"]) == {"members": ["2", "1"]}
    assert told("stalled", "set", frozenset({"2", "1"})) == {"members": ["1", "2"]}


def test_a_key_says_its_type_and_whether_it_expires() -> None:
    run = Run()
    run.put("wait", "list", ["1"])
    run.put("stalled-check", "string", str(run.at(3)), ttl_ms=30_000 - 20)

    assert run.tell() == {
        f"{BASE}wait type": "list",
        f"{BASE}wait expires": "never",
        f"{BASE}wait members": ["1"],
        f"{BASE}stalled-check type": "string",
        f"{BASE}stalled-check expires": "<step 3>+30000",
        f"{BASE}stalled-check value": "<step 3>",
    }


def test_keys_of_torils_own_are_not_compared() -> None:
    run = Run()
    run.keys["toril:{}:bull:mail:fence:w1"] = Key("string", "1")

    assert run.tell() == {}
