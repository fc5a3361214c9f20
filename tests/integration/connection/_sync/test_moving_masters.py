"""When the master of a key changes, operations follow it."""  # generated from _async/test_moving_masters.py by tools/generate_sync.py: edit that file

from uuid import uuid4

from tests.support.event_log import EventLog
from tests.support.fleets import SentinelSet, ValkeyCluster
from tests.support.operations import Bump
from tests.support.servers import ValkeyServer

from toril.connection import Line, Runner, Target
from toril.connection.slots import slot_of
from toril.telemetry.events import ConnectionLost

PASSWORD = "sesame"  # noqa: S105 - of a server that lives for a test


def test_a_runner_and_a_line_follow_a_failover() -> None:
    with SentinelSet(password=PASSWORD) as sentinels:
        target = Target.of(sentinels.url)
        with Runner(target) as runner, Line(target, key="a", purpose="t") as line:
            runner.run(Bump("a"))
            line.run_all([Bump("b")])

            sentinels.fail_over()

            assert runner.run(Bump("a")) == 2
            assert 2 in [(line.run_all([Bump("b")]))[0] for _ in range(3)]
            assert sentinels.replica.client(password=PASSWORD).get("a") == b"2"


def test_a_runner_follows_a_slot_that_moved(cluster: ValkeyCluster) -> None:
    key = uuid4().hex
    home, other = _home_and_other(cluster, key)
    log = EventLog()
    with Runner(Target.of(cluster.url), emitter=log.emitter) as runner:
        runner.run(Bump(f"{{{key}}}:before"))
        home.client().flushall()
        cluster.move(slot_of(key), other)

        assert runner.run(Bump(key)) == 1

    assert [event.problem.split()[0] for event in log.of(ConnectionLost)] == ["MOVED"]


def test_a_line_follows_a_slot_that_moved(cluster: ValkeyCluster) -> None:
    key = uuid4().hex
    home, other = _home_and_other(cluster, key)
    with Line(Target.of(cluster.url), key=key, purpose="test") as line:
        line.run_all([Bump(f"{{{key}}}:before")])
        home.client().flushall()
        cluster.move(slot_of(key), other)

        # The node that is asked for the map may hear of the move a little later than others.
        answers = [*line.run_all([Bump(key)])]
        while answers[-1] != 1 and len(answers) < 20:
            answers += line.run_all([Bump(key)])

    assert answers[-1] == 1
    assert len(answers) > 1


def test_a_key_of_a_moving_slot_is_asked_for_where_it_will_be(
    cluster: ValkeyCluster,
) -> None:
    key = uuid4().hex
    home, other = _home_and_other(cluster, key)
    slot = slot_of(key)
    with Runner(Target.of(cluster.url)) as runner:
        with home.client() as source, other.client() as sink:
            sink.execute_command(
                "CLUSTER", "SETSLOT", slot, "IMPORTING", source.execute_command("CLUSTER MYID")
            )
            source.execute_command(
                "CLUSTER", "SETSLOT", slot, "MIGRATING", sink.execute_command("CLUSTER MYID")
            )

            assert runner.run(Bump(key)) == 1

            cluster.move(slot, other)
            assert runner.run(Bump(key)) == 2


def _home_and_other(cluster: ValkeyCluster, key: str) -> tuple[ValkeyServer, ValkeyServer]:
    home = cluster.node_of(slot_of(key))
    return home, next(node for node in cluster.nodes if node is not home)
