"""Write the page of all that can be imported: what it does and raises, and where it is shown."""

import ast
import inspect
import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple, is_typeddict

import toril
import toril.bullmq
import toril.bullmq.queue_events
import toril.toolkit
from toril.bullmq.queue_events import QueueEvent
from toril.toolkit.cache._async.cached import AsyncCached
from toril.toolkit.cache._sync.cached import Cached
from toril.toolkit.limits._async.reservation import AsyncReservation
from toril.toolkit.limits._sync.reservation import Reservation

DOCS: Final = Path("docs")
GUIDES: Final = ("tutorials", "how-to", "explanation")

_BLOCK: Final = re.compile(r"^```python.*?\n(.*?)^```", re.MULTILINE | re.DOTALL)
_OF_THE_QUEUE: Final = re.compile(r"`queue\.jobs\.(\w+)`")
"""Where a verb of a job says which verb of its queue it is."""

_MEMBER: Final = re.compile(r"<(\w+\.\w+): [^>]*>")
"""How the member of an enumeration is written that is the default of a parameter."""

INTRO: Final = """# API

What can be imported from `toril`, `toril.bullmq` and `toril.toolkit`.
Of each pair, both have the same calls; in asyncio those that ask the server are awaited.

Every call that asks the server may raise `UnavailableError` and `DeniedError`.
The first one of an object of `toril.bullmq` may raise `QueueNameAmbiguousError`.
One of `toril.toolkit` may raise `OutcomeUnknownError` when its replies are lost again and again.
What else a call raises stands beside it.
What to do about each error: [Handle errors](../how-to/handle-errors.md).
Options have [a page of their own](options.md).
"""


class Face(NamedTuple):
    """A pair of classes, and how its objects are called where pages show them."""

    blocking: type
    asyncio: type
    called: str


FACES: Final = (
    Face(toril.Queue, toril.AsyncQueue, "queue"),
    Face(toril.bullmq.Jobs, toril.bullmq.AsyncJobs, r"queue\.jobs"),
    Face(toril.bullmq.Limits, toril.bullmq.AsyncLimits, r"queue\.limits"),
    Face(toril.bullmq.Metrics, toril.bullmq.AsyncMetrics, r"queue\.metrics"),
    Face(toril.bullmq.Workers, toril.bullmq.AsyncWorkers, r"queue\.workers"),
    Face(toril.Job, toril.AsyncJob, r"(?:job|stored|child|owner|parent|first|again)"),
    Face(toril.Worker, toril.AsyncWorker, "worker"),
    Face(toril.Claims, toril.AsyncClaims, "claims"),
    Face(toril.bullmq.ClaimedJob, toril.bullmq.AsyncClaimedJob, "claimed"),
    Face(toril.QueueEvents, toril.AsyncQueueEvents, "events"),
    Face(toril.bullmq.Doctor, toril.bullmq.AsyncDoctor, "doctor"),
    Face(toril.toolkit.Cache, toril.toolkit.AsyncCache, r"(?:users|prices)"),
    Face(Cached, AsyncCached, "field_of"),
    Face(
        toril.toolkit.RateLimiter,
        toril.toolkit.AsyncRateLimiter,
        r"(?:limiter|paced|tokens|AsyncRateLimiter)",
    ),
    Face(Reservation, AsyncReservation, "reservation"),
    Face(toril.toolkit.Lock, toril.toolkit.AsyncLock, "lock"),
    Face(toril.toolkit.MultiLock, toril.toolkit.AsyncMultiLock, "accounts"),
    Face(toril.toolkit.Redlock, toril.toolkit.AsyncRedlock, "majority"),
    Face(toril.toolkit.Semaphore, toril.toolkit.AsyncSemaphore, "exports"),
    Face(toril.toolkit.RWLock, toril.toolkit.AsyncRWLock, "page"),
    Face(toril.toolkit.Lease, toril.toolkit.AsyncLease, r"(?:lease|first)"),
    Face(toril.toolkit.Fence, toril.toolkit.AsyncFence, "fence"),
    Face(toril.toolkit.Once, toril.toolkit.AsyncOnce, "payments"),
)


def api_page() -> str:
    """All of it."""
    pairs = "".join(f"\n{section}" for section in map(_section, FACES))
    return f"{INTRO}{pairs}\n{_others()}\n{_events()}"


def public_names() -> Mapping[str, object]:
    """What `toril`, `toril.bullmq` and `toril.toolkit` offer, by name."""
    rooms = (toril, toril.bullmq, toril.toolkit)
    return {name: getattr(room, name) for room in rooms for name in room.__all__}


def unshown() -> list[str]:
    """The calls that no page uses."""
    return [
        f"{face.asyncio.__name__}.{name}"
        for face in FACES
        for name, _ in _calls(face.asyncio)
        if _shown_in(face, name) is None
    ]


def _section(face: Face) -> str:
    rows = "".join(_row(face, name, call) for name, call in _calls(face.asyncio))
    return (
        f"## {face.blocking.__name__}\n\n"
        f"{_first(face.blocking)}\nFor asyncio it is `{face.asyncio.__name__}`.\n\n"
        f"| call | what it does | raises | shown in |\n|---|---|---|---|\n{rows}"
    )


