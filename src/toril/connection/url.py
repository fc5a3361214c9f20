"""Read a URL into a `Target`, strictly: what is not understood is refused, not ignored.

    redis://[[user]:password@][host][:port][/db]
    unix://[[user]:password@]/path/of/socket[?db=1]
    redis+sentinel://[[user]:password@]host[:port][,host[:port]...]/service[/db]
    redis+cluster://[[user]:password@]host[:port][,host[:port]...]
    embedded://
    embedded:///folder/of/its/data

`rediss://`, `rediss+sentinel://` and `rediss+cluster://` are the same over TLS. User name and
password are percent-encoded. The user of a Sentinel URL is the one on master and replicas.

Query keys: `timeout` and `connect_timeout` in seconds; with TLS `ca_certs`, `certfile`, `keyfile`;
with Sentinel `sentinel_username`, `sentinel_password`; on a Unix socket `db`. No key switches the
checking of certificates off: that has to be spelled in code, by passing a client of
redis-py or valkey-py.

Errors never repeat any of the URL but the names of query keys: a password with an unescaped `/`,
`?` or `#` ends up in every other part of it.
"""

import re
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Final, NamedTuple
from urllib.parse import parse_qsl, unquote

from toril.connection.target import Login, Session, Target, Tcp, Tls, Topology, Unix
from toril.core.errors import BadInputError

_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
_PORT: Final = 6379
_SENTINEL_PORT: Final = 26379

_TIMES: Final = frozenset({"timeout", "connect_timeout"})
_TLS: Final = frozenset({"ca_certs", "certfile", "keyfile"})
_SENTINEL: Final = frozenset({"sentinel_username", "sentinel_password"})


@dataclass(frozen=True)
class _Scheme:
    topology: Topology
    keys: frozenset[str]
    tls: bool = False
    unix: bool = False


_SCHEMES: Final = {
    "redis": _Scheme(Topology.SINGLE, _TIMES),
    "rediss": _Scheme(Topology.SINGLE, _TIMES | _TLS, tls=True),
    "unix": _Scheme(Topology.SINGLE, _TIMES | {"db"}, unix=True),
    "redis+sentinel": _Scheme(Topology.SENTINEL, _TIMES | _SENTINEL),
    "rediss+sentinel": _Scheme(Topology.SENTINEL, _TIMES | _SENTINEL | _TLS, tls=True),
    "redis+cluster": _Scheme(Topology.CLUSTER, _TIMES),
    "rediss+cluster": _Scheme(Topology.CLUSTER, _TIMES | _TLS, tls=True),
    "embedded": _Scheme(Topology.EMBEDDED, _TIMES),
}


def target_of_url(url: str) -> Target:
    """Read the URL, or raise `BadInputError` with the name of the part that is wrong."""
    name, separator, rest = url.partition("://")
    scheme = _SCHEMES.get(name)
    if not separator or scheme is None:
        raise BadInputError("url", f"it must begin with one of {', '.join(_SCHEMES)} and ://")
    parts = _split(rest, scheme)
    query = _query(parts.query, scheme)
    userinfo, _, hosts = parts.netloc.rpartition("@")
    session = _session(scheme, query, userinfo)
    match scheme.topology:
        case Topology.EMBEDDED:
            return _embedded(parts, session)
        case Topology.SENTINEL:
            return _sentinel(parts.path, hosts, session, query)
        case Topology.CLUSTER:
            return _cluster(parts.path, hosts, session)
        case Topology.SINGLE if scheme.unix:
            return _unix(unquote(parts.path), hosts, session, query)
        case Topology.SINGLE:
            return _single(parts.path, hosts, session)


class _Parts(NamedTuple):
    """A URL behind its scheme, cut at the first /, ? and #.

    Not left to urllib, whose idea of a host has changed between versions and knows no list of them.
    """

    netloc: str
    path: str
    query: str


def _split(rest: str, scheme: _Scheme) -> _Parts:
    if _CONTROL.search(rest):
        raise BadInputError("url", "it has a control character: percent-encode it")
    before, hash_sign, _ = rest.partition("#")
    before, _, query = before.partition("?")
    netloc, slash, path = before.partition("/")
    behind_host = query + ("" if scheme.unix else path)
    if "@" in behind_host or hash_sign:
        raise BadInputError("url", "percent-encode /, ?, # and @ in user name and password")
    return _Parts(netloc, slash + path, query)


def _query(text: str, scheme: _Scheme) -> dict[str, str]:
    found: dict[str, str] = {}
    for key, value in parse_qsl(text, keep_blank_values=True):
        if key.startswith(("ssl_c", "verify", "insecure", "check_hostname")):
            raise BadInputError(
                "url",
                "checking certificates cannot be set in a URL; "
                "pass a client of redis-py or valkey-py",
            )
        if key not in scheme.keys:
            near = get_close_matches(key, scheme.keys, n=1)
            suggestion = f", did you mean {near[0]!r}?" if near else ""
            raise BadInputError("url", f"unknown query key {key!r}{suggestion}")
        if key in found:
            raise BadInputError("url", f"query key {key!r} is given twice")
        found[key] = value
    return found


