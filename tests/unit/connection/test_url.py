"""A URL is read strictly, and nothing of it is repeated in an error."""

import pytest

from toril.connection import Target
from toril.connection.target import Login, Tcp, Tls, Topology, Unix
from toril.core.errors import BadInputError


@pytest.mark.parametrize(
    ("url", "address", "db"),
    [
        ("redis://", Tcp("localhost", 6379), 0),
        ("redis://cache", Tcp("cache", 6379), 0),
        ("redis://cache:7000/", Tcp("cache", 7000), 0),
        ("redis://cache:7000/15", Tcp("cache", 7000), 15),
        ("redis://[::1]:7000/1", Tcp("::1", 7000), 1),
        ("redis://[fe80::1]", Tcp("fe80::1", 6379), 0),
        ("redis://user:pass@10.0.0.1:1/2", Tcp("10.0.0.1", 1), 2),
        ("unix:///run/redis.sock", Unix("/run/redis.sock"), 0),
        ("unix:///run/a%20b@c.sock?db=4", Unix("/run/a b@c.sock"), 4),
        ("unix://:pass@/run/redis.sock", Unix("/run/redis.sock"), 0),
    ],
)
def test_a_single_server(url: str, address: Tcp | Unix, db: int) -> None:
    target = Target.of(url)

    assert target.topology is Topology.SINGLE
    assert target.addresses == (address,)
    assert target.session.db == db
    assert target.session.tls is None


@pytest.mark.parametrize(
    ("userinfo", "login"),
    [
        (":pass@", Login(None, "pass")),
        ("user:pass@", Login("user", "pass")),
        ("us%3Aer:p%40ss%2F%3F%23%25@", Login("us:er", "p@ss/?#%")),
        ("user:pa:ss@", Login("user", "pa:ss")),
        ("user:p@ss@", Login("user", "p@ss")),
        ("", None),
    ],
)
def test_credentials_are_percent_decoded(userinfo: str, login: Login | None) -> None:
    assert Target.of(f"redis://{userinfo}host").session.credentials == login


def test_tls_checks_certificate_and_host_name_by_default() -> None:
    assert Target.of("rediss://host").session.tls == Tls(
        check_certificate=True, check_hostname=True
    )


def test_certificates_are_named_in_the_query() -> None:
    target = Target.of("rediss://host?ca_certs=/ca.pem&certfile=/me.pem&keyfile=/me.key")

    assert target.session.tls == Tls(ca_certs="/ca.pem", certfile="/me.pem", keyfile="/me.key")


def test_times_are_given_in_seconds() -> None:
    session = Target.of("redis://host?timeout=2.5&connect_timeout=1").session

    assert (session.reply_timeout_ms, session.connect_timeout_ms) == (2_500, 1_000)


def test_sentinels_with_a_service_and_two_logins() -> None:
    target = Target.of(
        "rediss+sentinel://u:p@one,two:7,[::1]/main/3?sentinel_username=s&sentinel_password=q"
    )

    assert target.topology is Topology.SENTINEL
    assert target.addresses == (Tcp("one", 26379), Tcp("two", 7), Tcp("::1", 26379))
    assert (target.service, target.session.db) == ("main", 3)
    assert target.session.credentials == Login("u", "p")
    assert target.sentinel_session.credentials == Login("s", "q")
    assert target.sentinel_session.tls == Tls()
    assert target.sentinel_session.db == 0


def test_seeds_of_a_cluster() -> None:
    target = Target.of("redis+cluster://:p@one:7000,two")

    assert target.is_cluster
    assert target.addresses == (Tcp("one", 7000), Tcp("two", 6379))


@pytest.mark.parametrize(
    ("url", "folder"),
    [
        ("embedded://", None),
        ("embedded:///", None),
        ("embedded:///var/lib/my%20jobs/", "/var/lib/my jobs"),
    ],
)
def test_an_embedded_server_with_and_without_a_folder(url: str, folder: str | None) -> None:
    target = Target.of(url)

    assert target.topology is Topology.EMBEDDED
    assert target.folder == folder


