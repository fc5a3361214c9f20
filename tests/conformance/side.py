"""One keyspace that a scenario is played on: carries out steps, and tells what they left."""

import asyncio
from collections.abc import Mapping
from typing import Final, cast

from tests.conformance.actor import Actor, Place, StepError
from tests.conformance.clock import StepClock, now_ms
from tests.conformance.expectations import check_expectations
from tests.conformance.normalise import Normaliser, Told
from tests.conformance.scenario import Scenario, Step
from tests.conformance.watch import Watch, until
from tests.support.keyspace import Finding, Layout, check, queues

PREFIX: Final = "bull"
PATIENCE_S: Final = 15.0

_MINUTE_MS: Final = 60_000
_SCENARIO_MS: Final = 5_000
"""The longest that a scenario about minutes takes."""


class Side:
    """`actors` by the name that steps call them; the empty name is who plays this side."""

    def __init__(self, port: int, scenario: Scenario, actors: Mapping[str, Actor]) -> None:
        self._port = port
        self._scenario = scenario
        self._actors = actors
        self._watch = Watch(port)
        self._clock = StepClock()
        names = {str(step.arguments.get("queue", scenario.queue)) for step in scenario.steps}
        names.add(scenario.queue)
        self._normaliser = Normaliser(
            sorted(map(_base, names)),
            self._clock,
            delays_between=scenario.delays_between,
            leaving_out=scenario.leaving_out,
        )

    async def perform(self, step: Step) -> object:
        """Carry out one step, apart from its neighbours in time, and answer its reply."""
        await until(lambda: now_ms() >= self._clock.gap_ends_ms)
        began_ms = now_ms()
        try:
            async with asyncio.timeout(PATIENCE_S):
                return await self._do(step)
        except TimeoutError as timeout:
            state = self._watch.describe(_base(self._scenario.queue))
            raise StepError(f"{step} did not end within {PATIENCE_S:g} s: {state}") from timeout
        finally:
            self._clock.add(began_ms, now_ms())

    def tell(self) -> Told:
        """What is stored now."""
        return self._normaliser.tell(self._watch.snapshot())

    def layout(self) -> Layout:
        """The keys of the scenario's queue, as they are now."""
        base = _base(self._scenario.queue)
        return Layout.of(self._watch.snapshot(base), base)

    def violations(self) -> list[Finding]:
        """The laws of the keyspace that do not hold now."""
        at_rest, ignoring = self._scenario.at_rest, self._scenario.ignoring
        return [
            violation
            for prefix, queue in queues(self._watch.client)
            for violation in check(
                self._watch.client, prefix, queue, at_rest=at_rest, ignoring=ignoring
            )
        ]

    def close(self) -> None:
        """Let go of the server; what is stored stays to be looked at."""
        self._watch.close()

    async def _do(self, step: Step, after: str | None = None) -> object:
        if step.together:
            # Noted before any of them begins: what the first one does counts for the last one.
            beginnings = [self._last_event(part) for part in step.together]
            return await asyncio.gather(*map(self._do, step.together, beginnings))
        place = Place(self._port, self._queue_of(step))
        own = _OWN_VERBS.get(step.verb)
        if step.verb == "work":
            reply = await self._work(place, step, after or self._last_event(step))
        elif own:
            reply = await own(self, place, step)
        else:
            reply = await self._act(place, step, step.verb)
        if "gives" in step.arguments and reply != step.arguments["gives"]:
            raise StepError(f"{step} gives {reply!r}, not {step.arguments['gives']!r}")
        return reply

    def _queue_of(self, step: Step) -> str:
        return str(step.arguments.get("queue", self._scenario.queue))

    async def _act(self, place: Place, step: Step, verb: str) -> object:
        arguments = {key: value for key, value in step.arguments.items() if key != "gives"}
        return await self._actors[step.by].do(place, verb, arguments)

    async def _add_copies(self, place: Place, step: Step) -> object:
        """Add one job many times."""
        job = {name: step.arguments[name] for name in ("name", "data", "options")}
        jobs = [job] * cast("int", step.arguments["count"])
        return await self._actors[step.by].do(place, "add_many", {"jobs": jobs})

    async def _redis(self, _place: Place, step: Step) -> None:
        self._watch.command(cast("list[str]", step.arguments["command"]))

    async def _expect(self, place: Place, step: Step) -> None:
        base = _base(place.queue)
        check_expectations(self._watch.snapshot(base), base, step.arguments)

    async def _wait_due(self, place: Place, step: Step) -> None:
        """Wait for the first delayed job, or for all that are due soon."""
        within_ms = cast("int", step.arguments.get("within_ms", 0))
        due_ms = self._watch.due_ms(_base(place.queue), within_ms)
        if due_ms is None:
            raise StepError("no job is delayed")
        await until(lambda: now_ms() > due_ms)

    async def _wait_gone(self, place: Place, step: Step) -> None:
        key = _base(place.queue) + str(step.arguments["key"])
        await until(lambda: key not in self._watch.snapshot().keys)

    async def _wait_minute(self, _place: Place, _step: Step) -> None:
        """Wait for the next minute when this one is nearly over."""
        await until(lambda: now_ms() % _MINUTE_MS < _MINUTE_MS - _SCENARIO_MS)

    def _last_event(self, step: Step) -> str:
        return self._watch.last_event(_base(self._queue_of(step)))

    async def _work(self, place: Place, step: Step, after: str) -> object:
        """Run a worker until so many jobs have finished since, and it has gone to sleep."""
        base = _base(place.queue)
        await self._act(place, step, "start_worker")
        await self._watch.finished(base, after, cast("int", step.arguments["finish"]))
        await self._watch.asleep(base)
        return await self._act(place, step, "stop_worker")


def _base(queue: str) -> str:
    return f"{PREFIX}:{queue}:"


_OWN_VERBS: Final = {
    "add_copies": Side._add_copies,
    "expect": Side._expect,
    "redis": Side._redis,
    "wait_gone": Side._wait_gone,
    "wait_due": Side._wait_due,
    "wait_minute": Side._wait_minute,
}