def _row(face: Face, name: str, call: Callable[..., object]) -> str:
    told = inspect.getdoc(call) or ""
    raised = ", ".join(f"`{error}`" for error in _raised(told))
    page = _shown_in(face, name)
    link = f"[{_title(page)}](../{page.relative_to(DOCS)})" if page else ""
    return f"| `{name}{_parameters(call)}` | {_one_line(told)} | {raised} | {link} |\n"


def _calls(owner: type) -> Iterator[tuple[str, Callable[..., object]]]:
    """The public methods, those of the class itself first, in the order of the source."""
    seen = set()
    for kind in owner.__mro__:
        for name in vars(kind):
            member = getattr(owner, name)
            if inspect.isfunction(member) and not name.startswith("_") and name not in seen:
                seen.add(name)
                yield name, member


def _parameters(call: Callable[..., object]) -> str:
    signature = inspect.signature(call)
    plain = [
        one.replace(annotation=one.empty)
        for name, one in signature.parameters.items()
        if name != "self"
    ]
    shown = str(signature.replace(parameters=plain, return_annotation=signature.empty))
    return _MEMBER.sub(r"\1", shown)


def _raised(told: str) -> Sequence[str]:
    if verb := _OF_THE_QUEUE.search(told):
        told = inspect.getdoc(getattr(toril.bullmq.AsyncJobs, verb[1])) or ""
    return re.findall(r"^    (\w+Error): ", told.partition("Raises:")[2], re.MULTILINE)


def _shown_in(face: Face, name: str) -> Path | None:
    """The first guide that uses it: a job's verb as the queue's, maybe, and a `close` as `with`."""
    ways = [rf"\b{face.called}\.{name}\(", rf"@{face.called}\.{name}\b"]
    if _OF_THE_QUEUE.search(inspect.getdoc(getattr(face.asyncio, name)) or ""):
        ways.append(rf"\bqueue\.jobs\.{name}\(")
    if name == "close":
        ways.append(rf"\bwith .* as {face.called}\b")
    used = re.compile("|".join(ways))
    return next((path for path, code in _code() if used.search(code)), None)


@cache
def _code() -> Sequence[tuple[Path, str]]:
    """The Python of each guide."""
    guides = [path for folder in GUIDES for path in sorted((DOCS / folder).glob("*.md"))]
    return [(path, "\n".join(_BLOCK.findall(path.read_text("utf-8")))) for path in guides]


def _others() -> str:
    paired = {kind for face in FACES for kind in face[:2]}
    rows = [
        f"| `{name}` | {_what(name, member)} | {_parts(member)} |\n"
        for name, member in sorted(public_names().items(), key=lambda pair: pair[0].lower())
        if member not in paired and not name.startswith("_")
    ]
    return (
        "## What is passed and what comes back\n\n"
        f"| name | what it is | parts |\n|---|---|---|\n{''.join(rows)}"
    )


def _what(name: str, member: object) -> str:
    is_named = inspect.isclass(member) or inspect.isfunction(member)
    return _one_line((inspect.getdoc(member) if is_named else _aliases().get(name)) or "")


@cache
def _aliases() -> Mapping[str, str]:
    """What the source says below the names that it gives to types."""
    told = {}
    for path in sorted(Path("src/toril").rglob("*.py")):
        body = ast.parse(path.read_text("utf-8")).body
        for alias, below in itertools.pairwise(body):
            match alias, below:
                case (
                    ast.AnnAssign(target=ast.Name(id=name)),
                    ast.Expr(value=ast.Constant(value=str(text))),
                ):
                    told[name] = text
                case _:
                    pass
    return told


def _events() -> str:
    rows = [
        f"| `{event.__name__}` | {_what(event.__name__, event)} | {_parts(event)} |\n"
        for event in vars(toril.bullmq.queue_events).values()
        if inspect.isclass(event) and issubclass(event, QueueEvent)
    ]
    return (
        "## Events of a queue\n\n"
        "What `QueueEvents` brings; imported from `toril.bullmq.queue_events`.\n\n"
        f"| event | what happened | parts |\n|---|---|---|\n{''.join(rows)}"
    )


def _parts(member: object) -> str:
    if is_dataclass(member):
        names = [one.name for one in fields(member) if one.name != "_"]
    else:
        names = [*getattr(member, "__struct_fields__", ())]
        if isinstance(member, type) and is_typeddict(member):
            is_there = member.__module__.startswith("toril.bullmq")
            names = ["[options](options.md)"] if is_there else [*inspect.get_annotations(member)]
    return ", ".join(name if name.startswith("[") else f"`{name}`" for name in names)


def _first(member: object) -> str:
    return (inspect.getdoc(member) or "").partition("\n\n")[0]


def _one_line(text: str) -> str:
    return " ".join(text.partition("\n\n")[0].split()).replace("|", r"\|")


def _title(page: Path) -> str:
    return page.read_text("utf-8").partition("\n")[0].removeprefix("# ")