def _session(scheme: _Scheme, query: dict[str, str], userinfo: str) -> Session:
    session = Session(
        credentials=_login(userinfo),
        tls=_tls(query) if scheme.tls else None,
    )
    if "timeout" in query:
        session = replace(session, reply_timeout_ms=_milliseconds("timeout", query))
    if "connect_timeout" in query:
        session = replace(session, connect_timeout_ms=_milliseconds("connect_timeout", query))
    return session


def _tls(query: dict[str, str]) -> Tls:
    return Tls(
        ca_certs=query.get("ca_certs"),
        certfile=query.get("certfile"),
        keyfile=query.get("keyfile"),
    )


def _milliseconds(key: str, query: dict[str, str]) -> int:
    try:
        seconds = float(query[key])
    except ValueError:
        seconds = 0
    if not 0 < seconds <= 3600:  # noqa: PLR2004 - an hour
        raise BadInputError(key, "it must be a number of seconds from 0.001 to 3600")
    return max(1, round(seconds * 1000))


def _login(userinfo: str) -> Login | None:
    if not userinfo:
        return None
    username, separator, password = userinfo.partition(":")
    if not separator or not password:
        raise BadInputError("password", "a user name comes with a password: user:password@host")
    return Login(unquote(username) or None, unquote(password))


def _single(path: str, hosts: str, session: Session) -> Target:
    address = _address(hosts or "localhost", _PORT)
    return Target(
        topology=Topology.SINGLE,
        addresses=(address,),
        session=replace(session, db=_db(path.removeprefix("/"))),
    )


def _unix(path: str, hosts: str, session: Session, query: dict[str, str]) -> Target:
    if hosts or not path.startswith("/"):
        raise BadInputError("path", "a Unix socket has an absolute path: unix:///path/of/socket")
    return Target(
        topology=Topology.SINGLE,
        addresses=(Unix(path),),
        session=replace(session, db=_db(query.get("db", ""))),
    )


def _sentinel(path: str, hosts: str, session: Session, query: dict[str, str]) -> Target:
    service, _, db = path.removeprefix("/").partition("/")
    if not service:
        raise BadInputError("service", "name it behind the sentinels: ...host:port/service")
    password = query.get("sentinel_password")
    if "sentinel_username" in query and not password:
        raise BadInputError("sentinel_password", "a user name comes with a password")
    login = Login(query.get("sentinel_username"), password) if password else None
    return Target(
        topology=Topology.SENTINEL,
        addresses=_addresses(hosts, _SENTINEL_PORT),
        session=replace(session, db=_db(db)),
        service=unquote(service),
        sentinel_session=replace(session, credentials=login),
    )


def _cluster(path: str, hosts: str, session: Session) -> Target:
    if path not in ("", "/", "/0"):
        raise BadInputError("db", "a cluster has database 0 alone")
    return Target(topology=Topology.CLUSTER, addresses=_addresses(hosts, _PORT), session=session)


def _embedded(parts: _Parts, session: Session) -> Target:
    if parts.netloc:
        raise BadInputError("folder", "write three slashes: embedded:///folder/of/its/data")
    folder = unquote(parts.path).rstrip("/")
    return Target(topology=Topology.EMBEDDED, session=session, folder=folder or None)


def _addresses(hosts: str, default_port: int) -> tuple[Tcp, ...]:
    if not hosts:
        raise BadInputError("host", "name at least one: host:port,host:port")
    return tuple(_address(host, default_port) for host in hosts.split(","))


def _address(text: str, default_port: int) -> Tcp:
    host, port = text, ""
    if text.startswith("["):
        host, bracket, port = text[1:].partition("]")
        host = host if bracket else ""
    elif ":" in text:
        host, _, port = text.rpartition(":")
        port = f":{port}"
    if not host or not host.isprintable() or " " in host or "%" in host:
        raise BadInputError("host", "it must be a name or an address, with [] around IPv6")
    if ":" in host and not text.startswith("["):
        raise BadInputError("host", "it must be a name or an address, with [] around IPv6")
    return Tcp(host, _port(port) if port else default_port)


def _port(text: str) -> int:
    digits = text.removeprefix(":")
    if not (digits.isascii() and digits.isdigit() and 0 < int(digits) < 65536):  # noqa: PLR2004
        raise BadInputError("port", "it must be a number from 1 to 65535")
    return int(digits)


def _db(text: str) -> int:
    if not text:
        return 0
    if not (text.isascii() and text.isdigit()):
        raise BadInputError("db", "it must be the number of a database")
    return int(text)
