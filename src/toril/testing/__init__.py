"""For tests of handlers and of whatever uses toril: no server, no sleeping."""

from toril.testing.clock import Clock, FrozenClock, SystemClock
from toril.testing.event_waiter import EventNotSeenError, EventWaiter
from toril.testing.memory_job import JobSettings, JobState, MemoryJob
from toril.testing.memory_queue import MemoryQueue
from toril.testing.memory_source import MemorySource

__all__ = [
    "Clock",
    "EventNotSeenError",
    "EventWaiter",
    "FrozenClock",
    "JobSettings",
    "JobState",
    "MemoryJob",
    "MemoryQueue",
    "MemorySource",
    "SystemClock",
]
