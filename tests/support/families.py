"""Families of jobs, made by hand: as a flow leaves them, before anybody works."""

import json
from collections.abc import Mapping
from typing import Any, Final

import redis

BASE: Final = "bull:{mail}:"


def make_family(client: redis.Redis, parent: str, children: Mapping[str, str]) -> None:
    """Have jobs that wait be a parent that waits for its children, each with its policy, or ``.

    The events so far are forgotten: the stream tells nothing of what is made by hand.
    """
    client.lrem(f"{BASE}wait", 0, parent)
    client.zadd(f"{BASE}waiting-children", {parent: 1_700_000_000_000})
    adopt(client, parent, children)
    client.delete(f"{BASE}events")


def adopt(client: redis.Redis, parent: str, children: Mapping[str, str]) -> None:
    """Give a job, wherever it is, children that are pending."""
    for child, policy in children.items():
        link = {"id": parent, "queueKey": BASE.rstrip(":")} | ({policy: True} if policy else {})
        links: dict[Any, Any] = {"parentKey": f"{BASE}{parent}", "parent": json.dumps(link)}
        client.hset(f"{BASE}{child}", mapping=links)
        client.sadd(f"{BASE}{parent}:dependencies", f"{BASE}{child}")
