"""What both middlewares say about a request, to its sender."""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from toril.core.checks import check_one_of
from toril.toolkit.limits.decision import Decision

Style: TypeAlias = Literal["ietf", "legacy"]

BODY: Final = b"Too Many Requests\n"


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """Headers in one style, on what is allowed and what is not."""

    style: Style = "ietf"

    def __post_init__(self) -> None:
        check_one_of(self.style, ("ietf", "legacy"), "headers")

    def headers(self, decision: Decision) -> list[tuple[str, str]]:
        """What a response that is allowed says besides its own."""
        return list(decision.headers(self.style).items())

    def refusal(self, decision: Decision) -> list[tuple[str, str]]:
        """The headers of a 429."""
        kind = ("Content-Type", "text/plain; charset=utf-8")
        return [kind, ("Content-Length", str(len(BODY))), *self.headers(decision)]
