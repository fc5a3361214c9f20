"""How the commands show toril's log: one line a record, its fields at the end."""

import logging
from typing import Final

LEVELS: Final = ("debug", "info", "warning", "error")
_STANDARD: Final = frozenset(vars(logging.makeLogRecord({}))) | {"asctime", "message", "event"}


class LineFormatter(logging.Formatter):
    """`12:00:01 INFO job completed queue=mail job_id=7`; odd characters are escaped."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(message)s", datefmt="%H:%M:%S")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        """The line, without a traceback."""
        fields = (
            f"{name}={_shown(value)}"
            for name, value in vars(record).items()
            if name not in _STANDARD
        )
        return " ".join((super().formatMessage(record), *fields))


def show_log(level: str) -> None:
    """Send everything from `level` up to standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(LineFormatter())
    logging.basicConfig(level=level.upper(), handlers=[handler])


def _shown(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.1f}"
    text = str(value)
    return text if text.isprintable() and text and " " not in text else repr(text)
