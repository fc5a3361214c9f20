"""What was set before a change is not there after it, however late the network delivers it."""  # generated from _async/test_late_copies.py by tools/generate_sync.py: edit that file

import pytest
from tests.support.proxy import Proxy
from tests.support.proxy_rules import Fault, Rule

from toril.toolkit import MISSING, Cache
from toril.toolkit.cache.operations.store import STORE


def _renamed() -> str:
    return "Grace"


def _change(cache: Cache[str], how: str) -> None:
    match how:
        case "invalidate":
            cache.invalidate("1")
        case "invalidating":
            with cache.invalidating("1"):
                pass
        case "write":
            cache.write("1", _renamed)
        case "invalidate_tag":
            cache.invalidate_tag("people")
        case _:
            cache.clear()


HOWS = ("invalidate", "invalidating", "write", "invalidate_tag", "clear")


@pytest.mark.parametrize("how", HOWS)
def test_a_value_that_was_sent_again_is_not_stored_after_a_change(
    proxy: Proxy, how: str
) -> None:
    with Cache[str]("users", proxy.url, ttl=60, timeout=5) as cache:
        cache.set("1", "before", tags=["people"])
        rule = proxy.add_rule(Rule(STORE.sha.encode(), Fault.KEEP_REQUEST, times=1))
        assert cache.set("1", "Ada", tags=["people"])
        assert rule.struck == 1
        _change(cache, how)
        after = cache.get("1")

        assert len(proxy.deliver_kept()) == 1

        assert cache.get("1") == after
        assert after in {MISSING, "Grace"}
        assert cache.set("1", "Ada"), "what is set now is stored"


@pytest.mark.parametrize("how", HOWS)
def test_a_value_of_which_nothing_was_heard_is_not_stored_after_a_change(
    proxy: Proxy, how: str
) -> None:
    with Cache[str]("users", proxy.url, ttl=60, timeout=0.5) as cache:
        cache.set("1", "before", tags=["people"])
        rule = proxy.add_rule(Rule(STORE.sha.encode(), Fault.KEEP_REQUEST))
        assert not cache.set("1", "Ada", tags=["people"])
        assert rule.struck
        proxy.clear_rules()
        _change(cache, how)
        after = cache.get("1")

        assert proxy.deliver_kept()

        assert cache.get("1") == after


def test_a_change_while_a_value_is_on_its_way_refuses_it(redis_url: str) -> None:
    with (
        Cache[str]("users", redis_url, ttl=60) as cache,
        Cache[str]("users", redis_url, ttl=60) as other,
    ):
        begin = cache._parts.asking.begin

        def begin_and_be_slow(*args: object) -> object:
            basis = begin(*args)  # type: ignore[arg-type]
            other.invalidate("1")
            return basis

        cache._parts.asking.begin = begin_and_be_slow  # type: ignore[method-assign, assignment]
        assert not cache.set("1", "Ada")
        assert other.get("1") is MISSING
