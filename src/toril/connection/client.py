"""Read a client of redis-py or valkey-py into a `Target`: its settings, never its connections.

Connections of our own need no decoded replies, no hidden retries and other timeouts. Settings that
say who is who are carried over or refused; those about the client's own machinery do not matter.

Both libraries come from one stem, and each has two colours. Classes are known by their names, so
that neither library has to be there for the other.
"""

# ruff: noqa: ANN401 - the pools and managers of two libraries in two colours share no type

from collections.abc import Container, Mapping
from typing import Any, Final, cast

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

_LIBRARIES: Final = frozenset({"redis", "valkey"})
_SINGLE_CLIENTS: Final = frozenset({"Redis", "Valkey"})
_CLUSTER_CLIENTS: Final = frozenset({"RedisCluster", "ValkeyCluster"})
_SENTINEL_POOLS: Final = frozenset({"SentinelConnectionPool"})
_TLS_CONNECTIONS: Final = frozenset({"SSLConnection"})

_CONNECT_HOOKS: Final = ("redis_connect_func", "valkey_connect_func")
_REFUSED: Final = (
    *_CONNECT_HOOKS,
    "ssl_include_verify_flags",
    "ssl_exclude_verify_flags",
    "ssl_validate_ocsp",
    "ssl_validate_ocsp_stapled",
)

_Settings = Mapping[str, Any]


def target_of_client(client: object) -> Target:
    """Where this client would connect to, and as whom."""
    if _is_a(_CLUSTER_CLIENTS, type(client)):
        return _cluster(client)
    if not _is_a(_SINGLE_CLIENTS, type(client)):
        raise BadInputError(
            "url",
            "it must be a URL or a client of redis-py or valkey-py, "
            f"not {type(client).__module__}.{type(client).__name__}",
        )
    pool = cast("Any", client).connection_pool
    if _is_a(_SENTINEL_POOLS, type(pool)):
        return _sentinel(pool)
    settings, tls = _settings_of(pool)
    address = Unix(settings["path"]) if "path" in settings else _tcp(settings)
    return Target(
        topology=Topology.SINGLE, addresses=(address,), session=_session(settings, tls=tls)
    )


def _is_a(names: Container[str], kind: type) -> bool:
    """Whether it is, or comes from, a class of one of the libraries that is called so."""
    return any(
        base.__name__ in names and base.__module__.partition(".")[0] in _LIBRARIES
        for base in kind.__mro__
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
    if hasattr(client, "connection_kwargs"):
        settings = dict(client.connection_kwargs)
    else:
        # The blocking one's other settings are those of the nodes it has found.
        node = next(iter(manager.startup_nodes.values()))
        settings = {**manager.connection_kwargs, **_node_settings(node)}
        # Each client has one of its own here, to ask for reads from replicas.
        for hook in _CONNECT_HOOKS:
            settings.pop(hook, None)
    tls = bool(settings.get("ssl")) or _is_tls(settings.get("connection_class"))
    return Target(topology=Topology.CLUSTER, addresses=seeds, session=_session(settings, tls=tls))


def _node_settings(node: Any) -> _Settings:
    client = getattr(node, "redis_connection", None) or getattr(node, "valkey_connection", None)
    if client is None:
        return {}
    settings, tls = _settings_of(client.connection_pool)
    return {**settings, "ssl": tls}


def _settings_of(pool: Any) -> tuple[_Settings, bool]:
    return pool.connection_kwargs, _is_tls(pool.connection_class)


def _is_tls(connection_class: object) -> bool:
    return isinstance(connection_class, type) and _is_a(_TLS_CONNECTIONS, connection_class)


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
