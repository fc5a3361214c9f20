"""Following a queue ends when somebody says so, and by nothing that happens to the server."""

import asyncio
import threading
from collections.abc import Callable

import pytest
import redis
from tests.integration.bullmq.workers import until
from tests.support.fleets import ValkeyCluster
from tests.support.proxy import Proxy
from tests.support.servers import ValkeyServer, wait_until

from toril import AsyncQueue, AsyncQueueEvents, Queue, QueueEvents
from toril.bullmq.queue_events import BEGINNING, AddedEvent, EventsMissed, QueueEvent
from toril.core.errors import DeniedError, QueueNameAmbiguousError, UnavailableError
from toril.telemetry.emitter import Emitter
from toril.telemetry.events import ConnectionLost
from toril.testing import EventWaiter

STREAM = "bull:{mail}:events"


def _listens(client: redis.Redis) -> Callable[[], bool]:
    return lambda: any(connection["cmd"] == "xread" for connection in client.client_list())


async def _next_added(events: AsyncQueueEvents) -> str:
    async with asyncio.timeout(10):
        async for event in events:
            if isinstance(event, AddedEvent):
                return event.name
    raise AssertionError("the events have ended")


async def test_closing_from_another_task_ends_the_iteration(
    redis_url: str, redis_client: redis.Redis
) -> None:
    async with AsyncQueueEvents("mail", redis_url) as events:
        following = asyncio.create_task(_all_of(events))
        await until(_listens(redis_client), "somebody listens")

        await events.close()

        async with asyncio.timeout(1):
            assert await following == []


async def _all_of(events: AsyncQueueEvents) -> list[QueueEvent]:
    return [event async for event in events]


def test_closing_from_another_thread_ends_the_iteration(
    redis_url: str, redis_client: redis.Redis
) -> None:
    told: list[QueueEvent] = []
    with QueueEvents("mail", redis_url) as events:
        following = threading.Thread(target=lambda: told.extend(events))
        following.start()
        wait_until(_listens(redis_client), "somebody listens")

        events.close()

        following.join(1)
        assert not following.is_alive()
    assert told == []


async def test_a_wait_that_is_given_up_loses_no_event(redis_url: str) -> None:
    async with (
        AsyncQueue("mail", redis_url) as queue,
        AsyncQueueEvents("mail", redis_url) as events,
    ):
        for number in range(5):
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.02):
                    await anext(events)
            await queue.add(str(number))
            assert await _next_added(events) == str(number)
            await anext(events)


async def test_broken_connections_lose_no_event_and_repeat_none(
    redis_url: str, proxy: Proxy, redis_client: redis.Redis
) -> None:
    async with (
        AsyncQueue("mail", redis_url) as queue,
        AsyncQueueEvents("mail", proxy.url, emitter=Emitter()) as events,
    ):
        told = []
        for number in range(20):
            following = asyncio.create_task(_next_added(events))
            if number % 5 == 0:
                await until(_listens(redis_client), "somebody listens")
                proxy.drop_all()
            await queue.add(str(number))
            told.append(await following)

    assert told == [str(number) for number in range(20)]


