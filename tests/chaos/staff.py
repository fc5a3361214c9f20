"""The workers of a scenario: hired, killed, stopped, dismissed, and seen off."""

import os
import random
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from signal import Signals
from typing import Any, Final

from tests.chaos.record import Record
from tests.support.nursery import Child, Nursery
from tests.support.servers import wait_until

WORKER: Final = "tests.chaos.programs.worker"
NODE_WORKER: Final = "tests.chaos.programs.node_worker"
CONCURRENCY: Final = 8
LEASE_S: Final = 2.0
FAST: Final[Mapping[str, float]] = {"lock": LEASE_S, "stalled_interval": 1}
"""Clocks much faster than the defaults, so that a minute shows what happens in half an hour."""

_TICKS: Final = os.sysconf("SC_CLK_TCK")
_END_S: Final = 3.0
"""What a worker may take to leave, beyond its drain timeout."""


@dataclass
class Hand:
    """A worker, and how another like it is made."""

    child: Child
    options: Mapping[str, Any]
    is_expected_to_die: bool = False
    told_at: float = 0.0

    @property
    def drain_s(self) -> float:
        return float(self.options["settings"]["drain_timeout"])

    @property
    def cpu_s(self) -> float:
        """CPU seconds that it has used, in all its threads."""
        stat = Path(f"/proc/{self.child.pid}/stat").read_text("ascii")
        fields = stat.rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS


class Staff:
    """Knows every worker there is and was."""

    def __init__(
        self, nursery: Nursery, record: Record, dice: random.Random, place: Mapping[str, Any]
    ) -> None:
        self.hands: Final[list[Hand]] = []
        self.has_successors = False
        """Whether a worker that dies by itself gets a successor, and is no problem."""

        self._nursery: Final = nursery
        self._record: Final = record
        self._dice: Final = dice
        self._place: Final = place

    @property
    def present(self) -> list[Hand]:
        """The workers that run and were not asked to leave."""
        return [hand for hand in self.hands if hand.child.is_running and not hand.told_at]

    def hire(self, count: int = 1, **options: Any) -> list[Hand]:  # noqa: ANN401
        """Start workers and wait until they are ready.

        `url`, `threads` (blocking handlers) and `skew_s` (a wrong clock) aside, the options are a
        worker's. With `module` it is another program. With `node`, a version of BullMQ, it is one
        of Node; with `storms`, the most seconds of each, that pauses and resumes the queue all the
        time.
        """
        program = {
            **self._place,
            "url": options.pop("url", self._place["url"]),
            "threads": options.pop("threads", False),
            "skew_s": options.pop("skew_s", 0.0),
            "module": options.pop("module", WORKER),
            "node": options.pop("node", None),
            "storms": options.pop("storms", 0.0),
            "settings": {"concurrency": CONCURRENCY, "drain_timeout": 10, **FAST, **options},
        }
        before = self._record.count("ready")
        hands = [self._start(program) for _ in range(count)]
        wait_until(lambda: self._record.count("ready") >= before + count, "workers are ready")
        return hands

    def pick(self) -> Hand:
        """One of the workers that run."""
        return self._dice.choice(self.present)

    def kill(self, hand: Hand) -> None:
        """As the kernel does when memory is short."""
        self._record.fault("kill", hand.child.pid)
        hand.is_expected_to_die = True
        hand.child.signal(Signals.SIGKILL)
        hand.child.wait(_END_S)

    def replace(self, hand: Hand) -> Hand:
        """Start a worker with the options of another."""
        return self._start(hand.options)

    def freeze(self, hand: Hand) -> None:
        """As a laptop does when it is closed, or a machine that is moved."""
        self._record.fault("stop", hand.child.pid)
        hand.child.signal(Signals.SIGSTOP)

    def thaw(self, hand: Hand) -> None:
        """Let it go on where it was."""
        self._record.journal.write("thawed", hand.child.name, number=hand.child.pid)
        hand.child.signal(Signals.SIGCONT)

    def watch_cpu(self, seconds: float, wait: Callable[[float], None]) -> None:
        """Let so much time pass, and note what part of a core each worker took, in thousandths."""
        before = [(hand, hand.cpu_s) for hand in self.present]
        wait(seconds)
        for hand, cpu_s in before:
            share = (hand.cpu_s - cpu_s) / seconds
            self._record.journal.write("cpu", hand.child.name, number=round(1_000 * share))

    def dismiss(self, hand: Hand) -> None:
        """Ask a worker to leave, as a deployment does."""
        hand.told_at = time.monotonic()
        hand.child.signal(Signals.SIGTERM)

    def see_off(self, hand: Hand) -> None:
        """Wait for the end of a worker that was asked to leave; it must be on time, and clean."""
        limit_s = hand.drain_s + _END_S
        left_s = hand.told_at + limit_s - time.monotonic()
        try:
            code = hand.child.wait(max(left_s, 0.05))
        except TimeoutError:
            self._record.problem(f"{hand.child.name} had not left after {limit_s:g} s")
            hand.is_expected_to_die = True
            hand.child.signal(Signals.SIGKILL)
            return
        if code:
            self._record.problem(f"{hand.child.name} left with code {code}")

    def look_after(self) -> None:
        """See to it that a worker that died unasked is a problem, or gets a successor."""
        for hand in self.hands:
            if hand.child.is_running or hand.told_at or hand.is_expected_to_die:
                continue
            hand.is_expected_to_die = True
            if self.has_successors:
                self._record.fault("death", hand.child.pid)
                self.replace(hand)
            else:
                self._record.problem(f"{hand.child.name} ended by itself: {hand.child.code}")

    def leave(self) -> None:
        """Everybody goes home."""
        staying = self.present
        self._await_beginners(staying)
        for hand in staying:
            self.dismiss(hand)
        for hand in staying:
            self.see_off(hand)

    def _await_beginners(self, hands: Sequence[Hand]) -> None:
        """A successor that has only begun would die of the signal, before it can heed it."""
        pids = {hand.child.pid for hand in hands}
        with suppress(TimeoutError):
            wait_until(lambda: pids <= self._ready, "everybody is ready", _END_S)

    @property
    def _ready(self) -> set[int]:
        return {entry.pid for entry in self._record.entries() if entry.what == "ready"}

    def _start(self, options: Mapping[str, Any]) -> Hand:
        name = self._record.name("node" if options["node"] else "worker")
        module = NODE_WORKER if options["node"] else options["module"]
        child = self._nursery.start(module, {**options, "name": name}, name=name)
        hand = Hand(child, options)
        self.hands.append(hand)
        return hand
