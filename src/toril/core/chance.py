"""Chance of our own: the program's seed neither decides it nor is disturbed by it.

Processes that all begin with one seed, as forks and tests do, would otherwise rest in step, and
our threads would change what a seeded program draws.
"""

from random import Random
from typing import Final

from toril.core.process import in_every_fork

CHANCE: Final = Random()  # noqa: S311 - to spread calls, and no secret

in_every_fork(CHANCE.seed)
