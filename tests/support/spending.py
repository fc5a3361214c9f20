"""What a call costs, seen by the server."""

from collections.abc import Callable

import redis


def spent(url: str, act: Callable[[], object]) -> list[str]:
    """The commands that clients sent for it, in order; those of scripts are not counted."""
    with redis.Redis.from_url(url) as client, client.monitor() as monitor:
        client.echo("begin")
        act()
        client.echo("end")
        words: list[str] = []
        for entry in monitor.listen():
            match entry["command"].split(" "):
                case ["ECHO", "begin"]:
                    words.clear()
                case ["ECHO", "end"]:
                    return words
                case [word, *_] if entry["client_type"] != "lua":
                    words.append(word)
    raise AssertionError
