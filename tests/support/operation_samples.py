"""One call of every operation, in an order in which each finds what the ones before it made."""

from typing import Final

from tests.support.samples import Samples
from tests.support.toolkit_samples import TOOLKIT

from toril.bullmq.operations.add.add_jobs import AddJobs, NewJob, Once
from toril.bullmq.operations.claim.claim import Claim, ClaimTerms
from toril.bullmq.operations.claim.recover import Recover
from toril.bullmq.operations.clear.clean_jobs import CleanJobs
from toril.bullmq.operations.clear.drain_jobs import DrainJobs
from toril.bullmq.operations.clear.obliterate import Obliterate
from toril.bullmq.operations.clear.sweep import Sweep
from toril.bullmq.operations.examine.free_owner import FreeOwner
from toril.bullmq.operations.examine.heal_job import HealJob
from toril.bullmq.operations.examine.heal_queue import HealQueue
from toril.bullmq.operations.examine.look_again import LookAgain
from toril.bullmq.operations.examine.read_keys import ReadKeys
from toril.bullmq.operations.examine.read_members import ReadMembers
from toril.bullmq.operations.examine.scan_keys import ScanKeys
from toril.bullmq.operations.finish.await_children import AwaitChildren
from toril.bullmq.operations.finish.finish_jobs import FinishJobs
from toril.bullmq.operations.finish.finish_linked import FinishLinked
from toril.bullmq.operations.finish.return_jobs import ReturnJobs
from toril.bullmq.operations.finish.settlement import Finish, Return, Wait
from toril.bullmq.operations.inspect.count_ended import CountEnded
from toril.bullmq.operations.inspect.count_priorities import CountPriorities
from toril.bullmq.operations.inspect.counts import CountJobs
from toril.bullmq.operations.inspect.deduplication_owner import GetDeduplicationOwner
from toril.bullmq.operations.inspect.finish_state import GetFinishState
from toril.bullmq.operations.inspect.get_job import GetJob
from toril.bullmq.operations.inspect.is_paused import IsPaused
from toril.bullmq.operations.inspect.job_state import GetJobState
from toril.bullmq.operations.inspect.limits import ReadLimits
from toril.bullmq.operations.inspect.list_jobs import ListJobs, Place
from toril.bullmq.operations.inspect.metrics import ReadMetrics
from toril.bullmq.operations.inspect.queue_exists import QueueExists
from toril.bullmq.operations.inspect.read_logs import ReadLogs
from toril.bullmq.operations.inspect.stream_edges import GetStreamEdges
from toril.bullmq.operations.maintain.add_log import AddLog
from toril.bullmq.operations.maintain.clear_logs import ClearLogs
from toril.bullmq.operations.maintain.limit_rate import LimitRate
from toril.bullmq.operations.maintain.open_queue import OpenQueue
from toril.bullmq.operations.maintain.pause import Pause
from toril.bullmq.operations.maintain.read_cancellations import ReadCancellations
from toril.bullmq.operations.maintain.reap_stalled import ReapStalled
from toril.bullmq.operations.maintain.remove_deduplication import RemoveDeduplication
from toril.bullmq.operations.maintain.renew import Renew
from toril.bullmq.operations.maintain.renew_unread import RenewUnread
from toril.bullmq.operations.maintain.resume import Resume
from toril.bullmq.operations.maintain.set_limits import SetLimits
from toril.bullmq.operations.maintain.set_progress import SetProgress
from toril.bullmq.operations.maintain.trim_events import TrimEvents
from toril.bullmq.operations.maintain.update_data import UpdateData
from toril.bullmq.operations.move.cancel_job import CancelJob
from toril.bullmq.operations.move.change_delay import ChangeDelay
from toril.bullmq.operations.move.change_priority import ChangePriority
from toril.bullmq.operations.move.leave_parent import LeaveParent
from toril.bullmq.operations.move.promote_job import PromoteJob
from toril.bullmq.operations.move.promote_jobs import PromoteJobs
from toril.bullmq.operations.move.remove_job import RemoveJob
from toril.bullmq.operations.move.remove_pending_children import RemovePendingChildren
from toril.bullmq.operations.move.retry_job import RetryJob
from toril.bullmq.operations.move.retry_jobs import RetryJobs
from toril.bullmq.operations.sender import Sender
from toril.bullmq.wire.keys import QueueKeys
from toril.bullmq.wire.options import DeduplicationRule, KeepRule
from toril.bullmq.wire.state import STATES
from toril.core.operation import Operation

