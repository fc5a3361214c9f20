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
class Delivery:
    """How operations reached the server: all there is to know of it beside their outcomes."""

    copies: int = 0
    """So many replicas are to have what was written, where the outcome `counts`."""

    within_ms: int = 0
    counts: Callable[[object], bool] = lambda _: True
    reached: int = 0
    """So many had it in time."""

    was_lost: bool = False
    """Whether a reply was lost: a request without one may still be on its way to the server."""


class Errand(Generic[R]):
    """Several requests, each with its latest result and the question whether to try again."""

    def __init__(
        self, operations: Sequence[Operation[R]], delivery: Delivery | None = None
    ) -> None:
        self.requests: Final = [Request(operation) for operation in operations]
        self.results: Final[list[R | TorilError]] = [_NOT_TRIED] * len(self.requests)
        self.pending = list(range(len(self.requests)))
        self.trouble: Trouble | None = None
        self.delivery: Final = delivery or Delivery()

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
                self.delivery.was_lost = True
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
