"""Read all keys of a queue in bounded steps, and some of them in one instant."""  # generated from _async/keyspace_reader.py by tools/generate_sync.py: edit that file

from collections.abc import Sequence
from typing import Final

from toril.bullmq.doctor.layout import STATES
from toril.bullmq.doctor.reading import how_to_read, joined, slim
from toril.bullmq.doctor.snapshot import Key, Snapshot
from toril.bullmq.operations.examine.look_again import LookAgain
from toril.bullmq.operations.examine.read_keys import How, ReadKeys
from toril.bullmq.operations.examine.read_members import ReadMembers
from toril.bullmq.operations.examine.scan_keys import BEGIN, ScanKeys
from toril.bullmq.wire.keys import QueueKeys
from toril.connection import Runner

_AT_ONCE: Final = 200
_SUBJECTS: Final = 10
"""For each of them the server walks through every list of the queue, and does nothing else."""


class KeyspaceReader:
    """Safe beside running workers: no step holds the server up."""

    def __init__(self, runner: Runner, keys: QueueKeys) -> None:
        self._runner: Final = runner
        self._keys: Final = keys

    def read(self) -> Snapshot:
        """Every key of the queue. What changes meanwhile may be read before and after."""
        names = self._names()
        now_ms, keys = 0, dict[str, Key]()
        while names:
            read = self._runner.run(ReadKeys(keys=self._keys, names=names[:_AT_ONCE]))
            now_ms = read.now_ms
            for (_, name), key in zip(names, read.keys, strict=False):
                keys[name] = slim(key)
            del names[: len(read.keys)]
        for name in STATES:
            if name in keys:
                keys[name] = self._state(name, keys[name])
        # Without those that went between the walk and the reading.
        there = {self._keys.base + name: key for name, key in keys.items() if key.kind != "none"}
        return Snapshot(now_ms, there)

    def look_again(self, subjects: Sequence[str]) -> list[tuple[Sequence[str], Snapshot]]:
        """Pictures of these jobs and keys, each in one instant, with those that it is of."""
        chunks = [subjects[at : at + _SUBJECTS] for at in range(0, len(subjects), _SUBJECTS)]
        return [
            (chunk, self._runner.run(LookAgain(keys=self._keys, subjects=chunk)))
            for chunk in chunks
        ]

    def _names(self) -> list[tuple[How, str]]:
        found: set[str] = set()
        cursor = BEGIN
        while True:
            step = self._runner.run(ScanKeys(keys=self._keys, cursor=cursor))
            found.update(step.names)
            cursor = step.cursor
            if cursor == BEGIN:
                return [(how_to_read(name), name) for name in sorted(found)]

    def _state(self, name: str, key: Key) -> Key:
        windows: list[Key] = []
        place = 0
        while True:
            window = self._runner.run(ReadMembers(keys=self._keys, name=name, start=place))
            if not window.items():
                return joined(key.kind, windows, key.ttl_ms)
            windows.append(window)
            place += len(window.items())
