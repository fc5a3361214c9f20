"""Write the programs that pages show to a folder, and run them."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.docs.markdown import ROOT, Page
from tests.docs.play import LOCALHOST


def write_program(page: str, name: str, url: str, folder: Path) -> Path:
    """The block `file=name` of a page, with the server of the test in it."""
    [text] = [block.text for block in Page(ROOT / page).blocks if block.word("file") == name]
    port = url.rpartition(":")[2]
    path = folder / name
    path.write_text(text.replace(LOCALHOST, url).replace("port: 6379", f"port: {port}"), "utf-8")
    return path


@contextmanager
def running(*command: Path | str, folder: Path, **environment: str) -> Iterator[None]:
    """Let it run for as long as the block lasts; it must end well when it is asked to."""
    with subprocess.Popen(
        command, cwd=folder, stderr=subprocess.PIPE, env=os.environ | environment, text=True
    ) as process:
        try:
            yield
        finally:
            process.send_signal(signal.SIGTERM)
            _, errors = process.communicate(timeout=10)
    assert process.returncode == 0, errors
