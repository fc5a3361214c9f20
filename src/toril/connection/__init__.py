"""The only room that opens a socket: targets, connections, and operations run on them."""

from toril.connection._async.coalescer import AsyncCoalescer
from toril.connection._async.connection import AsyncConnection
from toril.connection._async.line import AsyncLine
from toril.connection._async.runner import AsyncRunner
from toril.connection._sync.coalescer import Coalescer
from toril.connection._sync.connection import Connection
from toril.connection._sync.line import Line
from toril.connection._sync.runner import Runner
from toril.connection.embedded import embedded_url, stop_embedded
from toril.connection.target import Target

__all__ = [
    "AsyncCoalescer",
    "AsyncConnection",
    "AsyncLine",
    "AsyncRunner",
    "Coalescer",
    "Connection",
    "Line",
    "Runner",
    "Target",
    "embedded_url",
    "stop_embedded",
]
