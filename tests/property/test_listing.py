"""Pages of jobs are slices of all jobs, whatever states, sizes and ghosts there are."""

from typing import Final

import redis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.lua.sending import send

from toril.bullmq.operations.inspect.list_jobs import JobPage, ListJobs, Place
from toril.bullmq.wire.keys import QueueKeys
from toril.bullmq.wire.state import STATES

KEYS: Final = QueueKeys("bull", "{property}")
LISTS: Final = ("wait", "paused", "active")

places = st.lists(
    st.tuples(st.sampled_from(list(STATES)), st.booleans()), max_size=4, unique_by=lambda it: it[0]
)
contents = st.dictionaries(
    st.sampled_from(list(STATES)),
    st.lists(st.booleans(), max_size=8).map(tuple),
)
"""What each place holds: True for a job, False for an id that has lost its job."""


@settings(
    max_examples=200,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],  # emptied by every example
)
@given(
    places=places,
    contents=contents,
    start=st.integers(0, 20),
    limit=st.integers(1, 20),
    max_bytes=st.sampled_from([1, 60, 10_000]),
)
def test_pages_that_follow_each_other_are_one_slice(
    redis_client: redis.Redis,
    *,
    places: list[tuple[str, bool]],
    contents: dict[str, tuple[bool, ...]],
    start: int,
    limit: int,
    max_bytes: int,
) -> None:
    redis_client.flushdb()
    stored = {name: _store(redis_client, name, jobs) for name, jobs in contents.items()}
    everything = [
        job_id
        for name, turned in places
        for job_id in (stored.get(name, [])[::-1] if turned else stored.get(name, []))
    ]

    found: list[str] = []
    position: int | None = start
    while position is not None and position < start + limit:
        page = _read(redis_client, places, position, start + limit - position, max_bytes)
        assert page.jobs or page.next_start is None or page.next_start == start + limit
        found += [job.id for job in page.jobs]
        assert page.next_start is None or page.next_start > position
        position = page.next_start

    wanted = everything[start : start + limit]
    assert found == [job_id for job_id in wanted if not job_id.endswith("gone")]
    assert (position is None) == (start + limit > len(everything))


def _read(
    client: redis.Redis, places: list[tuple[str, bool]], start: int, limit: int, max_bytes: int
) -> JobPage:
    named = [Place(name, turned) for name, turned in places]
    page = send(
        client,
        ListJobs(keys=KEYS, places=named, start=start, limit=limit, max_bytes=max_bytes),
    )
    assert isinstance(page, JobPage)
    return page


def _store(client: redis.Redis, name: str, jobs: tuple[bool, ...]) -> list[str]:
    """The ids in the order in which the place is read from its usual end."""
    ids = [f"{name}-{number}" + ("" if is_job else "-gone") for number, is_job in enumerate(jobs)]
    for number, (job_id, is_job) in enumerate(zip(ids, jobs, strict=True)):
        if is_job:
            client.hset(KEYS.job(job_id), mapping={"name": "n", "data": '"' + "x" * 20 + '"'})
        if name in LISTS:
            client.lpush(KEYS.base + name, job_id)
        else:
            client.zadd(KEYS.base + name, {job_id: number})
    return ids
