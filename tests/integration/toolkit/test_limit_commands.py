"""How many commands each call of a limiter costs; scripts are one, whatever they do inside."""

from collections.abc import Callable
from typing import Any, Final

import pytest
import redis

from toril.toolkit.limits import Limit, RateLimiter

MARK: Final = "a mark"

GOLDEN: Final[dict[str, tuple[Callable[[RateLimiter], object], list[str]]]] = {
    "hit": (lambda limiter: limiter.hit("ada"), ["EVALSHA"]),
    "hit with an id": (lambda limiter: limiter.hit("ada", operation_id="o"), ["EVALSHA"]),
    "hit that is refused": (lambda limiter: limiter.hit("full"), ["EVALSHA"]),
    "hit that was refused": (lambda limiter: limiter.hit("denied"), []),
    "peek": (lambda limiter: limiter.peek("ada"), ["EVALSHA"]),
    "inspect": (lambda limiter: limiter.inspect("ada"), ["EVALSHA"]),
    "acquire": (lambda limiter: limiter.acquire("ada"), ["EVALSHA"]),
    "acquire in vain": (lambda limiter: limiter.acquire("full", timeout=1), ["EVALSHA"]),
    "reset": (lambda limiter: limiter.reset("ada"), ["EVALSHA"]),
    "reserve and settle": (
        lambda limiter: limiter.reserve("ada", 1).settle(2),
        ["EVALSHA", "EVALSHA"],
    ),
    "hit and refund": (
        lambda limiter: limiter.refund(limiter.hit("ada")),
        ["EVALSHA", "EVALSHA"],
    ),
    "two keys of a scope": (
        lambda limiter: RateLimiter.hit_all([(limiter, "ada", 1), (limiter, "bob", 1)]),
        ["EVALSHA"],
    ),
    "stats": (lambda limiter: limiter.stats(), []),
}


def heard(monitor: Any, client: redis.Redis) -> list[str]:  # noqa: ANN401 - redis-py has no type
    """The commands up to now, those of scripts left out."""
    client.echo(MARK)
    commands = []
    while MARK not in (entry := monitor.next_command())["command"]:
        if entry["client_type"] != "lua":
            commands.append(entry["command"].split()[0].upper())
    return commands


@pytest.mark.parametrize("name", GOLDEN)
def test_a_call_costs_as_many_commands_as_the_table_says(
    redis_url: str, redis_client: redis.Redis, name: str
) -> None:
    call, commands = GOLDEN[name]
    limits = [Limit("9/hour"), Limit("9/day", algorithm="sliding_log")]
    with RateLimiter("api", limits, redis_url, timeout=5, scope="acme") as limiter:
        limiter.refund(limiter.hit("warm"))
        limiter.reset("warm")
        limiter.hit("full", cost=9)
        limiter.hit("denied", cost=9)
        limiter.hit("denied")
        with redis_client.monitor() as monitor:
            heard(monitor, redis_client)
            call(limiter)

            assert heard(monitor, redis_client) == commands
