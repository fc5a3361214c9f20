"""What the exit code of `toril` says."""

import signal
from enum import IntEnum

from toril.core.errors import (
    BadInputError,
    DeniedError,
    MissingExtraError,
    NotFoundError,
    OutcomeUnknownError,
    TorilError,
    UnavailableError,
)


class ExitCode(IntEnum):
    """The table of `toril --help`."""

    OK = 0
    FAILED = 1
    USAGE = 2
    CONNECTION = 3
    NOT_FOUND = 4
    UNHEALTHY = 6
    IMPORT = 7
    INTERRUPTED = 128 + signal.SIGINT
    TERMINATED = 128 + signal.SIGTERM


def exit_code_of(error: TorilError) -> ExitCode:
    """Which code an error ends the command with."""
    match error:
        case BadInputError():
            return ExitCode.USAGE
        case UnavailableError() | OutcomeUnknownError() | DeniedError():
            return ExitCode.CONNECTION
        case NotFoundError():
            return ExitCode.NOT_FOUND
        case MissingExtraError():
            return ExitCode.IMPORT
        case _:
            return ExitCode.FAILED
