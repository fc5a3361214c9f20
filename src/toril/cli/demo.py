"""`toril demo`: watch jobs flow, fail, be retried and finish."""

import asyncio
import sys
from typing import TypedDict, Unpack

import click

from toril.cli.demo_view import view_for
from toril.connection import Target


class _Options(TypedDict):
    url: str
    jobs: int
    concurrency: int
    plain: bool


@click.command()
@click.option(
    "-u",
    "--url",
    default="embedded://",
    show_default=True,
    help="The server; embedded:// starts a private one.",
)
@click.option(
    "-j", "--jobs", type=click.IntRange(1, 10_000), default=200, show_default=True, help="How many."
)
@click.option(
    "-c",
    "--concurrency",
    type=click.IntRange(1, 1_000),
    default=4,
    show_default=True,
    help="How many jobs run at the same time.",
)
@click.option("--plain", is_flag=True, help="Print lines, even on a terminal.")
def demo(**options: Unpack[_Options]) -> None:
    """Watch jobs flow through a queue: some fail and are retried, a few fail for good."""
    from toril.cli.demo_play import Play
    from toril.cli.demo_summary import summary

    play = Play(options["url"], jobs=options["jobs"], concurrency=options["concurrency"])
    where = Target.of(play.url).label
    click.echo(f"{play.jobs} jobs on {where}, {play.concurrency} at a time; some will fail.\n")
    view = view_for(is_terminal=sys.stdout.isatty() and not options["plain"])
    end, pace = asyncio.run(play.run(view))
    click.echo(f"\n{summary(end, pace)}")
