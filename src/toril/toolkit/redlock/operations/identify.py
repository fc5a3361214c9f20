"""Learn which server answers, in the same breath as the question that follows."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

IDENTIFY: Final = Script("toril.toolkit.redlock.operations", "identify")


@dataclass(frozen=True, slots=True)
class Identity:
    """One run of one server."""

    run_id: str
    uptime_s: int
    is_master: bool
    is_cluster: bool


@dataclass(frozen=True, slots=True)
class Identify:
    """Ask the server that has `key`."""

    repeat: ClassVar[Repeat] = Repeat.READS

    key: str

    def call(self) -> ScriptCall:
        return ScriptCall(IDENTIFY, keys={}, args={}, touches=(self.key,))

    def decode(self, reply: Reply) -> Identity:
        match reply:
            case [bytes(run_id), bytes(uptime_s), bytes(role), bytes(cluster)] if run_id:
                return Identity(
                    run_id.decode("ascii", "replace"),
                    int(uptime_s) if uptime_s.isdigit() else 0,
                    is_master=role == b"master",
                    is_cluster=cluster == b"1",
                )
            case _:
                raise UnexpectedReplyError(IDENTIFY.name, reply)
