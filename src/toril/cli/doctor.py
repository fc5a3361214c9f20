"""`toril doctor`: whether a queue is in order, and what can be done where it is not."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from toril.cli.exit_codes import ExitCode

if TYPE_CHECKING:
    from toril.bullmq import Examination, Healed


class _Options(TypedDict):
    queue: str
    url: str | None
    prefix: str | None
    hash_tag: bool | None
    repair: bool
    as_json: bool


@click.command()
@click.option("-q", "--queue", required=True, help="The queue to examine.")
@click.option("-u", "--url", help="The server.")
@click.option("--prefix", envvar="TORIL_PREFIX", show_envvar=True, help="Of all keys.")
@click.option(
    "--hash-tag/--no-hash-tag",
    default=None,
    help="Whether the queue's name is in braces; --no-hash-tag for most Node queues.",
)
@click.option("--repair", is_flag=True, help="Heal what can be healed, and look again.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def doctor(**options: Unpack[_Options]) -> None:
    """Look for what is wrong with a queue: lost jobs, ghosts, locks and limits that never end.

    Workers may go on meanwhile. Ends with 0 when all is in order, with 6 when something is wrong,
    and with 4 when there is no such queue.
    """
    examination, healed = asyncio.run(_examine(options))
    if options["as_json"]:
        click.echo(json.dumps(_as_object(examination, healed), ensure_ascii=False))
    else:
        for line in _lines(examination, healed):
            click.echo(line)
    raise SystemExit(_code(examination))


async def _examine(options: _Options) -> "tuple[Examination, Sequence[Healed]]":
    from toril.bullmq import AsyncDoctor

    async with AsyncDoctor(
        options["queue"], options["url"], prefix=options["prefix"], hash_tag=options["hash_tag"]
    ) as one:
        examination = await one.examine()
        if not options["repair"] or examination.is_healthy:
            return examination, ()
        healed = await one.heal(examination)
        return await one.examine(), healed


def _code(examination: "Examination") -> ExitCode:
    if not examination.keys:
        return ExitCode.NOT_FOUND
    return ExitCode.OK if examination.is_healthy else ExitCode.UNHEALTHY


def _lines(examination: "Examination", healed: "Sequence[Healed]") -> Iterator[str]:
    if not examination.keys:
        yield f"there is no queue at {examination.queue}"
        return
    for one in healed:
        yield f"healed  {one.finding} ({', '.join(one.deeds) or 'in order by itself'})"
    for finding in examination.findings:
        yield f"{'ill     ' if finding.can_heal else 'odd     '}{finding}"
    size = f"{examination.keys:,} keys, {examination.jobs:,} jobs"
    yield f"{examination.queue} {size}: {_sum(examination)}"


def _sum(examination: "Examination") -> str:
    count = len(examination.findings)
    if not count:
        return "all in order"
    healable = sum(finding.can_heal for finding in examination.findings)
    return f"{count} finding{'s' if count > 1 else ''}, {healable} of which --repair heals"


def _as_object(examination: "Examination", healed: "Sequence[Healed]") -> dict[str, object]:
    return {
        "queue": examination.queue,
        "keys": examination.keys,
        "jobs": examination.jobs,
        "findings": [
            {
                "law": finding.law,
                "subject": finding.subject,
                "problem": finding.problem,
                "can_heal": finding.can_heal,
            }
            for finding in examination.findings
        ],
        "healed": [
            {"law": one.finding.law, "subject": one.finding.subject, "deeds": list(one.deeds)}
            for one in healed
        ],
    }
