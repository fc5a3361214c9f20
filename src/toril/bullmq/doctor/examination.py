"""What came of an examination, and what can be done about it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from toril.bullmq.doctor.findings import Finding
from toril.bullmq.doctor.layout import INFRASTRUCTURE, SUB_KEYS
from toril.bullmq.operations.examine.free_owner import FreeOwner
from toril.bullmq.operations.examine.heal_job import HealJob
from toril.bullmq.operations.examine.heal_queue import HealQueue
from toril.bullmq.wire.keys import QueueKeys

Remedy: TypeAlias = HealJob | HealQueue | FreeOwner


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """A queue as it was found. `keys` is 0 where there is no such queue."""

    queue: str
    """What all its keys begin with."""
    keys: int
    jobs: int
    findings: Sequence[Finding]
    """What was wrong at two looks, the second of them all in one instant."""

    @property
    def is_healthy(self) -> bool:
        """Whether nothing is wrong."""
        return not self.findings

    @property
    def in_order_of_healing(self) -> Sequence[Finding]:
        """A counter before the jobs that need it; nothing where every script would stop."""
        if any(one.law == "I25" and one.subject in INFRASTRUCTURE for one in self.findings):
            return ()
        return sorted(self.findings, key=lambda one: one.law != "I15")


@dataclass(frozen=True, slots=True)
class Healed:
    """What was done about a finding; nothing when it was in order again by itself."""

    finding: Finding
    deeds: Sequence[str]


def remedy_of(finding: Finding, keys: QueueKeys) -> Remedy | None:
    """What to do about it."""
    match finding.patient:
        case "job":
            return HealJob(keys=keys, job_id=_job_of(finding.subject))
        case "queue":
            highest = int(finding.subject) if finding.law == "I14" else 0
            return HealQueue(keys=keys, highest=highest)
        case "owner":
            return FreeOwner(keys=keys, deduplication_id=finding.subject.removeprefix("de:"))
        case _:
            return None


def _job_of(subject: str) -> str:
    """The id of the job that a key belongs to."""
    head, _, tail = subject.rpartition(":")
    return head if head and tail in SUB_KEYS else subject
