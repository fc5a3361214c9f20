"""Where the Lua of the package lies: commands, helpers, and their assembled texts."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from toril.core.script import Script

SOURCE: Final = Path("src")
ASSEMBLED: Final = Path(".cache/lua")
HELPERS: Final = "shared"


@dataclass(frozen=True, slots=True)
class LuaFile:
    """One Lua file of an `operations` room: a command, or a helper that commands include."""

    room: Path
    path: Path

    @property
    def is_helper(self) -> bool:
        """Whether it is included by others, and is no script of its own."""
        return self.path.parent.name == HELPERS

    @property
    def script(self) -> Script:
        """The script as the package loads it."""
        name = self.path.relative_to(self.room).with_suffix("")
        return Script(".".join(self.room.relative_to(SOURCE).parts), name.as_posix())

    @property
    def assembled(self) -> Path:
        """Where `assemble` puts its text."""
        return ASSEMBLED / self.path.relative_to(SOURCE)


def lua_files() -> list[LuaFile]:
    """Every Lua file of the package."""
    return [
        LuaFile(room, path)
        for room in sorted(SOURCE.rglob("operations"))
        for path in sorted(room.rglob("*.lua"))
    ]


def assemble(lua_file: LuaFile) -> str:
    """Write the text Redis will see, and return it.

    A helper is assembled without any command around it, so that a name it borrows from one
    shows as undefined.
    """
    text = lua_file.script.source
    if lua_file.is_helper:
        text += f"\nreturn {lua_file.path.stem}\n"
    lua_file.assembled.parent.mkdir(parents=True, exist_ok=True)
    lua_file.assembled.write_text(text, "utf-8")
    return text
