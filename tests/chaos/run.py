"""Trial by fault: scenarios that break a queue under load. `make chaos`.

    python -m tests.chaos.run [-k S10,S12] [--seed 42] [--short] [--keep] [--list]

Each scenario plays in a process of its own, two at a time unless one is to be alone. A line each
says what was lost, what ran twice, and how long recovery took; one that did not hold names the
command that plays it again. The last line is `chaos: N scenarios, N held`.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.chaos.play import play
from tests.chaos.scenario import Scenario, load_scenarios

FOLDER: Final = Path(".cache/chaos")
_HEAD: Final = (
    f"{'':6} {'':28} {'seed':>6} {'jobs':>6} {'runs':>6} {'lost':>4} {'spent':>5} "
    f"{'dup':>4} {'of':>4} {'faults':>6} {'p50':>6} {'p99':>6} {'s':>4}"
)
_MOST_PROBLEMS: Final = 5
_BEYOND_S: Final = 90.0
"""What a scenario may take for setting up and running empty, before it is ended."""


_playing: Final[set[int]] = set()
"""The processes of scenarios: each leads a group of its own, which a signal to this one misses."""


@dataclass(frozen=True)
class Order:
    """How the scenarios are to be played."""

    seed: int
    is_short: bool
    keeps: bool

    def seconds(self, scenario: Scenario) -> float:
        return (self.is_short and scenario.short) or scenario.seconds


def main(arguments: Sequence[str] | None = None) -> int:
    """Play what was asked for; 0 when all of it held."""
    options = _parser().parse_args(arguments)
    scenarios = _chosen(options.k, short=options.short)
    order = Order(options.seed, options.short, options.keep)
    if options.list:
        for scenario in scenarios:
            _say(f"| {scenario.id} | {scenario.does} | {scenario.must} |")
        return 0
    if options.alone:
        return play(scenarios[0], order.seed, order.seconds(scenarios[0]), Path(options.alone))
    _say(_HEAD)
    with _ending_all_on_signals():
        held = sum(_play_all(scenarios, order))
    _say(f"chaos: {len(scenarios)} scenarios, {held} held")
    return 0 if scenarios and held == len(scenarios) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-k", default="", metavar="IDS", help="only these, with commas between")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--short", action="store_true", help="the telling ones, under 6 minutes")
    parser.add_argument("--keep", action="store_true", help="keep the journals of those that held")
    parser.add_argument("--list", action="store_true", help="only list them, as the docs do")
    parser.add_argument("--alone", default="", help=argparse.SUPPRESS)
    return parser


def _chosen(ids: str, *, short: bool) -> list[Scenario]:
    wanted = {word.strip().lower() for word in ids.split(",") if word.strip()}
    every = load_scenarios()
    if unknown := wanted - {scenario.id.lower() for scenario in every}:
        sys.exit(f"no such scenario: {', '.join(sorted(unknown))}")
    return [
        scenario
        for scenario in every
        if (scenario.id.lower() in wanted if wanted else scenario.short or not short)
    ]


def _play_all(scenarios: Iterable[Scenario], order: Order) -> Iterable[bool]:
    """Two at a time, the longest first; then those that are to be alone."""
    longest_first = sorted(scenarios, key=order.seconds, reverse=True)
    with ThreadPoolExecutor(2) as pair:
        together = [scenario for scenario in longest_first if not scenario.alone]
        yield from pair.map(lambda scenario: _play_apart(scenario, order), together)
    for scenario in longest_first:
        if scenario.alone:
            yield _play_apart(scenario, order)


def _play_apart(scenario: Scenario, order: Order) -> bool:
    """In a process group of its own, which is ended as a whole when it takes too long."""
    folder = (FOLDER / f"{scenario.id}-{order.seed}").absolute()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    limit_s = order.seconds(scenario) + scenario.drain_s + _BEYOND_S
    with (
        (folder / "scenario.txt").open("w") as output,
        subprocess.Popen(
            command_of(scenario, order, folder),
            stdout=output,
            stderr=subprocess.STDOUT,
            process_group=0,
        ) as process,
    ):
        _playing.add(process.pid)
        watchdog = threading.Timer(limit_s, os.killpg, (process.pid, signal.SIGKILL))
        watchdog.start()
        process.wait()
        _playing.discard(process.pid)
        watchdog.cancel()
    return _report(scenario, order, folder)


@contextmanager
def _ending_all_on_signals() -> Iterator[None]:
    """When this process is told to end, the scenarios end, and with them what they started."""

    def end(number: int, _frame: object) -> None:
        for pid in _playing:
            os.killpg(pid, signal.SIGKILL)
        os._exit(128 + number)

    before = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def command_of(scenario: Scenario, order: Order, folder: Path) -> list[str]:
    """What plays this scenario and writes its verdict into the folder."""
    short = ["--short"] if order.is_short else []
    seed = ["--seed", str(order.seed)]
    module = [sys.executable, "-m", "tests.chaos.run"]
    return [*module, "-k", scenario.id, *seed, *short, "--alone", str(folder)]


def _report(scenario: Scenario, order: Order, folder: Path) -> bool:
    verdict = folder / "verdict.json"
    if not verdict.exists():
        _say(f"{scenario.id:6} {scenario.title:28} {order.seed:6} BROKEN")
        problem = f"it did not come to an end: {_last_line(folder / 'scenario.txt')}"
        _say_why([problem], scenario, order, folder)
        return False
    found = json.loads(verdict.read_text())
    held = not found["problems"]
    line = (
        f"{scenario.id:6} {scenario.title:28} {order.seed:6} {found['jobs']:6} {found['runs']:6} "
        f"{found['lost']:4} {found['spent']:5} {found['dup']:4} {found['dup_limit']:4} "
        f"{found['faults']:6} {found['p50']:6.2f} {found['p99']:6.2f} {found['seconds']:4.0f} "
    )
    _say(line + ("held" if held else "BROKEN"))
    if not held:
        _say_why(found["problems"], scenario, order, folder)
    elif not order.keeps:
        shutil.rmtree(folder, ignore_errors=True)
    return held


def _say_why(problems: Sequence[str], scenario: Scenario, order: Order, folder: Path) -> None:
    for problem in problems[:_MOST_PROBLEMS]:
        _say(f"       {problem[:300]}")
    command = f"make chaos{'/short' if order.is_short else ''}"
    _say(f'       again: {command} ARGS="-k {scenario.id} --seed {order.seed}"; see {folder}')


def _last_line(path: Path) -> str:
    lines = path.read_text("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else "it said nothing"


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
