"""The command group: it knows the commands, and how a failure is told."""

import click

from toril.cli.demo import demo
from toril.cli.doctor import doctor
from toril.cli.exit_codes import ExitCode, exit_code_of
from toril.cli.version import version
from toril.cli.worker import worker
from toril.core.errors import TorilError

_EPILOG = """\b
Exit codes:
  0  done                      4  not found
  1  the operation failed      6  a queue or worker is not well
  2  wrong usage               7  a handler or an extra cannot be imported
  3  no connection, or denied  130, 143  interrupted, terminated

The server is named by --url, or TORIL_URL, or REDIS_URL; else redis://localhost:6379.
"""


class _Failure(click.ClickException):
    """An error of ours in one line, without a traceback."""

    def __init__(self, error: TorilError) -> None:
        super().__init__(" ".join(str(error).split()))
        self._error = error

    @property
    def exit_code(self) -> int:  # type: ignore[override]
        return exit_code_of(self._error)


class _Toril(click.Group):
    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except TorilError as error:
            raise _Failure(error) from error
        except KeyboardInterrupt:
            raise click.exceptions.Exit(ExitCode.INTERRUPTED) from None


@click.group(cls=_Toril, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Job queues on Redis, on BullMQ's wire."""


main.add_command(demo)
main.add_command(doctor)
main.add_command(version)
main.add_command(worker)
