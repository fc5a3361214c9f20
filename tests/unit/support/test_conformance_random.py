"""Random histories: what they become on a keyspace, and the scenario file that is left of them."""

from hypothesis import given
from hypothesis import strategies as st
from tests.conformance.random_moves import BASE, LONG_MS, WORKER, Pick, Scene, due_soon, histories
from tests.conformance.scenario import parse, step_of
from tests.conformance.scenario_text import scenario_text
from tests.support.keyspace import Key, Layout

NOW_MS = 1_000_000


def layout(**infrastructure: Key) -> Layout:
    keys = {name.replace("_", "-"): key for name, key in infrastructure.items()}
    return Layout(NOW_MS, keys, sub_keys={("2", "lock"): Key("string", "token")})


def delayed(*due_ms: int) -> Key:
    return Key("zset", {str(ms): float(ms * 4096) for ms in due_ms})


@given(histories(5).filter(any), st.text(st.characters(codec="utf-8")))
def test_a_history_is_the_same_when_it_is_read_back(moves: list[list[dict]], title: str) -> None:
    full = layout(active=Key("list", ["1", "2"]))
    rows = [row for number, move in enumerate(moves) for row in Scene(full, number).rows(move)]

    scenario = parse("again", scenario_text(title, rows, at_rest=False))

    assert scenario.title == title
    assert not scenario.at_rest
    assert list(scenario.steps) == [step_of(row) for row in rows]


def test_a_held_job_is_active_and_locked() -> None:
    scene = Scene(layout(active=Key("list", ["1", "2"])), 0)
    held = {"do": "redis", "command": ["DEL", Pick("held", 7, BASE + "{}:lock")]}

    assert scene.rows([held]) == [{"do": "redis", "command": ["DEL", "bull:mail:2:lock"]}]
    assert scene.rows([{"do": "progress", "job": Pick("delayed", 7), "value": 1}]) == ()


def test_nothing_ends_by_itself_while_a_delayed_job_is_due() -> None:
    end = {"do": "complete", "job": "2", "value": 1, "fetch": False}
    late, early = layout(delayed=delayed(NOW_MS)), layout(delayed=delayed(NOW_MS + 1))

    assert Scene(late, 0).rows([end]) == ()
    assert Scene(late, 0).rows([{**end, "fetch": True}])
    assert Scene(early, 0).rows([end])


def test_a_worker_that_was_limited_does_not_claim_again() -> None:
    claim = {"do": "claim", "worker": WORKER}
    limited = layout(limiter=Key("string", "1", 900))

    assert Scene(layout(), 3).rows([claim]) == [{"do": "claim", "worker": "ada"}]
    assert Scene(limited, 3).rows([claim]) == [{"do": "claim", "worker": "worker 3"}]


def test_a_job_that_is_due_soon_is_waited_for() -> None:
    assert due_soon(layout(delayed=delayed(NOW_MS + 20, NOW_MS + LONG_MS)))
    assert not due_soon(layout(delayed=delayed(NOW_MS - 20, NOW_MS + LONG_MS)))
