"""TLS proves who answers: the right authority and the right name, or no connection."""  # generated from _async/test_tls.py by tools/generate_sync.py: edit that file

from pathlib import Path

import pytest
import redis
from tests.support.operations import Bump
from tests.support.proxy import Proxy
from tests.support.servers import ValkeyServer
from tests.support.tls import Authority

from toril.connection import Runner, Target
from toril.core.errors import BadInputError, UnavailableError


def _refusal(target: Target) -> str:
    with Runner(target, patience_ms=0) as runner:
        with pytest.raises(UnavailableError) as refusal:
            runner.run(Bump("a"))
    return refusal.value.problem


def test_an_unknown_authority_is_refused_by_default(tls_proxy: Proxy) -> None:
    assert "CERTIFICATE_VERIFY_FAILED" in _refusal(
        Target.of(f"rediss://127.0.0.1:{tls_proxy.port}")
    )


def test_a_wrong_authority_is_refused(tls_proxy: Proxy, tmp_path: Path) -> None:
    wrong = Authority(tmp_path, "somebody else")

    assert "CERTIFICATE_VERIFY_FAILED" in _refusal(
        Target.of(f"rediss://127.0.0.1:{tls_proxy.port}?ca_certs={wrong.ca_file}")
    )


def test_a_certificate_for_another_host_is_refused(
    tls_proxy: Proxy, authority: Authority
) -> None:
    assert "localhost" in _refusal(
        Target.of(f"rediss://localhost:{tls_proxy.port}?ca_certs={authority.ca_file}")
    )


def test_a_server_that_asks_for_a_certificate_gets_it(
    valkey: ValkeyServer, authority: Authority
) -> None:
    context = authority.server_context("127.0.0.1", asks_clients=True)
    certificate, key = authority.issue("client")
    with Proxy(valkey.port, tls=context) as proxy:
        url = f"rediss://127.0.0.1:{proxy.port}?ca_certs={authority.ca_file}"

        with Runner(Target.of(f"{url}&certfile={certificate}&keyfile={key}")) as runner:
            assert runner.run(Bump("tls:a")) > 0


def test_a_client_that_trusts_anybody_says_so_in_code(tls_proxy: Proxy) -> None:
    client = redis.Redis(port=tls_proxy.port, ssl=True, ssl_cert_reqs="none")

    with Runner(Target.of(client)) as runner:
        assert runner.run(Bump("tls:b")) > 0


def test_a_missing_file_is_named(tls_proxy: Proxy) -> None:
    target = Target.of(f"rediss://127.0.0.1:{tls_proxy.port}?ca_certs=/nowhere.pem")

    with Runner(target) as runner:
        with pytest.raises(BadInputError, match="tls"):
            runner.run(Bump("a"))
