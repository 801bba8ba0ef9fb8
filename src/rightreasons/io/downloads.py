"""Download one file: a broken transfer is resumed, and the file is checked before it takes its name."""

from __future__ import annotations

import hashlib
import ssl
import zipfile
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from rightreasons.core.errors import InputError
from rightreasons.core.progress import show_progress
from rightreasons.io.environment import build_no_proxy_error, check_network_settings
from rightreasons.io.inputs import UNPACK_ERRORS
from rightreasons.io.interrupts import report_kept_work
from rightreasons.io.locks import BusyError, hold_lock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import IO

    import httpx

    from rightreasons.io.archives import Download

MAX_TRIES = 3
TIMEOUT = 30.0  # seconds, to connect and between two pieces
_MAX_MEMBERS = 4  # a zip may hold other members next to the known one, but not any number of them
_MAX_DIGITS = 18  # of a length that is read as it is: Python refuses to read numbers of thousands of digits
_PARTIAL, _RANGE_NOT_SATISFIABLE = 206, 416


class _BrokenOffError(Exception):
    """The transfer ended before the file did; what arrived is kept. Never leaves this file."""


def download_file(item: Download, target: Path) -> None:
    """Download a file unless it exists; it appears under its name only whole and checked."""
    if target.exists():
        if not _has_right_digest(item, target):
            raise InputError(
                f"{target} is not the file published at {item.url} (its sha256 differs). "
                "Remove it and fetch again."
            )
        return
    check_network_settings()
    part = target.with_name(f"{target.name}.part")
    with _lock_partial_file(part), report_kept_work(lambda: _describe_partial_file(part)):
        _transfer_file(item, part, target)


def _describe_partial_file(part: Path) -> str:
    """Describe how much of a file is here, if any."""
    if not part.exists():
        return ""
    return f"{part.stat().st_size:,} bytes are kept in {part}. Run the same command again to resume."


@contextmanager
def _lock_partial_file(part: Path) -> Iterator[None]:
    """Keep a second process from writing to the same partial file."""
    try:
        with hold_lock(part.with_name(f"{part.name}.lock"), remove=True):
            yield
    except BusyError as error:
        raise InputError(
            f"Another process is fetching {part.name.removesuffix('.part')}. "
            "Wait for it to finish, then run the same command again."
        ) from error


def _transfer_file(item: Download, part: Path, target: Path) -> None:
    with _open_http_client() as client:
        for attempt in range(MAX_TRIES):
            try:
                _append_missing_bytes(client, item, part)
                break
            except _BrokenOffError:
                if attempt + 1 == MAX_TRIES:
                    raise _build_broken_transfer_error(item, part) from None
    if not _has_right_digest(item, part):
        part.unlink()  # resuming from wrong bytes would never give the right file
        raise InputError(
            f"The file received from {item.url} is not the published one (its sha256 differs), so it was deleted. "
            f"Try again; if that doesn't help, put the right file at {target}."
        )
    part.replace(target)


def _open_http_client() -> httpx.Client:
    """Open connections that trust the system's certificates, or those of SSL_CERT_FILE, and use the proxies set."""
    import httpx

    try:
        return httpx.Client(
            headers={"User-Agent": "rightreasons", "Accept-Encoding": "identity"},
            timeout=TIMEOUT,
            follow_redirects=True,
            verify=ssl.create_default_context(),
        )
    except httpx.InvalidURL as error:  # proxies were checked before
        raise build_no_proxy_error(error) from error


def _append_missing_bytes(client: httpx.Client, item: Download, part: Path) -> None:
    """Request the missing bytes and append them; a server without ranges sends the whole file again."""
    import httpx

    if urlsplit(item.url).scheme not in ("http", "https"):
        raise InputError(f"{item.url} is not a web URL. Use http or https.")
    if part.exists() and part.stat().st_size > _get_size_limit(item):
        part.unlink()  # left by another version of the file
    have = part.stat().st_size if part.exists() else 0
    headers = {"Range": f"bytes={have}-"} if have else {}
    try:
        with client.stream("GET", item.url, headers=headers) as response:
            if response.status_code == _RANGE_NOT_SATISFIABLE:
                return  # the whole file is here; the check tells whether it is the right one
            if not response.is_success:
                reason = f"the server replied {response.status_code} {response.reason_phrase}"
                raise _build_download_error(item, part, reason)
            _receive_body(response, item, part, have)
    except (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError) as error:
        raise _build_download_error(item, part, str(error)) from error
    except (httpx.NetworkError, httpx.TimeoutException, httpx.RemoteProtocolError) as error:
        raise _BrokenOffError from error
    except (httpx.HTTPError, httpx.InvalidURL) as error:  # such as a redirect that leads nowhere
        raise _build_download_error(item, part, str(error)) from error


