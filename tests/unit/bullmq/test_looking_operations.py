"""What is read of a queue, from every answer there may be."""

import pytest
from tests.support.operation_samples import KEYS

from toril.bullmq.connected_worker import workers_among
from toril.bullmq.job_listing import places_of
from toril.bullmq.naming import QueueName
from toril.bullmq.operations.inspect.count_priorities import CountPriorities
from toril.bullmq.operations.inspect.limits import LimitsInUse, ReadLimits
from toril.bullmq.operations.inspect.list_clients import Client, ListClients
from toril.bullmq.operations.inspect.list_jobs import ListJobs, Place
from toril.bullmq.operations.inspect.metrics import ReadMetrics
from toril.bullmq.operations.inspect.stream_edges import GetStreamEdges
from toril.bullmq.wire.state import STATES, JobState
from toril.core.errors import UnexpectedReplyError

LIMITS = ReadLimits(keys=KEYS)


def limits(**known: int | None) -> LimitsInUse:
    nothing: dict[str, int | None] = {
        **dict.fromkeys(("concurrency", "rate_max", "rate_duration_ms")),
        **dict.fromkeys(("active", "started", "ttl_ms"), 0),
    }
    return LimitsInUse(**nothing | known)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("reply", "known"),
    [
        ([1, None, None, None, 0, None, -2], limits()),
        ([1, b"5", b"2", b"1000", 4, b"1", 900], limits(
            concurrency=5, rate_max=2, rate_duration_ms=1_000, active=4, started=1, ttl_ms=900
        )),
        ([1, b"x", b"", b"1.5", 4, b"x", -1], limits(active=4)),
    ],
)  # fmt: skip
def test_limits_that_are_no_numbers_are_none(reply: list[object], known: LimitsInUse) -> None:
    assert LIMITS.decode(reply) == known


@pytest.mark.parametrize("reply", [[1, None, None, None, 0, None], [1, 0, 0, 0, b"0", 0, 0]])
def test_limits_of_another_shape_are_refused(reply: list[object]) -> None:
    with pytest.raises(UnexpectedReplyError):
        LIMITS.decode(reply)


@pytest.mark.parametrize(
    ("concurrency", "active", "is_maxed"),
    [(None, 9, False), (2, 1, False), (2, 2, True), (2, 3, True)],
)
def test_a_queue_is_maxed_when_as_many_run_as_may(
    concurrency: int | None, active: int, *, is_maxed: bool
) -> None:
    assert limits(concurrency=concurrency, active=active).is_maxed is is_maxed


@pytest.mark.parametrize(
    ("rate_max", "asked", "limited_ms"),
    [(None, None, 70), (None, 3, 70), (None, 4, 0), (3, None, 70), (4, None, 0), (4, 3, 70)],
)
def test_a_queue_is_limited_while_its_period_lasts_and_all_of_it_is_used(
    rate_max: int | None, asked: int | None, limited_ms: int
) -> None:
    in_use = limits(rate_max=rate_max, started=3, ttl_ms=70)

    assert in_use.limited_for_ms(asked) == limited_ms


@pytest.mark.parametrize(("reply", "edges"), [([1, b"1-0", b"2-0"], ("1-0", "2-0")), ([0], None)])
def test_a_stream_reaches_from_one_event_to_another(
    reply: list[object], edges: tuple[str, str] | None
) -> None:
    assert GetStreamEdges(keys=KEYS).decode(reply) == edges


LIST = ListJobs(keys=KEYS, places=[Place("wait", is_turned=False)], start=0, limit=2)


def test_a_page_has_jobs_and_says_where_to_go_on() -> None:
    page = LIST.decode([1, 7, [b"a", [b"name", b"n"], b"b", [b"name", b"n", b"opts", b"{"]]])

    assert [(job.id, job.problem and job.problem[:20]) for job in page.jobs] == [
        ("a", None),
        ("b", "opts cannot be read:"),
    ]
    assert page.next_start == 7
    assert LIST.decode([1, -1, []]).next_start is None


