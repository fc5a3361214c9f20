"""No file, function, class or script outgrows its budget, and the check itself can count."""

from pathlib import Path

import pytest
from tools.check_budgets import lua_faults, python_faults, text_faults


def test_every_python_file_is_within_its_budget() -> None:
    assert list(python_faults()) == []


def test_every_script_is_within_its_budget() -> None:
    assert list(lua_faults()) == []


@pytest.mark.parametrize(
    ("text", "excess"),
    [
        ("x = 1\n" * 401, "401 lines"),
        ("def f():\n" + "    x = 1\n" * 40, "f: 41 lines"),
        ("def f(a, b, c, /, d, *, e, g, h): ...", "f: 7 parameters"),
        ("def f(a, b, c, d, e, *rest, **options): ...", "f: 7 parameters"),
        ("class C:\n" + "".join(f"    def m{n}(self): ...\n" for n in range(16)), "C: 16 public"),
    ],
)
def test_one_too_many_is_reported(text: str, excess: str) -> None:
    [fault] = text_faults(Path("module.py"), text)

    assert excess in fault


@pytest.mark.parametrize(
    "text",
    [
        'def f():\n    """' + "Long.\n" * 50 + '    """\n    return 1\n',
        "class C:\n    def f(self, a, b, c, d, e, g): ...",
        "class C:\n" + "".join(f"    def _m{n}(self): ...\n" for n in range(16)),
        "class C:\n" + "".join(f"    @property\n    def m{n}(self): ...\n" for n in range(16)),
    ],
)
def test_what_is_not_counted_is_free(text: str) -> None:
    assert list(text_faults(Path("module.py"), text)) == []


def test_a_module_with_a_name_that_says_nothing_is_reported() -> None:
    [fault] = text_faults(Path("utils.py"), "")

    assert "named by its noun" in fault
