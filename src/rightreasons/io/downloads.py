"""Download one file: a broken transfer goes on where it stopped, and what came is checked at the end."""

from __future__ import annotations

import hashlib
import http.client
import zipfile
from contextlib import contextmanager
from ssl import SSLError
from typing import TYPE_CHECKING
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from rightreasons.core.errors import InputError
from rightreasons.core.progress import progress
from rightreasons.io.compression import BROKEN
from rightreasons.io.interrupts import keeping
from rightreasons.io.locks import BusyError, hold_lock
from rightreasons.io.network_settings import check_network_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import IO

    from rightreasons.io.archives import Download

TRIES = 3
TIMEOUT = 30.0
_PIECE = 1 << 16
_MEMBERS = 4  # a zip may hold other members beside the known one, but not without end
_DIGITS = 18  # of a length that is taken as it is: Python refuses to read numbers of thousands of digits
_PARTIAL, _BEYOND_THE_END = 206, 416


class _BrokenOffError(Exception):
    """The transfer ended before the file did; what came is kept. Never leaves this file."""


def download(what: Download, target: Path) -> None:
    """Bring a file to its place, unless it is there already; it appears there only whole and checked."""
    if target.exists():
        _check(what, target, f"{target} is not the file that {what.url} must be. Remove it and fetch again.")
        return
    check_network_settings()
    part = target.with_name(f"{target.name}.part")
    with _alone(part), keeping(lambda: _kept(part)):
        _fetch(what, part, target)


def _kept(part: Path) -> str:
    """Say how much of a file is here, if any."""
    if not part.exists():
        return ""
    return f"{part.stat().st_size:,} bytes are kept in {part}. Give the same command again to resume."


@contextmanager
def _alone(part: Path) -> Iterator[None]:
    """Keep a second process from writing to the same part: the two would spoil each other's bytes."""
    try:
        with hold_lock(part.with_name(f"{part.name}.lock"), remove=True):
            yield
    except BusyError as error:
        raise InputError(
            f"Another process is fetching {part.name.removesuffix('.part')}. Wait for it, then run the same again."
        ) from error


def _fetch(what: Download, part: Path, target: Path) -> None:
    for attempt in range(TRIES):
        try:
            _go_on(what, part)
            break
        except _BrokenOffError:
            if attempt + 1 == TRIES:
                raise _broken(what, part) from None
    try:
        _check(what, part, "")
    except InputError:
        part.unlink()  # going on from wrong bytes would never come right
        raise InputError(
            f"What came from {what.url} is not the file it must be (its sha256 differs), so it was thrown away. "
            f"Try again; if that doesn't help, put the right file at {target}."
        ) from None
    part.replace(target)


def _go_on(what: Download, part: Path) -> None:
    """Ask for what is missing and append it; a server that can't do that sends all of it again."""
    if part.exists() and part.stat().st_size > _most(what):
        part.unlink()  # left by another version of the file
    have = part.stat().st_size if part.exists() else 0
    request = Request(what.url, headers={"User-Agent": "rightreasons"})  # noqa: S310 - checked just below
    if urlsplit(what.url).scheme not in ("http", "https"):
        raise InputError(f"{what.url} is no address of the web. Use http or https.")
    if have:
        request.add_header("Range", f"bytes={have}-")
    try:
        with urlopen(request, timeout=TIMEOUT) as answer:  # noqa: S310 - the scheme was checked
            goes_on = answer.status == _PARTIAL and _starts_at(answer, have)
            # Known before the first byte: to stop in the middle would look like a broken transfer, which is retried.
            if (_promised(answer) or 0) + (have if goes_on else 0) > _most(what):
                part.unlink(missing_ok=True)
                raise _too_long(what)
            with part.open("ab" if goes_on else "wb") as file:
                _copy(answer, file, _total(what, answer, have if goes_on else 0), what)
                too_long = file.tell() > _most(what)
            if too_long:
                part.unlink()
                raise _too_long(what)
    except HTTPError as error:
        if error.code != _BEYOND_THE_END:
            raise _refused(what, part, f"the server says {error.code} {error.reason}") from error
        # All of it is here; whether it is right is for the check to say.
    except URLError as error:
        raise _refused(what, part, str(error.reason)) from error
    except (http.client.HTTPException, ConnectionError, TimeoutError, SSLError) as error:
        raise _BrokenOffError from error


def _starts_at(answer: http.client.HTTPResponse, have: int) -> bool:
    return str(answer.headers.get("Content-Range", "")).startswith(f"bytes {have}-")


def _most(what: Download) -> int:
    """Say how many bytes the file may have; of a zip, only the size of one member is known."""
    return what.bytes if what.member is None else _MEMBERS * what.bytes


def _too_long(what: Download) -> InputError:
    return InputError(
        f"{what.url} has more than the {_most(what):,} bytes that it may have, so it was thrown away. "
        "Try again later, or put the right file in its place."
    )


def _total(what: Download, answer: http.client.HTTPResponse, have: int) -> int | None:
    """Tell how long the file will be: as pinned, or for a zip of which only a member is, as the server says."""
    if what.member is None:
        return what.bytes
    length = _promised(answer)
    return None if length is None else have + length


def _promised(answer: http.client.HTTPResponse) -> int | None:
    """Read how many bytes the server says it will send; the number may be of any length, and is then too large."""
    length = answer.headers.get("Content-Length", "").strip()
    if not (length.isascii() and length.isdigit()):
        return None
    return int(length) if len(length) <= _DIGITS else 10**_DIGITS


def _copy(answer: IO[bytes], file: IO[bytes], total: int | None, what: Download) -> None:
    """Copy piece by piece; an end before the promised length is a broken transfer."""
    with progress(total, f"fetching {what.name}") as advance:
        advance(file.tell())
        # One byte more than the file may have is enough to tell that it is another file.
        while piece := answer.read(min(_PIECE, _most(what) + 1 - file.tell())):
            file.write(piece)
            advance(len(piece))
        if total is not None and file.tell() < total:
            raise _BrokenOffError


def _check(what: Download, path: Path, message: str) -> None:
    if _digest(what, path) != what.sha256:
        raise InputError(message)


def _digest(what: Download, path: Path) -> str:
    """Hash a file, or the member of it that the pinned digest is about; nothing where there is no such member."""
    if what.member is None:
        return _hash(path.open)
    try:
        with zipfile.ZipFile(path) as archive:
            if archive.getinfo(what.member).file_size != what.bytes:
                return ""
            return _hash(lambda _: archive.open(what.member or ""))
    except (*BROKEN, KeyError, RuntimeError):  # the last for an encrypted one
        return ""


def _hash(opened: Callable[[str], IO[bytes]]) -> str:
    with opened("rb") as file:
        digest = hashlib.sha256()
        while piece := file.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()


def _refused(what: Download, part: Path, why: str) -> InputError:
    by_hand = f"Download it by hand and put it at {part.with_name(part.name.removesuffix('.part'))}"
    return InputError(
        f"{what.url} can't be fetched: {why}. {by_hand} (sha256 {what.sha256}), then run the same again."
    )


def _broken(what: Download, part: Path) -> InputError:
    have = part.stat().st_size if part.exists() else 0
    return InputError(
        f"The transfer of {what.url} broke off {TRIES} times; {have:,} bytes are kept. "
        "Run the same again to go on from there."
    )
