"""What must be true of each job of a queue."""

from collections.abc import Iterator

from tests.support.keyspace.book import always, when_at_rest
from tests.support.keyspace.job_path import PLACES, job_paths
from tests.support.keyspace.layout import JOB_FIELDS, Layout

LOCK_AND_STALL_MS = 60_000
"""How long a lost job may stay active without a lock: one lock and one stalled check."""


@always("I1")
def each_job_is_in_one_state(queue: Layout) -> Iterator[str]:
    for job_id, states in queue.states.items():
        if len(states) != 1:
            yield f"{job_id} is in {' and '.join(states)}"


@always("I2")
def each_id_in_a_state_has_its_hash(queue: Layout) -> Iterator[str]:
    for job_id, states in queue.states.items():
        missing = [name for name in JOB_FIELDS if name not in queue.hash(job_id)]
        if missing:
            yield f"{job_id} in {states[0]} lacks {', '.join(missing)}"


@always("I3")
def each_job_hash_is_in_a_state(queue: Layout) -> Iterator[str]:
    for job_id in queue.jobs.keys() - queue.states.keys():
        yield f"{job_id} is in no state"


@always("I4")
def only_active_jobs_are_locked(queue: Layout) -> Iterator[str]:
    active = set(queue.key("active").items())
    for job_id, name in queue.sub_keys:
        if name == "lock" and job_id not in active:
            yield f"{job_id} is locked but not active"


@always("I5")
def an_active_job_without_a_lock_is_young(queue: Layout) -> Iterator[str]:
    for job_id in queue.within("active"):
        age_ms = queue.now_ms - queue.number(job_id, "processedOn")
        if queue.sub_key(job_id, "lock").kind == "none" and age_ms > LOCK_AND_STALL_MS:
            yield f"{job_id} is active without a lock for {age_ms} ms"


@when_at_rest("I5")
def nothing_is_active_at_rest(queue: Layout) -> Iterator[str]:
    for job_id in queue.key("active").items():
        yield f"{job_id} is active at rest"


@always("I6")
def stalled_jobs_are_active(queue: Layout) -> Iterator[str]:
    for job_id in set(queue.key("stalled").items()) - set(queue.key("active").items()):
        yield f"{job_id} is in stalled but not active"


@always("I11")
def a_finished_job_says_when_and_how(queue: Layout) -> Iterator[str]:
    for state, ending in (("completed", "returnvalue"), ("failed", "failedReason")):
        for job_id in queue.within(state):
            if ending not in queue.hash(job_id):
                yield f"{job_id} in {state} lacks {ending}"
            if queue.number(job_id, "finishedOn") != queue.key(state).scores()[job_id]:
                yield f"{job_id} in {state} has another finishedOn than its score"


@always("I13")
def attempts_made_were_started(queue: Layout) -> Iterator[str]:
    for job_id in queue.jobs:
        made, started = queue.number(job_id, "atm"), queue.number(job_id, "ats")
        if made > started + queue.number(job_id, "stc"):
            yield f"{job_id} has made {made} attempts of {started} started"


@always("I13")
def attempts_made_are_allowed(queue: Layout) -> Iterator[str]:
    for job_id, path in job_paths(queue.events).items():
        allowed = queue.options.get(job_id, {}).get("attempts", 0)
        if path.came_back or not isinstance(allowed, int):
            continue
        if queue.number(job_id, "atm") > max(1, allowed):
            yield f"{job_id} has made {queue.number(job_id, 'atm')} attempts of {allowed}"


@always("I26")
def a_delayed_job_is_due_when_its_delay_says(queue: Layout) -> Iterator[str]:
    for job_id in queue.within("delayed"):
        counted_from = int(queue.key("delayed").scores()[job_id]) // 4096
        counted_from -= queue.number(job_id, "delay")
        if not queue.number(job_id, "timestamp") <= counted_from <= queue.now_ms + 1:
            yield f"{job_id} has a delay that began at {counted_from}"


@always("I27")
def a_score_carries_the_priority(queue: Layout) -> Iterator[str]:
    for job_id in queue.within("prioritized"):
        stored = int(queue.key("prioritized").scores()[job_id]) >> 32
        if stored != queue.number(job_id, "priority"):
            yield f"{job_id} has priority {queue.number(job_id, 'priority')}, scored as {stored}"


@always("I29")
def events_of_a_job_are_a_path(queue: Layout) -> Iterator[str]:
    for job_id, path in job_paths(queue.events).items():
        for problem in path.problems:
            yield f"{job_id}: {problem}"


@always("I29")
def a_job_is_where_its_events_lead(queue: Layout) -> Iterator[str]:
    for job_id, path in job_paths(queue.events).items():
        states = queue.states.get(job_id)
        if states and states[0] not in PLACES.get(path.place, ()):
            yield f"{job_id} is in {states[0]}, and its last event is {path.place}"
