"""Settings of the environment that decide how the network is reached, checked before a library trips over them.

Proxies come from http_proxy, https_proxy and all_proxy, in small or capital letters, certificates from SSL_CERT_FILE.
SSLKEYLOGFILE names a file for the keys of connections, which Python opens whenever it prepares one with TLS.
The value of a proxy is never shown, since a password may be in it.
"""

from __future__ import annotations

import os
import ssl
from urllib.parse import urlsplit

from rightreasons.core.errors import InputError

PROXIES = ("http_proxy", "https_proxy", "all_proxy")
EXCEPTIONS = ("no_proxy", "NO_PROXY")
CERTIFICATES = "SSL_CERT_FILE"
KEY_LOG = "SSLKEYLOGFILE"
SCHEMES = ("http", "https")


def check_network_settings() -> None:
    """Refuse proxies that can't be used, certificates that can't be read, and a key log that can't be written."""
    for name in PROXIES:
        for variable in (name, name.upper()):
            problem = _problem(os.environ.get(variable, "").strip())
            if problem:
                raise InputError(
                    f"The environment variable {variable} {problem}. "
                    "Set it to an address such as http://proxy.example:3128, or unset it."
                )
    check_key_log()
    _check_certificates(os.environ.get(CERTIFICATES, ""))


def check_key_log() -> None:
    """Refuse a key log that can't be written; httpx opens it for plain connections to this machine, too."""
    path = os.environ.get(KEY_LOG, "")
    if not path:
        return
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).keylog_filename = path
    except OSError as error:
        raise InputError(
            f"The environment variable {KEY_LOG} names {path!r}, which can't be written: {error.strerror}. "
            "Set it to a file in a folder that exists, or unset it."
        ) from error


def refuse_exceptions(reason: object) -> InputError:
    """Say that the list of hosts that need no proxy can't be read."""
    variable = next((name for name in EXCEPTIONS if os.environ.get(name)), EXCEPTIONS[0])
    return InputError(
        f"The environment variable {variable} can't be read: {reason}. "
        "Set it to names of hosts with commas between them, or unset it."
    )


def _problem(proxy: str) -> str | None:
    """Say why a text is no proxy; without a scheme it is one of HTTP."""
    if not proxy:
        return None
    try:
        parts = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
        host, port = parts.hostname, parts.port
    except ValueError:
        return "can't be read as the address of a proxy"
    if parts.scheme not in SCHEMES:
        return f"names a proxy of the kind {parts.scheme!r}, and only HTTP proxies can be used"
    plain = proxy.isascii() and proxy.isprintable() and " " not in proxy
    return None if host and plain and port != 0 else "can't be read as the address of a proxy"


def _check_certificates(path: str) -> None:
    if not path:
        return
    try:
        # Not create_default_context, which would fail for the key log as well.
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cafile=path)
    except OSError as error:  # that a file holds no certificate is one, too
        reason = "it holds no certificates" if isinstance(error, ssl.SSLError) else error.strerror
        raise InputError(
            f"The environment variable {CERTIFICATES} names {path!r}, which can't be used: {reason}. "
            "Set it to a file with certificates in PEM format, or unset it."
        ) from error
