"""Several worker processes under one parent, which owns the embedded server if there is one.

Each child is this same command with one process. The parent alone hears the terminal and passes
signals on; a child that loses its parent sees its standard input end, and drains. A child that
ends by itself is not started again: whoever started the parent can see that it failed, and why.
"""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process, create_subprocess_exec
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import click

from toril.cli.exit_codes import ExitCode
from toril.cli.health_socket import HealthReport, answering
from toril.cli.one_worker import WorkerPlan
from toril.cli.stop_signals import Received, stop_signals
from toril.connection import Target, embedded_url
from toril.connection.target import Topology


def run_fleet(plan: WorkerPlan, handler: str, processes: int, *, log_level: str) -> int:
    """Run `processes` workers until told to stop, or until one ends by itself."""
    commands = [
        child_command(plan, handler, number=number, log_level=log_level)
        for number in range(1, processes + 1)
    ]
    return asyncio.run(_run(plan, commands))


def child_command(plan: WorkerPlan, handler: str, *, number: int, log_level: str) -> list[str]:
    """The words that start child number `number`."""
    words = [sys.executable, "-m", "toril.cli", "worker", "run", handler, "--lifeline"]
    words += ["--queue", plan.queue, "--concurrency", str(plan.concurrency)]
    words += ["--drain-timeout", str(plan.drain_timeout), "--log-level", log_level]
    words += ["--retry-policy", plan.retry_policy]
    if plan.timeout is not None:
        words += ["--timeout", str(plan.timeout)]
    if plan.prefix is not None:
        words += ["--prefix", plan.prefix]
    if plan.hash_tag is not None:
        words.append("--hash-tag" if plan.hash_tag else "--no-hash-tag")
    if plan.name is not None:
        words += ["--name", f"{plan.name}-{number}"]
    if plan.health_socket is not None:
        words += ["--health-socket", str(child_socket(plan.health_socket, number))]
    return words


def child_socket(health_socket: Path, number: int) -> Path:
    """Where child number `number` says how it is."""
    return health_socket.with_name(f"{health_socket.name}.{number}")


def child_environment(plan: WorkerPlan) -> dict[str, str]:
    """Ours, with the URL, which may hold a password: command lines can be read by everybody."""
    target = Target.of(plan.url)
    url = embedded_url(target) if target.topology is Topology.EMBEDDED else plan.url
    return dict(os.environ) if url is None else os.environ | {"TORIL_URL": url}


async def _run(plan: WorkerPlan, commands: Sequence[Sequence[str]]) -> int:
    await plan.try_server()
    fleet = _Fleet(child_environment(plan))
    with stop_signals(fleet.pass_on, fleet.pass_on) as fleet.received:
        async with answering(plan.health_socket, lambda: _report(plan, len(commands))):
            return await fleet.run(commands)


def _report(plan: WorkerPlan, processes: int) -> HealthReport:
    assert plan.health_socket is not None  # noqa: S101 - nobody can ask otherwise
    numbers = range(1, processes + 1)
    sockets = [str(child_socket(plan.health_socket, number)) for number in numbers]
    return HealthReport(queue=plan.queue, children=sockets)


@dataclass(slots=True)
class _Fleet:
    """The children and how they ended. Everything happens on the loop."""

    environment: dict[str, str]
    received: Received = field(default_factory=Received)
    children: list[Process] = field(default_factory=list)
    failure: int = 0

    async def run(self, commands: Sequence[Sequence[str]]) -> int:
        """Start a child for each command and wait for the last of them."""
        for command in commands:
            # A process group of its own, or Ctrl-C would reach the child twice: once from the
            # terminal and once from here.
            child = await create_subprocess_exec(
                *command, stdin=PIPE, env=self.environment, process_group=0
            )
            self.children.append(child)
            if self.received:
                child.send_signal(self.received[-1])
                break
        await asyncio.gather(*map(self._watch, self.children))
        return self.failure or self.received.exit_code

    def pass_on(self) -> None:
        """Tell every child what we were told."""
        self._tell(self.received[-1])

    async def _watch(self, child: Process) -> None:
        code = await child.wait()
        if self.received or self.failure:
            return
        # Killed by a signal it has a negative code, which is nothing a process can end with.
        self.failure = code if code > 0 else ExitCode.FAILED
        click.echo(
            f"worker process {child.pid} ended by itself with {code}; draining the others", err=True
        )
        self._tell(signal.SIGTERM)

    def _tell(self, number: int) -> None:
        for child in self.children:
            if child.returncode is None:
                child.send_signal(number)
