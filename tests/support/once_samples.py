"""One call of every operation on the run of a key."""

from typing import Final

from tests.support.samples import Samples

from toril.toolkit.keys import Keys
from toril.toolkit.once.operations.abandon import Abandon
from toril.toolkit.once.operations.begin import Begin
from toril.toolkit.once.operations.finish import Finish
from toril.toolkit.once.operations.forget import Forget
from toril.toolkit.once.operations.renew import Renew
from toril.toolkit.once.wire import ONCE, RunKeys

_LONG_MS: Final = 60_000
_A, _B = "ab"
_RUN: Final = RunKeys(Keys("toril", ONCE), "samples", "key")
_SHARDED_RUN: Final = RunKeys(Keys("toril", ONCE), "samples", "key", is_sharded=True)

RUNS: Final = Samples(
    "once",
    (_RUN.run,),
    (
        ("a run begins", Begin(keys=_RUN, owner=_A, lease_ms=_LONG_MS)),
        ("the run goes on", Renew(keys=_RUN, owner=_A, lease_ms=_LONG_MS)),
        ("the run is given up", Abandon(keys=_SHARDED_RUN, owner=_A, bar_ms=_LONG_MS)),
        ("another run begins", Begin(keys=_RUN, owner=_B, lease_ms=_LONG_MS)),
        (
            "the run ends",
            Finish(keys=_SHARDED_RUN, owner=_B, state="done", value=b"1", keep_ms=_LONG_MS),
        ),
        ("the end is forgotten", Forget(keys=_RUN)),
    ),
)
