"""`toril worker health`: whether the worker of this machine gets anything done."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from toril.cli.exit_codes import ExitCode
from toril.cli.health_socket import HealthReport, NoAnswerError, ask

C = TypeVar("C", bound=Callable[..., Any])


def health_socket_option(*, required: bool) -> Callable[[C], C]:
    """The option that a worker and whoever asks for its health have in common."""
    return click.option(
        "--health-socket",
        type=click.Path(path_type=Path),
        envvar="TORIL_HEALTH_SOCKET",
        show_envvar=True,
        required=required,
        metavar="PATH",
        help="The Unix socket at which the worker says how it is.",
    )


@click.command()
@health_socket_option(required=True)
@click.option(
    "--silence",
    type=click.FloatRange(10, 86_400),
    default=30.0,
    show_default=True,
    metavar="SECONDS",
    help="How long the server may fail to answer the worker, which asks every 5 s when idle.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(0.1, 3_600),
    default=5.0,
    show_default=True,
    metavar="SECONDS",
    help="How long each process may take to answer.",
)
def health(health_socket: Path, silence: float, timeout: float) -> None:
    """Ask the worker of this machine whether it gets anything done.

    Prints one line for each process. Ends with 0 when all of them are healthy, and with 6 when
    one is not, does not answer, or is not there.
    """
    lines = asyncio.run(_examine(health_socket, silence, timeout))
    for is_healthy, line in lines:
        click.echo(f"{'healthy' if is_healthy else 'unhealthy'}: {line}")
    raise SystemExit(ExitCode.OK if all(fine for fine, _ in lines) else ExitCode.UNHEALTHY)


async def _examine(path: Path, silence_s: float, timeout_s: float) -> list[tuple[bool, str]]:
    try:
        report = await ask(path, timeout_s)
    except NoAnswerError as error:
        return [(False, f"{path}: {error}")]
    if report.health is None:
        children = (_examine(Path(child), silence_s, timeout_s) for child in report.children)
        return [line for lines in await asyncio.gather(*children) for line in lines]
    return [_judged(report, silence_s)]


def _judged(report: HealthReport, silence_s: float) -> tuple[bool, str]:
    assert report.health is not None  # noqa: S101
    trouble = report.health.trouble(silence=silence_s)
    doing = f"{report.health.state.value}, {report.health.running} of {report.health.slots} busy"
    return not trouble, f"{report.worker} of {report.queue}: {trouble or doing}"