KEYS: Final = QueueKeys("bull", "{samples}")
SENDER: Final = Sender(KEYS, "sampler:x0")
TERMS: Final = ClaimTerms(max_bytes=10**6, lock_ms=10**5, metrics_size=2)

LAST: Final = DeduplicationRule(id="last", keep_last=True)
SWAP: Final = DeduplicationRule(id="swap", ttl_ms=60_000, replace=True)

_JOBS: Final = (
    NewJob(id="", name="plain", data="{}", opts="{}"),
    NewJob(id="", name="next", data="{}", opts="{}", lifo=True),
    NewJob(id="own", name="urgent", data="{}", opts="{}", priority=3),
    NewJob(id="", name="due at once", data="{}", opts="{}", delay_ms=1, timestamp=1),
    NewJob(id="", name="later", data="{}", opts="{}", delay_ms=3_600_000),
    NewJob(id="own", name="duplicate", data="{}", opts="{}"),
    NewJob(id="", name="once", data="{}", opts="{}", once=Once("order:7", 1_000)),
    NewJob(id="", name="repeated", data="{}", opts="{}", once=Once("order:7", 1_000)),
    NewJob(id="", name="first", data="{}", opts="{}", deduplication=LAST),
    NewJob(id="", name="kept out", data="{}", opts="{}", deduplication=LAST),
    NewJob(id="", name="swapped", data="{}", opts="{}", delay_ms=9_999, deduplication=SWAP),
    NewJob(id="", name="instead", data="{}", opts="{}", delay_ms=9_999, deduplication=SWAP),
)

_KEPT_BACK: Final = (NewJob(id="", name="last", data="{}", opts="{}", deduplication=LAST),)

_TOKEN: Final = SENDER.token(1)

_FINISHES: Final = (
    Finish(id="1", token=_TOKEN, kind="completed", text="null"),
    Finish(
        id="2", token=_TOKEN, kind="failed", text="no", attempts=1, keep=KeepRule(count=1, age_s=9)
    ),
)

_WAITS: Final = (Wait(id="1", token=_TOKEN), Wait(id="x", token=_TOKEN))

_LINKED: Final = (Finish(id="8", token=_TOKEN, kind="completed", text="null", is_linked=True),)

_RETURNS: Final = (
    Return(id="own", token=_TOKEN, kind="delay", delay_ms=5_000),
    Return(id="4", token=_TOKEN, kind="retry", fields=("failedReason", "no")),
    Return(id="nobody", token=_TOKEN, kind="give_back"),
)

_MOVES: Final = (
    ("a delay is changed", ChangeDelay(keys=KEYS, job_id="5", delay_ms=9_000)),
    ("a job is promoted", PromoteJob(keys=KEYS, job_id="5")),
    ("a priority is changed", ChangePriority(keys=KEYS, job_id="5", priority=7, lifo=True)),
    ("a log is read", ReadLogs(keys=KEYS, job_id="1", start=0, limit=5, newest_first=True)),
    ("a log is cleared", ClearLogs(keys=KEYS, job_id="1", keep=1)),
    ("data is replaced", UpdateData(keys=KEYS, job_id="1", data=b"{}")),
    ("a failed job is retried", RetryJob(keys=KEYS, job_id="2", anew=True)),
    ("children are removed", RemovePendingChildren(keys=KEYS, job_id="5")),
    ("a child leaves", LeaveParent(keys=KEYS, job_id="5")),
    ("a job is removed", RemoveJob(keys=KEYS, job_id="2", with_children=True)),
)

_PLACES: Final = [Place(name, is_turned=name == "active") for name in STATES]

