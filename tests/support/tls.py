"""A certificate authority for one test run, and certificates from it."""

import datetime as dt
import ipaddress
import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_A_DAY: Final = dt.timedelta(days=1)


@dataclass(frozen=True)
class _Pair:
    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey

    def write_to(self, folder: Path, name: str) -> tuple[Path, Path]:
        certificate, key = folder / f"{name}.pem", folder / f"{name}.key"
        certificate.write_bytes(self.certificate.public_bytes(serialization.Encoding.PEM))
        key.write_bytes(
            self.key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        return certificate, key


class Authority:
    """Issues certificates into a folder; `ca_file` is what a client has to trust."""

    def __init__(self, folder: Path, name: str = "authority") -> None:
        self._folder: Final = folder
        self._own: Final = _issue(name, None, ())
        self.ca_file: Final = self._own.write_to(folder, name)[0]

    def issue(self, name: str, *hosts: str) -> tuple[Path, Path]:
        """A certificate and its key for these host names or addresses."""
        return _issue(name, self._own, hosts).write_to(self._folder, name)

    def server_context(self, *hosts: str, asks_clients: bool = False) -> ssl.SSLContext:
        """For the listening end; with `asks_clients` only those we issued for may come in."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*self.issue("server", *hosts))
        if asks_clients:
            context.load_verify_locations(self.ca_file)
            context.verify_mode = ssl.CERT_REQUIRED
        return context


def _issue(name: str, issuer: _Pair | None, hosts: tuple[str, ...]) -> _Pair:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = dt.datetime.now(dt.UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer.certificate.subject if issuer else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _A_DAY)
        .not_valid_after(now + _A_DAY)
        .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
    )
    if issuer is None:
        builder = builder.add_extension(_signing_usage(), critical=True)
        builder = builder.add_extension(
            x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False
        )
    else:
        builder = _for_hosts(builder, issuer, hosts)
    signer = issuer.key if issuer else key
    return _Pair(builder.sign(signer, hashes.SHA256()), key)


def _for_hosts(
    builder: x509.CertificateBuilder, issuer: _Pair, hosts: tuple[str, ...]
) -> x509.CertificateBuilder:
    usages = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
    names = x509.SubjectAlternativeName([_general_name(host) for host in hosts])
    authority = x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer.key.public_key())
    builder = builder.add_extension(x509.ExtendedKeyUsage(usages), critical=False)
    builder = builder.add_extension(authority, critical=False)
    return builder.add_extension(names, critical=False) if hosts else builder


def _general_name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _signing_usage() -> x509.KeyUsage:
    signs = dict.fromkeys(("key_cert_sign", "crl_sign", "digital_signature"), True)
    rest = (
        "content_commitment",
        "key_encipherment",
        "data_encipherment",
        "key_agreement",
        "encipher_only",
        "decipher_only",
    )
    return x509.KeyUsage(**signs, **dict.fromkeys(rest, False))
