"""A name that becomes part of a key can neither leave its place nor take that of another key."""

from collections.abc import Callable

import pytest

from toril.core.errors import BadInputError
from toril.core.ids import (
    RESERVED_JOB_IDS,
    check_deduplication_id,
    check_idempotency_key,
    check_job_id,
    check_job_name,
    check_prefix,
    check_queue_name,
    hash_tag,
    slot_of,
    tag_of,
    worker_id,
)

Check = Callable[[object], str]

CHECKS = [
    check_queue_name,
    check_prefix,
    check_job_name,
    check_job_id,
    check_idempotency_key,
    check_deduplication_id,
]
NAMES = ["mail", "two words", "prüfung", "{mail}", "a{b}c", "{}", "{", "日本", "x" * 255]


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("name", NAMES)
def test_ordinary_and_odd_names_are_accepted_as_they_are(check: Check, name: str) -> None:
    assert check(name) == name


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("", "is empty"),
        ("x" * 256, "256 characters exceed the limit of 255"),
        ("a\nb", "control character"),
        ("a\x00", "control character"),
        ("a\x85b", "control character"),
        ("\ud800", "lone surrogate"),
        (b"mail", "is of type bytes: pass a str"),
        (5, "is of type int"),
        (None, "is of type NoneType"),
    ],
)
def test_what_no_key_should_hold_is_refused(check: Check, value: object, problem: str) -> None:
    with pytest.raises(BadInputError, match=problem):
        check(value)


def test_a_queue_has_no_colon_in_its_name() -> None:
    with pytest.raises(BadInputError, match="queue: 'a:b' has a colon"):
        check_queue_name("a:b")


def test_a_prefix_may_have_colons() -> None:
    assert check_prefix("staging:bull") == "staging:bull"


@pytest.mark.parametrize("character", "*?[]\\")
def test_a_prefix_has_no_characters_of_patterns(character: str) -> None:
    with pytest.raises(BadInputError, match="patterns in SCAN"):
        check_prefix(f"bull{character}")


@pytest.mark.parametrize("prefix", ["toril", "toril:bull"])
def test_the_place_of_torils_own_keys_is_no_prefix(prefix: str) -> None:
    with pytest.raises(BadInputError, match="toril keeps what is not a queue"):
        check_prefix(prefix)


@pytest.mark.parametrize("job_id", ["0", "5", "-5", "12345678901234567890"])
def test_an_integer_is_no_id_of_the_callers(job_id: str) -> None:
    with pytest.raises(BadInputError, match="is an integer"):
        check_job_id(job_id)


@pytest.mark.parametrize("job_id", ["007", "-0", "1e3", "1.5", "+5", " 5", "١٢", "5a", "--5"])
def test_what_only_looks_like_an_integer_is_a_legal_id(job_id: str) -> None:
    assert check_job_id(job_id) == job_id


@pytest.mark.parametrize("job_id", sorted(RESERVED_JOB_IDS))
def test_a_key_of_the_queue_is_no_id(job_id: str) -> None:
    with pytest.raises(BadInputError, match="one of the queue's own keys"):
        check_job_id(job_id)


@pytest.mark.parametrize("job_id", ["a:b", "repeat:x:1", "0:5"])
def test_an_id_has_no_colon(job_id: str) -> None:
    with pytest.raises(BadInputError, match="has a colon"):
        check_job_id(job_id)


def test_a_job_name_may_have_colons() -> None:
    assert check_job_name("mail:welcome") == "mail:welcome"


def test_a_worker_is_named_after_its_process() -> None:
    assert worker_id("web-1.example", 42, "k3x9qa") == "web-1.example-42-k3x9qa"


def test_a_host_with_odd_letters_still_makes_a_client_name() -> None:
    assert worker_id("Ada's Mac\n", 1, "abcdef") == "Ada-s-Mac--1-abcdef"


def test_a_hash_tag_is_the_name_in_braces() -> None:
    assert hash_tag("mail") == "{mail}"


@pytest.mark.parametrize("name", ["{mail}", "a{b}", "{", "}"])
def test_a_name_is_never_wrapped_twice(name: str) -> None:
    with pytest.raises(BadInputError, match="has braces already"):
        hash_tag(name)


@pytest.mark.parametrize(
    ("key", "tag"),
    [
        ("bull:{mail}:wait", "mail"),
        ("bull:mail:wait", None),
        ("{a}{b}", "a"),
        ("foo{{bar}}zap", "{bar"),
        ("foo{}{bar}", None),
        ("foo{bar", None),
        ("foo}{bar}", "bar"),
        ("{", None),
    ],
)
def test_the_tag_is_what_redis_hashes(key: str, tag: str | None) -> None:
    assert tag_of(key) == tag


@pytest.mark.parametrize(
    ("key", "slot"),
    [("123456789", 0x31C3), ("foo", 12182), ("{foo}bar", 12182), ("", 0), ("é", 10180)],
)
def test_the_slot_is_the_one_redis_computes(key: str, slot: int) -> None:
    assert slot_of(key) == slot
