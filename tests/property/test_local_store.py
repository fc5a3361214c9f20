"""A store stays within its bounds and never gives out what a change has overtaken."""

from dataclasses import dataclass, field
from typing import Final

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    invariant,
    precondition,
    rule,
)

from toril.toolkit.cache.local.store import OVERHEAD_BYTES, Store

MAX_ITEMS: Final = 3
MAX_BYTES: Final = 2 * (OVERHEAD_BYTES + 40)
MAX_TTL_MS: Final = 100

keys = st.sampled_from("abcd")
TAG: Final = "t"
"""A key that some values depend on; its version counts with theirs."""

DEPENDS: Final = "cd"


@dataclass
class Reading:
    """One that was begun: what the server said, and when that was asked for."""

    key: str
    since_ns: int
    version: tuple[int, int] | None = None


@dataclass
class Kept:
    version: tuple[int, int]
    until_ns: int


@dataclass
class Model:
    """The server, what it has told of, and what a store may hold at most."""

    now_ns: int = 1
    versions: dict[str, int] = field(default_factory=dict)
    told: dict[str, int] = field(default_factory=dict)
    """The lowest version that may still be given out: whoever heard of a change knows better."""

    untold: list[tuple[str, int]] = field(default_factory=list)
    kept: dict[str, Kept] = field(default_factory=dict)


class LocalStore(RuleBasedStateMachine):
    """Readers, writers and a server that tells of every write, late and in order."""

    begun = Bundle("begun")
    answered = Bundle("answered")

    def __init__(self) -> None:
        super().__init__()
        self.model = Model()
        self.store: Store[tuple[int, int]] = Store(
            max_items=MAX_ITEMS,
            max_bytes=MAX_BYTES,
            max_ttl_ms=MAX_TTL_MS,
            clock=lambda: self.model.now_ns,
        )

    @rule(passed_ns=st.sampled_from([1, 1_000_000, 40_000_000]))
    def time_passes(self, passed_ns: int) -> None:
        self.model.now_ns += passed_ns

    def version_of(self, key: str) -> tuple[int, int]:
        """That of the key and, for what depends on it, of the tag."""
        versions = self.model.versions
        return versions.get(key, 0), versions.get(TAG, 0) if key in DEPENDS else 0

    @rule(key=keys | st.just(TAG))
    def somebody_writes(self, key: str) -> None:
        self.model.versions[key] = self.model.versions.get(key, 0) + 1
        self.model.untold.append((key, self.model.versions[key]))

    @precondition(lambda self: self.model.untold)
    @rule(count=st.integers(1, 4))
    def the_server_tells(self, count: int) -> None:
        told, self.model.untold = self.model.untold[:count], self.model.untold[count:]
        for key, version in told:
            self.model.told[key] = version
            for each in DEPENDS if key == TAG else (key,):
                self.model.kept.pop(each, None)
        self.store.change([key for key, _ in told])

    @rule(target=begun, key=keys)
    def a_reader_begins(self, key: str) -> Reading:
        return Reading(key, self.store.now_ns())

    @rule(target=answered, reading=consumes(begun))
    def the_server_answers(self, reading: Reading) -> Reading:
        reading.version = self.version_of(reading.key)
        return reading

    @rule(
        reading=consumes(answered),
        ttl_ms=st.sampled_from([0, 1, 50, 1_000]),
        size=st.sampled_from([1, 30, 300, MAX_BYTES]),
    )
    def the_reader_keeps(self, reading: Reading, ttl_ms: int, size: int) -> None:
        assert reading.version is not None
        is_kept = self.store.keep(
            reading.key,
            reading.version,
            size=size,
            since_ns=reading.since_ns,
            ttl_ms=ttl_ms,
            depends=(TAG,) if reading.key in DEPENDS else (),
        )
        if is_kept:
            until_ns = reading.since_ns + min(ttl_ms, MAX_TTL_MS) * 1_000_000
            self.model.kept[reading.key] = Kept(reading.version, until_ns)

    @rule()
    def contact_is_lost(self) -> None:
        self.store.flush()
        # All that was untold will never be told.
        self.model.untold.clear()
        self.model.kept.clear()
        self.model.told = dict(self.model.versions)

    @rule(key=keys)
    def somebody_asks(self, key: str) -> None:
        found = self.store.get(key)
        if found is not None:
            kept = self.model.kept[key]
            assert found == kept.version
            assert found[0] >= self.model.told.get(key, 0)
            assert key not in DEPENDS or found[1] >= self.model.told.get(TAG, 0)
            assert self.model.now_ns < kept.until_ns

    @rule(key=keys)
    def what_was_just_kept_is_there(self, key: str) -> None:
        version = self.version_of(key)
        self.model.now_ns += 1
        now_ns = self.model.now_ns
        depends = (TAG,) if key in DEPENDS else ()
        if self.store.keep(key, version, size=1, since_ns=now_ns, ttl_ms=1, depends=depends):
            self.model.kept[key] = Kept(version, now_ns + 1_000_000)
            assert self.store.get(key) == version
        else:
            raise AssertionError("nothing stood in its way")

    @invariant()
    def it_stays_within_its_bounds(self) -> None:
        assert len(self.store) <= MAX_ITEMS
        assert 0 <= self.store.size_bytes <= MAX_BYTES
        assert (self.store.size_bytes == 0) == (len(self.store) == 0)


TestLocalStore = LocalStore.TestCase
TestLocalStore.settings = settings(max_examples=300, stateful_step_count=50, deadline=None)
