"""Plays random histories through Node and through toril, on servers of their own."""

import io
import sys
from collections.abc import Mapping
from contextlib import redirect_stdout
from typing import Any, Final

from tests.conformance import random_run
from tests.support.journal import Journal

_MANY: Final = 100_000


def main(options: Mapping[str, Any]) -> int:
    """Play for so many seconds; what is unequal is said as `make conformance/random` does."""
    said = io.StringIO()
    asked = {"seed": options["seed"], "seconds": options["seconds"], "sequences": _MANY}
    with redirect_stdout(said):
        code = random_run.main([f"--{name}={value}" for name, value in asked.items()])
    if code:
        sys.stdout.write(said.getvalue())
        return code
    with Journal(options["journal"]) as journal:
        _, histories, *_ = said.getvalue().split()
        journal.write("equal", "histories", number=int(histories))
    return 0
