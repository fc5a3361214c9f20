"""Random histories through Node BullMQ and through toril, compared after every step.

    python tests/conformance/random_run.py [--sequences 100] [--steps 30] [--seed 1] [--seconds 60]

The seed decides every history. One that is unequal is made as short as it can be, and written down
as a scenario that plays it again.
"""

import argparse
import asyncio
import logging
import random
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).parents[2]))

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis.errors import FlakyFailure
from tests.conformance.node_driver import NodeDriver, install_packages
from tests.conformance.play import Stage, Verdict, play
from tests.conformance.random_moves import QUEUE, Row, Rows, Scene, due_soon, histories, opening
from tests.conformance.run import SERVERS
from tests.conformance.scenario import REFERENCE, Step, parse, step_of
from tests.conformance.scenario_text import scenario_text
from tests.conformance.side import Side
from tests.conformance.toril_driver import TorilDriver

_KEPT_AT: Final = Path(".cache/conformance")


@dataclass
class History:
    """Moves that become steps as they are played; remembers the steps."""

    moves: Sequence[Rows]
    rows: list[Row] = field(default_factory=list)

    def steps(self, side: Side) -> Iterator[Step]:
        """Each step as it is due, chosen by what `side` stores then."""
        yield from self._steps(opening())
        for number, move in enumerate(self.moves):
            yield from self._steps(Scene(side.layout(), number).rows(move))
            yield from self._steps(due_soon(side.layout()))

    def _steps(self, rows: Rows) -> Iterator[Step]:
        for row in rows:
            self.rows.append(dict(row))
            yield step_of(row)


class UnequalError(Exception):
    """A history that the two sides do not tell alike."""

    def __init__(self, history: History, verdict: Verdict) -> None:
        super().__init__("\n".join(verdict.complaints))
        self.rows = history.rows


def main(arguments: Sequence[str] | None = None) -> int:
    """Play what was asked for; 0 when all of it is equal."""
    options = _parser().parse_args(arguments)
    # Jobs fail here because histories want them to.
    logging.getLogger("toril").setLevel(logging.CRITICAL)
    install_packages()
    with ExitStack() as stack:
        ports = [stack.enter_context(SERVERS[options.server]()).port for _ in range(2)]
        runner = stack.enter_context(asyncio.Runner())
        closing = AsyncExitStack()
        stack.callback(lambda: runner.run(closing.aclose()))
        peer = runner.run(closing.enter_async_context(NodeDriver("bullmq5")))
        stage = Stage(ports[0], ports[1], {REFERENCE: peer}, TorilDriver())
        return _play_all(options, Rig(stage, runner))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sequences", type=int, default=100, metavar="N")
    parser.add_argument("--steps", type=int, default=30, metavar="N", help="moves of each")
    parser.add_argument(
        "--seed", type=int, default=random.randrange(10**6), metavar="N", help="of the first"
    )
    parser.add_argument("--seconds", type=float, metavar="S", help="begin none after so long")
    parser.add_argument("--server", choices=SERVERS, default="valkey")
    return parser


@dataclass(frozen=True)
class Rig:
    """Servers and actors, and the loop they live on."""

    stage: Stage
    runner: asyncio.Runner

    def play(self, number: int, length: int) -> int:
        """Play the history of this seed and answer its steps.

        Raises:
            UnequalError: it is unequal; this is the shortest history that still is.
        """
        played = 0

        @seed(number)
        @settings(
            max_examples=2,
            database=None,
            deadline=None,
            phases=[Phase.generate, Phase.shrink],
            report_multiple_bugs=False,
            suppress_health_check=list(HealthCheck),
            verbosity=Verbosity.quiet,
        )
        @given(histories(length))
        def is_equal(moves: Sequence[Rows]) -> None:
            nonlocal played
            # The first example is always the simplest: nothing.
            if any(moves):
                history = History(moves)
                verdict = self.runner.run(play(_SCENARIO, self.stage, history.steps))
                played += len(history.rows)
                if not verdict.is_equal:
                    raise UnequalError(history, verdict)

        is_equal()
        return played


def _play_all(options: argparse.Namespace, rig: Rig) -> int:
    began, steps, played = time.monotonic(), 0, 0
    for number in range(options.seed, options.seed + options.sequences):
        if options.seconds and time.monotonic() - began > options.seconds:
            break
        played += 1
        try:
            steps += rig.play(number, options.steps)
        except UnequalError as unequal:
            _tell(unequal, number, options.steps)
            return 1
        except FlakyFailure as flaky:
            _say(f"UNEQUAL, and not every time: {flaky.exceptions}")
            return 1
    last = options.seed + played - 1
    _say(
        f"random: {played} histories, seeds {options.seed} to {last}, {steps} steps, "
        f"all equal in {time.monotonic() - began:.0f} s"
    )
    return 0


_WORDS: Final = {"queue": QUEUE, "at_rest": False, "ignoring": ["I32"]}
"""A history may lower a limit below what runs."""

_SCENARIO: Final = parse("random", scenario_text("random", [], **_WORDS))


def _tell(unequal: UnequalError, number: int, length: int) -> None:
    text = scenario_text(f"Random history of seed {number}", unequal.rows, **_WORDS)
    _KEPT_AT.mkdir(parents=True, exist_ok=True)
    path = _KEPT_AT / f"random-{number}.toml"
    path.write_text(text, "utf-8")
    _say(f"UNEQUAL\n{unequal}\n\n{text}")
    _say(f'what is left of it:  make conformance ARGS="--file {path}"')
    again = f"--seed {number} --sequences 1 --steps {length}"
    _say(f'all of it again:     make conformance/random ARGS="{again}"')


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
