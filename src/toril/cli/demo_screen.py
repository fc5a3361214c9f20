"""The demo on a terminal, with rich: bars for the states, and the last jobs below them."""

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from toril.cli.demo_tally import Happening, Turn
from toril.cli.demo_view import Frame, Show

_ROWS: Final = 9
_WIDTH: Final = 76
_BAR: Final = 44
_STYLES: Final = {Turn.DONE: "green", Turn.RETRY: "yellow", Turn.FAILED: "red"}
_MARKS: Final = {Turn.DONE: "✓", Turn.RETRY: "↻", Turn.FAILED: "✗"}
_SPARKS: Final = "▁▂▃▄▅▆▇█"


@contextmanager
def screen() -> Iterator[Show]:
    """Draw every frame in place; what is left on the terminal is the last one."""
    picture = _Picture()
    with Live(console=Console(width=_WIDTH), auto_refresh=False) as live:

        def show(frame: Frame) -> None:
            live.update(picture.draw(frame), refresh=True)

        yield show


class _Picture:
    def __init__(self) -> None:
        self._recent: deque[Happening] = deque(maxlen=_ROWS)
        self._rates: deque[float] = deque([0.0] * _BAR, maxlen=_BAR)

    def draw(self, frame: Frame) -> RenderableType:
        self._recent.extend(frame.news)
        self._rates.append(frame.per_second)
        return Panel(
            Group(_states(frame), Text(), self._pace(frame), Text(), self._last_jobs()),
            title="toril demo",
            subtitle=f"{frame.elapsed_s:.1f} s",
            padding=(1, 2),
        )

    def _pace(self, frame: Frame) -> RenderableType:
        top = max(*self._rates, 1.0)
        steps = len(_SPARKS) - 1
        line = "".join(_SPARKS[round(rate / top * steps)] for rate in self._rates)
        return _row("jobs per second", Text(line, "cyan"), f"{frame.per_second:.0f}")

    def _last_jobs(self) -> RenderableType:
        table = Table.grid(padding=(0, 1))
        for happening in self._recent:
            style = _STYLES[happening.turn]
            table.add_row(
                Text(f"{happening.at_s:4.1f} s", "dim"),
                Text(_MARKS[happening.turn], style),
                Text(happening.job),
                Text(f"{happening.turn.value} {happening.text}", style),
            )
        for _ in range(_ROWS - len(self._recent)):
            table.add_row()
        return table


def _states(frame: Frame) -> RenderableType:
    counts = (
        ("waiting", frame.waiting, "blue"),
        ("active", frame.active, "cyan"),
        ("delayed", frame.delayed, "yellow"),
        ("completed", frame.completed, "green"),
        ("failed", frame.failed, "red"),
    )
    bars = [
        _row(
            name,
            ProgressBar(total=frame.jobs, completed=count, width=_BAR, complete_style=style),
            str(count),
        )
        for name, count, style in counts
    ]
    return Group(*bars)


def _row(label: str, middle: RenderableType, number: str) -> RenderableType:
    grid = Table.grid(padding=(0, 1))
    grid.add_column(width=15)
    grid.add_column(width=_BAR)
    grid.add_column(width=6, justify="right")
    grid.add_row(label, middle, Text(number, "bold"))
    return grid
