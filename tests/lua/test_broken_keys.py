"""Whatever a foreign client has left in a key: a script does all of its work, or writes nothing."""

from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any, Final, TypeAlias, cast

import pytest
import redis
from redis.exceptions import ResponseError
from tests.lua.sending import send
from tests.support.operation_samples import KEYS, SAMPLES

from toril.bullmq.doctor.layout import INFRASTRUCTURE, SUB_KEYS
from toril.core.errors import UndecodableError

Fault: TypeAlias = Callable[[redis.Redis], object]
Dumps: TypeAlias = Mapping[bytes, tuple[bytes, int]]

FENCES: Final = KEYS.own("fence:").encode()
"""Of requests that were given up: they stay refused, whatever else is broken."""

_TEXTS: Final = ("x", "", "nan", "inf", "-1", "0", "1.5", "007", "9" * 20)
_OPTS: Final = ("[", "7", '{"delay":NaN}', '{"priority":nan}', '{"delay":-Infinity}')
_SCORES: Final = (float("inf"), float("-inf"), -1.5, 1e300)
_SETTINGS: Final = ("concurrency", "opts.maxLenEvents", "paused")
_NUMBERS: Final = ("priority", "delay", "ats", "atm", "stc", "timestamp", "finishedOn")
_LINKS: Final = ("parentKey", "parent", "deid")
_JOBS: Final = ("1", "4", "5", "8", "own")
_WINDOW_MS: Final = 60_000


def _foreign(key: str, kind: str) -> Fault:
    """The key holds a type that it never has."""

    def spoil(client: redis.Redis) -> None:
        client.delete(key)
        if kind == "string":
            client.rpush(key, "foreign")
        else:
            client.set(key, "foreign")

    return spoil


def _text(name: str, text: str) -> Fault:
    return lambda client: client.set(KEYS.base + name, text)


def _field(name: str, fields: dict[Any, Any]) -> Fault:
    def spoil(client: redis.Redis) -> None:
        if client.type(KEYS.base + name) == b"hash":
            client.hset(KEYS.base + name, mapping=fields)

    return spoil


def _limiter(text: str) -> Fault:
    def spoil(client: redis.Redis) -> None:
        client.hset(KEYS.meta, mapping={"max": "9", "duration": "1000"})
        client.set(KEYS.base + "limiter", text, px=_WINDOW_MS)

    return spoil


def _score(state: str, score: float) -> Fault:
    return lambda client: client.zadd(KEYS.base + state, {"1": score, "4": score})


def _foreign_keys() -> Iterator[tuple[str, Fault]]:
    keys = {KEYS.base + name: kind for name, kind in INFRASTRUCTURE.items()}
    keys |= {KEYS.base + "de:last": "string", KEYS.base + "dn:last": "hash"}
    for job_id in _JOBS:
        keys[KEYS.job(job_id)] = "hash"
        keys |= {f"{KEYS.job(job_id)}:{name}": kind for name, kind in SUB_KEYS.items()}
    for key, kind in keys.items():
        yield f"{key} is no {kind}", _foreign(key, kind)


def _odd_texts(text: str) -> Iterator[tuple[str, Fault]]:
    for name in ("id", "pc", "limiter"):
        yield f"{name} = {text!r}", _text(name, text)
    yield f"limiter = {text!r} in a window", _limiter(text)
    for name in _SETTINGS:
        yield f"{name} = {text!r}", _field("meta", {name: text})
    yield f"max = {text!r}", _field("meta", {"max": text, "duration": "1000"})
    yield f"duration = {text!r}", _field("meta", {"max": "9", "duration": text})
    for job_id in _JOBS:
        yield f"numbers of {job_id} = {text!r}", _field(job_id, dict.fromkeys(_NUMBERS, text))
        yield f"links of {job_id} = {text!r}", _field(job_id, dict.fromkeys(_LINKS, text))


def _odd_values() -> Iterator[tuple[str, Fault]]:
    for opts in _OPTS:
        yield f"opts = {opts}", _field("4", {"opts": opts})
        yield f"opts of the kept job = {opts}", _field("dn:last", {"opts": opts})
    for state in ("delayed", "prioritized", "completed", "failed"):
        for score in _SCORES:
            yield f"{state} at {score}", _score(state, score)


FAULTS: Final = (*_foreign_keys(), *chain.from_iterable(map(_odd_texts, _TEXTS)), *_odd_values())


def _dumps(client: redis.Redis) -> Dumps:
    names = cast("list[bytes]", client.keys())
    pipe = client.pipeline(transaction=False)
    for name in names:
        pipe.dump(name)
        pipe.pttl(name)
    flat = pipe.execute()
    return dict(zip(names, zip(flat[::2], flat[1::2], strict=True), strict=True))


def _restore(client: redis.Redis, dumps: Dumps) -> None:
    pipe = client.pipeline(transaction=False)
    pipe.flushdb()
    for name, (dump, ttl_ms) in dumps.items():
        pipe.restore(name, max(ttl_ms, 0), dump)
    pipe.execute()


def _contents(client: redis.Redis) -> dict[bytes, bytes]:
    dumps = _dumps(client).items()
    return {name: dump for name, (dump, _) in dumps if not name.startswith(FENCES)}


@pytest.mark.parametrize("place", range(len(SAMPLES)), ids=[name for name, _ in SAMPLES])
def test_a_script_that_fails_has_written_nothing(redis_client: redis.Redis, place: int) -> None:
    for _, earlier in SAMPLES[:place]:
        send(redis_client, earlier)
    sound = _dumps(redis_client)

    half_done = []
    for what, spoil in FAULTS:
        _restore(redis_client, sound)
        try:
            spoil(redis_client)
        except ResponseError:
            continue  # the key is of another type by then
        before = _contents(redis_client)
        try:
            send(redis_client, SAMPLES[place][1])
        except UndecodableError:
            pass  # told as what it is; the script has done its work
        except ResponseError as error:
            if _contents(redis_client) != before:
                half_done.append(f"{what}: {error}")

    assert half_done == []
