"""TLS as it should be: version 1.2 or newer, certificate and host name checked."""

import ssl
from functools import lru_cache

from toril.connection.target import Tls
from toril.core.errors import BadInputError


@lru_cache(maxsize=32)
def tls_context(tls: Tls) -> ssl.SSLContext:
    """Read the files once; a new certificate on disk needs a new process.

    Raises:
        BadInputError: A file is missing or does not hold what it should.
    """
    try:
        context = ssl.create_default_context(
            cafile=tls.ca_certs, capath=tls.ca_path, cadata=tls.ca_data
        )
        if tls.certfile:
            context.load_cert_chain(tls.certfile, tls.keyfile, tls.key_password)
    except (OSError, ssl.SSLError) as error:
        raise BadInputError("tls", f"its certificates cannot be read: {error}") from error
    if tls.ciphers:
        context.set_ciphers(tls.ciphers)
    if tls.min_version:
        context.minimum_version = ssl.TLSVersion(tls.min_version)
    context.check_hostname = tls.check_certificate and tls.check_hostname
    context.verify_mode = ssl.CERT_REQUIRED if tls.check_certificate else ssl.CERT_NONE
    return context
