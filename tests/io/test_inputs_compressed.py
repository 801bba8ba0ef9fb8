"""Compressed corpora: unpacked up to a limit, which can be raised; what can't be unpacked is refused."""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path

import numpy as np
import pytest

from command_line import inside, refused
from rightreasons.core.errors import InputError
from rightreasons.corpora import read_corpus
from rightreasons.corpora.captions import read_captions
from rightreasons.io.inputs import DEFAULT_UNPACK_LIMIT, UNPACK_LIMIT_VARIABLE, unpack_file

ROW = '{"id":"%d","premise":"The cat sat.","hypothesis":"A cat sat.","label":"neutral"}\n'
ROWS = "".join(ROW % number for number in range(6)).encode()
GENERATE = ("generate", "stress/negation", "--limit", 2, "--out", "out.csv", "--corpus")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def zipped(path: Path, content: bytes = ROWS, name: str = "a.jsonl") -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return path


def with_byte(path: Path, local: int, central: int, value: int) -> Path:
    """Change a byte of the header of the only member, in both places where a zip has it."""
    data = bytearray(path.read_bytes())
    data[local] = data[data.index(b"PK\x01\x02") + central] = value
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("name", ["bomb.jsonl.gz", "bomb.zip"])
def test_unpacking_stops_at_the_limit(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = ROWS + b" " * 40_000_000
    path = Path(name)
    path.write_bytes(gzip.compress(content)) if path.suffix == ".gz" else zipped(path, content)
    assert path.stat().st_size < 100_000
    monkeypatch.setenv(UNPACK_LIMIT_VARIABLE, "10_000_000")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    said = refused(inside, *GENERATE, name)
    assert name in said
    assert "10,000,000" in said
    assert UNPACK_LIMIT_VARIABLE in said
    monkeypatch.setenv(UNPACK_LIMIT_VARIABLE, "100_000_000")
    assert read_corpus(name).pairs.height == 6


def test_the_limit_is_a_gibibyte_unless_another_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    assert DEFAULT_UNPACK_LIMIT == 1 << 30
    Path("a.jsonl.gz").write_bytes(gzip.compress(ROWS))
    assert read_corpus("a.jsonl.gz").pairs.height == 6
    monkeypatch.setenv(UNPACK_LIMIT_VARIABLE, "4 GB")
    with pytest.raises(InputError, match="'4 GB'"):
        read_corpus("a.jsonl.gz")


@pytest.mark.parametrize("value", ["1__0", "_1", "1_", "_", "-1", " 10", "1e9", "\u0661", "9" * 5000])
@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.zip"])
def test_an_invalid_limit_is_not_reported_as_a_damaged_file(
    value: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = Path(name)
    path.write_bytes(gzip.compress(ROWS)) if path.suffix == ".gz" else zipped(path)
    monkeypatch.setenv(UNPACK_LIMIT_VARIABLE, value)
    with pytest.raises(InputError, match=f"{UNPACK_LIMIT_VARIABLE} .*{value[:20]}.* 4_000_000_000") as caught:
        read_corpus(name)
    assert "damaged" not in str(caught.value)
    assert len(str(caught.value)) < 200
    monkeypatch.setenv(UNPACK_LIMIT_VARIABLE, "1_000_000")
    assert read_corpus(name).pairs.height == 6


def test_what_can_not_be_unpacked_is_refused_by_its_name() -> None:
    files = {
        "encrypted.zip": with_byte(zipped(Path("encrypted.zip")), 6, 8, 1),
        "method.zip": with_byte(zipped(Path("method.zip")), 8, 10, 99),
    }
    Path("cut.gz").write_bytes(gzip.compress(ROWS)[:-20])
    Path("noise.gz").write_bytes(b"\x1f\x8b" + bytes(range(256)))
    Path("cut.zip").write_bytes(zipped(Path("whole.zip")).read_bytes()[:60])
    for name in (*files, "cut.gz", "noise.gz", "cut.zip"):
        assert name in refused(inside, *GENERATE, name)
    assert "password" in refused(inside, *GENERATE, "encrypted.zip")


def test_a_member_is_never_written_outside_of_its_folder(tmp_path: Path) -> None:
    path = zipped(tmp_path / "slip.zip", name="../../../slipped.jsonl")
    with unpack_file(path) as plain:
        assert plain.read_bytes() == ROWS
        assert plain.name == "slip"
    assert not (tmp_path.parent / "slipped.jsonl").exists()


def test_arrays_have_the_limit_too(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("captions.txt").write_text("a.jpg#0\tA cat.\n", encoding="utf-8")
    np.savez_compressed("features.npz", ids=["a.jpg"], features=np.zeros((1, 1_000_000)))
    assert read_captions(["captions.txt", "features.npz"]).table.height == 1
    monkeypatch.setenv(UNPACK_LIMIT_VARIABLE, "1_000_000")
    with pytest.raises(InputError, match=UNPACK_LIMIT_VARIABLE):
        read_captions(["captions.txt", "features.npz"])
    np.savez("features.npz", ids=["a.jpg"], features=np.zeros((1, 1_000_000)))  # as large as it looks
    assert read_captions(["captions.txt", "features.npz"]).table.height == 1
