"""What must be true of the other keys of a queue, and between them and the jobs."""

from toril.bullmq.doctor.book import Breaches, always, strictly, when_at_rest, when_settled
from toril.bullmq.doctor.layout import INFRASTRUCTURE, READY, SUB_KEYS, Layout, can_count

TRIMMING_SLACK = 200
"""Redis trims a stream by whole nodes: about this many entries above the cap are normal."""


@always("I7")
def what_belongs_to_a_job_has_its_job(queue: Layout) -> Breaches:
    for job_id, name in queue.sub_keys:
        if name != "lock" and job_id not in queue.jobs:
            yield job_id, f"has {name} and is no job"


@when_settled("I8")
def ready_jobs_have_a_marker(queue: Layout) -> Breaches:
    is_blocked = queue.is_paused or queue.concurrency is not None or queue.is_in_window
    is_ready = any(queue.key(state).items() for state in ("wait", "prioritized"))
    is_awake = "0" in queue.key("marker").items() or bool(queue.key("active").items())
    if is_ready and not is_blocked and not is_awake:
        yield "marker", "tells nobody of jobs that are ready"


@always("I10")
def a_running_queue_has_no_paused_jobs(queue: Layout) -> Breaches:
    if queue.key("paused").items() and not queue.is_paused:
        yield "paused", "holds jobs, and the queue is not paused: no worker looks there"


@strictly("I10")
def a_paused_queue_has_no_waiting_jobs(queue: Layout) -> Breaches:
    if queue.key("wait").items() and queue.is_paused:
        yield "wait", "holds jobs, and the queue is paused"


@always("I14")
def the_id_counter_is_ahead(queue: Layout) -> Breaches:
    # An id such as 007 is somebody's own, and no number of the counter.
    numbers = (int(job_id) for job_id in queue.jobs if job_id.isdecimal())
    highest = max((number for number in numbers if str(number) in queue.jobs), default=0)
    counter = queue.key("id").text() or "0"
    if not can_count(counter) or int(counter) < highest:
        yield str(highest), f"exists, and the counter of ids is at {counter}"


@always("I15")
def the_priority_counter_counts(queue: Layout) -> Breaches:
    counter = queue.key("pc").text()
    if counter and not can_count(counter):
        yield "pc", f"is at {counter}, which is no number"


@strictly("I16")
def the_event_stream_is_capped(queue: Layout) -> Breaches:
    if len(queue.events) > queue.event_limit + TRIMMING_SLACK:
        yield "events", f"has {len(queue.events)} entries, the cap is {queue.event_limit}"


@always("I18")
def a_parent_waits_for_children(queue: Layout) -> Breaches:
    for job_id in queue.within("waiting-children"):
        if queue.sub_key(job_id, "dependencies").kind == "none":
            yield job_id, "waits for no child"


@always("I19")
def a_child_is_in_one_collection_of_its_parent(queue: Layout) -> Breaches:
    for job_id in queue.jobs:
        children = [
            child
            for name in ("dependencies", "processed", "failed", "unsuccessful")
            for child in _names(queue, job_id, name)
        ]
        for child in {child for child in children if children.count(child) > 1}:
            yield job_id, f"has its child {child} more than once"


def _names(queue: Layout, job_id: str, name: str) -> list[str]:
    key = queue.sub_key(job_id, name)
    return list(key.fields()) or key.items()


@always("I20")
def a_deduplication_without_end_has_its_job(queue: Layout) -> Breaches:
    for name, key in queue.owners.items():
        if not name.startswith("de:") or key.ttl_ms is not None:
            continue
        if queue.states.get(key.text(), ["failed"])[0] in ("completed", "failed"):
            yield name, f"is held by {key.text()}, which is gone or finished"


@when_settled("I20")
def a_kept_job_has_an_owner_to_wait_for(queue: Layout) -> Breaches:
    for name in queue.owners:
        if name.startswith("dn:") and f"de:{name[3:]}" not in queue.owners:
            yield name, "keeps a job that nobody will add"


@always("I21")
def a_scheduler_has_its_hash(queue: Layout) -> Breaches:
    for name in set(queue.key("repeat").items()) ^ queue.schedulers.keys():
        yield f"repeat:{name}", "has only one of its hash and its time"


@when_at_rest("I21")
def a_scheduler_has_one_next_job(queue: Layout) -> Breaches:
    for name in queue.key("repeat").items():
        pending = [
            job_id
            for job_id, states in queue.states.items()
            if job_id.startswith(f"repeat:{name}:") and states[0] in ("delayed", *READY)
        ]
        if len(pending) != 1:
            yield f"repeat:{name}", f"has {len(pending)} next jobs"


@always("I22")
def a_rate_limit_ends(queue: Layout) -> Breaches:
    limiter = queue.key("limiter")
    if limiter.kind != "none" and limiter.ttl_ms is None:
        yield "limiter", "never expires"


@always("I24")
def every_key_is_known(queue: Layout) -> Breaches:
    for name, key in queue.unknown.items():
        yield name, f"({key.kind}) is not a key of BullMQ"


@always("I25")
def every_key_has_its_type(queue: Layout) -> Breaches:
    for name, key in queue.infrastructure.items():
        if key.kind != INFRASTRUCTURE[name]:
            yield name, f"is a {key.kind}"
    for (job_id, name), key in queue.sub_keys.items():
        if key.kind != SUB_KEYS[name]:
            yield job_id, f"has {name} that is a {key.kind}"
    for name, key in queue.owners.items():
        if key.kind != ("string" if name.startswith("de:") else "hash"):
            yield name, f"is a {key.kind}"


@always("I28")
def state_never_expires(queue: Layout) -> Breaches:
    for name, key in queue.all_keys():
        may_expire = name in ("limiter", "stalled-check") or name.endswith(":lock")
        if key.ttl_ms is not None and not may_expire:
            yield name, f"expires in {key.ttl_ms // 1000:,} s"


@always("I28")
def locks_expire(queue: Layout) -> Breaches:
    for (job_id, name), key in queue.sub_keys.items():
        if name == "lock" and key.ttl_ms is None:
            yield job_id, "has a lock that never expires"


@strictly("I32")
def global_concurrency_is_kept(queue: Layout) -> Breaches:
    active = len(queue.key("active").items())
    if queue.concurrency is not None and active > queue.concurrency:
        yield "active", f"holds {active} jobs, the limit is {queue.concurrency}"
