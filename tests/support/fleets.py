"""Several servers that know each other: a cluster, and a master with replica and sentinels.

Both wait until every member agrees, because a test that starts earlier passes or fails by luck.
"""

from contextlib import ExitStack
from typing import Any, Final, Self

import redis
from redis.exceptions import RedisError
from tests.support.servers import ValkeyServer, free_port, wait_until

SLOTS: Final = 16384
SERVICE: Final = "mymaster"


class ValkeyCluster:
    """Three masters, every slot served; the first ones have a replica each where that is said."""

    def __init__(self, size: int = 3, *, replicas: int = 0) -> None:
        self._size = size
        self._replica_count = replicas
        self._stack = ExitStack()
        self.nodes: list[ValkeyServer] = []
        """The masters it began with."""

        self.replicas: list[ValkeyServer] = []

    @property
    def url(self) -> str:
        """All nodes as seeds."""
        return "redis+cluster://" + ",".join(f"127.0.0.1:{node.port}" for node in self.nodes)

    def client(self) -> redis.RedisCluster:
        """A plain redis-py cluster client."""
        return redis.RedisCluster(host="127.0.0.1", port=self.nodes[0].port)

    def move(self, slot: int, to: ValkeyServer) -> None:
        """Give an empty slot to another master, and make all of them know it."""
        new_owner = to.client().execute_command("CLUSTER MYID").decode()
        for node in sorted(self.nodes, key=lambda node: node is not to):
            node.client().execute_command("CLUSTER", "SETSLOT", slot, "NODE", new_owner)

    def migrate(self, slot: int, to: ValkeyServer) -> None:
        """Give a slot with all its keys to another master, step by step and under traffic."""
        source = self.node_of(slot)
        old, new = source.client(), to.client()
        old_id, new_id = (client.execute_command("CLUSTER MYID").decode() for client in (old, new))
        new.execute_command("CLUSTER", "SETSLOT", slot, "IMPORTING", old_id)
        old.execute_command("CLUSTER", "SETSLOT", slot, "MIGRATING", new_id)
        while keys := old.execute_command("CLUSTER", "GETKEYSINSLOT", slot, 10):
            words = ("MIGRATE", "127.0.0.1", to.port, "", 0, 5_000, "REPLACE", "KEYS", *keys)
            old.execute_command(*words)
        self.move(slot, to)

    def fail_over(self, replica: ValkeyServer) -> None:
        """Let a replica take the place of its master, and wait until all agree; nothing is lost."""
        name = replica.client().execute_command("CLUSTER MYID")
        replica.client().execute_command("CLUSTER", "FAILOVER")
        everybody = [*self.nodes, *self.replicas]
        wait_until(
            lambda: all(_knows_as_master(node, name) for node in everybody),
            "every node of the cluster knows the new master",
        )

    def node_of(self, slot: int) -> ValkeyServer:
        """The master that serves this slot now."""
        everybody = [*self.nodes, *self.replicas]
        for first, last, master, *_ in self.nodes[0].client().execute_command("CLUSTER SLOTS"):
            if first <= slot <= last:
                return next(node for node in everybody if node.port == master[1])
        raise LookupError(slot)

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self.nodes = [stack.enter_context(_cluster_node()) for _ in range(self._size)]
            self._share_out_the_slots()
            wait_until(self._is_settled, "every node of the cluster says ok")
            for master in self.nodes[: self._replica_count]:
                self.replicas.append(stack.enter_context(_cluster_node()))
                self._follow(self.replicas[-1], master)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _share_out_the_slots(self) -> None:
        share = SLOTS // self._size
        for index, node in enumerate(self.nodes):
            last = SLOTS - 1 if index == self._size - 1 else (index + 1) * share - 1
            client = node.client()
            client.execute_command("CLUSTER", "SET-CONFIG-EPOCH", index + 1)
            client.execute_command("CLUSTER", "ADDSLOTSRANGE", index * share, last)
            for other in self.nodes[:index]:
                _meet(client, other)

    def _follow(self, replica: ValkeyServer, master: ValkeyServer) -> None:
        client = replica.client()
        _meet(client, master)
        master_id = master.client().execute_command("CLUSTER MYID").decode()
        wait_until(
            lambda: master_id in str(client.execute_command("CLUSTER NODES")), "the nodes have met"
        )
        wait_until(self._is_settled, "every node of the cluster knows the new one")
        client.execute_command("CLUSTER", "REPLICATE", master_id)
        wait_until(
            lambda: client.info("replication").get("master_link_status") == "up",
            "the replica is online",
        )

    def _is_settled(self) -> bool:
        size = self._size + len(self.replicas)
        return all(_is_settled(node, size) for node in self.nodes)


def _cluster_node() -> ValkeyServer:
    return ValkeyServer(
        cluster_enabled="yes",
        cluster_port=free_port(),
        cluster_node_timeout=2_000,
        cluster_announce_ip="127.0.0.1",
        repl_diskless_sync_delay=0,
    )


