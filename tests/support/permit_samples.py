"""One call of every operation of semaphores and read-write locks."""

from typing import Final

from tests.support.samples import Samples

from toril.toolkit.keys import Keys
from toril.toolkit.permits.operations.give_back import GiveBack
from toril.toolkit.permits.operations.look import Look
from toril.toolkit.permits.operations.renew import Renew
from toril.toolkit.permits.operations.take import Take
from toril.toolkit.permits.wire import READ_WRITE, UNLIMITED, Order, Room

_LONG_MS: Final = 60_000
_A, _B, _C = "rpa", "rsb", "wpc"
_ROOM: Final = Room(Keys("toril", READ_WRITE), "samples", UNLIMITED, Order.ARRIVAL)

PERMITS: Final = Samples(
    "permits",
    (_ROOM.holders,),
    (
        ("a reader comes in", Take(room=_ROOM, token=_A, ttl_ms=_LONG_MS)),
        ("a writer waits", Take(room=_ROOM, token=_C, ttl_ms=_LONG_MS, patience_ms=_LONG_MS)),
        ("another reader waits", Take(room=_ROOM, token=_B, ttl_ms=_LONG_MS, patience_ms=_LONG_MS)),
        ("the lease is prolonged", Renew(room=_ROOM, token=_A, ttl_ms=_LONG_MS)),
        ("the room is looked into", Look(_ROOM)),
        ("the reader goes", GiveBack(room=_ROOM, token=_A)),
        ("the writer gives up", GiveBack(room=_ROOM, token=_C, bar_ms=_LONG_MS)),
    ),
)
