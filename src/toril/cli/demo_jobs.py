"""The work of the demo: jobs that take a moment, some of which fail, as real ones do."""

import asyncio
import random
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from toril.core.backoff import Backoff
from toril.core.errors import BadInputError, PermanentError, TransientError

if TYPE_CHECKING:
    from toril import AsyncJob

ATTEMPTS: Final = 3
BACKOFF: Final = Backoff.exponential(0.4, jitter=0.5)

_FLAKY_EVERY: Final = 8
_HOPELESS_EVERY: Final = 40


class _Kind(NamedTuple):
    name: str
    takes_s: float
    trouble: str


_KINDS: Final = (
    _Kind("send-email", 0.06, "the mail server is busy"),
    _Kind("resize-image", 0.15, "no space left on device"),
    _Kind("charge-card", 0.10, "the card network timed out"),
    _Kind("sync-contact", 0.08, "too many requests"),
    _Kind("call-webhook", 0.12, "502 bad gateway"),
)
_KIND_OF: Final = {kind.name: kind for kind in _KINDS}


class Errand(NamedTuple):
    """One job to add. `fails` attempts of it will fail; it is refused for good if `is_refused`."""

    name: str
    fails: int
    is_refused: bool

    @property
    def data(self) -> dict[str, object]:
        """What the job carries."""
        return {"fails": self.fails, "refused": self.is_refused}


def errands(count: int) -> Iterator[Errand]:
    """The same mix each time: one in eight fails once or twice, one in forty for good."""
    chance = random.Random(7)  # noqa: S311 - a play, not a secret
    for number in range(1, count + 1):
        name = chance.choice(_KINDS).name
        is_hopeless = number % _HOPELESS_EVERY == _HOPELESS_EVERY // 2
        is_flaky = number % _FLAKY_EVERY == 1
        fails = ATTEMPTS if is_hopeless else chance.randint(1, ATTEMPTS - 1) if is_flaky else 0
        yield Errand(
            name, fails, is_refused=is_hopeless and number % (2 * _HOPELESS_EVERY) < _HOPELESS_EVERY
        )


async def handle(job: "AsyncJob") -> dict[str, object]:
    """Take as long as such a job takes, and fail as often as the job says."""
    kind = _KIND_OF[job.name]
    await asyncio.sleep(kind.takes_s * random.uniform(0.5, 1.5))  # noqa: S311 - a play
    match job.data:
        case {"refused": True}:
            raise PermanentError("no such customer")
        case {"fails": int(fails)} if job.attempts_made < fails:
            raise TransientError(kind.trouble)
        case {"fails": int()}:
            return {"done": job.name}
        case _:
            raise BadInputError("data", "this is no job of the demo")