@pytest.mark.parametrize(
    ("environment", "address"),
    [
        ({"TORIL_URL": "redis://ours", "REDIS_URL": "redis://theirs"}, Tcp("ours", 6379)),
        ({"REDIS_URL": "redis://theirs"}, Tcp("theirs", 6379)),
        ({"TORIL_URL": "", "REDIS_URL": ""}, Tcp("localhost", 6379)),
        ({}, Tcp("localhost", 6379)),
    ],
)
def test_nothing_means_the_environment(
    environment: dict[str, str], address: Tcp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TORIL_URL", raising=False)
    monkeypatch.delenv("REDIS_URL", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    assert Target.of(None).addresses == (address,)


@pytest.mark.parametrize(
    ("url", "field", "problem"),
    [
        ("", "url", "must begin with"),
        ("localhost:6379", "url", "must begin with"),
        ("http://host", "url", "must begin with"),
        ("redis://host:port", "port", "1 to 65535"),
        ("redis://host:0", "port", "1 to 65535"),
        ("redis://host:65536", "port", "1 to 65535"),
        ("redis://host:", "port", "1 to 65535"),
        ("redis://::1:6379", "host", "IPv6"),
        ("redis://ho st", "host", "name or an address"),
        ("redis://ho%20st", "host", "name or an address"),
        ("redis://[::1", "host", "name or an address"),
        ("redis://host/one", "db", "number of a database"),
        ("redis://host/-1", "db", "number of a database"),
        ("redis://host/1/2", "db", "number of a database"),
        ("redis://host#1", "url", "percent-encode"),
        ("redis://user@host", "password", "comes with a password"),
        ("redis://host?tiemout=1", "url", "did you mean 'timeout'"),
        ("redis://host?ca_certs=/x", "url", "unknown query key 'ca_certs'"),
        ("redis://host?timeout=1&timeout=2", "url", "given twice"),
        ("redis://host?timeout=soon", "timeout", "number of seconds"),
        ("redis://host?timeout=0", "timeout", "number of seconds"),
        ("redis://host?timeout=nan", "timeout", "number of seconds"),
        ("rediss://host?ssl_cert_reqs=none", "url", "pass a client of redis-py or valkey-py"),
        ("rediss://host?ssl_check_hostname=false", "url", "pass a client of redis-py or valkey-py"),
        ("rediss://host?verify=no", "url", "pass a client of redis-py or valkey-py"),
        ("rediss://host?insecure=true", "url", "pass a client of redis-py or valkey-py"),
        ("unix://run/redis.sock", "path", "absolute path"),
        ("unix://", "path", "absolute path"),
        ("redis+sentinel://host", "service", "name it behind"),
        ("redis+sentinel:///main", "host", "at least one"),
        ("redis+sentinel://host/main?sentinel_username=a", "sentinel_password", "comes with"),
        ("redis+cluster://host/1", "db", "database 0"),
        ("redis+cluster://one,,two", "host", "name or an address"),
        ("embedded://folder", "folder", "three slashes"),
    ],
)
def test_what_is_not_understood_is_refused(url: str, field: str, problem: str) -> None:
    with pytest.raises(BadInputError, match=problem) as refusal:
        Target.of(url)

    assert refusal.value.field == field


@pytest.mark.parametrize(
    "url",
    [
        "redis://:CANARY@host:port",
        "redis://:can/CANARY@host",
        "redis://:can?CANARY=1@host",
        "redis://:can?CANARY@host/0",
        "redis://:can#CANARY@host",
        "redis://:CANARY@[::1",
        "redis://CANARY@host",
        "CANARY@host",
        "redis://user:CANARY@host/db",
        "rediss+sentinel://:CANARY@host",
        "unix://:CANARY@relative",
    ],
)
def test_a_refused_url_does_not_show_its_password(url: str) -> None:
    with pytest.raises(BadInputError) as refusal:
        Target.of(url)

    shown = f"{refusal.value} {refusal.value!r} {refusal.value.__dict__}"
    assert "CANARY" not in shown


@pytest.mark.parametrize(
    ("url", "label"),
    [
        ("redis://user:CANARY@host:1/2", "redis://host:1/2"),
        ("rediss://:CANARY@[::1]", "rediss://[::1]:6379"),
        ("unix://:CANARY@/run/r.sock?db=1", "unix:///run/r.sock/1"),
        ("redis+sentinel://:CANARY@a,b/main/1", "redis+sentinel://a:26379,b:26379/main/1"),
        (
            "redis+sentinel://a/main?sentinel_password=CANARY",
            "redis+sentinel://a:26379/main",
        ),
        ("rediss+cluster://:CANARY@a", "rediss+cluster://a:6379"),
        ("embedded:///var/jobs", "embedded:///var/jobs"),
    ],
)
def test_a_target_shows_where_it_leads_and_no_secret(url: str, label: str) -> None:
    target = Target.of(url)

    assert target.label == label
    assert repr(target) == f"Target.of('{label}')"
    assert "CANARY" not in f"{target} {target!r} {target.session!r} {target.sentinel_session!r}"


def test_equal_urls_make_equal_targets() -> None:
    one, other = Target.of("rediss://:a@host"), Target.of("rediss://:a@host:6379/0")

    assert one == other
    assert hash(one) == hash(other)
    assert one != Target.of("rediss://:b@host")
