"""A process that knows what it has read, and hears of what another one changes.

Two cache objects stand for two processes: the shop reads, the office changes.
"""

from toril.telemetry.emitter import Emitter
from toril.telemetry.events import Event
from toril.telemetry.toolkit_cache import CacheHit
from toril.toolkit import Cache, LocalLevel


class Hits:
    """Counts where values came from."""

    def __init__(self) -> None:
        self.local = 0
        self.emitter = Emitter(self.count)

    def count(self, event: Event) -> None:
        """Those that memory had."""
        if isinstance(event, CacheHit):
            self.local += event.is_local


def main() -> None:
    """Read, change elsewhere, read again."""
    database = {"tea": 3}
    hits = Hits()
    shop = Cache[int]("prices", "embedded://", ttl=60, local=LocalLevel(), emitter=hits.emitter)
    office = Cache[int]("prices", "embedded://", ttl=60)

    def price() -> int:
        return shop.get_or_load("tea", lambda: database["tea"])

    with shop, office:
        while hits.local < 1_000:
            price()
        print(f"1,000 reads without the server: tea costs {price()}")

        database["tea"] = 4
        office.invalidate("tea")
        while price() == 3:
            pass  # until the shop has heard, in a moment
        print(f"the shop has heard: tea costs {price()}")


if __name__ == "__main__":
    main()

# Prints:
# 1,000 reads without the server: tea costs 3
# the shop has heard: tea costs 4
