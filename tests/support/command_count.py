"""How many commands a server is sent, as MONITOR tells it; those of scripts are not counted."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import redis

_END = "the end of counting"


@contextmanager
def commands_sent(client: redis.Redis) -> Iterator[Callable[[], list[str]]]:
    """What is returned gives the names of the commands sent by others since the last call."""
    with client.monitor() as monitor:

        def sent() -> list[str]:
            client.echo(_END)
            names: list[str] = []
            while _END not in (command := monitor.next_command())["command"]:
                if command["client_type"] != "lua":
                    names.append(command["command"].split(" ", 1)[0])
            return names

        yield sent
