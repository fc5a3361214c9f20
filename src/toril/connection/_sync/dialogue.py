"""Ask on a channel: every request is answered by a reply, a refusal or the news of its loss."""  # generated from _async/dialogue.py by tools/generate_sync.py: edit that file

from collections.abc import Sequence

from toril.connection._sync.channel import Channel
from toril.connection.refusal import Kind, LostError, Refusal
from toril.connection.request import AnyRequest, Request, pack, pack_all
from toril.core.operation import Reply
from toril.telemetry.emitter import Emitter
from toril.telemetry.events import ScriptLoaded


def ask(
    channel: Channel, requests: Sequence[AnyRequest], timeout_s: float, emitter: Emitter
) -> list[Reply]:
    """Send all in one write; a reply that did not come is a `LostError` in its place.

    Scripts that the server does not know are given to it, and only those requests sent again.
    """
    replies = _exchange(channel, pack_all(requests), len(requests), timeout_s)
    unknown: dict[int, Request[object]] = {}
    for index, (request, reply) in enumerate(zip(requests, replies, strict=True)):
        if _asks_for_script(reply) and isinstance(request, Request):
            unknown[index] = request
    if unknown:
        again = _load_and_ask(channel, list(unknown.values()), timeout_s, emitter)
        for index, reply in zip(unknown, again, strict=True):
            replies[index] = reply
    return replies


def ask_early(channel: Channel, request: Request[object], timeout_s: float) -> Reply:
    """Ask a node that has the key already, while its slot is still on the way to it."""
    load = pack("SCRIPT", "LOAD", request.script.source)
    payload = load + pack("ASKING") + request.packed
    return (_exchange(channel, payload, 3, timeout_s))[-1]


def _load_and_ask(
    channel: Channel, requests: Sequence[Request[object]], timeout_s: float, emitter: Emitter
) -> list[Reply]:
    # SCRIPT LOAD, not EVAL: since Redis 7.4 scripts first seen by EVAL are evicted.
    scripts = {script.sha: script for request in requests for script in request.script.room}
    loads = b"".join([pack("SCRIPT", "LOAD", script.source) for script in scripts.values()])
    count = len(scripts) + len(requests)
    replies = _exchange(channel, loads + pack_all(requests), count, timeout_s)
    loaded = dict(zip(scripts, replies, strict=False))
    for sha, reply in loaded.items():
        if isinstance(reply, bytes):
            emitter.emit(ScriptLoaded(server=channel.server, script=scripts[sha].name))
    return [
        _still_unknown(reply, loaded[request.script.sha]) if _asks_for_script(reply) else reply
        for request, reply in zip(requests, replies[len(scripts) :], strict=True)
    ]


def _still_unknown(reply: Reply, loaded: Reply) -> Reply:
    """Why the script could not be loaded; or that somebody threw it away at once."""
    return loaded if isinstance(loaded, Refusal) else reply


def _asks_for_script(reply: Reply) -> bool:
    return isinstance(reply, Refusal) and reply.kind is Kind.UNLOADED


def _exchange(
    channel: Channel, payload: bytes, count: int, timeout_s: float
) -> list[Reply]:
    try:
        return channel.exchange(payload, count, timeout_s)
    except LostError as lost:
        return [*lost.replies, *[lost] * (count - len(lost.replies))]
