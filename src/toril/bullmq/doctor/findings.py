"""Hold the laws of a shelf against keys that were read."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from toril.bullmq.doctor import job_laws, key_laws
from toril.bullmq.doctor.book import LIVE, Law
from toril.bullmq.doctor.layout import INFRASTRUCTURE, Layout

LAWS = (job_laws, key_laws)
"""Importing a module of laws enters them in the book."""


Patient: TypeAlias = Literal["job", "queue", "owner"]

_OF_A_JOB: Final = frozenset({"I1", "I2", "I3", "I4", "I6", "I7"})
_OF_THE_QUEUE: Final = frozenset({"I8", "I10", "I14", "I15", "I22"})


@dataclass(frozen=True, slots=True)
class Finding:
    """A law that does not hold, and where: a job by its id, or a key."""

    law: str
    subject: str
    problem: str

    def __str__(self) -> str:
        return f"{self.law}: {self.subject} {self.problem}"

    @property
    def can_heal(self) -> bool:
        """Whether something can be done that harms nobody; the rest needs somebody who knows."""
        return self.patient is not None

    @property
    def patient(self) -> Patient | None:
        """Who can be healed: a job, the queue as a whole, or the owner of a deduplication id."""
        if self.law == "I28":
            return "queue" if self.subject in INFRASTRUCTURE else "job"
        if self.law == "I20":
            return "owner" if self.subject.startswith("de:") else None
        if self.law in _OF_A_JOB:
            return "job"
        return "queue" if self.law in _OF_THE_QUEUE else None

    @property
    def place(self) -> tuple[str, str]:
        """What makes it the same as one found earlier: numbers in the text may have changed."""
        return self.law, self.subject


def findings(
    layout: Layout, laws: Sequence[tuple[str, Law]] = LIVE, ignoring: Collection[str] = ()
) -> list[Finding]:
    """Every breach of these laws, in the order of the book."""
    return [
        Finding(name, subject, problem)
        for name, law in laws
        if name not in ignoring
        for subject, problem in law(layout)
    ]


def subjects_of(seen: Sequence[Finding]) -> list[str]:
    """What to look at again, each once."""
    return list(dict.fromkeys(finding.subject for finding in seen))
