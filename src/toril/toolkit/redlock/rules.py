"""The arithmetic of majorities: whose vote counts, and what the votes come to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from toril.core.errors import BadInputError, OutcomeUnknownError, TorilError, UnavailableError
from toril.toolkit.leases.claim import Busy, Granted
from toril.toolkit.redlock.operations.identify import Identity

SIZES: Final = (3, 5, 7)
"""An even number of servers is no safer than the odd one below it."""

_LONGEST_ANSWER_MS: Final = 50
_PART_OF_LEASE: Final = 20

Vote: TypeAlias = Granted | Busy | TorilError
"""What a server says, or what keeps it from a vote."""


def answer_within_ms(ttl_ms: int) -> int:
    """How long each server is waited for, so that silent ones do not use the lease up."""
    return max(1, min(_LONGEST_ANSWER_MS, ttl_ms // _PART_OF_LEASE))


def majority_of(servers: int) -> int:
    """How many have to agree."""
    return servers // 2 + 1


@dataclass(slots=True)
class Probation:
    """Keeps a server from voting after a restart, until all leases it may have forgotten are over.

    A server that runs for longer than any lease lasts has forgotten none. Of the run that is seen
    first its own word is taken for how long that is; a run that begins later has the whole time
    before it, whatever its clock says.
    """

    longest_s: float
    _run_id: str = field(default="", init=False)
    _votes_from: float = field(default=0.0, init=False)

    def left_s(self, identity: Identity, now: float) -> float:
        """How long this run of the server has no vote yet; `now` is monotonic."""
        if identity.run_id != self._run_id:
            up_s = 0 if self._run_id else identity.uptime_s
            self._run_id = identity.run_id
            self._votes_from = now + max(self.longest_s - up_s, 0.0)
        return max(self._votes_from - now, 0.0)


def unfitness(server: str, identity: Identity) -> TorilError | None:
    """Why a server can have no vote in any lock, if that is so."""
    if identity.is_cluster:
        return BadInputError("targets", f"{server} is a node of a cluster")
    if not identity.is_master:
        return BadInputError("targets", f"{server} is a replica")
    return None


def on_probation(server: str, left_s: float) -> TorilError:
    """Why a server that was restarted has no vote now."""
    return UnavailableError(server, f"it was started lately, and has no vote for {left_s:.1f} s")


def refuse_twins(identities: Mapping[str, object], votes: dict[str, Vote]) -> None:
    """Of several names for one server only the first has a vote."""
    seen: dict[str, str] = {}
    for server, identity in identities.items():
        if not isinstance(identity, Identity):
            continue
        first = seen.setdefault(identity.run_id, server)
        if first is not server:
            votes[server] = BadInputError("targets", f"{server} is the same server as {first}")


@dataclass(frozen=True, slots=True)
class Ballot:
    """What the servers of a lock came to."""

    votes: Mapping[str, Vote]

    @property
    def needed(self) -> int:
        """How many must grant it."""
        return majority_of(len(self.votes))

    @property
    def granting(self) -> Sequence[str]:
        """The servers that granted it."""
        return [server for server, vote in self.votes.items() if isinstance(vote, Granted)]

    @property
    def fences(self) -> Sequence[int]:
        """The fences that were granted, largest first."""
        granted = (vote.fence for vote in self.votes.values() if isinstance(vote, Granted))
        return sorted(granted, reverse=True)

    @property
    def is_won(self) -> bool:
        """Whether a majority granted it."""
        return len(self.fences) >= self.needed

    @property
    def largest_fence(self) -> int:
        """Greater than all that a majority had granted before, if this one is won."""
        return max(self.fences, default=0)

    @property
    def common_fence(self) -> int:
        """A majority grants none below it any more, if this one is won."""
        return self.fences[self.needed - 1] if self.is_won else 0

    @property
    def problems(self) -> Mapping[str, TorilError]:
        """What kept servers from a vote."""
        return {server: vote for server, vote in self.votes.items() if isinstance(vote, TorilError)}

    @property
    def is_hopeless(self) -> bool:
        """Whether no majority can ever be had: more must be wrong than silent."""
        lasting = [problem for problem in self.problems.values() if not _passes(problem)]
        return len(self.votes) - len(lasting) < majority_of(len(self.votes))


def verdict(answers: Sequence[object]) -> bool | TorilError | None:
    """Whether a majority says yes; an error when it can be either.

    Where there is nothing to say yes to, None means that everybody has heard it.
    """
    if all(answer is None for answer in answers):
        return None
    needed = majority_of(len(answers))
    if sum(answer is True for answer in answers) >= needed:
        return True
    if sum(answer is False for answer in answers) > len(answers) - needed:
        return False
    heard = sum(not isinstance(answer, TorilError) for answer in answers)
    return UnavailableError(f"{len(answers)} servers", f"{heard} of them answered")


def _passes(problem: TorilError) -> bool:
    return isinstance(problem, UnavailableError | OutcomeUnknownError)
