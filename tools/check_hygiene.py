"""Keep out what is true on one machine only, and keep locks and numbers of decisions in step.

A lock that names a registry, or a page that names a home folder, works for its writer and for
nobody else.
"""

import json
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, Final, TypeAlias

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

NodePackage: TypeAlias = Mapping[str, Any]

MADE: Final = {"node_modules", "__pycache__", "dist"}
FORBIDDEN: Final = {
    "a path of one machine": re.compile(r"(?<![\w.~/-])/(?:work|root|home|Users)/\w"),
    "the host of a registry": re.compile(
        r"pypi\.org|pythonhosted\.org|npmjs\.(?:org|com)|yarnpkg\.com|debian\.org/debian", re.ASCII
    ),
    "unfinished work": re.compile(r"\b(?:TOD[O]|FIXM[E]|XX[X])\b"),
    "a conflict marker": re.compile(r"^(?:<{7}|>{7}) ", re.MULTILINE),
    "space at the end of a line": re.compile(r"[ \t]+$", re.MULTILINE),
}

_PIN: Final = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", re.MULTILINE)
_ADDRESS: Final = re.compile(r"\b(?:https?|file|git\+\w+)://|--(?:extra-)?index-url|--find-links")


def main() -> int:
    """Print what does not belong, one line each."""
    root = Path()
    checks = (stray_texts, decision_faults, python_lock_faults, node_lock_faults)
    findings = list(chain.from_iterable(check(root) for check in checks))
    print(*findings, sep="\n", end="\n" if findings else "")
    return int(bool(findings))


def stray_texts(root: Path) -> Iterator[str]:
    """Lines that only one machine understands, and lines somebody meant to come back to."""
    for path in _files(root):
        try:
            text = path.read_text("utf-8")
        except UnicodeDecodeError:
            continue
        for what, pattern in FORBIDDEN.items():
            for match in pattern.finditer(text):
                line = text.count("\n", 0, match.start()) + 1
                yield f"{path}:{line}: {what}: {match[0].strip()!r}"
        if text and not text.endswith("\n"):
            yield f"{path}: the last line has no end"


def decision_faults(root: Path) -> Iterator[str]:
    """Decisions that have no number of their own, or leave one out."""
    for number, path in enumerate(sorted((root / "docs/adr").glob("*.md")), 1):
        if not path.name.startswith(f"{number:04}-"):
            yield f"{path}: the next decision has number {number:04}"
            return


def python_lock_faults(root: Path) -> Iterator[str]:
    """Where a lock of `requirements/` names an address, lacks a hash, or lags behind."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    extras = project["project"]["optional-dependencies"]
    runtime = [*project["project"]["dependencies"], *chain.from_iterable(extras.values())]
    bootstrap = (root / "requirements/bootstrap.in").read_text("utf-8")
    declared = {
        "bootstrap.txt": re.findall(r"^[^#\s].*", bootstrap, re.MULTILINE),
        "runtime.txt": runtime,
        "dev.txt": runtime + project["dependency-groups"]["dev"],
    }
    for name, requirements in declared.items():
        path = root / "requirements" / name
        text = path.read_text("utf-8")
        yield from (f"{path}: {line}" for line in lock_faults(text, requirements))


def lock_faults(text: str, declared: list[str]) -> Iterator[str]:
    """What is wrong with the text of one lock, given what must be in it."""
    if address := _ADDRESS.search(text):
        yield f"names an address: {address[0]}"
    for entry in re.split(r"^(?=\S+==)", text, flags=re.MULTILINE)[1:]:
        if "--hash=sha256:" not in entry:
            yield f"no hash for {entry.split()[0]}"
    pins = {canonicalize_name(name): version for name, version in _PIN.findall(text)}
    for requirement in map(Requirement, declared):
        name = canonicalize_name(requirement.name)
        if name == "toril":
            continue
        if name not in pins or not requirement.specifier.contains(pins[name], prereleases=True):
            yield f"{requirement} is declared, {pins.get(name, 'nothing')} is locked: make lock"


def node_lock_faults(root: Path) -> Iterator[str]:
    """Where a lock of npm's names an address, lacks something, or lags behind."""
    for path in _files(root):
        if path.name == "package-lock.json":
            packages = json.loads(path.read_text("utf-8"))["packages"]
            declared = json.loads(path.with_name("package.json").read_text("utf-8"))
            faults = chain(_node_lag(packages[""], declared), _node_package_faults(packages))
            yield from (f"{path}: {fault}" for fault in faults)


def _node_lag(locked: NodePackage, declared: NodePackage) -> Iterator[str]:
    for kind in ("dependencies", "devDependencies"):
        if locked.get(kind, {}) != declared.get(kind, {}):
            yield f"{kind} differ from package.json"


def _node_package_faults(packages: Mapping[str, NodePackage]) -> Iterator[str]:
    """What the registry that was asked did not have is left out, and `npm ci` fails elsewhere."""
    locked = {name.rpartition("node_modules/")[2] for name in packages}
    for name, package in packages.items():
        if "resolved" in package:
            yield f"{name} names the address it came from"
        if name and "integrity" not in package:
            yield f"no hash for {name}"
        needed = {**package.get("dependencies", {}), **package.get("optionalDependencies", {})}
        for missing in sorted(needed.keys() - locked):
            yield f"{missing}, which {name} may need, is not locked"


def _files(folder: Path) -> Iterator[Path]:
    """All that is, or may come, under version control; never `.git`, which may be a file."""
    for path in sorted(folder.iterdir()):
        is_made = path.name in MADE or (path.name.startswith(".") and path.name != ".ci")
        if path.is_dir() and not is_made:
            yield from _files(path)
        elif path.is_file() and path.name != ".git":
            yield path


if __name__ == "__main__":
    sys.exit(main())