async def test_a_storm_of_broken_connections_leaves_out_no_event_and_repeats_none(
    redis_url: str, proxy: Proxy, redis_client: redis.Redis
) -> None:
    jobs = 2_000
    async with (
        AsyncQueue("mail", redis_url, max_events=100_000) as queue,
        AsyncQueueEvents("mail", proxy.url, after=BEGINNING, emitter=Emitter()) as events,
    ):
        following = asyncio.create_task(_first(events, 2 * jobs))
        for _ in range(20):
            await queue.add_many([("n", 0)] * (jobs // 20))
            proxy.drop_all()
        async with asyncio.timeout(20):
            told = await following

    stored = [event_id.decode() for event_id, _ in redis_client.xrange(STREAM)]
    assert [event.id for event in told] == stored


async def _first(events: AsyncQueueEvents, count: int) -> list[QueueEvent]:
    return [await anext(events) for _ in range(count)]


async def test_a_silent_network_is_noticed_and_what_happened_meanwhile_is_told(
    redis_url: str, proxy: Proxy, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toril.bullmq._async.queue_events._BLOCK_MS", 100)
    emitter = Emitter()
    news = EventWaiter(emitter)
    async with (
        AsyncQueue("mail", redis_url) as queue,
        AsyncQueueEvents("mail", proxy.url, emitter=emitter) as events,
    ):
        following = asyncio.create_task(_next_added(events))
        await until(_listens(redis_client), "somebody listens")
        proxy.silence()
        await queue.add("unheard")
        await news.next(ConnectionLost, purpose="events", timeout=4)
        proxy.speak()

        assert await following == "unheard"


async def test_a_reply_that_is_lost_is_read_again(
    redis_url: str, proxy: Proxy, redis_client: redis.Redis
) -> None:
    async with (
        AsyncQueue("mail", redis_url) as queue,
        AsyncQueueEvents("mail", proxy.url, emitter=Emitter()) as events,
    ):
        following = asyncio.create_task(_next_added(events))
        await until(_listens(redis_client), "somebody listens")
        proxy.cut_after(b"XREAD")
        await queue.add("only once")

        assert await following == "only once"


async def test_following_goes_on_when_the_server_is_back(durable_server: ValkeyServer) -> None:
    emitter = Emitter()
    news = EventWaiter(emitter)
    async with AsyncQueueEvents("mail", durable_server.url, emitter=emitter) as events:
        for name in ("first", "second"):
            following = asyncio.create_task(_next_added(events))
            with durable_server.client() as client:
                await until(_listens(client), "somebody listens")
            durable_server.kill()
            await news.next(ConnectionLost, purpose="events")
            durable_server.start()
            async with AsyncQueue("mail", durable_server.url, emitter=Emitter()) as queue:
                await queue.add(name)
            assert await following == name


async def test_a_stream_that_begins_anew_is_followed_and_the_break_is_told(
    redis_url: str, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a failover to a server that had not heard of the last events."""
    monkeypatch.setattr("toril.bullmq._async.queue_events._BLOCK_MS", 20)
    redis_client.xadd(STREAM, {"event": "drained"}, id="9999999999999-0")
    async with AsyncQueueEvents("mail", redis_url) as events:
        redis_client.delete(STREAM)
        redis_client.xadd(STREAM, {"event": "drained"}, id="5-0")

        gap = await anext(events)
        redis_client.xadd(STREAM, {"event": "paused"}, id="6-0")

        assert gap == EventsMissed(id="9999999999999-0", until="5-0")
        assert (await anext(events)).id == "6-0"
    redis_client.flushdb()


async def test_a_reader_that_a_burst_leaves_behind_is_told(
    redis_url: str, redis_client: redis.Redis
) -> None:
    async with AsyncQueueEvents("mail", redis_url) as events:
        first = redis_client.xadd(STREAM, {"event": "drained"}).decode()
        assert (await anext(events)).id == first
        for _ in range(5):
            redis_client.xadd(STREAM, {"event": "drained"}, maxlen=2, approximate=False)

        gap, *others = [await anext(events) for _ in range(3)]

    assert isinstance(gap, EventsMissed)
    assert gap.id == first
    assert gap.until == others[0].id


async def test_a_server_that_is_not_there_is_told_at_the_beginning() -> None:
    with ValkeyServer() as server:
        server.kill()
        with pytest.raises(UnavailableError):
            async with AsyncQueueEvents("mail", server.url, emitter=Emitter()):
                raise AssertionError("nobody is there")


async def test_who_may_not_read_the_events_is_told(
    redis_url: str, valkey: ValkeyServer, redis_client: redis.Redis
) -> None:
    del redis_url
    redis_client.execute_command(
        "ACL", "SETUSER", "blind", "on", ">pass", "~*", "+@all", "-xread", "-client|setname"
    )
    url = f"redis://blind:pass@127.0.0.1:{valkey.port}"
    try:
        async with AsyncQueueEvents("mail", url, after=BEGINNING, emitter=Emitter()) as events:
            with pytest.raises(DeniedError, match="xread"):
                await anext(events)
    finally:
        redis_client.execute_command("ACL", "DELUSER", "blind")


async def test_who_follows_a_queue_that_turns_out_to_be_spelled_otherwise_is_told(
    redis_url: str, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toril.bullmq._async.queue_events._BLOCK_MS", 20)
    async with AsyncQueueEvents("mail", redis_url) as events:
        following = asyncio.create_task(_all_of(events))
        await until(_listens(redis_client), "somebody listens")
        async with AsyncQueue("mail", redis_url, hash_tag=False) as sibling:
            await sibling.add("elsewhere")

        with pytest.raises(QueueNameAmbiguousError, match="bull:mail:"):
            await following


async def test_events_of_a_cluster_are_followed(cluster: ValkeyCluster) -> None:
    async with (
        AsyncQueue("followed", cluster.url) as queue,
        AsyncQueueEvents("followed", cluster.url) as events,
    ):
        await queue.add("on one of three nodes")

        assert await _next_added(events) == "on one of three nodes"


async def test_events_behind_sentinel_are_followed(sentinel_url: str) -> None:
    async with (
        AsyncQueue("mail", sentinel_url) as queue,
        AsyncQueueEvents("mail", sentinel_url) as events,
    ):
        await queue.add("the master told it")

        assert await _next_added(events) == "the master told it"


async def test_who_follows_is_named_as_node_names_it(
    redis_url: str, redis_client: redis.Redis
) -> None:
    async with AsyncQueueEvents("q", redis_url, hash_tag=False) as events:
        following = asyncio.create_task(_all_of(events))
        await until(_listens(redis_client), "somebody listens")
        names = [connection["name"] for connection in redis_client.client_list()]
        await events.close()
        await following

    assert "bull:cQ==:qe" in names


def test_threads_may_follow_the_same_queue_each_for_itself(redis_url: str) -> None:
    told: dict[int, list[str]] = {}

    def follow(number: int) -> None:
        with QueueEvents("mail", redis_url, after=BEGINNING) as events:
            told[number] = [next(events).id for _ in range(20)]

    with Queue("mail", redis_url) as queue:
        queue.add_many([("n", 0)] * 10)
    threads = [threading.Thread(target=follow, args=(number,)) for number in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(5)

    assert len(told) == 10
    assert len({tuple(ids) for ids in told.values()}) == 1
