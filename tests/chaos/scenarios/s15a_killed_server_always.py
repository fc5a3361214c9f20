"""The server is killed and comes back two seconds later; its file is written at every change."""

from typing import ClassVar

from tests.chaos.scenarios.s15_killed_server import KilledServer


class KilledServerAlways(KilledServer):
    id = "S15a"
    title = "server killed, always"
    does = "Kills the server 6 times (append-only, fsync always); back 2 s later."
    short = None
    server: ClassVar = {"append_only": True, "appendfsync": "always"}
