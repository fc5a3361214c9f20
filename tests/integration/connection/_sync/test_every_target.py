"""Every way to name a server leads to it, and operations run there."""  # generated from _async/test_every_target.py by tools/generate_sync.py: edit that file

from uuid import uuid4

import pytest
from tests.support.operations import Bump, Look, Pop
from tests.support.servers import ValkeyServer

from toril.connection import Line, Runner, Target
from toril.core.errors import UnavailableError


def test_operations_run_on_every_kind_of_target(target_of_every_kind: Target) -> None:
    key = uuid4().hex

    with Runner(target_of_every_kind) as runner:
        sums = runner.run_all([Bump(key, by=2), Bump(key, by=3), Look(key)])

    assert sums == [2, 5, 5]


def test_a_line_runs_and_waits_on_every_kind_of_target(target_of_every_kind: Target) -> None:
    key = uuid4().hex

    with Line(target_of_every_kind, key=key, purpose="test") as line:
        first = line.run_all([Bump(key)])
        nothing, then = line.read(Pop(f"{{{key}}}:ring", block_ms=20), [Bump(key)])

    assert first == [1]
    assert nothing is None
    assert then == [2]


def test_operations_run_on_every_supported_server(every_server: ValkeyServer) -> None:
    with Runner(Target.of(every_server.url)) as runner:
        sums = runner.run_all([Bump("a"), Bump("a"), Look("b")])

    assert sums == [1, 2, 0]


def test_keys_of_many_slots_reach_their_nodes_in_one_call(cluster_url: str) -> None:
    tag = uuid4().hex
    keys = [f"{tag}:{number}" for number in range(30)]

    with Runner(Target.of(cluster_url)) as runner:
        results = runner.run_all([Bump(key) for key in keys])

    assert results == [1] * 30


def test_another_database_is_selected(redis_url: str) -> None:
    with Runner(Target.of(redis_url)) as runner:
        runner.run(Bump("a"))

    with Runner(Target.of(f"{redis_url}/3")) as runner:
        assert runner.run(Look("a")) == 0


@pytest.mark.parametrize("url", ["redis://127.0.0.1:1", "unix:///nowhere/to/be.found"])
def test_a_server_that_is_not_there_is_named(url: str) -> None:
    target = Target.of(url)

    with Line(target, key="a", purpose="test") as line:
        with pytest.raises(UnavailableError) as refusal:
            line.run_all([Bump("a")])

    assert refusal.value.server == str(target.addresses[0])
