"""The settings of a client that say who is who are carried over, or refused."""

from types import ModuleType

import pytest
import redis
import redis.asyncio
import redis.sentinel
import valkey
import valkey.asyncio
import valkey.sentinel

from toril.connection import Target
from toril.connection.target import Login, Tcp, Tls, Topology, Unix
from toril.core.errors import BadInputError

CLIENTS = [redis.Redis, redis.asyncio.Redis, valkey.Valkey, valkey.asyncio.Valkey]

each_client = pytest.mark.parametrize("client_class", CLIENTS)
each_sentinel = pytest.mark.parametrize("library", [redis.sentinel, valkey.sentinel])


@each_client
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


@each_client
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
    client = client_class(**{"ssl": True, "ssl_check_hostname": True, **settings})

    assert Target.of(client).session.tls == tls


@pytest.mark.parametrize(("client_class", "does"), [(redis.Redis, True), (valkey.Valkey, False)])
def test_the_host_name_is_checked_where_the_client_does(client_class: type, *, does: bool) -> None:
    assert Target.of(client_class(ssl=True)).session.tls == Tls(check_hostname=does)


def test_a_credential_provider_is_asked_itself() -> None:
    provider = redis.UsernamePasswordCredentialProvider("u", "p")

    assert Target.of(redis.Redis(credential_provider=provider)).session.credentials is provider


@each_sentinel
def test_sentinels_and_service(library: ModuleType) -> None:
    manager = library.Sentinel(
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


@each_sentinel
def test_a_replica_is_refused(library: ModuleType) -> None:
    manager = library.Sentinel([("one", 1)])

    with pytest.raises(BadInputError, match="master_for"):
        Target.of(manager.slave_for("main"))


@pytest.mark.parametrize(
    ("client", "setting"),
    [
        (redis.Redis(redis_connect_func=print), "redis_connect_func"),
        (valkey.Valkey(valkey_connect_func=print), "valkey_connect_func"),
    ],
)
def test_what_cannot_be_carried_over_is_refused(client: object, setting: str) -> None:
    with pytest.raises(BadInputError, match=setting):
        Target.of(client)


def test_a_class_of_ones_own_that_comes_from_a_client_is_one() -> None:
    class Own(valkey.Valkey):
        pass

    assert Target.of(Own(host="cache")).addresses == (Tcp("cache", 6379),)


def test_what_is_only_called_like_a_client_is_none() -> None:
    class Redis:
        pass

    with pytest.raises(BadInputError, match=r"a client of redis-py or valkey-py, not .*\.Redis"):
        Target.of(Redis())


@pytest.mark.parametrize("value", [42, object(), b"redis://host"])
def test_anything_else_is_refused_by_its_type(value: object) -> None:
    with pytest.raises(BadInputError, match=type(value).__name__):
        Target.of(value)
