"""What a lock cannot be is refused before anything is sent."""

import pytest

from toril.core.errors import BadInputError
from toril.toolkit import AsyncLock


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"ttl": 0.049}, "ttl"),
        ({"ttl": 86_401}, "ttl"),
        ({"ttl": "30s"}, "ttl"),
        ({"ttl": True}, "ttl"),
        ({"ttl": float("nan")}, "ttl"),
        ({"wait": -1}, "wait"),
        ({"wait": "soon"}, "wait"),
        ({"renew": 1}, "renew"),
        ({"max_hold": 0}, "max_hold"),
        ({"max_hold": 90_000}, "max_hold"),
        ({"fair": "yes"}, "fair"),
        ({"replicas": -1}, "replicas"),
        ({"replicas": True}, "replicas"),
        ({"on_lost": "cancel"}, "on_lost"),
        ({"label": 7}, "label"),
        ({"label": "x" * 513}, "label"),
        ({"prefix": "a{b}"}, "prefix"),
        ({"timeout": 0}, "timeout"),
        ({"tll": 30}, "tll"),
    ],
)
def test_an_option_that_cannot_be_is_refused(options: dict[str, object], field: str) -> None:
    with pytest.raises(BadInputError) as caught:
        AsyncLock("a", "redis://127.0.0.1:1", **options)

    assert caught.value.field == field


@pytest.mark.parametrize("name", ["", "x" * 513, 7, None, "\ud800"])
def test_a_name_that_cannot_be_is_refused(name: str) -> None:
    with pytest.raises(BadInputError):
        AsyncLock(name, "redis://127.0.0.1:1")


async def test_a_call_that_cannot_be_sends_nothing() -> None:
    lock = AsyncLock("a", "redis://127.0.0.1:1", timeout=0.1)
    with pytest.raises(BadInputError):
        await lock.acquire(wait=-1)
    with pytest.raises(BadInputError):
        lock.hold(wait="soon")
    await lock.close()
