"""toril beside Node BullMQ on the same server in the same minutes: `make bench`.

    python -m benchmarks.run [-k words] [--rounds 9] [--smoke]

Every figure is a median of rounds in which both took turns, and every goal but one a ratio: a
machine that others use is faster and slower by the minute. The last line is `bench: N rows, N met`.
With `--smoke` everything runs once and small, and nothing is said about speed.
"""

import argparse
import json
import platform
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Final

from benchmarks.rows import GROUPS, OWN, PEER, Group, Result
from benchmarks.stage import Stage
from benchmarks.subject import PYTHON_PEER

from toril.core.version import VERSION

FOLDER: Final = Path(".cache/bench")
_SLOW_PEER: Final = "python-bullmq"
_SMOKE: Final = 0.05


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what was asked for; 0 when every goal was met, or everything ran in a smoke run."""
    options = _parser().parse_args(arguments)
    groups = [group for group in GROUPS if _is_wanted(group, options.k)]
    results: list[Result] = []
    with Stage(_SMOKE if options.smoke else 1.0) as stage:
        _say(f"{stage.server_version}, Python {platform.python_version()}, toril {VERSION}")
        _say(f"{'':30} {'peer':>11} {'toril':>9}         {'ratio':>6}  {'spread':>11}  goal")
        for group in groups:
            for result in group.results(stage, _rounds_of(group, options)):
                results.append(result)
                _say(_line(result, says_goal=not options.smoke))
        for line in _slow_peer(stage) if not options.k else ():
            _say(line)
    _write(results)
    met = sum(result.is_met for result in results)
    _say(f"bench: {len(results)} rows, {'all ran' if options.smoke else f'{met} met'}")
    return 0 if options.smoke or met == len(results) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-k", default="", metavar="WORDS", help="only rows with these words")
    parser.add_argument("--rounds", type=int, help="as many for every row")
    parser.add_argument("--smoke", action="store_true", help="once and small, without goals")
    return parser


def _is_wanted(group: Group, words: str) -> bool:
    return any(all(word in row.title for word in words.split()) for row in group.rows)


def _rounds_of(group: Group, options: argparse.Namespace) -> int:
    rounds: int = 1 if options.smoke else options.rounds or group.rounds
    return rounds


def _line(result: Result, *, says_goal: bool) -> str:
    row, ratios = result.row, result.ratios
    digits = {"jobs/s": 0, "calls/s": 0, "turns/s": 0, "us": 1}.get(row.unit, 2)
    figures = f"{median(result.peer):11,.{digits}f} {median(result.own):9,.{digits}f}"
    spread = f"{min(ratios):.2f}-{max(ratios):.2f}"
    line = f"{row.title:30} {figures} {row.unit:7} {result.ratio:6.2f}x  {spread:>11}"
    return f"{line}  {row.told():8} {'met' if result.is_met else 'MISSED'}" if says_goal else line


def _slow_peer(stage: Stage) -> Iterator[str]:
    """The official Python port, for who comes from there; it has no goals."""
    if not PYTHON_PEER.exists():
        return
    for concurrency in (1, 10, 100):
        speeds = {
            name: stage.process(name, concurrency, 3_000 if name == _SLOW_PEER else 10_000)
            for name in (_SLOW_PEER, OWN)
        }
        slow, own = speeds[_SLOW_PEER].jobs_per_s, speeds[OWN].jobs_per_s
        figures = f"{slow:,.0f} and {own:,.0f} jobs/s, {own / slow:.1f}x"
        yield f"beside bullmq of PyPI, {concurrency:3} at a time: {figures}"


def _write(results: Sequence[Result]) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    rows = [
        {"title": one.row.title, "unit": one.row.unit, PEER: one.peer, OWN: one.own}
        for one in results
    ]
    record = {"when": time.time(), "python": platform.python_version(), "rows": rows}
    (FOLDER / "newest.json").write_text(json.dumps(record, indent=1) + "\n", "utf-8")


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
