"""The wheel carries all that the package reads at run time, and nothing else."""

import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

SOURCE = Path("src")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel"]
    subprocess.run([*build, "--directory", folder], check=True, capture_output=True)
    [built] = folder.glob("*.whl")
    return built


def test_it_holds_every_module_and_script_and_the_typing_marker(wheel: Path) -> None:
    written = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*")
        if path.suffix in {".py", ".lua"} or path.name == "py.typed"
    }

    with ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}

    assert packed == written
    assert "toril/py.typed" in packed


def test_its_scripts_can_be_read_where_it_is_installed(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        scripts = [name for name in archive.namelist() if name.endswith(".lua")]
        archive.extractall(site := wheel.parent / "site")
    room, _, name = scripts[0].removesuffix(".lua").partition("/operations/")
    package = f"{room.replace('/', '.')}.operations"
    program = (
        f"import sys; sys.path.insert(0, {str(site)!r})\n"
        "from toril.core import script\n"
        f"assert script.__file__.startswith({str(site)!r}), script.__file__\n"
        f"assert script.Script({package!r}, {name!r}).sha\n"
    )

    subprocess.run([sys.executable, "-c", program], check=True)
