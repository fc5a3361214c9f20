"""The workers of a queue. What `queue.workers` is."""  # generated from _async/workers.py by tools/generate_sync.py: edit that file

from collections.abc import Sequence
from typing import Final

from toril.bullmq._sync.store import Store
from toril.bullmq.connected_worker import ConnectedWorker, workers_among
from toril.bullmq.naming import QueueName
from toril.bullmq.operations.inspect.list_clients import ListClients


class Workers:
    """Known by the names of their connections, which workers in Python and in Node have alike."""

    def __init__(self, store: Store, name: QueueName, database: int) -> None:
        self._store: Final = store
        self._name: Final = name
        self._database: Final = database

    def list(self) -> Sequence[ConnectedWorker]:
        """Who is connected now, by name; one that lost its connection is not.

        Raises:
            DeniedError: the server does not tell its clients, as some that are rented do not.
        """
        self._store.make_sure()
        servers = self._store.runner.ask_every_server(ListClients())
        return workers_among(servers, self._name, self._database)

    def count(self) -> int:
        """How many there are.

        Raises:
            DeniedError: the server does not tell its clients.
        """
        return len(self.list())
