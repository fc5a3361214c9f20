"""Rate limits for WSGI applications: Flask, Django, Bottle and others.

app.wsgi_app = RateLimitMiddleware(app.wsgi_app, limiter)
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

from toril.toolkit.limits._sync.limiter import RateLimiter
from toril.toolkit.limits.http_answer import BODY, HttpAnswer, Style

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment


def client_address(environ: "WSGIEnvironment") -> str | None:
    """The address that the connection comes from; behind a proxy, that of the proxy."""
    address = environ.get("REMOTE_ADDR")
    return str(address) if address else None


class RateLimitMiddleware:
    """Answers 429 to what its limiter refuses, and tells all others how they stand.

    `key` makes the key out of the environment; None from it lets a request pass uncounted.
    Without one it is the client's address.
    """

    def __init__(
        self,
        app: "WSGIApplication",
        limiter: RateLimiter,
        *,
        key: "Callable[[WSGIEnvironment], str | None]" = client_address,
        cost: "Callable[[WSGIEnvironment], int]" = lambda _: 1,
        headers: Style = "ietf",
    ) -> None:
        self._app: Final = app
        self._limiter: Final = limiter
        self._key: Final = key
        self._cost: Final = cost
        self._answer: Final = HttpAnswer(headers)

    def __call__(
        self, environ: "WSGIEnvironment", start_response: "StartResponse"
    ) -> Iterable[bytes]:
        """Serve one request."""
        key = self._key(environ)
        if key is None:
            return self._app(environ, start_response)
        decision = self._limiter.hit(key, self._cost(environ))
        if not decision.allowed:
            start_response("429 Too Many Requests", self._answer.refusal(decision))
            return [BODY]
        told = self._answer.headers(decision)

        def tell(status: str, headers: list[tuple[str, str]], *error: Any) -> object:  # noqa: ANN401
            return start_response(status, [*headers, *told], *error)

        return self._app(environ, tell)  # type: ignore[arg-type]
