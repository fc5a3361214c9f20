"""A function whose values are kept is called when there is none for its arguments."""  # generated from _async/test_cached_functions.py by tools/generate_sync.py: edit that file

from datetime import date

import pytest

from toril.core.errors import BadInputError
from toril.toolkit import MISSING, Cache


def test_it_is_called_once_for_its_arguments(redis_url: str) -> None:
    calls: list[tuple[int, str]] = []
    with Cache[str]("names", redis_url, ttl=60) as cache:

        @cache.cached("user:{user_id}:{kind}", tags=["kind:{kind}"])
        def name_of(user_id: int, kind: str = "full") -> str:
            """The name."""
            calls.append((user_id, kind))
            return f"{kind} {user_id}"

        assert name_of(1) == "full 1"
        assert name_of(user_id=1, kind="full") == "full 1"
        assert name_of(1, "short") == "short 1"
        assert calls == [(1, "full"), (1, "short")]
        assert name_of.key(1) == "user:1:full"
        assert name_of.__doc__ == "The name."  # type: ignore[attr-defined]

        assert name_of.refresh(1) == "full 1"
        assert len(calls) == 3
        entry = name_of.peek(1)
        assert entry is not None
        assert (entry.value, entry.tags, entry.is_stale) == ("full 1", ("kind:full",), False)
        assert name_of.invalidate(1)
        assert not name_of.invalidate(1)
        assert name_of.peek(1) is None


def test_methods_are_functions_too(redis_url: str) -> None:
    with Cache[str]("names", redis_url, ttl=60) as cache:

        class Names:
            def __init__(self, table: str) -> None:
                self.table = table

            @cache.cached("{self.table}:{user_id}")
            def name_of(self, user_id: int) -> str:
                return f"{self.table} {user_id}"

        assert Names("users").name_of(1) == "users 1"
        assert cache.get("users:1") == "users 1"
        assert Names("groups").name_of.key(2) == "groups:2"


def test_values_that_are_not_wanted_are_not_kept(redis_url: str) -> None:
    with Cache[int]("numbers", redis_url, ttl=60) as cache:

        @cache.cached(lambda number: f"n{number}", when=lambda value: value > 0)
        def double(number: int) -> int:
            return number * 2

        assert double(-1) == -2
        assert cache.get("n-1") is MISSING
        assert double(1) == 2
        assert cache.get("n1") == 2


def test_different_arguments_never_share_a_key(redis_url: str) -> None:
    with Cache[str]("pairs", redis_url, ttl=60) as cache:

        @cache.cached("{one}:{other}")
        def pair(one: str, other: str) -> str:
            return f"{one!r} {other!r}"

        keys = {pair.key("a:b", "c"), pair.key("a", "b:c"), pair.key("a%3Ab", "c")}
        assert len(keys) == 3


def test_words_that_look_like_nothing_or_truth_are_words(redis_url: str) -> None:
    with Cache[str]("pages", redis_url, ttl=60) as cache:

        @cache.cached("{tenant}")
        def page(tenant: object) -> str:
            return f"{tenant!r}"

        values = [page(tenant) for tenant in (None, "None", True, "True", False, "False")]

    assert values == ["None", "'None'", "True", "'True'", "False", "'False'"]


def test_an_argument_that_is_left_out_is_missed(redis_url: str) -> None:
    with Cache[str]("pages", redis_url, ttl=60) as cache:

        @cache.cached(lambda one, other="": f"{one}:{other}")
        def pair(one: str, other: str) -> str:
            return f"{one} {other}"

        with pytest.raises(TypeError, match="other"):
            pair("a")  # type: ignore[call-arg]


def test_what_is_wrong_with_a_template_is_said_when_it_is_written(redis_url: str) -> None:
    with Cache[str]("names", redis_url, ttl=60) as cache:

        def name_of(user_id: object) -> str:
            return f"{user_id}"

        with pytest.raises(BadInputError, match=r"names 'user'; the arguments are user_id"):
            cache.cached("user:{user}")(name_of)
        with pytest.raises(BadInputError, match="is no template"):
            cache.cached("user:{user_id")(name_of)
        with pytest.raises(BadInputError, match="is a string: pass a list"):
            cache.cached("{user_id}", tags="odd")(name_of)
        with pytest.raises(BadInputError, match="of type date: make the key with a function"):
            cache.cached("user:{user_id}")(name_of)(date(2026, 1, 1))
