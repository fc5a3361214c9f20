"""The time in which a limiter's server is away: when to ask it again, and whether to ask it now."""

from time import monotonic
from typing import Final

_FIRST_REST_S: Final = 0.05
_LONGEST_REST_S: Final = 1.0


class Blackout:
    """Between a failure and the next success one caller in a while is sent to look.

    All others are told to rest, so that they need not wait for a server that is not there. Rests
    double from 50 ms to a second: one lost reply is no blackout worth the name.
    """

    def __init__(self) -> None:
        # Threads that share it may send two to look instead of one, which harms nobody.
        self._rest_s = 0.0
        self._until = 0.0

    @property
    def is_on(self) -> bool:
        """Whether the latest word of the server was none."""
        return self._rest_s > 0

    def rests(self) -> bool:
        """Whether the caller is not to ask; the one that may ask keeps the others from it."""
        if not self._rest_s:
            return False
        now = monotonic()
        if now < self._until:
            return True
        self._until = now + self._rest_s
        return False

    def failed(self) -> bool:
        """No answer came; whether that is news."""
        is_news = not self._rest_s
        self._rest_s = min(self._rest_s * 2 or _FIRST_REST_S, _LONGEST_REST_S)
        self._until = monotonic() + self._rest_s
        return is_news

    def ended(self) -> bool:
        """An answer came; whether that is news."""
        is_news = self.is_on
        self._rest_s = 0.0
        return is_news
