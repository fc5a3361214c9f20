"""Run one Lua helper without a server: a function from `shared/`, and a Redis made of Python."""

import importlib
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from toril.core.script import Script

LuaValue: TypeAlias = object
RedisCall: TypeAlias = Callable[..., LuaValue]

LUA_VERSIONS: Final = ("lua51", "lua54")


def lua_helper(
    name: str, redis_call: RedisCall, *, version: str, package: str = "toril.bullmq.operations"
) -> Callable[..., LuaValue]:
    """The helper, with its includes, as a Python function; mappings become Lua tables."""
    lua = importlib.import_module(f"lupa.{version}").LuaRuntime()

    def answer(*words: LuaValue) -> LuaValue:
        reply = redis_call(*words)
        return lua.table_from(reply) if isinstance(reply, list) else reply

    lua.globals().redis = lua.table_from({"call": answer, "pcall": answer})
    lua.globals().unpack = lua.eval("unpack or table.unpack")
    function = lua.execute(f"{Script(package, f'shared/{name}').source}\nreturn {name}")

    def call(*arguments: LuaValue) -> LuaValue:
        return function(
            *(lua.table_from(one) if isinstance(one, Mapping) else one for one in arguments)
        )

    return call
