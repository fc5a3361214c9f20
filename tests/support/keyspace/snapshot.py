"""All keys under a pattern at one instant: their types, times to live and contents."""

from collections.abc import Callable, Mapping
from typing import Final, Protocol, cast

from toril.bullmq.doctor.snapshot import Content, Key, Pairs, Snapshot

_TAKE: Final = """
local pattern = unpack(ARGV)
local readers = {
  string = function(key) return redis.call("GET", key) end,
  list = function(key) return redis.call("LRANGE", key, 0, -1) end,
  set = function(key) return redis.call("SMEMBERS", key) end,
  zset = function(key) return redis.call("ZRANGE", key, 0, -1, "WITHSCORES") end,
  hash = function(key) return redis.call("HGETALL", key) end,
  stream = function(key) return redis.call("XRANGE", key, "-", "+") end,
}
local function now_ms()
  local time = redis.call("TIME")
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function end_ms(key)
  local exact = redis.pcall("PEXPIRETIME", key)
  if type(exact) == "number" then
    return exact
  end
  -- Redis 6.2 has a clock that runs on while a script does.
  local now = now_ms()
  local ttl_ms = redis.call("PTTL", key)
  return ttl_ms < 0 and ttl_ms or now + ttl_ms
end
local now = now_ms()
local found = {}
for _, key in ipairs(redis.call("KEYS", pattern)) do
  local kind = redis.call("TYPE", key).ok
  found[#found + 1] = { key, kind, end_ms(key), readers[kind](key) }
end
return { now, found }
"""


class Client(Protocol):
    """What is needed of a blocking redis-py client, of a single server or of a cluster.

    Without `decode_responses`: not everything that is stored is text.
    """

    def eval(self, script: str, numkeys: int, /, *keys_and_args: str) -> object: ...


def names(client: Client) -> list[str]:
    """The names of all keys of a server, or of one node of a cluster."""
    return _texts(client.eval("return redis.call('KEYS', '*')", 0))


def take_snapshot(client: Client, base: str) -> Snapshot:
    """Read every key that begins with `base`, all in one slot when it is a cluster."""
    pattern = "".join(f"\\{c}" if c in "*?[]\\" else c for c in base) + "*"
    now_ms, rows = cast("tuple[int, list[object]]", client.eval(_TAKE, 1, base, pattern))
    return Snapshot(now_ms, dict(_key(row, now_ms) for row in rows))


def _key(row: object, now_ms: int) -> tuple[str, Key]:
    name, kind, end_ms, content = cast("tuple[object, object, int, object]", row)
    kind = _text(kind)
    return _text(name), Key(kind, _READERS[kind](content), end_ms - now_ms if end_ms >= 0 else None)


def _text(value: object) -> str:
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else str(value)


def _texts(values: object) -> list[str]:
    return [_text(value) for value in cast("list[object]", values)]


def _paired(values: object) -> Pairs:
    flat = _texts(values)
    return tuple(zip(flat[::2], flat[1::2], strict=True))


def _entry(entry: object) -> tuple[str, Pairs]:
    entry_id, pairs = cast("tuple[object, object]", entry)
    return _text(entry_id), _paired(pairs)


_READERS: Final[Mapping[str, Callable[[object], Content]]] = {
    "string": _text,
    "list": _texts,
    "set": lambda members: frozenset(_texts(members)),
    "hash": lambda fields: dict(_paired(fields)),
    "zset": lambda members: {member: float(score) for member, score in _paired(members)},
    "stream": lambda entries: [_entry(entry) for entry in cast("list[object]", entries)],
}
