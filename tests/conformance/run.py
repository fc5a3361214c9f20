"""Conformance: the same scenarios through Node BullMQ and through toril. `make conformance`.

    python tests/conformance/run.py [-k words] [--file path] [--server valkey|redis6|redis7]

`--player node5` lets Node play toril's part. What is unequal then is toril's own (its defaults, a
declared deviation), or the harness is at fault.
"""

import argparse
import asyncio
import logging
import sys
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.conformance.node_driver import NodeDriver, install_packages
from tests.conformance.play import Stage, Verdict, play
from tests.conformance.scenario import Scenario, load, load_all
from tests.conformance.toril_driver import TorilDriver
from tests.support.servers import Redis62Server, Redis70Server, ValkeyServer

SERVERS: Final = {"valkey": ValkeyServer, "redis6": Redis62Server, "redis7": Redis70Server}
PEERS: Final = {"node5": "bullmq5", "node5new": "bullmq5new", "node6": "bullmq6"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Play what was asked for; 0 when all of it is equal."""
    options = _parser().parse_args(arguments)
    # Jobs fail here because scenarios want them to.
    logging.getLogger("toril").setLevel(logging.CRITICAL)
    scenarios = [load(options.file)] if options.file else list(load_all(options.k))
    install_packages()
    with ExitStack() as servers:
        ports = [servers.enter_context(SERVERS[options.server]()).port for _ in range(2)]
        verdicts = asyncio.run(_play_all(scenarios, ports, options.player))
        if options.keep:
            input(f"servers on ports {ports[0]} (Node) and {ports[1]} (toril); Enter ends them")
    equal = sum(verdict.is_equal for verdict in verdicts)
    _say(f"conformance: {len(verdicts)} scenarios, {equal} equal")
    return 0 if verdicts and equal == len(verdicts) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-k", default="", metavar="WORDS", help="in the file name or the title")
    parser.add_argument("--file", type=Path, help="play this scenario, wherever it lies")
    parser.add_argument("--server", choices=SERVERS, default="valkey")
    parser.add_argument("--player", choices=("toril", *PEERS), default="toril")
    parser.add_argument("--keep", action="store_true", help="leave the servers up until Enter")
    return parser


async def _play_all(
    scenarios: Sequence[Scenario], ports: Sequence[int], player: str
) -> list[Verdict]:
    async with AsyncExitStack() as stack:
        peers = {
            name: await stack.enter_async_context(NodeDriver(package))
            for name, package in PEERS.items()
        }
        stage = Stage(ports[0], ports[1], peers, peers.get(player) or TorilDriver())
        return [await _play_and_print(scenario, stage) for scenario in scenarios]


async def _play_and_print(scenario: Scenario, stage: Stage) -> Verdict:
    began = time.monotonic()
    verdict = await play(scenario, stage)
    word = "equal  " if verdict.is_equal else "UNEQUAL"
    seconds = time.monotonic() - began
    _say(f"{word} {seconds:5.1f} s  {scenario.name}: {scenario.title}")
    for complaint in verdict.complaints:
        _say(f"  {complaint}")
    return verdict


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
