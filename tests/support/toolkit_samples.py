"""Samples of the toolkit's operations, pattern by pattern, each with the keys it may touch.

The operations of a pattern come in an order in which each finds what the ones before it made.
"""

from typing import Final

from tests.support.cache_samples import CACHE
from tests.support.limit_samples import LIMITS
from tests.support.lock_samples import LOCKS
from tests.support.once_samples import RUNS
from tests.support.permit_samples import PERMITS
from tests.support.redlock_samples import SERVERS
from tests.support.samples import Samples

TOOLKIT: Final[tuple[Samples, ...]] = (CACHE, LIMITS, LOCKS, PERMITS, RUNS, SERVERS)
