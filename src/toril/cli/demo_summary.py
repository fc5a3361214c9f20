"""What the demo says at its end."""

from collections.abc import Iterator

from toril.cli.demo_sprint import Pace
from toril.cli.demo_view import Frame


def summary(end: Frame, pace: Pace) -> str:
    """What became of every job, how fast it went, and where to go next."""
    return "\n".join((*_jobs(end), "", *_sprint(pace), "", *_next_steps()))


def _jobs(end: Frame) -> Iterator[str]:
    rate = (end.completed + end.failed) / end.elapsed_s
    yield f"{end.added} jobs were added, and every one of them is accounted for:"
    yield f"  {end.completed - end.completed_after_retry:>4} completed at the first attempt"
    yield f"  {end.completed_after_retry:>4} failed at first, were retried, and completed"
    yield f"  {end.failed:>4} failed for good"
    yield (
        f"{end.retries} retries in {end.elapsed_s:.1f} s; {rate:.0f} jobs per second, "
        "each of which sleeps 100 ms"
    )


def _sprint(pace: Pace) -> Iterator[str]:
    yield f"Then {pace.jobs:,} jobs that do nothing, in one process:"
    yield (
        f"  added in {pace.adding_s:.2f} s, worked in {pace.working_s:.2f} s: "
        f"{pace.jobs / pace.working_s:,.0f} jobs per second"
    )


def _next_steps() -> Iterator[str]:
    yield "Where to go next:"
    yield "  README.md                a queue of your own in twenty lines"
    yield "  toril worker run --help  run your handler, in one process or several"
    yield "  toril demo --url URL     the same on your Redis or Valkey"
