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

from rightreasons.errors import InputError
from rightreasons.progress import progress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import IO

    from rightreasons.corpora.archives import Download

try:
    import fcntl
except ImportError:  # Windows has no such locks; the digest still tells when two have met
    fcntl = None  # type: ignore[assignment]

TRIES = 3
TIMEOUT = 30.0
_PIECE = 1 << 16
_PARTIAL, _BEYOND_THE_END = 206, 416


class _BrokenOffError(Exception):
    """The transfer ended before the file did; what came is kept. Never leaves this file."""


def download(what: Download, target: Path) -> None:
    """Bring a file to its place, unless it is there already; it appears there only whole and checked."""
    if target.exists():
        _check(what, target, f"{target} is not the file that {what.url} must be. Remove it and fetch again.")
        return
    part = target.with_name(f"{target.name}.part")
    with _alone(part):
        _fetch(what, part, target)


@contextmanager
def _alone(part: Path) -> Iterator[None]:
    """Keep a second process from writing to the same part: the two would spoil each other's bytes."""
    lock = part.with_name(f"{part.name}.lock")
    with lock.open("w") as held:
        try:
            if fcntl is not None:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise InputError(
                f"Another process is fetching {part.name.removesuffix('.part')}. Wait for it, then run the same again."
            ) from error
        try:
            yield
        finally:
            lock.unlink(missing_ok=True)


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
    have = part.stat().st_size if part.exists() else 0
    request = Request(what.url, headers={"User-Agent": "rightreasons"})  # noqa: S310 - checked just below
    if urlsplit(what.url).scheme not in ("http", "https"):
        raise InputError(f"{what.url} is no address of the web. Use http or https.")
    if have:
        request.add_header("Range", f"bytes={have}-")
    try:
        with urlopen(request, timeout=TIMEOUT) as answer:  # noqa: S310 - the scheme was checked
            goes_on = answer.status == _PARTIAL and _starts_at(answer, have)
            with part.open("ab" if goes_on else "wb") as file:
                _copy(answer, file, _total(what, answer, have if goes_on else 0), what)
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


def _total(what: Download, answer: http.client.HTTPResponse, have: int) -> int | None:
    """Tell how long the file will be: as pinned, or for a zip of which only a member is, as the server says."""
    if what.member is None:
        return what.bytes
    length = answer.headers.get("Content-Length")
    return have + int(length) if length and length.isdigit() else None


def _copy(answer: IO[bytes], file: IO[bytes], total: int | None, what: Download) -> None:
    """Copy piece by piece; an end before the promised length is a broken transfer."""
    with progress(total, f"fetching {what.name}") as advance:
        advance(file.tell())
        while piece := answer.read(_PIECE):
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
            return _hash(lambda _: archive.open(what.member or ""))
    except (zipfile.BadZipFile, KeyError):
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
