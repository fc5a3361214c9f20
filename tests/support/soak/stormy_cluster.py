"""A cluster in bad weather: replies are lost, connections are killed, masters are replaced."""

import random
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from typing import Final, Self

from tests.support.fleets import ValkeyCluster
from tests.support.proxy import Proxy
from tests.support.proxy_rules import Fault, Rule
from tests.support.servers import ValkeyServer, wait_until

_LOST_OF: Final = 100
"""Of so many requests one is never answered."""


class StormyCluster:
    """Three masters with a replica each; whoever asks where they are is sent through proxies.

    Replies are lost all the time; everything else happens when it is asked for, to whom the dice
    say. A master is replaced in good order: its replica has every write before it takes over.
    """

    def __init__(self, dice: random.Random) -> None:
        self._dice: Final = dice
        self._cluster: Final = ValkeyCluster(replicas=3)
        self._stack = ExitStack()
        self._proxies: list[Proxy] = []

    @property
    def url(self) -> str:
        """All nodes as seeds, each behind its proxy."""
        return "redis+cluster://" + ",".join(f"127.0.0.1:{one.port}" for one in self._proxies)

    @property
    def lost_replies(self) -> int:
        """How many requests were not answered."""
        return sum(proxy.cuts for proxy in self._proxies)

    @property
    def _nodes(self) -> list[ValkeyServer]:
        return [*self._cluster.nodes, *self._cluster.replicas]

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            stack.enter_context(self._cluster)
            for node in self._nodes:
                self._proxies.append(stack.enter_context(Proxy(node.port)))
                with node.client() as client:
                    client.config_set("cluster-announce-port", self._proxies[-1].port)
            wait_until(self._is_announced, "every node sends to the proxies")
            for proxy in self._proxies:
                proxy.add_rule(Rule(b"EVALSHA", Fault.LOSE_REPLY, every=_LOST_OF))
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def fail_over(self) -> None:
        """One master is replaced by its replica."""
        replica = self._dice.choice([node for node in self._nodes if not _is_master(node)])
        wait_until(partial(_is_in_step, replica), "the replica follows its master")
        self._cluster.fail_over(replica)

    def kill_connections(self) -> None:
        """Two connections to a node end, whoever they belong to."""
        with self._dice.choice(self._nodes).client() as client:
            links = [one["id"] for one in client.client_list() if not {*one["flags"]} & {*"MS"}]
            for link in self._dice.sample(links, min(2, len(links))):
                client.client_kill_filter(_id=link, skipme=True)

    def forget_scripts(self) -> None:
        """A master knows no script any more."""
        with self._dice.choice(self._nodes).client() as client:
            client.script_flush()

    def guests(self) -> int:
        """How many connections there are of others than the nodes and whoever asks."""
        return sum(_guests(node) for node in self._nodes)

    def stored_bytes(self) -> int:
        """What the keys of all masters take up, and little else."""
        return sum(map(_dataset_bytes, self._masters()))

    def lives(self) -> Mapping[str, int]:
        """Every key, and how many milliseconds it has left; -1 is for ever."""
        return dict(life for node in self._masters() for life in _lives(node))

    def _masters(self) -> Iterator[ValkeyServer]:
        return filter(_is_master, self._nodes)

    def _is_announced(self) -> bool:
        ports = {proxy.port for proxy in self._proxies}
        return all(_ports_known_to(node) == ports for node in self._nodes)


def _is_master(node: ValkeyServer) -> bool:
    with node.client() as client:
        return bool(client.info("replication")["role"] == "master")


def _is_in_step(replica: ValkeyServer) -> bool:
    with replica.client() as client:
        return bool(client.info("replication").get("master_link_status") == "up")


def _ports_known_to(node: ValkeyServer) -> set[int]:
    with node.client() as client:
        shares = client.execute_command("CLUSTER SLOTS")
    return {port for _, _, *nodes in shares for _, port, *_ in nodes}


def _dataset_bytes(node: ValkeyServer) -> int:
    with node.client() as client:
        return int(client.info("memory")["used_memory_dataset"])


def _guests(node: ValkeyServer) -> int:
    with node.client() as client:
        own = client.client_id()
        return sum(
            int(one["id"]) != own and not {*one["flags"]} & {*"MS"} for one in client.client_list()
        )


def _lives(node: ValkeyServer) -> Iterator[tuple[str, int]]:
    with node.client() as client:
        for key in client.scan_iter(count=1_000):
            left_ms = int(client.pttl(key))
            if left_ms != -2:  # gone meanwhile
                yield key.decode(), left_ms
