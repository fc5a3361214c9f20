"""Read a redis-py client of either colour into a `Target`: its settings, never its connections.

Connections of our own need no decoded replies, no hidden retries and other timeouts. Settings that
say who is who are carried over or refused; those about redis-py's own machinery do not matter.
"""

# ruff: noqa: ANN401 - the pools and managers of redis-py's two colours share no type

from collections.abc import Mapping
from typing import Any, Final

import redis
import redis.asyncio
import redis.asyncio.connection
import redis.asyncio.sentinel
import redis.sentinel

from toril.connection.target import (
    CONNECT_TIMEOUT_MS,
    Address,
    CredentialSource,
    Login,
    Session,
    Target,
    Tcp,
    Tls,
    Topology,
    Unix,
)
from toril.core.errors import BadInputError

_SINGLE_CLIENTS: Final = (redis.Redis, redis.asyncio.Redis)
_CLUSTER_CLIENTS: Final = (redis.RedisCluster, redis.asyncio.RedisCluster)
_SENTINEL_POOLS: Final = (
    redis.sentinel.SentinelConnectionPool,
    redis.asyncio.sentinel.SentinelConnectionPool,
)
_TLS_CONNECTIONS: Final = (redis.SSLConnection, redis.asyncio.connection.SSLConnection)

_REFUSED: Final = (
    "redis_connect_func",
    "ssl_include_verify_flags",
    "ssl_exclude_verify_flags",
    "ssl_validate_ocsp",
    "ssl_validate_ocsp_stapled",
)

_Settings = Mapping[str, Any]


def target_of_client(client: object) -> Target:
    """Where this client would connect to, and as whom."""
    if isinstance(client, _CLUSTER_CLIENTS):
        return _cluster(client)
    if not isinstance(client, _SINGLE_CLIENTS):
        raise BadInputError(
            "url", f"it must be a URL or a redis-py client, not {type(client).__name__}"
        )
    pool = client.connection_pool
    if isinstance(pool, _SENTINEL_POOLS):
        return _sentinel(pool)
    settings, tls = _settings_of(pool)
    address = Unix(settings["path"]) if "path" in settings else _tcp(settings)
    return Target(
        topology=Topology.SINGLE, addresses=(address,), session=_session(settings, tls=tls)
    )


def _sentinel(pool: Any) -> Target:
    if not pool.is_master:
        raise BadInputError("client", "it must be made by master_for: replicas take no jobs")
    settings, tls = _settings_of(pool)
    sentinels = [_settings_of(client.connection_pool) for client in pool.sentinel_manager.sentinels]
    first, first_tls = sentinels[0]
    return Target(
        topology=Topology.SENTINEL,
        addresses=tuple(_tcp(sentinel) for sentinel, _ in sentinels),
        session=_session(settings, tls=tls),
        service=str(pool.service_name),
        sentinel_session=_session(first, tls=first_tls),
    )


def _cluster(client: Any) -> Target:
    manager = client.nodes_manager
    if getattr(manager, "address_remap", None):
        raise BadInputError("client", "its address_remap cannot be carried over")
    seeds = tuple(Tcp(node.host, int(node.port)) for node in manager.startup_nodes.values())
    if isinstance(client, redis.asyncio.RedisCluster):
        settings = dict(client.connection_kwargs)
    else:
        # Its other settings are those of the nodes it has found.
        node = next(iter(manager.startup_nodes.values()))
        settings = {**manager.connection_kwargs, **_node_settings(node)}
        # Each client has one of its own here, to ask for reads from replicas.
        settings.pop("redis_connect_func", None)
    tls = bool(settings.get("ssl")) or _is_tls(settings.get("connection_class"))
    return Target(topology=Topology.CLUSTER, addresses=seeds, session=_session(settings, tls=tls))


def _node_settings(node: Any) -> _Settings:
    if node.redis_connection is None:
        return {}
    settings, tls = _settings_of(node.redis_connection.connection_pool)
    return {**settings, "ssl": tls}


def _settings_of(pool: Any) -> tuple[_Settings, bool]:
    return pool.connection_kwargs, _is_tls(pool.connection_class)


def _is_tls(connection_class: object) -> bool:
    return isinstance(connection_class, type) and issubclass(connection_class, _TLS_CONNECTIONS)


def _tcp(settings: _Settings) -> Address:
    return Tcp(settings.get("host", "localhost"), int(settings.get("port", 6379)))


def _session(settings: _Settings, *, tls: bool) -> Session:
    for name in _REFUSED:
        if settings.get(name):
            raise BadInputError("client", f"its {name} cannot be carried over")
    timeout_s = settings.get("socket_connect_timeout")
    return Session(
        credentials=_credentials(settings),
        tls=_tls(settings) if tls else None,
        db=int(settings.get("db") or 0),
        client_name=settings.get("client_name") or "toril",
        connect_timeout_ms=round(timeout_s * 1000) if timeout_s else CONNECT_TIMEOUT_MS,
    )


def _credentials(settings: _Settings) -> CredentialSource | None:
    if source := settings.get("credential_provider"):
        provider: CredentialSource = source
        return provider
    username, password = settings.get("username"), settings.get("password")
    return Login(username, password) if password else None


def _tls(settings: _Settings) -> Tls:
    level = settings.get("ssl_cert_reqs", "required")
    return Tls(
        ca_certs=settings.get("ssl_ca_certs"),
        ca_path=settings.get("ssl_ca_path"),
        ca_data=settings.get("ssl_ca_data"),
        certfile=settings.get("ssl_certfile"),
        keyfile=settings.get("ssl_keyfile"),
        key_password=settings.get("ssl_password"),
        ciphers=settings.get("ssl_ciphers"),
        min_version=settings.get("ssl_min_version"),
        # A client that asks for a certificate it may ignore is treated as if it must not.
        check_certificate=level not in ("none", None, 0),
        check_hostname=bool(settings.get("ssl_check_hostname", True)),
    )
