"""One empty server, and what each subject does on it."""

from contextlib import ExitStack
from statistics import quantiles
from typing import Any, Final, NamedTuple, Self

from benchmarks.subject import Subject
from tests.support.servers import Redis70Server, ServerMissingError, ValkeyServer, wait_until

from toril import JobOptions, Queue
from toril.telemetry.emitter import Emitter

QUEUE: Final = "bench"
BULK: Final = 1_000
IN_FLIGHT: Final = 50
_ONCE: Final[JobOptions] = {"attempts": 1, "backoff": None}
_LISTENERS: Final = 10
_KNOCK_MS: Final = 8
_DELAY_MS: Final = 150


class Speed(NamedTuple):
    """How fast jobs were worked, and what each cost."""

    jobs_per_s: float
    client_us: float
    """CPU of the subject, microseconds a job."""
    server_us: float
    """CPU of the server, microseconds a job."""


class Stage:
    """`scale` below 1 makes everything smaller, for a look whether it runs at all."""

    def __init__(self, scale: float = 1.0) -> None:
        self.scale: Final = scale
        self.server: ValkeyServer = _server()
        self._stack: Final = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            stack.enter_context(self.server)
            self._client = stack.enter_context(self.server.client())
            self._stack.push(stack.pop_all())
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def server_version(self) -> str:
        info = self._client.info("server")
        name = "Valkey" if "valkey_version" in info else "Redis"
        return f"{name} {info.get('valkey_version', info['redis_version'])}"

    def process(self, name: str, concurrency: int, count: int) -> Speed:
        """Work jobs that do nothing, all of which wait when it begins."""
        warm, count = self._scaled(2_000), self._scaled(count)
        self._client.flushall()
        with Queue(QUEUE, self.server.url, hash_tag=False, emitter=Emitter()) as queue:
            queue.add_many(("n", {"n": n}, _ONCE) for n in range(warm + count))
        began = self._cpu_seconds()
        with Subject(name) as subject:
            took = self._ask(subject, "process", warm=warm, count=count, concurrency=concurrency)
        spent = self._cpu_seconds() - began
        if (completed := self._completed()) != warm + count:
            raise AssertionError(f"{name}: {completed} jobs are completed, not {warm + count}")
        return Speed(
            count / took["seconds"],
            took["cpu_seconds"] / count * 1e6,
            spent / (warm + count) * 1e6,
        )

    def add_one_by_one(self, name: str) -> float:
        """Jobs a second, each in a call of its own, fifty calls in flight."""
        return self._add(name, "add_one_by_one", 30_000, in_flight=IN_FLIGHT)

    def add_in_bulk(self, name: str) -> float:
        """Jobs a second, a thousand in a call, one call after the other."""
        return self._add(name, "add_in_bulk", 40_000, chunk=BULK)

    def calls(self, name: str, verb: str, count: int) -> float:
        """Calls a second of a rate limiter or a cache, one after the other."""
        self._client.flushall()
        with Subject(name) as subject:
            took = self._ask(subject, verb, warm=self._scaled(500), count=self._scaled(count))
        return float(self._scaled(count) / took["seconds"])

    def locked(self, name: str, verb: str) -> float:
        """Times a second that a lock is held, by one caller or by ten in turn."""
        self._client.flushall()
        count = self._scaled(5_000 if verb == "alone" else 20)
        with Subject(name) as subject:
            took = self._ask(subject, verb, warm=self._scaled(200), count=count)
        return float(took["held"] / took["seconds"])

    def pickups(self, name: str) -> list[float]:
        """Milliseconds from a call of `add` in one process to the handler in another, idle one."""
        called, heard = self._knock(name, self._scaled(400), pause_ms=_KNOCK_MS, delay_ms=0)
        return [(heard[n]["at"] - at) * 1_000 for n, at in called.items()]

    def lateness(self, name: str) -> list[float]:
        """Milliseconds by which delayed jobs start late, each alone on the server."""
        count = self._scaled(60)
        _, heard = self._knock(name, count, pause_ms=_DELAY_MS + 30, delay_ms=_DELAY_MS)
        return [run["late_ms"] for run in heard.values()]

    def _knock(
        self, name: str, count: int, *, pause_ms: int, delay_ms: int
    ) -> tuple[dict[str, float], dict[str, Any]]:
        self._client.flushall()
        with Subject(name) as worker, Subject(name) as producer:
            self._ask(worker, "listen", concurrency=_LISTENERS, delay_ms=delay_ms)
            called = self._ask(producer, "knock", count=count, pause_ms=pause_ms, delay_ms=delay_ms)
            wait_until(lambda: self._completed() == count, f"{count} jobs are completed")
            heard = self._ask(worker, "heard")
        return called, heard

    def _add(self, name: str, verb: str, count: int, **options: object) -> float:
        warm, count = self._scaled(5_000, BULK), self._scaled(count, BULK)
        self._client.flushall()
        with Subject(name) as subject:
            took = self._ask(subject, verb, warm=warm, count=count, **options)
        if (waiting := self._client.llen(f"bull:{QUEUE}:wait")) != warm + count:
            raise AssertionError(f"{name}: {waiting} jobs wait, not {warm + count}")
        return float(count / took["seconds"])

    def _ask(self, subject: Subject, verb: str, **request: object) -> dict[str, Any]:
        return subject.ask(verb, port=self.server.port, queue=QUEUE, **request)

    def _completed(self) -> int:
        return int(self._client.zcard(f"bull:{QUEUE}:completed"))

    def _cpu_seconds(self) -> float:
        info = self._client.info("cpu")
        return float(info["used_cpu_user"] + info["used_cpu_sys"])

    def _scaled(self, count: int, step: int = 1) -> int:
        return max(round(count * self.scale / step), 1) * step


def percentile(values: list[float], percent: int) -> float:
    """The value that so many per cent of them do not exceed."""
    return quantiles(values, n=100, method="inclusive")[percent - 1]


def _server() -> ValkeyServer:
    """The distribution's Redis where there is one: the goals are set for it."""
    try:
        Redis70Server.find_binary()
    except ServerMissingError:
        return ValkeyServer()
    return Redis70Server()
