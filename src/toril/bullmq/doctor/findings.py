"""Hold the laws of a shelf against keys that were read."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from toril.bullmq.doctor import job_laws, key_laws
from toril.bullmq.doctor.book import LIVE, Law
from toril.bullmq.doctor.layout import Layout

LAWS = (job_laws, key_laws)
"""Importing a module of laws enters them in the book."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A law that does not hold, and where: a job by its id, or a key."""

    law: str
    subject: str
    problem: str

    def __str__(self) -> str:
        return f"{self.law}: {self.subject} {self.problem}"

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
