"""The generated twin has the same lines, and no word of an event loop in it."""

import ast
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest
from tools.generate_sync import BY_HAND, NoSyncFormError, bring_up_to_date, to_sync, twin_of

SOURCE = Path("src/room/_async/thing.py")


def _body(text: str) -> str:
    """The twin of a module, without its first line."""
    return to_sync(f'"""A room."""\n{text}', SOURCE, Counter()).split("\n", 1)[1]


@pytest.mark.parametrize(
    ("source", "twin"),
    [
        ("async def f() -> None:\n    await g()\n", "def f() -> None:\n    g()\n"),
        ("class AsyncQueue(AsyncBase): ...\n", "class Queue(Base): ...\n"),
        ("class _AsyncQueue: ...\n", "class _Queue: ...\n"),
        ("from a._async.b import AsyncB\n", "from a._sync.b import B\n"),
        ("async with a as b, c:\n    pass\n", "with a as b, c:\n    pass\n"),
        ("x = [y async for y in z]\n", "x = [y for y in z]\n"),
        ("x = (await a).b + await c\n", "x = (a).b + c\n"),
        ("async def __aenter__(self): ...\n", "def __enter__(self): ...\n"),
        ('__all__ = ["AsyncQueue"]\n', '__all__ = ["Queue"]\n'),
        ("# an AsyncQueue to await for\n", "# an Queue to for\n"),
        ('x = "please await me"\n', 'x = "please await me"\n'),
        ("asynchronous = 1\n", "asynchronous = 1\n"),
    ],
)
def test_words_are_replaced_one_by_one(source: str, twin: str) -> None:
    assert _body(source) == twin


def test_docstrings_speak_of_the_twin() -> None:
    source = 'def f():\n    """Like `await AsyncQueue.add`.\n\n    async with it.\n    """\n'

    assert _body(source) == 'def f():\n    """Like `Queue.add`.\n\n    with it.\n    """\n'


@pytest.mark.parametrize(
    "first_lines", ['"""One line."""\n', '"""Several\nlines.\n"""\n', "import os\n"]
)
def test_the_first_line_says_where_it_comes_from(first_lines: str) -> None:
    twin = to_sync(first_lines, SOURCE, Counter())

    assert "generated from _async/thing.py" in twin.splitlines()[0]
    assert len(twin.splitlines()) == len(first_lines.splitlines())
    compile(twin, "twin", "exec")


@pytest.mark.parametrize(
    ("source", "word"),
    [
        ("import asyncio\n", "asyncio"),
        ("x = aiter(y)\n", "aiter"),
        ("await x.aclose()\n", "aclose"),
        ("x.get_async()\n", "get_async"),
    ],
)
def test_a_word_without_a_sync_form_is_refused_with_its_place(source: str, word: str) -> None:
    with pytest.raises(NoSyncFormError, match=f"thing.py:2: {word}"):
        _body(source)


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "src" / "room"
    (folder / "_async").mkdir(parents=True)
    (folder / "_async" / "thing.py").write_text('"""A thing."""\nasync def f(): ...\n', "utf-8")
    return folder


def _complaints(*, check: bool) -> list[str]:
    return [
        text
        for text in bring_up_to_date(("src",), check=check)
        if not text.startswith(("unused rule", "missing half"))
    ]


def test_writing_makes_the_check_pass(room: Path) -> None:
    assert _complaints(check=True) == ["stale: src/room/_sync/thing.py"]
    assert not (room / "_sync").exists()

    assert _complaints(check=False) == ["wrote src/room/_sync/thing.py"]
    assert _complaints(check=True) == []


def test_a_truncated_twin_is_stale(room: Path) -> None:
    _complaints(check=False)
    twin = room / "_sync" / "thing.py"
    twin.write_text(twin.read_text("utf-8").splitlines()[0] + "\n", "utf-8")

    assert _complaints(check=True) == ["stale: src/room/_sync/thing.py"]


def test_a_twin_without_a_source_is_reported_and_then_deleted(room: Path) -> None:
    _complaints(check=False)
    (room / "_async" / "thing.py").unlink()

    assert _complaints(check=True) == ["no twin: src/room/_sync/thing.py"]
    assert _complaints(check=False) == ["deleted src/room/_sync/thing.py"]
    assert _complaints(check=True) == []


def test_rules_that_nothing_uses_are_reported(room: Path) -> None:
    del room

    assert "unused rule: __aenter__" in bring_up_to_date(("src",), check=True)


FOR_LOOPS_ALONE = frozenset(
    {"connection_made", "data_received", "connection_lost", "tell", "sleep", "wait", "begin", "end"}
)
FOR_THREADS_ALONE = frozenset({"settle", "fly"})


def _offer(source: Path) -> set[str]:
    """The public classes, functions and methods of a module."""
    return _names(ast.parse(source.read_text("utf-8")).body)


def _names(nodes: Iterable[ast.stmt]) -> set[str]:
    names = set()
    for node in nodes:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            name = node.name.removeprefix("Async")
            if not name.startswith("_"):
                inner = _names(node.body) if isinstance(node, ast.ClassDef) else set()
                names |= {name, *inner}
    return names


@pytest.mark.parametrize("source", sorted(BY_HAND))
def test_both_halves_of_a_hand_written_pair_offer_the_same(source: str) -> None:
    offer = _offer(Path(source)) - FOR_LOOPS_ALONE

    assert offer == _offer(twin_of(Path(source))) - FOR_THREADS_ALONE - FOR_LOOPS_ALONE
