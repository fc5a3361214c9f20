"""Keep the books of one call while a runner tries, and tries again, to carry it out."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from toril.connection.refusal import Kind, LostError, Refusal
from toril.connection.request import Request
from toril.core.errors import OutcomeUnknownError, TorilError, UnavailableError
from toril.core.operation import Operation, Reply

R = TypeVar("R")

_NOT_TRIED: Final = UnavailableError("no server", "nothing was sent")
"""In the place of a result until the first attempt."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """What went wrong with a server, and whether the keys may have moved away from it."""

    server: str
    problem: str
    is_elsewhere: bool


@dataclass(slots=True)
class Copies(Generic[R]):
    """How many replicas are to have what an operation wrote, where its outcome asks for that."""

    wanted: int
    within_ms: int
    matter: Callable[[R | TorilError], bool]
    reached: int = 0


class Errand(Generic[R]):
    """Several requests, each with its latest result and the question whether to try again."""

    def __init__(self, operations: Sequence[Operation[R]], copies: Copies[R] | None = None) -> None:
        self.requests: Final = [Request(operation) for operation in operations]
        self.results: Final[list[R | TorilError]] = [_NOT_TRIED] * len(self.requests)
        self.pending = list(range(len(self.requests)))
        self.trouble: Trouble | None = None
        self.copies: Final = copies

    def begin_attempt(self) -> Sequence[int]:
        """The places to try now; what fails in this attempt is noted anew."""
        self.trouble = None
        indexes, self.pending = self.pending, []
        return indexes

    def not_sent(self, indexes: Iterable[int], error: TorilError) -> None:
        """The server was not reached, or did not let us in."""
        for index in indexes:
            self._refused(index, error)
            if isinstance(error, UnavailableError):
                self._try_again(index, Trouble(error.server, error.problem, is_elsewhere=True))

    def answered(self, index: int, reply: Reply, server: str) -> None:
        """A reply, a refusal or the news of its loss."""
        request = self.requests[index]
        match reply:
            case LostError(problem=problem):
                self.results[index] = OutcomeUnknownError(request.name, server)
                trouble = Trouble(server, problem, is_elsewhere=True)
                if request.may_repeat:
                    self._try_again(index, trouble)
                self.trouble = self.trouble or trouble
            case Refusal(kind=Kind.ELSEWHERE | Kind.PASSING | Kind.UNLOADED as kind, text=text):
                self._refused(index, request.read(reply, server))
                self._try_again(index, Trouble(server, text, kind is Kind.ELSEWHERE))
            case _:
                self.results[index] = request.read(reply, server)

    def _refused(self, index: int, result: R | TorilError) -> None:
        """It did not happen this time; where an earlier reply was lost, that says nothing."""
        if not isinstance(self.results[index], OutcomeUnknownError):
            self.results[index] = result

    def _try_again(self, index: int, trouble: Trouble) -> None:
        self.pending.append(index)
        self.trouble = self.trouble or trouble
