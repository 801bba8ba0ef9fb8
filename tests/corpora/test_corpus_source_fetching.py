"""Fetching, against a real HTTP server on loopback: whole, broken, resumed, wrong, and offline."""

from __future__ import annotations

import hashlib
import io
import re
import subprocess
import sys
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from rightreasons.cli import main
from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.corpora.corpus_source import fetch_archive, find_cached_corpus
from rightreasons.io import archives
from rightreasons.io import downloads as transfer
from rightreasons.io.archives import ARCHIVES, Archive, Download

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ROWS = "".join(f'{{"pairID": "{n}", "sentence1": "a {n}"}}\n' for n in range(20_000)).encode()


def zipped(member: str, content: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(member, content)
    return file.getvalue()


ZIP = zipped("toy/toy_dev.jsonl", ROWS)


class Server(ThreadingHTTPServer):
    """Serves one file; may break off, ignore ranges, or send something else."""

    daemon_threads = True
    content = ZIP
    break_after: int | None = None
    breaks = 0
    ranges = True
    says_length = True
    status: int | None = None
    moved_to: str | None = None
    sent = 0

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[str | None] = []


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.0"
    server: Server

    def do_GET(self) -> None:
        wanted = self.headers.get("Range")
        self.server.asked.append(wanted)
        if self.server.status:
            self.send_error(self.server.status)
            return
        if self.path != "/moved" and self.server.moved_to:
            self.send_response(302)
            self.send_header("Location", self.server.moved_to)
            self.end_headers()
            return
        start = int(re.findall(r"\d+", wanted)[0]) if wanted and self.server.ranges else 0
        if start >= len(self.server.content):
            self.send_error(416)
            return
        body = self.server.content[start:]
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{start + len(body) - 1}/{start + len(body)}")
        if self.server.says_length:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.server.breaks:
            self.server.breaks -= 1
            body = body[: self.server.break_after]
        for start in range(0, len(body), 1 << 16):
            try:
                self.server.sent += self.wfile.write(body[start : start + (1 << 16)])
            except ConnectionError:
                return

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Server]:
    monkeypatch.setenv("RIGHTREASONS_CACHE", str(tmp_path / "cache"))
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        publish(monkeypatch, f"http://127.0.0.1:{running.server_port}/files/toy.zip?download=1")
        try:
            yield running
        finally:
            running.shutdown()
            thread.join()


def publish(monkeypatch: pytest.MonkeyPatch, url: str, member: str | None = None) -> None:
    content = ROWS if member else ZIP
    file = Download(url, hashlib.sha256(content).hexdigest(), len(content), member)
    toy = Archive("a toy", "none", (file,), {"dev": ("toy.zip", "toy/toy_dev.jsonl")})
    monkeypatch.setitem(ARCHIVES, "toy", toy)


def test_fetches_unpacks_and_finds_again(server: Server, tmp_path: Path) -> None:
    found = fetch_archive("toy")
    assert found == {"toy/dev": tmp_path / "cache" / "corpora" / "toy" / "toy_dev.jsonl"}
    assert found["toy/dev"].read_bytes() == ROWS
    assert find_cached_corpus("toy/dev") == found["toy/dev"]
    fetch_archive("toy")
    assert server.asked == [None]  # the second time nothing is asked for
    assert sorted(path.name for path in found["toy/dev"].parent.iterdir()) == ["toy.zip", "toy_dev.jsonl"]


def test_goes_on_after_a_broken_transfer(server: Server) -> None:
    server.breaks, server.break_after = 2, 1000
    assert fetch_archive("toy")["toy/dev"].read_bytes() == ROWS
    assert server.asked == [None, "bytes=1000-", "bytes=2000-"]


def test_goes_on_where_the_server_does_not_say_the_length(server: Server) -> None:
    server.breaks, server.break_after, server.says_length = 1, 1000, False
    assert fetch_archive("toy")["toy/dev"].read_bytes() == ROWS
    assert server.asked == [None, "bytes=1000-"]


@pytest.mark.parametrize("says_length", [True, False])
def test_a_file_that_is_too_long_is_left_as_soon_as_that_is_known(
    server: Server, tmp_path: Path, *, says_length: bool
) -> None:
    server.content, server.says_length = ZIP + bytes(100_000_000), says_length
    with pytest.raises(InputError, match=f" {len(ZIP):,} bytes"):
        fetch_archive("toy")
    assert server.asked == [None]
    assert server.sent < len(ZIP) + 20_000_000  # what the sockets hold, and no more
    assert list((tmp_path / "cache/corpora/toy").glob("*.part")) == []


