"""What a handler may say about its job, returned or raised, besides a plain result.

They are exceptions so that they can be raised from any depth; none of them is an error.
Only the class decides: a message that looks like a control word is just a message.
"""

from datetime import datetime, timedelta


class Say(Exception):  # noqa: N818 - not an error
    """Base of what a handler may say."""


class Retry(Say):
    """This attempt failed: try again after `delay`, or after the job's backoff when not given."""

    def __init__(
        self, reason: str = "retry requested", *, delay: float | timedelta | None = None
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.delay = delay


class Delay(Say):
    """Not now: run this job at `until`, and do not count this attempt."""

    def __init__(self, *, until: datetime | timedelta | float) -> None:
        super().__init__(f"delay until {until}")
        self.until = until


class GiveBack(Say):
    """Let another worker have the job at once, and do not count this attempt."""

    def __init__(self) -> None:
        super().__init__("given back")


class RateLimited(Say):
    """Start no job of this queue for a while, and do not count this attempt; the job goes back."""

    def __init__(self, *, for_: float | timedelta) -> None:
        super().__init__(f"rate limited for {for_}")
        self.for_ = for_


class WaitForChildren(Say):
    """Run this job again when its children have ended, and do not count this attempt.

    When none is pending it runs again at once, so a handler that says this has to remember, in the
    data of the job, which step it has reached. A job whose child has failed it fails instead.
    """

    def __init__(self) -> None:
        super().__init__("waits for its children")


class Discard(Say):
    """The job fails now, whatever attempts it has left."""

    def __init__(self, reason: str = "discarded") -> None:
        super().__init__(reason)
        self.reason = reason
