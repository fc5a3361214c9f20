"""The settings of a redis-py client that say who is who are carried over, or refused."""

import pytest
import redis
import redis.asyncio
import redis.sentinel

from toril.connection import Target
from toril.connection.target import Login, Tcp, Tls, Topology, Unix
from toril.core.errors import BadInputError


@pytest.mark.parametrize("client_class", [redis.Redis, redis.asyncio.Redis])
def test_address_login_database_and_name(client_class: type) -> None:
    client = client_class(
        host="cache",
        port=7,
        db=3,
        username="u",
        password="p",  # noqa: S106
        client_name="me",
    )

    target = Target.of(client)

    assert target.addresses == (Tcp("cache", 7),)
    assert target.session.credentials == Login("u", "p")
    assert (target.session.db, target.session.client_name) == (3, "me")


def test_a_client_made_from_a_url() -> None:
    target = Target.of(redis.Redis.from_url("unix://:p@/run/r.sock?db=2"))

    assert target.addresses == (Unix("/run/r.sock"),)
    assert target.session.credentials == Login(None, "p")
    assert target.session.db == 2


@pytest.mark.parametrize("client_class", [redis.Redis, redis.asyncio.Redis])
@pytest.mark.parametrize(
    ("settings", "tls"),
    [
        ({}, Tls()),
        (
            {"ssl_ca_certs": "/ca", "ssl_certfile": "/c", "ssl_keyfile": "/k"},
            Tls("/ca", None, None, "/c", "/k"),
        ),
        ({"ssl_cert_reqs": "none"}, Tls(check_certificate=False)),
        ({"ssl_check_hostname": False}, Tls(check_hostname=False)),
    ],
)
def test_tls_is_carried_over(client_class: type, settings: dict[str, object], tls: Tls) -> None:
    assert Target.of(client_class(ssl=True, **settings)).session.tls == tls


def test_a_credential_provider_is_asked_itself() -> None:
    provider = redis.UsernamePasswordCredentialProvider("u", "p")

    assert Target.of(redis.Redis(credential_provider=provider)).session.credentials is provider


def test_sentinels_and_service() -> None:
    manager = redis.sentinel.Sentinel(
        [("one", 1), ("two", 2)],
        sentinel_kwargs={"password": "q"},
        password="p",  # noqa: S106  # noqa: S106
    )

    target = Target.of(manager.master_for("main", db=4))

    assert target.topology is Topology.SENTINEL
    assert target.addresses == (Tcp("one", 1), Tcp("two", 2))
    assert (target.service, target.session.db) == ("main", 4)
    assert target.session.credentials == Login(None, "p")
    assert target.sentinel_session.credentials == Login(None, "q")


def test_a_replica_is_refused() -> None:
    manager = redis.sentinel.Sentinel([("one", 1)])

    with pytest.raises(BadInputError, match="master_for"):
        Target.of(manager.slave_for("main"))


def test_what_cannot_be_carried_over_is_refused() -> None:
    client = redis.Redis(redis_connect_func=print)

    with pytest.raises(BadInputError, match="redis_connect_func"):
        Target.of(client)


@pytest.mark.parametrize("value", [42, object(), b"redis://host"])
def test_anything_else_is_refused_by_its_type(value: object) -> None:
    with pytest.raises(BadInputError, match=type(value).__name__):
        Target.of(value)
