"""What a queue and its jobs share: the connection, the keys, and who listens for results."""  # generated from _async/store.py by tools/generate_sync.py: edit that file

from contextlib import suppress
from typing import Final

from toril.bullmq._sync.finish_watch import FinishWatch
from toril.bullmq.naming import QueueName
from toril.bullmq.operations.maintain.open_queue import OpenQueue
from toril.connection import Connection, Target
from toril.core.errors import DeniedError, UnavailableError
from toril.core.version import VERSION
from toril.telemetry.emitter import Emitter


class Store:
    """One queue on one server. Connects when it is first used."""

    def __init__(
        self,
        name: QueueName,
        target: Target,
        emitter: Emitter,
        *,
        max_events: int | None = None,
        big_integers: bool = False,
    ) -> None:
        self.keys: Final = name.keys
        self.connection: Final = Connection(target, emitter=emitter)
        self.runner: Final = self.connection.runner
        self.finishes: Final = FinishWatch(target, self.runner, name.keys, emitter)
        self.big_integers: Final = big_integers
        self._name: Final = name
        self._max_events: Final = max_events
        self._is_sure = False
        self._is_open = False

    def make_sure(self) -> None:
        """See once that the queue is the one that is meant.

        Raises:
            QueueNameAmbiguousError: only its sibling exists.
        """
        if not self._is_sure:
            self.look_for_sibling()
            self._is_sure = True

    def look_for_sibling(self) -> None:
        """See that the queue is the one that is meant, however often that was seen before.

        Raises:
            QueueNameAmbiguousError: only its sibling exists.
            UnavailableError: nobody can tell now.
        """
        answers = self.runner.run_all(self._name.questions)
        for answer in answers:
            if isinstance(answer, UnavailableError):
                raise answer
        self._name.judge(tuple(answers))

    def open(self) -> None:
        """Note once in the queue's settings that it is in use, before anything is added.

        Raises:
            QueueNameAmbiguousError: only its sibling exists.
        """
        if self._is_open:
            return
        self.make_sure()
        opening = OpenQueue(keys=self.keys, version=f"toril:{VERSION}", max_events=self._max_events)
        # Permissions may allow adding but not this; the scripts do without it.
        with suppress(DeniedError):
            self.runner.run(opening)
        self._is_open = True

    def forget(self) -> None:
        """The queue was removed: whoever adds to it again opens it anew."""
        self._is_open = False

    def close(self) -> None:
        """Let go of every connection."""
        self.finishes.close()
        self.connection.close()
