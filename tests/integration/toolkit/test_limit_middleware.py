"""Both middlewares answer 429 to what is refused, and tell all others how they stand."""

from collections.abc import AsyncIterator, Iterable, Iterator
from typing import TYPE_CHECKING, Any
from wsgiref.util import setup_testing_defaults

import pytest

from toril.core.errors import BadInputError
from toril.toolkit.limits import AsyncRateLimiter, Limit, RateLimiter, asgi, wsgi

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

LIMIT = Limit("2/hour", algorithm="sliding_log")
POLICY = '"2/hour";q=2;w=3600'


@pytest.fixture
async def async_limiter(redis_url: str) -> AsyncIterator[AsyncRateLimiter]:
    async with AsyncRateLimiter("web", LIMIT, redis_url, timeout=5) as limiter:
        yield limiter


@pytest.fixture
def limiter(redis_url: str) -> Iterator[RateLimiter]:
    with RateLimiter("web", LIMIT, redis_url, timeout=5) as limiter:
        yield limiter


async def hello(_: asgi.Scope, __: asgi.Receive, send: asgi.Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"x", b"y")]})
    await send({"type": "http.response.body", "body": b"hello"})


async def ask(app: asgi.App, **scope: object) -> list[asgi.Message]:
    """What the application sends in answer to one connection."""
    sent: list[asgi.Message] = []

    async def receive() -> asgi.Message:
        return {"type": "websocket.connect"}

    async def send(message: asgi.Message) -> None:
        sent.append(message)

    await app({"type": "http", "client": ("10.0.0.1", 1), **scope}, receive, send)
    return sent


async def test_an_asgi_application_is_limited(async_limiter: AsyncRateLimiter) -> None:
    app = asgi.RateLimitMiddleware(hello, async_limiter)

    answers = [await ask(app) for _ in range(3)]

    assert [start["status"] for start, _ in answers] == [200, 200, 429]
    headers = [dict(start["headers"]) for start, _ in answers]
    assert headers[0][b"x"] == b"y"
    assert [each[b"ratelimit-policy"] for each in headers] == [POLICY.encode()] * 3
    assert headers[0][b"ratelimit"].startswith(b'"2/hour";r=1;t=')
    assert 3_590 < int(headers[2][b"retry-after"]) <= 3_600
    assert answers[2][1]["body"] == b"Too Many Requests\n"
    assert (await ask(app, client=("10.0.0.2", 1)))[0]["status"] == 200


async def test_the_key_and_the_cost_are_made_of_the_scope(async_limiter: AsyncRateLimiter) -> None:
    def tenant(scope: asgi.Scope) -> str | None:
        return None if scope["path"] == "/health" else scope["path"]

    app = asgi.RateLimitMiddleware(
        hello, async_limiter, key=tenant, cost=lambda _: 2, headers="legacy"
    )

    assert [(await ask(app, path="/health"))[0]["status"] for _ in range(3)] == [200] * 3
    assert dict((await ask(app, path="/a"))[0]["headers"])[b"x-ratelimit-remaining"] == b"0"
    assert (await ask(app, path="/a"))[0]["status"] == 429
    assert (await ask(app, path="/b"))[0]["status"] == 200


async def test_a_websocket_is_refused_before_it_opens(async_limiter: AsyncRateLimiter) -> None:
    async def accept(_: asgi.Scope, __: asgi.Receive, send: asgi.Send) -> None:
        await send({"type": "websocket.accept"})

    app = asgi.RateLimitMiddleware(accept, async_limiter)

    answers = [await ask(app, type="websocket") for _ in range(3)]

    assert [one["type"] for [one] in answers] == [*["websocket.accept"] * 2, "websocket.close"]


async def test_what_is_no_request_passes(async_limiter: AsyncRateLimiter) -> None:
    async def start(_: asgi.Scope, __: asgi.Receive, send: asgi.Send) -> None:
        await send({"type": "lifespan.startup.complete"})

    app = asgi.RateLimitMiddleware(start, async_limiter)

    assert [len(await ask(app, type="lifespan")) for _ in range(4)] == [1] * 4


def get(
    app: "WSGIApplication", address: str = "10.0.0.1", **more: object
) -> tuple[str, dict[str, str], bytes]:
    """Status, headers and body."""
    environ: dict[str, object] = {"REMOTE_ADDR": address, **more}
    setup_testing_defaults(environ)
    started: list[Any] = []

    def start_response(status: str, headers: list[tuple[str, str]], *_: object) -> Any:  # noqa: ANN401
        started.append((status, dict(headers)))

    body = b"".join(app(environ, start_response))
    return (*started[0], body)


def wsgi_hello(_: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
    start_response("200 OK", [("X", "y")])
    return [b"hello"]


def test_a_wsgi_application_is_limited(limiter: RateLimiter) -> None:
    app = wsgi.RateLimitMiddleware(wsgi_hello, limiter)

    answers = [get(app) for _ in range(3)]

    assert [status for status, _, _ in answers] == ["200 OK", "200 OK", "429 Too Many Requests"]
    assert [body for _, _, body in answers] == [b"hello", b"hello", b"Too Many Requests\n"]
    assert answers[0][1]["X"] == "y"
    assert [headers["RateLimit-Policy"] for _, headers, _ in answers] == [POLICY] * 3
    assert 3_590 < int(answers[2][1]["Retry-After"]) <= 3_600
    assert get(app, "10.0.0.2")[0] == "200 OK"


def test_a_wsgi_request_without_a_key_passes(limiter: RateLimiter) -> None:
    app = wsgi.RateLimitMiddleware(wsgi_hello, limiter, key=lambda _: None)

    assert [get(app)[0] for _ in range(4)] == ["200 OK"] * 4


def test_a_style_that_there_is_not_is_refused_at_once(limiter: RateLimiter) -> None:
    with pytest.raises(BadInputError, match="headers"):
        wsgi.RateLimitMiddleware(wsgi_hello, limiter, headers="rfc")
