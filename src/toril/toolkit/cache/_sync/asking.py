"""How a cache asks the server."""  # generated from _async/asking.py by tools/generate_sync.py: edit that file

from collections.abc import Sequence
from typing import Final, Protocol, TypeVar

from msgspec.structs import replace

from toril.core.errors import OutcomeUnknownError, TorilError, UnavailableError
from toril.core.operation import Operation
from toril.telemetry.emitter import Emitter
from toril.toolkit._sync.client import Client
from toril.toolkit.cache.level import Level
from toril.toolkit.cache.operations.begin_store import Basis, BeginStore
from toril.toolkit.cache.operations.fetch import Fetch, Fetched
from toril.toolkit.cache.operations.open_write import OpenWrite
from toril.toolkit.cache.operations.read_generation import ReadGeneration
from toril.toolkit.cache.outlook import Listener, outlook_of

R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


class Change(Operation[R_co], Protocol[R_co]):
    """An operation that changes what the memory of a process may know."""

    @property
    def changes(self) -> Sequence[str]:
        """The keys of values and generations."""
        ...


class Asking:
    """Runs operations; on a cluster, those of one question on several nodes.

    A server that has not answered for long is not asked: that fails at once.
    """

    def __init__(self, client: Client, level: Level, emitter: Emitter) -> None:
        self.emitter: Final = emitter
        self._client: Final = client
        self._level: Final = level
        self._is_cluster: Final = client.target.is_cluster
        self._outlook: Final = outlook_of(client.target)

    def join(self, listener: Listener) -> None:
        """Tell this one when the server is asked no more, and when it is again."""
        self._outlook.join(listener)

    def leave(self, listener: Listener) -> None:
        """Tell it nothing any more."""
        self._outlook.leave(listener)

    def run(self, operation: Operation[R], *, within_ms: int | None = None) -> R:
        """Run one operation."""
        [result] = self.run_all((operation,), within_ms=within_ms)
        return result

    def run_all(
        self,
        operations: Sequence[Operation[R]],
        *,
        within_ms: int | None = None,
        insist: bool = False,
    ) -> list[R]:
        """Run these in one round trip for each server, and raise the first error.

        Whoever insists asks whatever the outlook is.
        """
        if self._outlook.is_paused and not insist:
            raise UnavailableError(self._client.target.label, "it has not answered for a while")
        done: list[R] = []
        for result in self._client.run_all(operations, within_ms=within_ms):
            if isinstance(result, TorilError):
                if isinstance(result, UnavailableError | OutcomeUnknownError):
                    self._outlook.failed()
                raise result
            done.append(result)
        self._outlook.worked()
        return done

    def change(self, changes: Sequence[Change[R]], *, insist: bool = False) -> list[R]:
        """Run these, and forget what the memory of this process knows of what they change.

        It would be told of them like of any others, a moment later.
        """
        try:
            return self.run_all(changes, insist=insist)
        finally:
            self._level.changed([key for change in changes for key in change.changes])

    def fetch(self, fetch: Fetch) -> Fetched:
        """Read an entry and generations, in one script where they lie together."""
        if not self._is_cluster:
            return self.run(fetch)
        reads = [
            ReadGeneration(generation_key=key, keep_ms=fetch.keep_ms)
            for key in fetch.generation_keys
        ]
        alone = replace(fetch, generation_keys=())
        results: list[Fetched | bytes] = self.run_all([alone, *reads])
        return _together(results)

    def fetch_all(self, fetches: Sequence[Fetch]) -> list[Fetched]:
        """Read entries that all ask for the same generations."""
        if not self._is_cluster:
            return self.run_all(fetches)
        first = fetches[0]
        read = b" ".join(self.generations(first.generation_keys, first.keep_ms))
        found = self.run_all([replace(fetch, generation_keys=()) for fetch in fetches])
        return [replace(fetched, generations=read) for fetched in found]

    def begin(self, begin: BeginStore) -> Basis:
        """Read what a value to be stored depends on, in one script where that lies together."""
        if not self._is_cluster:
            return self.run(begin)
        reads = [
            ReadGeneration(generation_key=key, keep_ms=begin.keep_ms)
            for key in begin.generation_keys
        ]
        results: list[Basis | bytes] = self.run_all(
            [replace(begin, generation_keys=()), *reads]
        )
        [basis] = [result for result in results if isinstance(result, Basis)]
        return basis._replace(generations=_joined(results))

    def open(self, write: OpenWrite) -> bytes:
        """Begin a change of one entry; the generations as they were before."""
        if not self._is_cluster:
            [before] = self.change([write])
            return before
        generations = self.generations(write.generation_keys, write.keep_ms)
        self.change([replace(write, generation_keys=())])
        return b" ".join(generations)

    def generations(
        self, keys: Sequence[str], keep_ms: int, begins_us: int = 0
    ) -> list[bytes]:
        """Read generations; missing ones begin, then or now."""
        return self.run_all(
            [
                ReadGeneration(generation_key=key, keep_ms=keep_ms, begins_us=begins_us)
                for key in keys
            ]
        )


def _together(results: Sequence[Fetched | bytes]) -> Fetched:
    [fetched] = [result for result in results if isinstance(result, Fetched)]
    return replace(fetched, generations=_joined(results))


def _joined(results: Sequence[object]) -> bytes:
    return b" ".join([result for result in results if isinstance(result, bytes)])
