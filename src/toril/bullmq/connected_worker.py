"""Which of the connections to a server are workers of a queue."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from toril.bullmq.naming import QueueName
from toril.bullmq.operations.inspect.list_clients import Client


@dataclass(frozen=True, slots=True)
class ConnectedWorker:
    """A worker that is connected now, in Python or in Node."""

    name: str
    """As it was told to the worker, where the server allows its letters; empty when it has none."""

    address: str
    """Where it is connected from."""

    connected_for: timedelta
    library: str
    """What it says it is made with; empty on servers before Redis 7.2."""


def workers_among(
    servers: Iterable[Sequence[Client]], name: QueueName, database: int
) -> list[ConnectedWorker]:
    """The workers of this queue, each once, by name.

    A Node worker has a connection of its name to every node of a cluster: of each name, the server
    with the most of them tells how many workers have it.
    """
    known: dict[str, list[ConnectedWorker]] = {}
    for clients in servers:
        here: defaultdict[str, list[ConnectedWorker]] = defaultdict(list)
        for client in clients:
            worker = name.worker_called(client.name)
            if worker is not None and client.database == database:
                here[worker].append(_worker(worker, client))
        for worker, connected in here.items():
            known[worker] = max(known.get(worker, []), connected, key=len)
    return [one for _, connected in sorted(known.items()) for one in connected]


def _worker(name: str, client: Client) -> ConnectedWorker:
    return ConnectedWorker(name, client.address, timedelta(seconds=client.age_s), client.library)