def _receive_body(response: httpx.Response, item: Download, part: Path, have: int) -> None:
    """Write the body to the partial file; a file that is too long is deleted."""
    resumes = response.status_code == _PARTIAL and _is_range_from_offset(response, have)
    start = have if resumes else 0
    limit = _get_size_limit(item)
    # Refused before the first byte: to stop in the middle would look like a broken transfer, which is retried.
    too_long = (_read_content_length(response) or 0) + start > limit
    if not too_long:
        with part.open("ab" if resumes else "wb") as file:
            _copy_in_pieces(response, file, _get_total_size(item, response, start), item)
            too_long = file.tell() > limit
    if too_long:
        part.unlink(missing_ok=True)
        raise InputError(
            f"The file at {item.url} is larger than the expected {limit:,} bytes, so the download was deleted. "
            "Try again later, or download the right file manually."
        )


def _is_range_from_offset(response: httpx.Response, have: int) -> bool:
    return str(response.headers.get("Content-Range", "")).startswith(f"bytes {have}-")


def _get_size_limit(item: Download) -> int:
    """Return how many bytes the file may have; of a zip, only the size of one member is known."""
    return item.bytes if item.member is None else _MAX_MEMBERS * item.bytes


def _get_total_size(item: Download, response: httpx.Response, have: int) -> int | None:
    """Return the length of the whole file: as pinned, or, for a zip with a pinned member, as the server says."""
    if item.member is None:
        return item.bytes
    length = _read_content_length(response)
    return None if length is None else have + length


def _read_content_length(response: httpx.Response) -> int | None:
    """Read how many bytes the server announces; a number with too many digits is too large in any case."""
    length = response.headers.get("Content-Length", "").strip()
    if not (length.isascii() and length.isdigit()):
        return None
    return int(length) if len(length) <= _MAX_DIGITS else 10**_MAX_DIGITS


def _copy_in_pieces(response: httpx.Response, file: IO[bytes], total: int | None, item: Download) -> None:
    """Copy piece by piece; an end before the announced length is a broken transfer."""
    end = _get_size_limit(item) + 1  # one byte more than the file may have shows that it is another file
    with show_progress(total, f"fetching {item.name}") as advance:
        advance(file.tell())
        for piece in response.iter_raw():
            advance(file.write(piece[: end - file.tell()]))
            if file.tell() == end:
                return
        if total is not None and file.tell() < total:
            raise _BrokenOffError


def _has_right_digest(item: Download, path: Path) -> bool:
    """Compare the sha256 of a file, or of the member of it that is pinned, with the published one."""
    if item.member is None:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == item.sha256
    try:
        with zipfile.ZipFile(path) as archive:
            if archive.getinfo(item.member).file_size != item.bytes:
                return False
            with archive.open(item.member) as member:
                return hashlib.file_digest(member, "sha256").hexdigest() == item.sha256  # type: ignore[arg-type]
    except (*UNPACK_ERRORS, KeyError, RuntimeError):  # the last for an encrypted member
        return False


def _build_download_error(item: Download, part: Path, reason: str) -> InputError:
    target = part.with_name(part.name.removesuffix(".part"))
    return InputError(
        f"Can't fetch {item.url}: {reason}. Download the file manually to {target} "
        f"(sha256 {item.sha256}), then run the same command again."
    )


def _build_broken_transfer_error(item: Download, part: Path) -> InputError:
    have = part.stat().st_size if part.exists() else 0
    return InputError(
        f"The download of {item.url} was interrupted {MAX_TRIES} times; {have:,} bytes are kept. "
        "Run the same command again to resume."
    )
