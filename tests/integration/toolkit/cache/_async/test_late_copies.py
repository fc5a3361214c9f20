"""What was set before a change is not there after it, however late the network delivers it."""

import pytest
from tests.support.proxy import Proxy
from tests.support.proxy_rules import Fault, Rule

from toril.toolkit import MISSING, AsyncCache
from toril.toolkit.cache.operations.store import STORE


async def _renamed() -> str:
    return "Grace"


async def _change(cache: AsyncCache[str], how: str) -> None:
    match how:
        case "invalidate":
            await cache.invalidate("1")
        case "invalidating":
            async with cache.invalidating("1"):
                pass
        case "write":
            await cache.write("1", _renamed)
        case "invalidate_tag":
            await cache.invalidate_tag("people")
        case _:
            await cache.clear()


HOWS = ("invalidate", "invalidating", "write", "invalidate_tag", "clear")


@pytest.mark.parametrize("how", HOWS)
async def test_a_value_that_was_sent_again_is_not_stored_after_a_change(
    proxy: Proxy, how: str
) -> None:
    async with AsyncCache[str]("users", proxy.url, ttl=60, timeout=5) as cache:
        await cache.set("1", "before", tags=["people"])
        rule = proxy.add_rule(Rule(STORE.sha.encode(), Fault.KEEP_REQUEST, times=1))
        assert await cache.set("1", "Ada", tags=["people"])
        assert rule.struck == 1
        await _change(cache, how)
        after = await cache.get("1")

        assert len(proxy.deliver_kept()) == 1

        assert await cache.get("1") == after
        assert after in {MISSING, "Grace"}
        assert await cache.set("1", "Ada"), "what is set now is stored"


@pytest.mark.parametrize("how", HOWS)
async def test_a_value_of_which_nothing_was_heard_is_not_stored_after_a_change(
    proxy: Proxy, how: str
) -> None:
    async with AsyncCache[str]("users", proxy.url, ttl=60, timeout=0.5) as cache:
        await cache.set("1", "before", tags=["people"])
        rule = proxy.add_rule(Rule(STORE.sha.encode(), Fault.KEEP_REQUEST))
        assert not await cache.set("1", "Ada", tags=["people"])
        assert rule.struck
        proxy.clear_rules()
        await _change(cache, how)
        after = await cache.get("1")

        assert proxy.deliver_kept()

        assert await cache.get("1") == after


async def test_a_change_while_a_value_is_on_its_way_refuses_it(redis_url: str) -> None:
    async with (
        AsyncCache[str]("users", redis_url, ttl=60) as cache,
        AsyncCache[str]("users", redis_url, ttl=60) as other,
    ):
        begin = cache._parts.asking.begin

        async def begin_and_be_slow(*args: object) -> object:
            basis = await begin(*args)  # type: ignore[arg-type]
            await other.invalidate("1")
            return basis

        cache._parts.asking.begin = begin_and_be_slow  # type: ignore[method-assign, assignment]
        assert not await cache.set("1", "Ada")
        assert await other.get("1") is MISSING