@pytest.mark.parametrize("says_length", [True, False])
def test_a_zip_that_is_too_long_is_asked_for_once(
    server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *, says_length: bool
) -> None:
    """Of a zip only the size of a member is known, and the server says how long the whole is."""
    publish(monkeypatch, f"http://127.0.0.1:{server.server_port}/toy.zip", member="toy/toy_dev.jsonl")
    server.content, server.says_length = ZIP + bytes(10 * len(ROWS)), says_length
    with pytest.raises(InputError, match=f" {4 * len(ROWS):,} bytes"):
        fetch_archive("toy")
    assert server.asked == [None]
    assert list((tmp_path / "cache/corpora/toy").glob("*.part")) == []


def test_a_part_that_would_become_too_long_is_thrown_away(server: Server, tmp_path: Path) -> None:
    folder = tmp_path / "cache/corpora/toy"
    folder.mkdir(parents=True)
    (folder / "toy.zip.part").write_bytes(ZIP[:1000])
    server.content = ZIP + b"more"
    with pytest.raises(InputError, match=f" {len(ZIP):,} bytes"):
        fetch_archive("toy")
    assert server.asked == ["bytes=1000-"]
    assert list(folder.iterdir()) == []


def test_a_member_that_unpacks_to_more_than_it_should_is_refused(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(monkeypatch, f"http://127.0.0.1:{server.server_port}/toy.zip", member="toy/toy_dev.jsonl")
    large = io.BytesIO()
    with zipfile.ZipFile(large, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("toy/toy_dev.jsonl", bytes(50 * len(ROWS)))
    server.content = large.getvalue()
    with pytest.raises(InputError, match="sha256 differs"):
        fetch_archive("toy")


def test_one_process_at_a_time(server: Server, tmp_path: Path) -> None:
    folder = tmp_path / "cache/corpora/toy"
    folder.mkdir(parents=True)
    code = f"""
import sys
from pathlib import Path
from rightreasons.io.downloads import _lock_partial_file
with _lock_partial_file(Path({str(folder / "toy.zip.part")!r})):
    print("held", flush=True)
    sys.stdin.read()
"""
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(InputError, match=r"process.* toy\.zip"):
            fetch_archive("toy")
        assert server.asked == []
    assert fetch_archive("toy")["toy/dev"].read_bytes() == ROWS


def test_gives_up_and_keeps_what_came(server: Server, tmp_path: Path) -> None:
    server.breaks, server.break_after = transfer.MAX_TRIES, 1000
    with pytest.raises(InputError, match="3,000 bytes"):
        fetch_archive("toy")
    assert (tmp_path / "cache/corpora/toy/toy.zip.part").stat().st_size == 3000
    assert fetch_archive("toy")["toy/dev"].read_bytes() == ROWS
    assert server.asked[-1] == "bytes=3000-"


def test_a_server_without_ranges_starts_again(server: Server) -> None:
    server.breaks, server.break_after, server.ranges = 1, 1000, False
    assert fetch_archive("toy")["toy/dev"].read_bytes() == ROWS


def test_a_transfer_is_resumed_behind_a_redirect(server: Server) -> None:
    server.breaks, server.break_after, server.moved_to = 1, 1000, "/moved"
    assert fetch_archive("toy")["toy/dev"].read_bytes() == ROWS
    assert server.asked == [None, None, "bytes=1000-", "bytes=1000-"]


@pytest.mark.parametrize("target", ["file:///etc/hostname", "ftp://127.0.0.1/x", "http://[", "/files"])
def test_a_redirect_that_leads_nowhere_is_refused(server: Server, tmp_path: Path, target: str) -> None:
    server.moved_to = target
    with pytest.raises(InputError, match=r"manually.*toy\.zip"):
        fetch_archive("toy")
    assert list((tmp_path / "cache/corpora/toy").iterdir()) == []


def test_downloads_go_through_the_proxy_that_is_set(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{server.server_port}")
    publish(monkeypatch, "http://corpora.invalid/toy.zip")
    assert fetch_archive("toy")["toy/dev"].read_bytes() == ROWS


@pytest.mark.parametrize("variable", ["no_proxy", "NO_PROXY"])
def test_exceptions_to_proxies_that_can_not_be_read_are_named(
    server: Server, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.setenv(variable, "[::1")
    with pytest.raises(InputError, match=variable):
        fetch_archive("toy")
    assert server.asked == []


def test_a_whole_part_is_only_checked(server: Server, tmp_path: Path) -> None:
    folder = tmp_path / "cache/corpora/toy"
    folder.mkdir(parents=True)
    (folder / "toy.zip.part").write_bytes(ZIP)
    assert fetch_archive("toy")["toy/dev"].read_bytes() == ROWS
    assert server.asked == [f"bytes={len(ZIP)}-"]


def test_a_wrong_digest_leaves_nothing(server: Server, tmp_path: Path) -> None:
    server.content = ZIP[:-5] + b"wrong"
    with pytest.raises(InputError, match="sha256 differs"):
        fetch_archive("toy")
    assert list((tmp_path / "cache/corpora/toy").iterdir()) == []


def test_a_wrong_file_put_there_by_hand_is_refused(server: Server, tmp_path: Path) -> None:
    folder = tmp_path / "cache/corpora/toy"
    folder.mkdir(parents=True)
    (folder / "toy.zip").write_bytes(b"something else")
    with pytest.raises(InputError, match=r"toy\.zip .*sha256.*fetch again"):
        fetch_archive("toy")
    assert server.asked == []


def test_the_digest_of_a_member_can_be_pinned(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"http://127.0.0.1:{server.server_port}/toy.zip"
    publish(monkeypatch, url, member="toy/toy_dev.jsonl")
    assert fetch_archive("toy")["toy/dev"].read_bytes() == ROWS


@pytest.mark.parametrize("content", [zipped("toy/other.txt", ROWS), b"no zip"])
def test_an_archive_without_the_pinned_member_is_refused(
    server: Server, monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    publish(monkeypatch, f"http://127.0.0.1:{server.server_port}/toy.zip", member="toy/toy_dev.jsonl")
    server.content = content
    with pytest.raises(InputError, match="sha256 differs"):
        fetch_archive("toy")


def test_the_command_says_where_things_are(server: Server) -> None:
    assert server.server_port
    done = CliRunner().invoke(main, ["fetch", "toy"])
    assert done.exit_code == 0
    assert "--corpus toy/dev " in done.stderr
    listed = CliRunner().invoke(main, ["fetch"])
    assert listed.exit_code == 0
    assert "multinli" in listed.stdout


def test_an_error_of_the_server_is_reported(server: Server) -> None:
    server.status = 404
    done = CliRunner().invoke(main, ["fetch", "toy"])
    assert done.exit_code == 2
    assert "404" in done.stderr
    assert "manually" in done.stderr


def test_offline_names_the_path_for_a_manual_download(
    server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    server.server_close()  # nothing listens at that port any more
    done = CliRunner().invoke(main, ["fetch", "toy"])
    assert done.exit_code == 2
    target = tmp_path / "cache/corpora/toy/toy.zip"
    assert str(target) in done.stderr
    target.write_bytes(ZIP)
    assert CliRunner().invoke(main, ["fetch", "toy"]).exit_code == 0
    monkeypatch.undo()


def test_what_is_not_fetched_or_unknown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RIGHTREASONS_CACHE", str(tmp_path))
    with pytest.raises(InputError, match="rightreasons fetch snli"):
        find_cached_corpus("snli/dev")
    assert find_cached_corpus("some/file.csv") is None
    with pytest.raises(UnknownNameError, match="multinli"):
        fetch_archive("multi-nli")


def test_other_schemes_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RIGHTREASONS_CACHE", str(tmp_path))
    publish(monkeypatch, "file:///etc/hostname")
    with pytest.raises(InputError, match="file:///etc/hostname"):
        fetch_archive("toy")


def test_pins_are_those_of_the_real_files(shared_data: Path) -> None:
    places = {"aqua": "aqua", "gsm8k": "wordproblems/gsm8k_", "hans": "hans", "sick": "sick"}
    checked = 0
    for name, place in places.items():
        for one in archives.ARCHIVES[name].downloads:
            prefix = place if place.endswith("_") else f"{place}/"
            path = shared_data / f"{prefix}{one.member or one.name}"
            if path.exists():
                assert hashlib.sha256(path.read_bytes()).hexdigest() == one.sha256
                assert path.stat().st_size == one.bytes
                checked += 1
    assert checked == 6
