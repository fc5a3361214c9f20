"""The glossary, the page of keys and the page of errors have every word that the code uses."""

import re
from dataclasses import fields
from typing import Final

import pytest
from tests.docs.markdown import ROOT, Page, rows
from tools.reference_pages import pages, tree

import toril.toolkit.errors
from toril import Counts
from toril.bullmq.wire.keys import QueueKeys
from toril.bullmq.wire.options import OPTION_NAMES
from toril.core.errors import TorilError
from toril.core.outcome import Say
from toril.runtime.source import Effect

GLOSSARY: Final = Page(ROOT / "docs/reference/glossary.md")
KEYS: Final = Page(ROOT / "docs/reference/keys.md")
HANDLING: Final = Page(ROOT / "docs/how-to/handle-errors.md")
CHILDREN: Final = ("dependencies", "processed", "failed", "unsuccessful")
RETRYING: Final = Page(ROOT / "docs/how-to/retry-failed-jobs.md")


def first_column(page: Page, heading: str) -> list[str]:
    return [cells[0].strip("`") for cells in rows(page.section(heading))]


def test_every_state_is_in_the_glossary() -> None:
    states = {field.name for field in fields(Counts)}

    assert set(first_column(GLOSSARY, "States of a job")) == states


@pytest.mark.parametrize("heading", ["What a handler may say", "Verbs", "Nouns"])
def test_the_glossary_is_sorted(heading: str) -> None:
    words = first_column(GLOSSARY, heading)

    assert words == sorted(words, key=str.lower)


def test_all_a_handler_may_say_is_told() -> None:
    ours = {say.__name__ for say, _ in tree(Say) if say.__module__.startswith("toril.")}
    says = ours | {"TransientError", "PermanentError"}
    told = {word.partition("(")[0] for word in first_column(RETRYING, "Say it from the handler")}

    assert set(first_column(GLOSSARY, "What a handler may say")) == says
    assert told - {"any exception"} == says


def test_all_that_a_store_does_with_an_outcome_has_a_verb() -> None:
    verbs = {
        Effect.COMPLETED: "complete",
        Effect.FAILED: "fail",
        Effect.RETRIED: "settle",
        Effect.DELAYED: "put off",
        Effect.GIVEN_BACK: "give back",
        Effect.LIMITED: "limit",
        Effect.WAITS: "wait for children",
        Effect.SUPERSEDED: "settle",
    }

    assert set(verbs) == set(Effect)
    assert set(verbs.values()) <= set(first_column(GLOSSARY, "Verbs"))


def test_every_error_has_advice() -> None:
    pages()  # imports all there is
    advised = first_column(HANDLING, "What to do")

    assert advised == sorted(advised)
    assert set(advised) == {error.__name__ for error, _ in tree(TorilError)}
    assert toril.toolkit.errors.LimitExceededError.__name__ in advised


def test_every_key_of_a_queue_is_on_the_page() -> None:
    keys = QueueKeys("bull", "{mail}")
    used = {
        *keys.touched,
        *(keys.waiting_children, keys.stalled_check, keys.id_counter),
        *(
            keys.job("<job>"),
            keys.logs("<job>"),
            keys.job("<job>:lock"),
            *(keys.job(f"<job>:{part}") for part in CHILDREN),
            keys.deduplication("<id>"),
        ),
        *(keys.kept_job("<id>"), keys.metrics("<kind>"), keys.metrics_data("<kind>")),
    }

    told = set(first_column(KEYS, "Keys of a queue"))

    assert told == {key.replace(keys.base, "Q:") for key in used}


def test_every_option_code_is_known_by_its_name() -> None:
    """`removeOnComplete` and `kl` are all that the page says of codes; they must not lie."""
    assert {"removeOnComplete", "kl"} <= set(OPTION_NAMES.values())
    assert re.search(r"`removeOnComplete` and `kl`", KEYS.prose)
