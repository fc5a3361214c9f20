"""What a server holds after some work is what the page of keys says."""

import asyncio
import re
from typing import Any, Final

import redis
from tests.docs.markdown import ROOT, Page, rows

from toril import AsyncJob, AsyncQueue, AsyncWorker, PermanentError

PAGE: Final = Page(ROOT / "docs/reference/keys.md")
TTL_S: Final = {
    "10 minutes": 600,
    "1 hour": 3600,
    "24 hours, or `idempotency_ttl`": 86_400,
}


def patterns(heading: str) -> dict[re.Pattern[str], list[str]]:
    """The rows of a section, by a pattern for the keys they speak of."""
    found = {}
    for key, *cells in rows(PAGE.section(heading)):
        text = key.strip("`").replace("<tag>", "mail").replace("Q:", "bull:{mail}:")
        pattern = re.sub(r"<\w+>", "[^:]+", re.escape(text).replace("\\<", "<"))
        found[re.compile(pattern)] = cells
    return found


def type_of(client: redis.Redis, key: bytes) -> str:
    kind: Any = client.type(key)
    return str(kind.decode())


async def work_a_little(url: str) -> None:
    running = asyncio.Event()

    async def handle(job: AsyncJob) -> None:
        await job.log("a row")
        await job.set_progress(1)
        match job.name:
            case "bad":
                raise PermanentError("no")
            case "long":
                running.set()
                await asyncio.Event().wait()
            case _:
                pass

    async with AsyncQueue("mail", url) as queue:
        worker = AsyncWorker("mail", handle, url)
        await queue.add("bad", idempotency_key="k")
        await queue.add("plain", priority=2)
        await queue.add("later", delay=60)
        await queue.add("long", priority=3)
        working = asyncio.create_task(worker.run())
        await running.wait()
        await queue.add_many([("more", {}), ("urgent", {}, {"priority": 1})])
        working.cancel()
        await asyncio.wait([working])


def test_every_key_is_on_the_page_with_its_type(redis_url: str, redis_client: redis.Redis) -> None:
    asyncio.run(work_a_little(redis_url))
    told = patterns("Keys of a queue") | patterns("Keys of toril's own")
    keys: Any = list(redis_client.scan_iter())
    kinds = {key.decode(): type_of(redis_client, key) for key in keys}

    assert len(kinds) > 15
    for key, kind in kinds.items():
        said = [cells[0] for pattern, cells in told.items() if pattern.fullmatch(key)]
        assert kind in said, f"{key} is a {kind}"


def test_fields_and_events_are_on_the_page(redis_url: str, redis_client: redis.Redis) -> None:
    asyncio.run(work_a_little(redis_url))
    fields = {cells[0].strip("`") for cells in rows(PAGE.section("A job"))}
    events = {
        cells[0].strip("`"): set(re.findall(r"`(\w+)`", cells[1]))
        for cells in rows(PAGE.section("Entries of the event stream"))
    }

    for number in range(1, 7):
        stored: Any = redis_client.hkeys(f"bull:{{mail}}:{number}")
        assert {field.decode() for field in stored} <= fields
    entries: Any = redis_client.xrange("bull:{mail}:events")
    for _, entry in entries:
        names = {field.decode() for field in entry} - {"event"}
        assert names <= events[entry[b"event"].decode()]


def test_toril_s_own_keys_expire_when_the_page_says(
    redis_url: str, redis_client: redis.Redis
) -> None:
    asyncio.run(work_a_little(redis_url))
    own = patterns("Keys of toril's own")
    keys: Any = list(redis_client.scan_iter("toril:*"))
    found = [key.decode() for key in keys]

    assert found
    for key in found:
        [expires] = [cells[2] for pattern, cells in own.items() if pattern.fullmatch(key)]
        ttl_s: Any = redis_client.ttl(key)
        assert TTL_S[expires] - 60 < ttl_s <= TTL_S[expires]
