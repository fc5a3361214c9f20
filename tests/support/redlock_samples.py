"""What one server of a lock on several is asked, beside what every lock is."""

from typing import Final

from tests.support.samples import Samples

from toril.toolkit.redlock.operations.identify import Identify

SERVERS: Final = Samples(
    "redlock",
    ("toril:lk:{samples}",),
    (("the server says who it is", Identify("toril:lk:{samples}")),),
)
