"""Which queue is meant: braces, prefixes, clusters, the sibling, and what a worker is called."""

from base64 import b64decode

import pytest

from toril.bullmq.naming import QueueName
from toril.bullmq.wire.keys import QueueKeys
from toril.core.errors import BadInputError, DeniedError, QueueNameAmbiguousError
from toril.core.ids import slot_of, tag_of

DENIED = DeniedError("here", "NOPERM")


def named(name: str, *, cluster: bool = False, **options: object) -> QueueName:
    return QueueName.of(name, cluster=cluster, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "options", "base", "sibling"),
    [
        ("mail", {}, "bull:{mail}:", "bull:mail:"),
        ("mail", {"hash_tag": True}, "bull:{mail}:", None),
        ("mail", {"hash_tag": False}, "bull:mail:", None),
        ("mail", {"prefix": "staging:bull"}, "staging:bull:{mail}:", "staging:bull:mail:"),
        ("mail", {"prefix": "{app}"}, "{app}:mail:", None),
        ("mail", {"prefix": "{app}", "hash_tag": True}, "{app}:mail:", None),
        ("mail", {"prefix": "{}"}, "{}:{mail}:", "{}:mail:"),
        ("{mail}", {}, "bull:{mail}:", None),
        ("{mail}", {"hash_tag": True}, "bull:{mail}:", None),
        ("{mail}", {"hash_tag": False}, "bull:{mail}:", None),
        ("pre{mail}post", {}, "bull:pre{mail}post:", None),
        ("half}", {}, "bull:half}:", None),
        ("größe", {}, "bull:{größe}:", "bull:größe:"),
    ],
)
def test_a_queue_has_braces_unless_it_has_them_already_or_the_caller_says_no(
    name: str, options: dict[str, object], base: str, sibling: str | None
) -> None:
    found = named(name, **options)

    assert found.keys.base == base
    assert (found.sibling and found.sibling.base) == sibling


@pytest.mark.parametrize(
    ("name", "options"),
    [("mail", {"hash_tag": False}), ("{}mail", {}), ("mail}", {}), ("ma{il", {})],
)
def test_a_queue_without_a_tag_is_refused_on_a_cluster(
    name: str, options: dict[str, object]
) -> None:
    named(name, **options)
    with pytest.raises(BadInputError, match="has no hash tag") as refusal:
        named(name, cluster=True, **options)

    assert refusal.value.field == "queue"


@pytest.mark.parametrize(
    ("name", "options"), [("mail", {}), ("{mail}", {}), ("mail", {"prefix": "{app}"})]
)
def test_a_queue_with_a_tag_is_welcome_on_a_cluster(name: str, options: dict[str, object]) -> None:
    keys = named(name, cluster=True, **options).keys

    slots = {slot_of(key) for key in (*keys.touched, keys.job("7"), keys.own("fence:x"), keys.meta)}
    assert slots == {slot_of(keys.base)}


@pytest.mark.parametrize("prefix", ["toril", "toril:app", "", "a*b", "a\nb", 7])
def test_a_prefix_that_cannot_be_one_is_refused(prefix: object) -> None:
    with pytest.raises(BadInputError) as refusal:
        named("mail", prefix=prefix)

    assert refusal.value.field == "prefix"


@pytest.mark.parametrize("name", ["", "a:b", "x" * 256, "a\0b", 7, None])
def test_a_name_that_cannot_be_a_queues_is_refused(name: object) -> None:
    with pytest.raises(BadInputError) as refusal:
        named(name)  # type: ignore[arg-type]

    assert refusal.value.field == "queue"


def test_what_toril_keeps_for_itself_is_outside_of_the_queues_name_space() -> None:
    for keys in (named("mail").keys, named("mail", hash_tag=False).keys):
        own = keys.own("fence:w")

        assert own.startswith("toril:{")
        assert not own.startswith(keys.base)
    assert tag_of(QueueKeys("bull", "{mail}").own("x")) == "mail"


@pytest.mark.parametrize(
    ("answers", "is_ambiguous"),
    [
        ((False, True), True),
        ((False, False), False),
        ((True, False), False),
        ((True, True), False),
        ((False, DENIED), False),
        ((DENIED, True), False),
        ((), False),
    ],
)
def test_only_a_sibling_that_exists_alone_is_ambiguous(
    answers: tuple[object, ...], *, is_ambiguous: bool
) -> None:
    found = named("mail")

    if not is_ambiguous:
        found.judge(answers)
        return
    with pytest.raises(QueueNameAmbiguousError) as refusal:
        found.judge(answers)
    assert "'bull:{mail}:'" in str(refusal.value)
    assert "'bull:mail:'" in str(refusal.value)
    assert "hash_tag=False" in str(refusal.value)


@pytest.mark.parametrize("options", [{"hash_tag": True}, {"hash_tag": False}, {"prefix": "{app}"}])
def test_who_has_chosen_is_not_asked(options: dict[str, object]) -> None:
    found = named("mail", **options)

    assert found.questions == ()
    found.judge((False, True))


def test_both_spellings_are_asked_for_when_nobody_has_chosen() -> None:
    own, sibling = named("mail").questions

    assert (own.keys.meta, sibling.keys.meta) == ("bull:{mail}:meta", "bull:mail:meta")


def test_a_worker_is_called_as_node_workers_are() -> None:
    client_name = named("mail", hash_tag=False).client_name("host-1-abc")

    prefix, encoded, *rest = client_name.split(":")
    assert prefix == "bull"
    assert b64decode(encoded) == b"mail"
    assert rest == ["w", "host-1-abc"]


def test_a_worker_without_a_name_is_found_by_its_queue() -> None:
    assert named("mail", hash_tag=False).client_name("") == "bull:bWFpbA=="


@pytest.mark.parametrize("worker", ["my worker", "wörker", "a\tb"])
def test_a_connection_is_never_called_what_the_server_would_refuse(worker: str) -> None:
    client_name = named("mail", prefix="größe 1").client_name(worker)

    assert all("!" <= letter <= "~" for letter in client_name)
