"""What must be true of each job of a queue."""

from toril.bullmq.doctor.book import Breaches, always, strictly, when_at_rest
from toril.bullmq.doctor.layout import JOB_FIELDS, JSON_FIELDS, NUMBERS, Layout, is_json

LOCK_AND_STALL_MS = 60_000
"""How long a lost job may stay active without a lock: one lock and one stalled check."""


@always("I1")
def each_job_is_in_one_state(queue: Layout) -> Breaches:
    for job_id, states in queue.states.items():
        if len(states) != 1:
            yield job_id, f"is in {' and '.join(states)}"


@always("I2")
def each_id_in_a_state_has_its_hash(queue: Layout) -> Breaches:
    for job_id, states in queue.states.items():
        missing = [name for name in JOB_FIELDS if name not in queue.hash(job_id)]
        if missing:
            yield job_id, f"in {states[0]} lacks {', '.join(missing)}"


@always("I3")
def each_job_hash_is_in_a_state(queue: Layout) -> Breaches:
    for job_id in queue.jobs.keys() - queue.states.keys():
        yield job_id, "is in no state"


@always("I4")
def only_active_jobs_are_locked(queue: Layout) -> Breaches:
    active = set(queue.key("active").items())
    for job_id, name in queue.sub_keys:
        if name == "lock" and job_id not in active:
            yield job_id, "is locked but not active"


@always("I5")
def an_active_job_without_a_lock_is_young(queue: Layout) -> Breaches:
    for job_id in queue.within("active"):
        age_ms = queue.now_ms - queue.number(job_id, "processedOn")
        if queue.sub_key(job_id, "lock").kind == "none" and age_ms > LOCK_AND_STALL_MS:
            yield job_id, f"is active without a lock, {age_ms // 1000:,} s after it began"


@when_at_rest("I5")
def nothing_is_active_at_rest(queue: Layout) -> Breaches:
    for job_id in queue.key("active").items():
        yield job_id, "is active at rest"


@always("I6")
def stalled_jobs_are_active(queue: Layout) -> Breaches:
    for job_id in set(queue.key("stalled").items()) - set(queue.key("active").items()):
        yield job_id, "is in stalled but not active"


@always("I11")
def a_finished_job_says_when_and_how(queue: Layout) -> Breaches:
    for state, ending in (("completed", "returnvalue"), ("failed", "failedReason")):
        for job_id in queue.within(state):
            if ending not in queue.hash(job_id):
                yield job_id, f"in {state} lacks {ending}"
            if queue.number(job_id, "finishedOn") != queue.key(state).scores()[job_id]:
                yield job_id, f"in {state} has another finishedOn than its score"


@strictly("I13")
def attempts_made_were_started(queue: Layout) -> Breaches:
    for job_id in queue.jobs:
        made, started = queue.number(job_id, "atm"), queue.number(job_id, "ats")
        if made > started + queue.number(job_id, "stc"):
            yield job_id, f"has made {made} attempts of {started} started"


@strictly("I26")
def a_delayed_job_is_due_when_its_delay_says(queue: Layout) -> Breaches:
    for job_id in queue.within("delayed"):
        counted_from = int(queue.key("delayed").scores()[job_id]) // 4096
        counted_from -= queue.number(job_id, "delay")
        if not queue.number(job_id, "timestamp") <= counted_from <= queue.now_ms + 1:
            yield job_id, f"has a delay that began at {counted_from}"


@always("I27")
def a_score_carries_the_priority(queue: Layout) -> Breaches:
    for job_id in queue.within("prioritized"):
        stored = int(queue.key("prioritized").scores()[job_id]) >> 32
        if stored != queue.number(job_id, "priority"):
            yield job_id, f"has priority {queue.number(job_id, 'priority')}, scored as {stored}"


@always("I31")
def stored_json_is_strict(queue: Layout) -> Breaches:
    for job_id in queue.jobs:
        for name in JSON_FIELDS:
            text = queue.hash(job_id).get(name)
            if text is not None and not is_json(text):
                yield job_id, f"has {name} that is not JSON"


@always("I31")
def counters_and_times_are_numbers(queue: Layout) -> Breaches:
    for job_id in queue.jobs:
        for name in NUMBERS:
            if not queue.is_number(job_id, name):
                yield job_id, f"has {name} that is not a number"
