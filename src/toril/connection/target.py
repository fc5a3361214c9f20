"""Where to connect, and as whom: one frozen value made from a URL, from a client or from nothing.

Secrets are part of the value and of its hash, but of no text: `repr` and `label` leave them out.
"""

import os
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Final, Protocol, TypeAlias

import msgspec

DEFAULT_URL: Final = "redis://localhost:6379"

CONNECT_TIMEOUT_MS: Final = 5_000
"""All of it: name lookup, TCP, TLS and the greeting."""

REPLY_TIMEOUT_MS: Final = 10_000
"""A server that says nothing for longer is taken for dead."""


class Tcp(msgspec.Struct, frozen=True):
    """A server on the network."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


class Unix(msgspec.Struct, frozen=True):
    """A server behind a socket in the file system."""

    path: str

    def __str__(self) -> str:
        return self.path


Address: TypeAlias = Tcp | Unix


class CredentialSource(Protocol):
    """What redis-py calls a credential provider: asked again for every connection."""

    def get_credentials(self) -> tuple[str] | tuple[str, str]:
        """The password alone, or user name and password."""
        ...

    async def get_credentials_async(self) -> tuple[str] | tuple[str, str]:
        """The same, without blocking the event loop."""
        ...


@dataclass(frozen=True, slots=True)
class Login:
    """A user name and a password; without a name it is the server's default user."""

    username: str | None
    password: str = field(repr=False)

    def get_credentials(self) -> tuple[str] | tuple[str, str]:
        """In the shape of a `CredentialSource`."""
        return (self.username, self.password) if self.username else (self.password,)

    async def get_credentials_async(self) -> tuple[str] | tuple[str, str]:
        """In the shape of a `CredentialSource`."""
        return self.get_credentials()


@dataclass(frozen=True, slots=True)
class Tls:
    """How to prove who is who. The server's certificate and host name are checked by default."""

    ca_certs: str | None = None
    ca_path: str | None = None
    ca_data: str | bytes | None = field(default=None, repr=False)
    certfile: str | None = None
    keyfile: str | None = None
    key_password: str | None = field(default=None, repr=False)
    ciphers: str | None = None
    min_version: int | None = None
    check_certificate: bool = True
    check_hostname: bool = True


@dataclass(frozen=True, slots=True)
class Session:
    """What every connection to a kind of server is opened with."""

    credentials: CredentialSource | None = field(default=None, repr=False)
    tls: Tls | None = None
    db: int = 0
    client_name: str = "toril"
    connect_timeout_ms: int = CONNECT_TIMEOUT_MS
    reply_timeout_ms: int = REPLY_TIMEOUT_MS


class Topology(Enum):
    """How the server of a key is found."""

    SINGLE = "single"
    SENTINEL = "sentinel"
    CLUSTER = "cluster"
    EMBEDDED = "embedded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A validated place to connect to. Make one with `Target.of`."""

    topology: Topology
    addresses: tuple[Address, ...] = ()
    """The server, or whom to ask for it: the sentinels, some nodes of the cluster."""

    session: Session = Session()
    service: str = ""
    """The name the sentinels watch the master under."""

    sentinel_session: Session = Session()
    folder: str | None = None
    """Where the embedded server keeps its data; None when it keeps none."""

    @staticmethod
    def of(value: object = None) -> "Target":
        """Read a URL, a client of redis-py or valkey-py of either colour, or nothing.

        Nothing means `TORIL_URL`, then `REDIS_URL`, then `redis://localhost:6379`. The grammar
        of URLs is in `toril.connection.url`.

        Raises:
            BadInputError: It names the part of the URL, or the setting of the client, that
                cannot be used; it never repeats a password.
        """
        # Both build targets themselves.
        from toril.connection.client import target_of_client
        from toril.connection.url import target_of_url

        if isinstance(value, Target):
            return value
        if value is None:
            value = os.environ.get("TORIL_URL") or os.environ.get("REDIS_URL") or DEFAULT_URL
        return target_of_url(value) if isinstance(value, str) else target_of_client(value)

    @property
    def label(self) -> str:
        """The target as a URL without credentials, for logs and errors."""
        tls = "s" if self.session.tls else ""
        where = ",".join(str(address) for address in self.addresses)
        db = f"/{self.session.db}" if self.session.db else ""
        match self.topology:
            case Topology.SENTINEL:
                return f"redis{tls}+sentinel://{where}/{self.service}{db}"
            case Topology.CLUSTER:
                return f"redis{tls}+cluster://{where}"
            case Topology.EMBEDDED:
                return f"embedded://{self.folder or ''}"
            case Topology.SINGLE:
                scheme = "unix" if isinstance(self.addresses[0], Unix) else f"redis{tls}"
                return f"{scheme}://{where}{db}"

    @property
    def is_cluster(self) -> bool:
        """Whether keys live on several servers, so that those of one operation need one slot."""
        return self.topology is Topology.CLUSTER

    def __repr__(self) -> str:
        return f"Target.of({self.label!r})"

    def with_client_name(self, name: str) -> "Target":
        """The same place under another name in `CLIENT LIST`."""
        return replace(self, session=replace(self.session, client_name=name))

    def with_patience(self, patience_ms: int) -> "Target":
        """The same place; a server that says nothing for so long is taken for dead, or earlier."""
        session = replace(
            self.session,
            connect_timeout_ms=min(self.session.connect_timeout_ms, patience_ms),
            reply_timeout_ms=min(self.session.reply_timeout_ms, patience_ms),
        )
        return replace(self, session=session)
