"""Steps written as the scenario file that plays them again."""

import json
from collections.abc import Iterable, Mapping
from typing import Final

_ESCAPED: Final = {0x7F: "\\u007f"}


def scenario_text(title: str, rows: Iterable[Mapping[str, object]], **words: object) -> str:
    """The text of a file that `scenario.parse` reads; `words` are further ones of the scenario."""
    head = {"title": title, **words}
    lines = [f"{name} = {_value(value)}" for name, value in head.items()]
    return "\n".join([*lines, "steps = [", *(f"  {_table(row)}," for row in rows), "]", ""])


def _table(row: Mapping[str, object]) -> str:
    pairs = (_pair(name, value) for name, value in row.items())
    inside = ", ".join(pairs)
    return f"{{ {inside} }}" if inside else "{}"


def _pair(name: str, value: object) -> str:
    """TOML has no null: what holds one is written as JSON."""
    if _holds_null(value):
        return f"{name}_json = {_text(json.dumps(value, ensure_ascii=False))}"
    return f"{name} = {_value(value)}"


def _value(value: object) -> str:
    if isinstance(value, Mapping):
        return _table(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, str):
        return _text(value)
    return json.dumps(value)


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False).translate(_ESCAPED)


def _holds_null(value: object) -> bool:
    if isinstance(value, Mapping):
        return any(map(_holds_null, value.values()))
    return any(map(_holds_null, value)) if isinstance(value, list) else value is None
