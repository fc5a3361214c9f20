"""Examine a queue in use, and heal what can be healed."""

from collections.abc import Sequence
from typing import Final, Self

from toril.bullmq._async.keyspace_reader import AsyncKeyspaceReader
from toril.bullmq._async.store import AsyncStore
from toril.bullmq.doctor.examination import Examination, Healed, Remedy, remedy_of
from toril.bullmq.doctor.findings import Finding, findings, subjects_of
from toril.bullmq.doctor.layout import Layout
from toril.bullmq.naming import QueueName
from toril.connection import Target
from toril.telemetry.emitter import Emitter
from toril.telemetry.logging import log_events

_BETWEEN_LOOKS_S: Final = 0.5
"""Longer than a worker is between two requests."""


class AsyncDoctor:
    """Holds a queue to the laws of what is stored, beside running workers.

    It needs about 1 KB of memory for each job.

    >>> async with AsyncDoctor("mail", "embedded://") as doctor:
    ...     examination = await doctor.examine()
    >>> examination.is_healthy
    True
    """

    def __init__(
        self,
        name: str,
        target: object = None,
        *,
        prefix: str | None = None,
        hash_tag: bool | None = None,
        emitter: Emitter | None = None,
    ) -> None:
        where = Target.of(target)
        known_as = QueueName.of(name, prefix=prefix, hash_tag=hash_tag, cluster=where.is_cluster)
        self._keys: Final = known_as.keys
        self._store: Final = AsyncStore(known_as, where, emitter or Emitter(log_events))
        self._reader: Final = AsyncKeyspaceReader(self._store.runner, known_as.keys)

    async def examine(self) -> Examination:
        """Read the whole queue in bounded steps; look again at whatever seems wrong."""
        await self._store.make_sure()
        snapshot = await self._reader.read()
        layout = Layout.of(snapshot, self._keys.base)
        return Examination(
            queue=self._keys.base,
            keys=len(snapshot.keys),
            jobs=len(layout.jobs),
            findings=await self._confirmed(findings(layout)),
        )

    async def heal(self, examination: Examination) -> list[Healed]:
        """Do what can be done about its findings; each is looked at anew before it is touched.

        Nothing is done while a key that every script needs is of a foreign type (I25).

        Raises:
            UnavailableError: the server was lost on the way; do it again.
        """
        healed: list[Healed] = []
        done: dict[Remedy, Sequence[str]] = {}
        for finding in examination.in_order_of_healing:
            remedy = remedy_of(finding, self._keys)
            if remedy is None:
                continue
            if remedy not in done:
                done[remedy] = await self._store.runner.run(remedy)
            healed.append(Healed(finding, done[remedy]))
        return healed

    async def close(self) -> None:
        """Let go of every connection."""
        await self._store.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _confirmed(self, seen: Sequence[Finding]) -> list[Finding]:
        if not seen:
            return []
        await self._store.runner.rest(_BETWEEN_LOOKS_S)
        places = {finding.place for finding in seen}
        again = await self._reader.look_again(subjects_of(seen))
        # A picture has jobs beside its own that were seen elsewhere, and less than all of them.
        confirmed = {
            finding.place: finding
            for subjects, snapshot in again
            for finding in findings(Layout.of(snapshot, self._keys.base))
            if finding.subject in subjects and finding.place in places
        }
        return list(confirmed.values())