SAMPLES: Final[tuple[tuple[str, Operation[object]], ...]] = (
    ("the queue is looked for", QueueExists(keys=KEYS)),
    ("the queue is opened", OpenQueue(keys=KEYS, version="toril:0")),
    ("jobs are added", AddJobs(keys=KEYS, producer="sampler", sequence=1, jobs=_JOBS)),
    ("jobs are claimed", Claim(sender=SENDER, sequence=1, want=9, terms=TERMS)),
    ("a job is kept back", AddJobs(keys=KEYS, producer="sampler", sequence=2, jobs=_KEPT_BACK)),
    ("a run is cancelled", CancelJob(keys=KEYS, job_id="3")),
    ("notes are read", ReadCancellations(keys=KEYS, worker="sampler")),
    ("leases are renewed", Renew(keys=KEYS, leases=[("1", _TOKEN), ("x", "y")], lock_ms=10**5)),
    ("what was claimed unread is kept", RenewUnread(keys=KEYS, tokens=[_TOKEN], lock_ms=10**5)),
    ("progress is stored", SetProgress(keys=KEYS, job_id="1", progress=b"50")),
    ("a row is logged", AddLog(keys=KEYS, job_id="1", row="a row", keep=10)),
    (
        "jobs are finished",
        FinishJobs(sender=SENDER, sequence=2, finishes=_FINISHES, want=0, terms=TERMS),
    ),
    (
        "linked jobs are finished",
        FinishLinked(sender=SENDER, sequence=2, finishes=_LINKED, want=0, terms=TERMS),
    ),
    ("a job waits for its children", AwaitChildren(sender=SENDER, sequence=3, waits=_WAITS)),
    ("jobs are returned", ReturnJobs(sender=SENDER, sequence=3, returns=_RETURNS)),
    ("stalled jobs are looked for", ReapStalled(keys=KEYS, max_stalled=1, interval_ms=1_000)),
    ("a lost request is asked about", Recover(sender=SENDER, sequence=4, leases=[("1", _TOKEN)])),
    ("its keys are looked for", ScanKeys(keys=KEYS)),
    ("its keys are read", ReadKeys(keys=KEYS, names=[("all", "1"), ("names", "meta")])),
    ("a state is read", ReadMembers(keys=KEYS, name="failed", start=0)),
    ("what seemed wrong is looked at", LookAgain(keys=KEYS, subjects=["1", "de:last", "dn:last"])),
    ("a job is healed", HealJob(keys=KEYS, job_id="1")),
    ("the queue is healed", HealQueue(keys=KEYS, highest=1)),
    ("an owner is freed", FreeOwner(keys=KEYS, deduplication_id="last")),
    ("jobs are counted", CountJobs(keys=KEYS)),
    ("the event stream is looked at", GetStreamEdges(keys=KEYS)),
    ("metrics are read", ReadMetrics(keys=KEYS, kind="completed", first=0, last=-1)),
    ("jobs are listed", ListJobs(keys=KEYS, places=_PLACES, start=0, limit=100)),
    ("jobs are counted by priority", CountPriorities(keys=KEYS, priorities=(0, 3))),
    ("a job is read", GetJob(keys=KEYS, job_id="1")),
    ("the state of a job is looked for", GetJobState(keys=KEYS, job_id="1")),
    ("an owner is looked for", GetDeduplicationOwner(keys=KEYS, deduplication_id="d")),
    ("an id is freed", RemoveDeduplication(keys=KEYS, deduplication_id="d")),
    ("ends are counted", CountEnded(ended_key=KEYS.failed)),
    ("failed jobs are retried", RetryJobs(keys=KEYS, kind="failed", until_ms=2**52, count=9)),
    ("delayed jobs are promoted", PromoteJobs(keys=KEYS, count=9)),
    ("events are trimmed", TrimEvents(keys=KEYS, max_length=1_000)),
    ("the queue is paused", Pause(keys=KEYS)),
    ("a pause is looked for", IsPaused(keys=KEYS)),
    ("the queue is resumed", Resume(keys=KEYS)),
    *_MOVES,
    ("the end of a job is looked for", GetFinishState(keys=KEYS, job_id="2")),
    ("limits are set", SetLimits(keys=KEYS, concurrency=9, rate_max=0, rate_duration_ms=0)),
    ("the rate limit is used up", LimitRate(keys=KEYS, duration_ms=9_000)),
    ("limits are looked at", ReadLimits(keys=KEYS)),
    ("the rate limit begins anew", LimitRate(keys=KEYS, duration_ms=0)),
    ("failed jobs are cleaned", CleanJobs(keys=KEYS, place="failed", grace_ms=0, count=9)),
    ("waiting jobs are cleaned", CleanJobs(keys=KEYS, place="wait", grace_ms=0, count=1)),
    ("the queue is drained", DrainJobs(keys=KEYS, delayed=True, count=9)),
    ("the queue is obliterated", Obliterate(keys=KEYS, force=True, count=99)),
    ("the rest is swept up", Sweep(keys=KEYS)),
)

QUEUE: Final = Samples("queue", (KEYS.base, KEYS.own("")), SAMPLES)

EVERY_ROOM: Final = (QUEUE, *TOOLKIT)
