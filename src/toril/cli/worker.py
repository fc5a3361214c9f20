"""`toril worker run`: work a queue with a handler, in one process or several."""

from pathlib import Path
from typing import TypedDict, Unpack, get_args

import click

from toril.cli.fleet import run_fleet
from toril.cli.handler_import import import_handler
from toril.cli.log_lines import LEVELS, show_log
from toril.cli.one_worker import RetryPolicyName, WorkerPlan, run_worker
from toril.cli.worker_health import health, health_socket_option


class _Options(TypedDict):
    queue: str
    url: str | None
    concurrency: int
    processes: int
    prefix: str | None
    hash_tag: bool | None
    timeout: float | None
    drain_timeout: float
    retry_policy: RetryPolicyName
    name: str | None
    health_socket: Path | None
    log_level: str
    lifeline: bool


@click.group()
def worker() -> None:
    """Work the jobs of a queue."""


worker.add_command(health)


@worker.command()
@click.argument("handler", metavar="MODULE:HANDLER")
@click.option("-q", "--queue", required=True, help="The queue to work.")
@click.option("-u", "--url", help="The server; embedded:// starts a private one.")
@click.option(
    "-c",
    "--concurrency",
    type=click.IntRange(1, 100_000),
    default=1,
    show_default=True,
    help="How many jobs each process runs at the same time.",
)
@click.option(
    "-p",
    "--processes",
    type=click.IntRange(1, 256),
    default=1,
    show_default=True,
    help="How many processes.",
)
@click.option("--prefix", envvar="TORIL_PREFIX", show_envvar=True, help="Of all keys.")
@click.option(
    "--hash-tag/--no-hash-tag",
    default=None,
    help="Whether the queue's name is in braces; --no-hash-tag for most Node queues.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(0.001, 315_360_000),
    metavar="SECONDS",
    help="How long a handler may run a job that does not say; no limit by default.",
)
@click.option(
    "--drain-timeout",
    type=click.FloatRange(0),
    default=25.0,
    show_default=True,
    metavar="SECONDS",
    help="How long running jobs may finish after the first signal.",
)
@click.option(
    "--retry-policy",
    type=click.Choice(get_args(RetryPolicyName)),
    default="default",
    show_default=True,
    help="Which failures get another attempt; categorized: those that may pass by themselves.",
)
@click.option("--name", help="The worker's name; host, process and six letters by default.")
@health_socket_option(required=False)
@click.option(
    "--log-level",
    type=click.Choice(LEVELS),
    default="info",
    show_default=True,
    envvar="TORIL_LOG_LEVEL",
    show_envvar=True,
)
@click.option("--lifeline", is_flag=True, hidden=True, help="Drain when standard input ends.")
def run(handler: str, **options: Unpack[_Options]) -> None:
    """Run HANDLER on the jobs of a queue until told to stop.

    The first SIGINT or SIGTERM lets running jobs finish and ends with 0; the second gives them
    back to the queue at once and ends with 130 or 143. If one of several processes ends by
    itself, the others are drained and the command fails.
    """
    show_log(options["log_level"])
    function = import_handler(handler)
    plan = WorkerPlan(
        queue=options["queue"],
        url=options["url"],
        concurrency=options["concurrency"],
        prefix=options["prefix"],
        hash_tag=options["hash_tag"],
        timeout=options["timeout"],
        drain_timeout=options["drain_timeout"],
        retry_policy=options["retry_policy"],
        name=options["name"],
        health_socket=options["health_socket"],
    )
    if options["processes"] == 1:
        code = run_worker(plan, function, has_lifeline=options["lifeline"])
    else:
        code = run_fleet(plan, handler, options["processes"], log_level=options["log_level"])
    raise SystemExit(code)