def _meet(client: redis.Redis, other: ValkeyServer) -> None:
    bus = other.client().config_get("cluster-port")["cluster-port"]
    client.execute_command("CLUSTER", "MEET", "127.0.0.1", other.port, str(bus))


def _knows_as_master(node: ValkeyServer, name: bytes) -> bool:
    slots = node.client().execute_command("CLUSTER SLOTS")
    return any(master[2] == name for _, _, master, *_ in slots)


def _is_settled(node: ValkeyServer, size: int) -> bool:
    info = node.client().execute_command("CLUSTER INFO")
    return (
        info["cluster_state"] == "ok"
        and int(info["cluster_known_nodes"]) == size
        and int(info["cluster_slots_ok"]) == SLOTS
    )


class SentinelSet:
    """A master, one replica that is online, and sentinels that know all of them."""

    def __init__(self, sentinels: int = 1, *, password: str = "") -> None:
        self._count = sentinels
        self._password = password
        self._stack = ExitStack()
        self.master = _data_server(password)
        self.replica = _data_server(password)
        self.sentinels: list[ValkeyServer] = []

    @property
    def url(self) -> str:
        """All sentinels, and the service they watch."""
        login = f":{self._password}@" if self._password else ""
        hosts = ",".join(f"127.0.0.1:{sentinel.port}" for sentinel in self.sentinels)
        return f"redis+sentinel://{login}{hosts}/{SERVICE}"

    def fail_over(self) -> None:
        """Kill the master, and wait until every sentinel names the replica instead.

        On request alone a sentinel lets the old master take writes for another ten seconds.
        """
        wait_until(self._replica_has_everything, "the replica has every write")
        self.master.kill()
        wait_until(self._is_failed_over, "the replica became the master")

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            stack.enter_context(self.master)
            stack.enter_context(self.replica)
            self._data_client(self.replica).replicaof("127.0.0.1", self.master.port)
            wait_until(self._replica_is_online, "the replica is online")
            self.sentinels = [self._sentinel() for _ in range(self._count)]
            for sentinel in self.sentinels:
                stack.enter_context(sentinel)
            wait_until(self._sentinels_agree, "the sentinels know master, replica and each other")
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _data_client(self, server: ValkeyServer) -> redis.Redis:
        return server.client(password=self._password or None)

    def _sentinel(self) -> ValkeyServer:
        """Told all before it starts: one without the password sees a dead master."""
        quorum = self._count // 2 + 1
        lines = [
            f"sentinel monitor {SERVICE} 127.0.0.1 {self.master.port} {quorum}",
            f"sentinel down-after-milliseconds {SERVICE} 1000",
            f"sentinel failover-timeout {SERVICE} 5000",
        ]
        if self._password:
            lines.append(f"sentinel auth-pass {SERVICE} {self._password}")
        return ValkeyServer(sentinel_of="\n".join(lines))

    def _replica_is_online(self) -> bool:
        replicas = self._data_client(self.master).info("replication")
        return bool(replicas.get("slave0", {}).get("state") == "online")

    def _sentinels_agree(self) -> bool:
        return all(self._knows_all(sentinel) for sentinel in self.sentinels)

    def _knows_all(self, sentinel: ValkeyServer) -> bool:
        client = sentinel.client()
        try:
            client.execute_command("SENTINEL", "CKQUORUM", SERVICE)
        except RedisError:
            return False
        replicas = client.execute_command("SENTINEL", "REPLICAS", SERVICE)
        known: Any = client.info("sentinel")["master0"]
        is_known = [_flags(replica) for replica in replicas] == [b"slave"]
        return bool(is_known and known["status"] == "ok" and known["sentinels"] == self._count)

    def _replica_has_everything(self) -> bool:
        servers = (self.master, self.replica)
        offsets = [self._data_client(server).info("replication") for server in servers]
        return bool(offsets[0]["master_repl_offset"] == offsets[1]["slave_repl_offset"])

    def _is_failed_over(self) -> bool:
        try:
            role = self._data_client(self.replica).info("replication")["role"]
        except redis.ConnectionError:
            return False  # a sentinel ends all connections to the server it promotes
        return role == "master" and all(
            _master_port(sentinel) == self.replica.port for sentinel in self.sentinels
        )


def _data_server(password: str) -> ValkeyServer:
    if password:
        return ValkeyServer(repl_diskless_sync_delay=0, requirepass=password, masterauth=password)
    return ValkeyServer(repl_diskless_sync_delay=0)


def _flags(row: Any) -> object:  # noqa: ANN401 - both shapes
    """Of a server, as a sentinel describes it: in pairs, or one after the other."""
    return row[b"flags"] if isinstance(row, dict) else row[row.index(b"flags") + 1]


def _master_port(sentinel: ValkeyServer) -> int:
    known: Any = sentinel.client().info("sentinel")["master0"]
    return int(known["address"].rpartition(":")[2])
