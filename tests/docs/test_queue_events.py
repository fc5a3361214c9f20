"""The page of events has every event of a queue, with its fields."""

from typing import Final

from tests.docs.markdown import ROOT, Page, rows

from toril.bullmq.queue_events import QueueEvent

PAGE: Final = Page(ROOT / "docs/how-to/follow-events.md")


def leaves(root: type[QueueEvent]) -> list[type[QueueEvent]]:
    children = root.__subclasses__()
    return [leaf for child in children for leaf in leaves(child)] if children else [root]


def words(cell: str) -> list[str]:
    return [word.strip("` ") for word in cell.split(",") if word.strip()]


def test_every_event_is_on_the_page_with_its_fields() -> None:
    told = {
        name: set(words(fields))
        for names, _, _, fields in rows(PAGE.section("What there is to hear"))
        for name in words(names)
    }

    assert told == {
        event.__name__: set(event.__struct_fields__) - {"id"} for event in leaves(QueueEvent)
    }
