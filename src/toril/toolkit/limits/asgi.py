"""Rate limits for ASGI applications: Starlette, FastAPI, Litestar, Django and others.

app = RateLimitMiddleware(app, limiter)
"""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final, TypeAlias

from toril.toolkit.limits._async.limiter import AsyncRateLimiter
from toril.toolkit.limits.decision import Decision
from toril.toolkit.limits.http_answer import BODY, HttpAnswer, Style

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

_POLICY_VIOLATION: Final = 1008


def client_address(scope: Scope) -> str | None:
    """The address that the connection comes from; behind a proxy, that of the proxy."""
    client = scope.get("client")
    return str(client[0]) if isinstance(client, (list, tuple)) and client else None


class RateLimitMiddleware:
    """Answers 429 to what its limiter refuses, and tells all others how they stand.

    `key` makes the key out of the scope; None from it lets a request pass uncounted. Without one
    it is the client's address. A WebSocket is refused before it is opened.
    """

    def __init__(
        self,
        app: App,
        limiter: AsyncRateLimiter,
        *,
        key: Callable[[Scope], str | None] = client_address,
        cost: Callable[[Scope], int] = lambda _: 1,
        headers: Style = "ietf",
    ) -> None:
        self._app: Final = app
        self._limiter: Final = limiter
        self._key: Final = key
        self._cost: Final = cost
        self._answer: Final = HttpAnswer(headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        kind = scope["type"]
        key = self._key(scope) if kind in {"http", "websocket"} else None
        if key is None:
            await self._app(scope, receive, send)
            return
        decision = await self._limiter.hit(key, self._cost(scope))
        if decision.allowed:
            await self._app(scope, receive, self._telling(send, decision))
        elif kind == "http":
            await self._refuse(send, decision)
        else:
            await receive()
            await send({"type": "websocket.close", "code": _POLICY_VIOLATION})

    async def _refuse(self, send: Send, decision: Decision) -> None:
        headers = _raw(self._answer.refusal(decision))
        await send({"type": "http.response.start", "status": 429, "headers": headers})
        await send({"type": "http.response.body", "body": BODY})

    def _telling(self, send: Send, decision: Decision) -> Send:
        async def tell(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = message.get("headers", ())
                message = {**message, "headers": [*own, *_raw(self._answer.headers(decision))]}
            await send(message)

        return tell


def _raw(headers: list[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
    return [(name.lower().encode("ascii"), value.encode("ascii")) for name, value in headers]
