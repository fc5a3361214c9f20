"""What the demo shows while it plays, and the plain way to show it: lines."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Final, TypeAlias

import click

from toril.cli.demo_tally import Happening, Turn
from toril.core.errors import MissingExtraError

_LINE_EVERY_S: Final = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One moment of the demo; `news` is what happened since the frame before."""

    elapsed_s: float
    jobs: int
    added: int
    waiting: int
    active: int
    delayed: int
    completed: int
    completed_after_retry: int
    failed: int
    retries: int
    per_second: float
    news: Sequence[Happening] = ()

    @property
    def is_last(self) -> bool:
        """Whether every job has been added and is finished."""
        return self.added == self.jobs == self.completed + self.failed


Show: TypeAlias = Callable[[Frame], None]
View: TypeAlias = AbstractContextManager[Show]


def view_for(*, is_terminal: bool) -> View:
    """The picture where it can be drawn, and lines elsewhere."""
    if not is_terminal:
        return nullcontext(_Lines().show)
    try:
        from toril.cli.demo_screen import screen
    except ImportError:
        missing = MissingExtraError("the live display", "rich")
        click.echo(f"{missing}. Plain lines instead:", err=True)
        return nullcontext(_Lines().show)
    return screen()


class _Lines:
    """Lines for a log: the counts every second, and every attempt that failed."""

    def __init__(self) -> None:
        self._next_at_s = 0.0

    def show(self, frame: Frame) -> None:
        for happening in frame.news:
            if happening.turn is not Turn.DONE:
                click.echo(
                    f"{happening.at_s:5.1f} s  {happening.job}: {happening.turn.value} "
                    f"{happening.text}"
                )
        if frame.elapsed_s >= self._next_at_s or frame.is_last:
            self._next_at_s = frame.elapsed_s + _LINE_EVERY_S
            click.echo(_counts(frame))


def _counts(frame: Frame) -> str:
    return (
        f"{frame.elapsed_s:5.1f} s  added {frame.added}, waiting {frame.waiting}, "
        f"active {frame.active}, delayed {frame.delayed}, completed {frame.completed}, "
        f"failed {frame.failed}; {frame.per_second:.0f} jobs/s"
    )
