"""How runs are set up: what people may say, checked."""

from dataclasses import dataclass
from typing import Final, Literal, TypedDict

from toril.core.checks import check_one_of, check_whole
from toril.core.codec import MAX_DATA_BYTES
from toril.core.durations import Duration, to_ms
from toril.core.option_names import check_names
from toril.telemetry.emitter import Emitter
from toril.toolkit.leases.options import LeaseSettings, check_timeout
from toril.toolkit.leases.terms import Terms, check_ttl, check_wait

_LONGEST_KEEP_MS: Final = 400 * 24 * 3600 * 1000
_DEFAULT_RESULT_BYTES: Final = 2**20


class OnceOptions(TypedDict, total=False):
    """What can be said about runs, beside how long their ends are kept."""

    lease: Duration
    """How long a run counts as going on without word of its process; 30 s."""

    on_failure: Literal["forget", "store"]
    """Whether a run that raises may be repeated at once; `forget`, so it may."""

    on_running: Literal["wait", "raise"]
    """What to do while somebody else runs the key; `wait`."""

    wait: Duration | None
    """How long to wait then; as long as it takes."""

    max_result_bytes: int
    """How long a result may be as JSON; 1 MiB."""

    prefix: str | None
    """What its keys start with; `toril`."""

    timeout: Duration
    """How long to wait for an answer of the server; 5 s."""

    emitter: Emitter
    """Who hears of events, instead of the standard library's logging."""


@dataclass(frozen=True, slots=True)
class OnceSettings:
    """The same, checked."""

    leases: LeaseSettings
    keep_ms: int
    stores_failures: bool
    max_result_bytes: int

    @staticmethod
    def of(ttl: Duration, options: OnceOptions) -> "OnceSettings":
        """Read them.

        Raises:
            BadInputError: it names the option, and what it may be.
        """
        check_names(options, OnceOptions, "once")
        on_failure = check_one_of(
            options.get("on_failure", "forget"), ("forget", "store"), "on_failure"
        )
        on_running = check_one_of(
            options.get("on_running", "wait"), ("wait", "raise"), "on_running"
        )
        leases = LeaseSettings(
            terms=Terms(ttl_ms=check_ttl(options.get("lease", 30), "lease")),
            wait_ms=check_wait(options.get("wait")) if on_running == "wait" else 0,
            timeout_ms=check_timeout(options.get("timeout", 5)),
            on_lost=None,
            cancels=True,
        )
        size = options.get("max_result_bytes", _DEFAULT_RESULT_BYTES)
        return OnceSettings(
            leases=leases,
            keep_ms=to_ms(ttl, "ttl", minimum=1, maximum=_LONGEST_KEEP_MS),
            stores_failures=on_failure == "store",
            max_result_bytes=check_whole(size, "max_result_bytes", 1, MAX_DATA_BYTES),
        )
