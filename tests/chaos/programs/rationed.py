"""Eight processes ask limiters for all they can get; the server's moments are held to the laws."""

import json
from collections import defaultdict
from collections.abc import Mapping
from typing import Any, Final

from tests.support.journal import Journal
from tests.support.limit_fleet import LIMITS, fleet
from tests.support.limit_laws import Granted, breaches

_PROCESSES: Final = 8


def main(options: Mapping[str, Any]) -> int:
    """Note how much each limit has granted, and what it granted too much."""
    grants: dict[str, list[Granted]] = defaultdict(list)
    with fleet(options["proxy"], options["seconds"], _PROCESSES) as outputs:
        for printed in outputs():
            for name, pairs in json.loads(printed).items():
                grants[name] += [Granted(*pair) for pair in pairs]
    with Journal(options["journal"]) as journal:
        for limit in LIMITS:
            journal.write("granted", repr(limit), number=len(grants[repr(limit)]))
            for breach in breaches(limit, grants[repr(limit)]):
                journal.write("too much", repr(limit), note=breach)
    return 0
