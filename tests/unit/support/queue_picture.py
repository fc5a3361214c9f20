"""A small queue as it would be stored, with a job in every state: clean, and easy to spoil."""

from dataclasses import replace

from tests.support.keyspace import Key, Layout, Snapshot

BASE = "bull:mail:"
NOW_MS = 1_700_000_100_000
ADDED_MS = 1_700_000_000_000


class QueuePicture:
    """Keys by their suffix. Tests change some of them and look at the laws."""

    def __init__(self) -> None:
        self.keys: dict[str, Key] = {}
        self._events: list[dict[str, str]] = []
        self.put("meta", "hash", {"opts.maxLenEvents": "10000"})
        self.put("id", "string", "5")
        self.put("marker", "zset", {"0": 0.0})
        self._add("1", "wait", "list", ["1"])
        self._add("2", "prioritized", "zset", {"2": float((3 << 32) + 1)}, priority="3")
        self._add("3", "delayed", "zset", {"3": float((ADDED_MS + 500) * 4096)}, delay="500")
        finished = {"finishedOn": str(ADDED_MS + 9), "ats": "1", "atm": "1"}
        self._add("4", "completed", "zset", {"4": ADDED_MS + 9.0}, returnvalue="null", **finished)
        self._add("5", "failed", "zset", {"5": ADDED_MS + 9.0}, failedReason="no", **finished)
        self.put("5:logs", "list", ["one row"])
        for job_id, names in {
            "1": ["added", "waiting"],
            "2": ["added", "waiting"],
            "3": ["added", "delayed"],
            "4": ["added", "waiting", "active", "completed"],
            "5": ["added", "waiting", "active", "failed", "retries-exhausted"],
        }.items():
            self.tell(*({"event": name, "jobId": job_id} for name in names))

    def _add(self, job_id: str, state: str, kind: str, content: object, **fields: str) -> None:
        self.put(state, kind, content)
        created = {"timestamp": str(ADDED_MS), "delay": "0", "priority": "0"}
        job = {"name": "send", "data": "{}", "opts": '{"attempts":1}', **created, **fields}
        self.put(job_id, "hash", job)

    def put(self, suffix: str, kind: str, content: object, ttl_ms: int | None = None) -> None:
        """Store a key, whatever was there."""
        self.keys[suffix] = Key(kind, content, ttl_ms)  # type: ignore[arg-type]

    def drop(self, suffix: str) -> None:
        """Take a key away."""
        del self.keys[suffix]

    def set_fields(self, job_id: str, **fields: str) -> None:
        """Change fields of a hash."""
        self.put(job_id, "hash", {**self.keys[job_id].fields(), **fields})

    def drop_field(self, job_id: str, name: str) -> None:
        """Take a field out of a hash."""
        fields = self.keys[job_id].fields()
        self.put(job_id, "hash", {key: value for key, value in fields.items() if key != name})

    def expire(self, suffix: str, ttl_ms: int | None) -> None:
        """Change a key's time to live."""
        self.keys[suffix] = replace(self.keys[suffix], ttl_ms=ttl_ms)

    def claim(self, job_id: str) -> None:
        """Make a job of `wait` active, as a worker does."""
        self.drop("wait")
        self.put("active", "list", [job_id])
        self.put(f"{job_id}:lock", "string", "token", 30_000)
        self.set_fields(job_id, processedOn=str(NOW_MS - 10), ats="1")
        self.tell({"event": "active", "jobId": job_id, "prev": "waiting"})

    def tell(self, *events: dict[str, str]) -> None:
        """Append to the event stream."""
        self._events += events
        rows = [(f"{number}-0", tuple(row.items())) for number, row in enumerate(self._events, 1)]
        self.put("events", "stream", rows)

    def layout(self) -> Layout:
        """The picture as the checker sees it."""
        keys = {f"{BASE}{suffix}": key for suffix, key in self.keys.items()}
        return Layout.of(Snapshot(NOW_MS, keys), BASE)
