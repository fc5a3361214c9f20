"""Where the run of a key is stored, and who is told of its end."""

from dataclasses import dataclass
from typing import Final

from toril.toolkit.keys import Keys

ONCE: Final = "on"


@dataclass(frozen=True, slots=True)
class RunKeys:
    """One hash; it lives as long as the lease of the run, and then as long as its end is kept."""

    keys: Keys
    name: str
    key: str
    is_sharded: bool = False
    """Whether those who wait listen at the shard, as on clusters."""

    @property
    def run(self) -> str:
        """Who runs it, and how it ended."""
        return self.keys.key(self.name, self.key)

    @property
    def barred(self) -> str:
        """Who may begin it no more."""
        return self.keys.key(self.name, self.key, part="b")

    @property
    def channel(self) -> str:
        """Where those who wait listen."""
        return self.keys.key(self.name, self.key, part="c")
