"""Run somebody's function: the engine, its slots, leases and shutdown. No Redis in here."""

from toril.runtime.engine import Engine
from toril.runtime.executors import Executor, LoopExecutor, ThreadExecutor, is_async_handler
from toril.runtime.health import Health, State
from toril.runtime.loop_thread import LoopThread
from toril.runtime.options import EngineOptions
from toril.runtime.signals import stop_signals
from toril.runtime.source import (
    Claimed,
    Effect,
    Ending,
    Exchange,
    Lease,
    Outcome,
    Raised,
    Reaped,
    Returned,
    Said,
    Settled,
    Source,
)
from toril.runtime.stop import StopReason, StopSignal

__all__ = [
    "Claimed",
    "Effect",
    "Ending",
    "Engine",
    "EngineOptions",
    "Exchange",
    "Executor",
    "Health",
    "Lease",
    "LoopExecutor",
    "LoopThread",
    "Outcome",
    "Raised",
    "Reaped",
    "Returned",
    "Said",
    "Settled",
    "Source",
    "State",
    "StopReason",
    "StopSignal",
    "ThreadExecutor",
    "is_async_handler",
    "stop_signals",
]
