"""Everything that is said about a cache is checked when it is said."""

from datetime import timedelta
from math import inf, nan

import pytest

from toril.core.errors import BadInputError, UndecodableError, UnexpectedReplyError
from toril.toolkit import JsonCodec, LocalLevel
from toril.toolkit.cache.load import Load, takes_load
from toril.toolkit.cache.operations.fetch import Fetch, Fetched, Found
from toril.toolkit.cache.options import CacheRules, check_tags
from toril.toolkit.cache.view import MISSING, Missing
from toril.toolkit.cache.wire import CacheKeys, Envelope, packed_tags, unpacked_tags

BAD: dict[str, tuple[object, ...]] = {
    "ttl": (0, -1, nan, inf, "1m", True, None, 401 * 24 * 3600),
    "ttl_jitter": (-0.1, 0.6, nan, "0.1", True),
    "stale_for": (-1, nan, "1h"),
    "beta": (-1, inf, "1", True),
    "none_ttl": (0, -1, "1"),
    "lease": (0, 0.01, 3_601, "10"),
    "wait": (-1, nan),
    "soft_timeout": (-1, "1"),
    "hard_timeout": (-1, "1"),
    "error_backoff": (-1, nan),
    "on_error": ("closed", None, 1),
    "max_value_bytes": (0, -1, 2**30, 1.5, True),
    "timeout": (0, -1, inf),
    "prefix": ("{toril}", "", "a" * 65, 7),
}


@pytest.mark.parametrize(
    ("field", "value"), [(field, value) for field, values in BAD.items() for value in values]
)
def test_what_cannot_be_is_refused_by_name(field: str, value: object) -> None:
    options = {"ttl": 60, field: value}
    ttl = options.pop("ttl")

    with pytest.raises(BadInputError) as refused:
        CacheRules.of("users", ttl, options)  # type: ignore[arg-type]

    assert refused.value.field == field


@pytest.mark.parametrize("name", ["", "x" * 513, 7, "\ud800"])
def test_a_name_that_is_none_is_refused(name: object) -> None:
    with pytest.raises(BadInputError, match="name"):
        CacheRules.of(name, 60, {})  # type: ignore[arg-type]


def test_an_option_that_does_not_exist_is_refused_with_the_one_that_may_be_meant() -> None:
    with pytest.raises(BadInputError, match="did you mean 'stale_for'"):
        CacheRules.of("users", 60, {"stale_fo": 1})  # type: ignore[typeddict-unknown-key]


def test_generations_outlive_the_values_that_name_them() -> None:
    rules = CacheRules.of("users", timedelta(days=100), {"stale_for": timedelta(days=20)})

    assert rules.keep_ms >= 2 * 120 * 24 * 3_600 * 1_000


@pytest.mark.parametrize("tags", ["odd", [""], [7], [f"t{n}" for n in range(33)]])
def test_tags_that_are_none_are_refused(tags: object) -> None:
    with pytest.raises(BadInputError, match="tags"):
        check_tags(tags)  # type: ignore[arg-type]


def test_limits_of_the_local_level_are_checked() -> None:
    with pytest.raises(BadInputError, match="max_items"):
        LocalLevel(max_items=0)


@pytest.mark.parametrize("raw", [b"", b"\x01", b"\x02" + bytes(60), b"\x01" + b"\xff" * 60])
def test_what_is_no_envelope_is_not_read(raw: bytes) -> None:
    assert Envelope.read(raw) is None


def test_tags_come_back_from_an_envelope() -> None:
    assert unpacked_tags(packed_tags(["a", "b"])) == ["a", "b"]
    assert unpacked_tags(packed_tags([])) == []
    with pytest.raises(UndecodableError):
        unpacked_tags(b"\xc1")


def test_different_entries_have_different_keys_in_one_slot_each() -> None:
    keys = CacheKeys("toril", "users")
    one, other = keys.entry("a:b"), keys.entry("a")

    assert one.value == "toril:c:{users:a:b}:v"
    assert one.lease == "toril:cl:{users:a:b}"
    assert {one.value, one.marker, one.lease}.isdisjoint({other.value, other.marker, other.lease})
    assert keys.generation(None) == "toril:c:{users}:gen"
    assert keys.generation("b") == "toril:c:{users:b}:tag"


@pytest.mark.parametrize("payload", [b"", b"{", b'"\xff"', b'{"n": "one"}', b"[" * 2_000])
def test_a_payload_that_is_not_of_the_type_is_refused(payload: bytes) -> None:
    with pytest.raises(UndecodableError):
        JsonCodec(dict[str, int]).decode(payload)


def test_missing_is_false_and_says_its_name() -> None:
    assert not MISSING
    assert repr(MISSING) == "MISSING"
    assert Missing("missing") is MISSING


def test_a_loader_is_given_its_load_if_it_takes_one() -> None:
    assert takes_load(lambda load: load)
    assert not takes_load(lambda: None)
    assert not takes_load(lambda load=None: load)
    assert not takes_load(lambda *, load: load)
    assert not takes_load(dict)


def test_there_must_be_a_value_before_one_that_is_not_modified() -> None:
    with pytest.raises(BadInputError, match="no value before"):
        Load[int](MISSING, None, ()).not_modified()


FETCH = Fetch(keys=CacheKeys("toril", "users").entry("1"), generation_keys=(), keep_ms=1)


def test_a_known_reply_becomes_a_value() -> None:
    reply = [1, 5, 9, b"7", b"raw", b""]

    assert FETCH.decode(reply) == Fetched(Found.FRESH, 5, 9, b"7", b"raw", b"")


@pytest.mark.parametrize("reply", [None, [], [0, 5, 9, b"", b"", b""], [1, 5, 9, b"", b"", "x"]])
def test_an_unknown_reply_is_an_error_not_a_guess(reply: object) -> None:
    with pytest.raises(UnexpectedReplyError):
        FETCH.decode(reply)
