"""What must be true between the jobs of a queue and its event stream."""

from tests.support.keyspace.job_path import PLACES, job_paths

from toril.bullmq.doctor.book import Breaches, strictly
from toril.bullmq.doctor.layout import Layout


@strictly("I13")
def attempts_made_are_allowed(queue: Layout) -> Breaches:
    for job_id, path in job_paths(queue.events).items():
        allowed = queue.options.get(job_id, {}).get("attempts", 0)
        if path.came_back or not isinstance(allowed, int):
            continue
        if queue.number(job_id, "atm") > max(1, allowed):
            yield job_id, f"has made {queue.number(job_id, 'atm')} attempts of {allowed}"


@strictly("I29")
def events_of_a_job_are_a_path(queue: Layout) -> Breaches:
    for job_id, path in job_paths(queue.events).items():
        for problem in path.problems:
            yield job_id, f"is told {problem}"


@strictly("I29")
def a_job_is_where_its_events_lead(queue: Layout) -> Breaches:
    for job_id, path in job_paths(queue.events).items():
        states = queue.states.get(job_id)
        if states and states[0] not in PLACES.get(path.place, ()):
            yield job_id, f"is in {states[0]}, and its last event is {path.place}"
