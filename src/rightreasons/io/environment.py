"""Settings from environment variables: the cache folder, and how the network is reached.

Proxies come from http_proxy, https_proxy and all_proxy, in lower or upper case, certificates from SSL_CERT_FILE.
SSLKEYLOGFILE names a file for TLS keys, which Python opens whenever it prepares a TLS connection. All are checked
before a library fails on them. The value of a proxy is never shown, since it may contain a password.
"""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import urlsplit

from rightreasons.core.errors import InputError

CACHE_VARIABLE = "RIGHTREASONS_CACHE"
PROXY_VARIABLES = ("http_proxy", "https_proxy", "all_proxy")
NO_PROXY_VARIABLES = ("no_proxy", "NO_PROXY")
CERTIFICATES_VARIABLE = "SSL_CERT_FILE"
KEY_LOG_VARIABLE = "SSLKEYLOGFILE"
PROXY_SCHEMES = ("http", "https")


def find_cache_folder(*parts: str) -> Path:
    """Return the path of a folder in the cache, without creating it.

    It is in the folder that RIGHTREASONS_CACHE names, else in the user's cache folder.
    """
    named = os.environ.get(CACHE_VARIABLE)
    if named:
        return Path(named).joinpath(*parts)
    usual = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111 - never fails
    return Path(usual).joinpath("rightreasons", *parts)


def check_network_settings() -> None:
    """Refuse unusable proxies, certificates that can't be read, and a key log that can't be written."""
    for name in PROXY_VARIABLES:
        for variable in (name, name.upper()):
            problem = _find_proxy_problem(os.environ.get(variable, "").strip())
            if problem:
                raise InputError(
                    f"The environment variable {variable} {problem}. "
                    "Set it to a URL such as http://proxy.example:3128, or unset it."
                )
    check_tls_key_log()
    _check_certificates(os.environ.get(CERTIFICATES_VARIABLE, ""))


def check_tls_key_log() -> None:
    """Refuse a key log that can't be written; httpx opens it even for plain connections to this machine."""
    path = os.environ.get(KEY_LOG_VARIABLE, "")
    if not path:
        return
    import ssl  # only here and below, since every command loads this module

    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).keylog_filename = path
    except OSError as error:
        raise InputError(
            f"The environment variable {KEY_LOG_VARIABLE} is set to {path!r}, which can't be written: "
            f"{error.strerror}. Set it to a file in a folder that exists, or unset it."
        ) from error


def build_no_proxy_error(reason: object) -> InputError:
    """Build the error for an unreadable list of hosts that need no proxy."""
    variable = next((name for name in NO_PROXY_VARIABLES if os.environ.get(name)), NO_PROXY_VARIABLES[0])
    return InputError(
        f"The environment variable {variable} is not a valid list of hosts: {reason}. "
        "Set it to comma-separated host names, or unset it."
    )


def _find_proxy_problem(proxy: str) -> str | None:
    """Describe why a text is not a valid proxy URL; http is assumed without a scheme."""
    if not proxy:
        return None
    try:
        parts = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
        host, port = parts.hostname, parts.port
    except ValueError:
        return "is not a valid proxy URL"
    if parts.scheme not in PROXY_SCHEMES:
        return f"specifies a {parts.scheme} proxy, but only HTTP proxies are supported"
    plain = proxy.isascii() and proxy.isprintable() and " " not in proxy
    return None if host and plain and port != 0 else "is not a valid proxy URL"


def _check_certificates(path: str) -> None:
    if not path:
        return
    import ssl

    try:
        # Not create_default_context, which would fail for the key log as well.
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cafile=path)
    except OSError as error:  # that a file holds no certificate is one, too
        reason = "it contains no certificates" if isinstance(error, ssl.SSLError) else error.strerror
        raise InputError(
            f"The environment variable {CERTIFICATES_VARIABLE} is set to {path!r}, which can't be used: {reason}. "
            "Set it to a file with certificates in PEM format, or unset it."
        ) from error
