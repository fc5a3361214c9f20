"""What a scenario expects of the stored state, checked on the raw keys."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Final, cast

from tests.conformance.actor import StepError
from tests.support.keyspace import Layout, Snapshot


def check_expectations(snapshot: Snapshot, base: str, expected: Mapping[str, object]) -> None:
    """Raise with the first expectation that is not met."""
    layout = Layout.of(snapshot, base)
    for name, value in expected.items():
        if name != "queue":
            _EXPECTATIONS[name](layout, value)


def _counts(layout: Layout, expected: object) -> None:
    """State to number of jobs; states that are not named must be empty."""
    found = Counter(state for states in layout.states.values() for state in states)
    _equal("counts", dict(found), expected)


def _jobs(layout: Layout, expected: object) -> None:
    """Job id to fields of its hash, as raw text, and `state`."""
    for job_id, fields in cast("Mapping[str, Mapping[str, str]]", expected).items():
        states = " and ".join(layout.states.get(job_id, ["nowhere"]))
        stored = {"state": states, **layout.hash(job_id)}
        _equal(f"job {job_id}", {name: stored.get(name) for name in fields}, dict(fields))


def _keys(layout: Layout, expected: object) -> None:
    """The keys that there are, without what they all begin with."""
    found = [*layout.infrastructure, *layout.jobs, *layout.owners, *layout.schedulers]
    found += [*layout.unknown, *(f"{job_id}:{name}" for job_id, name in layout.sub_keys)]
    _equal("keys", sorted(found), expected)


def _each_once(layout: Layout, _expected: object) -> None:
    """Each job was started once and finished once, by whoever it was."""
    for name in ("active", "completed"):
        times = Counter(event["jobId"] for event in layout.events if event["event"] == name)
        odd = {job_id: times[job_id] for job_id in layout.jobs if times[job_id] != 1}
        _equal(f"jobs not {name} exactly once", odd, {})


def _workers(layout: Layout, expected: object) -> None:
    """The names of the workers that finished jobs: all of them, and no others."""
    found = {layout.hash(job_id).get("pb", "") for job_id in layout.jobs}
    _equal("workers", sorted(found), expected)


_EXPECTATIONS: Final[Mapping[str, Callable[[Layout, object], None]]] = {
    "counts": _counts,
    "jobs": _jobs,
    "keys": _keys,
    "each_once": _each_once,
    "workers": _workers,
}


def _equal(what: str, found: object, expected: object) -> None:
    if found != expected:
        raise StepError(f"{what}: expected {expected!r}, found {found!r}")
