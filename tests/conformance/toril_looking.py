"""Steps that look at a queue and what happens to it."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict
from operator import attrgetter
from typing import Final, Literal, cast

from tests.conformance.toril_stage import TorilStage

from toril.bullmq import JobState
from toril.bullmq import queue_events as happened
from toril.bullmq.queue_events import QueueEvent

Arguments = Mapping[str, object]


async def _list(stage: TorilStage, step: Arguments) -> object:
    named = cast("list[str]", step.get("states", []))
    states = cast("list[JobState]", [name.replace("-", "_") for name in named])
    options = {name: step[name] for name in ("start", "limit", "newest_first") if name in step}
    jobs = await stage.queue.jobs.list(*states, **options)  # type: ignore[arg-type]
    return [job.id for job in jobs]


async def _counts_per_priority(stage: TorilStage, step: Arguments) -> object:
    priorities = cast("list[int]", step["priorities"])
    counts = await stage.queue.jobs.counts_per_priority(*priorities)
    return {str(priority): count for priority, count in counts.items()}


async def _workers(stage: TorilStage, step: Arguments) -> object:
    """The names of so many workers, once they are connected."""
    while True:
        workers = await stage.queue.workers.list()
        if len(workers) == step["count"]:
            return [worker.name for worker in workers]
        await asyncio.sleep(0.01)


async def _metrics(stage: TorilStage, step: Arguments) -> object:
    options = {name: step[name] for name in ("start", "limit") if name in step}
    kind = cast("Literal['completed', 'failed']", step["kind"])
    metrics = await stage.queue.metrics.read(kind, **options)  # type: ignore[arg-type]
    return {
        "total": metrics.total,
        "per_minute": metrics.per_minute,
        "minutes": metrics.minutes,
        "open_count": metrics.open_count,
    }


async def _count_all(stage: TorilStage, _step: Arguments) -> object:
    counts = asdict(await stage.queue.counts())
    return {name.replace("_", "-"): count for name, count in counts.items()}


async def _events(stage: TorilStage, step: Arguments) -> object:
    told: list[object] = []
    async with stage.followed() as events:
        while len(told) < cast("int", step["count"]):
            told.append(_told(await anext(events)))
    return told


def _told(event: QueueEvent) -> list[object]:
    """As the Node side tells it."""
    says = _SAYS.get(type(event))
    return [_name(event), getattr(event, "job_id", None), says(event) if says else None]


def _name(event: QueueEvent) -> str:
    """`WaitingChildrenEvent` is `waiting-children` there."""
    if isinstance(event, happened.OtherEvent):
        return event.name
    words = type(event).__name__.removesuffix("Event")
    return "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in words)[1:]


_deduplicated: Final = attrgetter("deduplication_id", "other_job_id")


def _previous(event: QueueEvent) -> str | None:
    state: str | None = event.previous  # type: ignore[attr-defined]
    return state and state.replace("_", "-")


def _place_before(event: QueueEvent) -> object:
    """Of a job that is removed, the stream has the name of the key."""
    return {"waiting": "wait"}.get(_previous(event) or "", _previous(event))


_SAYS: Final[Mapping[type[QueueEvent], Callable[[QueueEvent], object]]] = {
    happened.AddedEvent: attrgetter("name"),
    happened.ActiveEvent: _previous,
    happened.CleanedEvent: attrgetter("count"),
    happened.CompletedEvent: attrgetter("result"),
    happened.DebouncedEvent: attrgetter("deduplication_id"),
    happened.DeduplicatedEvent: lambda event: list(_deduplicated(event)),
    happened.FailedEvent: attrgetter("reason"),
    happened.OtherEvent: lambda event: event.fields["item"],  # type: ignore[attr-defined]
    happened.ProgressEvent: attrgetter("progress"),
    happened.RemovedEvent: _place_before,
    happened.RetriesExhaustedEvent: attrgetter("attempts_made"),
    happened.WaitingChildrenEvent: _previous,
    happened.WaitingEvent: _previous,
}

LOOKING_VERBS: Final[Mapping[str, Callable[[TorilStage, Arguments], Awaitable[object]]]] = {
    "count_all": _count_all,
    "counts_per_priority": _counts_per_priority,
    "events": _events,
    "list": _list,
    "metrics": _metrics,
    "workers": _workers,
}
