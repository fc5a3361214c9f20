"""Handlers that compute on the worker's event loop for three leases."""

from tests.chaos.scenarios.s05a_blocked_loop import BlockedLoop


class BusyLoop(BlockedLoop):
    id = "S5b"
    title = "computing on the loop"
    does = "An `async def` handler computes in plain Python for three leases, 4 times."
    must = "No lock is lost; nothing runs twice."
    short = None
    deed = "spin"
