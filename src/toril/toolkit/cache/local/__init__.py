"""The level in front of Redis: what the memory of this process knows of a cache."""

from toril.connection import Target
from toril.telemetry.emitter import Emitter
from toril.toolkit.cache.level import Level, NoLevel
from toril.toolkit.cache.local.tracked_level import TrackedLevel
from toril.toolkit.cache.options import CacheRules


def level_of(rules: CacheRules, target: Target, emitter: Emitter) -> Level:
    """The level of a cache, where its rules say that it has one."""
    if rules.local is None:
        return NoLevel()
    return TrackedLevel(rules.local, target, rules.keys, emitter)