@pytest.mark.parametrize(
    "reply", [[1, 7, [b"a"]], [1, 7, [1, [b"name", b"n"]]], [1, 7, [b"a", [b"name"]]], [1, 7]]
)
def test_a_page_of_another_shape_is_refused(reply: list[object]) -> None:
    with pytest.raises(UnexpectedReplyError):
        LIST.decode(reply)


def test_each_priority_has_a_count() -> None:
    counting = CountPriorities(keys=KEYS, priorities=(0, 7))

    assert counting.decode([1, [3, 4]]) == {0: 3, 7: 4}
    with pytest.raises(UnexpectedReplyError):
        counting.decode([1, [3]])


@pytest.mark.parametrize(
    ("states", "newest_first", "places"),
    [
        (("waiting",), None, [("wait", False), ("paused", False)]),
        (("paused", "waiting"), True, [("paused", True), ("wait", True)]),
        (("failed", "delayed"), None, [("failed", True), ("delayed", False)]),
        (("completed", "completed"), False, [("completed", False)]),
        (("waiting_children",), None, [("waiting-children", False)]),
    ],
)
def test_a_state_is_looked_for_in_its_places(
    states: tuple[JobState, ...], newest_first: bool | None, places: list[Place]
) -> None:
    assert places_of(states, newest_first) == places


def test_without_a_state_every_place_is_looked_at_once() -> None:
    names = [place.name for place in places_of((), None)]

    assert sorted(names) == sorted(STATES)


LINE = (
    b"id=7 addr=10.0.0.1:5 laddr=10.0.0.2:6379 fd=8 name=bull:cQ==:w:one age=12 idle=3 flags=b "
    b"db=2 cmd=bzpopmin lib-name=toril lib-ver=0.1.0"
)


def test_clients_are_read_line_by_line_and_what_is_not_told_is_empty() -> None:
    clients = ListClients().decode(LINE + b"\nid=8 addr=/run/redis.sock:0 name= age=x\n\n")

    assert clients == [
        Client("bull:cQ==:w:one", "10.0.0.1:5", 2, 12, 3, "toril"),
        Client("", "/run/redis.sock:0", 0, 0, 0, ""),
    ]


@pytest.mark.parametrize("reply", [None, 7, [LINE]])
def test_clients_of_another_shape_are_refused(reply: object) -> None:
    with pytest.raises(UnexpectedReplyError):
        ListClients().decode(reply)


NAME = QueueName.of("q", hash_tag=False, cluster=False)


@pytest.mark.parametrize(
    ("client_name", "worker"),
    [
        ("bull:cQ==", ""),
        ("bull:cQ==:w:one", "one"),
        ("bull:cQ==:w:", ""),
        ("bull:cQ==:w:a:w:b", "a:w:b"),
        ("bull:cQ==:qe", None),
        ("bull:cXE=", None),
        ("other:cQ==", None),
        ("toril", None),
        ("", None),
    ],
)
def test_a_worker_is_known_by_the_name_of_its_connection(
    client_name: str, worker: str | None
) -> None:
    assert NAME.worker_called(client_name) == worker


def test_a_worker_is_called_what_it_is_known_by() -> None:
    assert NAME.worker_called(NAME.client_name("one")) == "one"
    assert NAME.worker_called(NAME.client_name("")) == ""
    assert NAME.worker_called(NAME.events_client_name) is None


def test_a_worker_that_every_node_of_a_cluster_knows_is_one() -> None:
    def called(*names: str) -> list[Client]:
        return [Client(f"bull:cQ=={name}", "", 0, 1, 1, "") for name in names]

    servers = [called(":w:b", "", ""), called(":w:b", "", "", ""), called(":w:a", ":qe")]

    assert [one.name for one in workers_among(servers, NAME, 0)] == ["", "", "", "a", "b"]
    assert workers_among(servers, NAME, 1) == []


METRICS = ReadMetrics(keys=KEYS, kind="failed", first=0, last=9)


@pytest.mark.parametrize(
    "reply", [[1, None, None, None, 0], [1, 0, 0, 0, 1, [5]], [1, 0, 0, 0, 1, 1]]
)
def test_metrics_of_another_shape_are_refused(reply: list[object]) -> None:
    with pytest.raises(UnexpectedReplyError):
        METRICS.decode(reply)
