"""Word vectors from files of several kinds, and drawn ones."""

from __future__ import annotations

import importlib.util
import io
import json
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from rightreasons.core.errors import InputError
from rightreasons.nets.text.vector_files import write_compact_vectors
from rightreasons.nets.text.vectors import read_or_draw_vectors

GLOVE = "the 0.5 -1 2\ncat 1e-3 0 0.25\n. . . 4 5 6\nname@domain.com 7 8 9\n"
TABLE = [[0.5, -1, 2], [1e-3, 0, 0.25], [4, 5, 6], [7, 8, 9]]
WORDS = ("the", "cat", ". . .", "name@domain.com")


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "text", [GLOVE, "4 3\n" + GLOVE.replace("\n", " \n"), GLOVE.replace("\n", "\r\n"), GLOVE[:-1]]
)
def test_text_of_glove_and_word2vec_with_words_that_have_spaces(tmp_path: Path, text: str) -> None:
    found = read_or_draw_vectors(written(tmp_path / "v.txt", text), width=3)
    assert found.words == WORDS
    assert found.table.dtype == np.float32
    assert np.array_equal(found.table, np.array(TABLE, dtype=np.float32))
    assert (found.name, found.num_in_file, found.width) == ("v.txt", 4, 3)


def test_an_array_with_its_words_beside(tmp_path: Path) -> None:
    np.save(tmp_path / "v.npy", np.array(TABLE))
    with pytest.raises(InputError, match=r"v\.npy.*v\.words\.txt"):
        read_or_draw_vectors(tmp_path / "v.npy")
    written(tmp_path / "v.words.txt", "\n".join(WORDS) + "\n")
    assert read_or_draw_vectors(tmp_path / "v.npy", only={"cat"}).words == ("cat",)
    assert np.allclose(read_or_draw_vectors(tmp_path / "v.npy").table, TABLE)
    written(tmp_path / "v.words.txt", "one\ntwo\n")
    with pytest.raises(InputError, match=r"4 vectors .*2 words"):
        read_or_draw_vectors(tmp_path / "v.npy")


def test_the_compact_file_keeps_words_and_half_precision(tmp_path: Path) -> None:
    write_compact_vectors(tmp_path / "v.npz", ("caf\u00e9", *WORDS[1:]), np.array(TABLE))
    found = read_or_draw_vectors(tmp_path / "v.npz")
    assert found.words == ("caf\u00e9", *WORDS[1:])
    assert np.array_equal(found.table, np.array(TABLE, dtype=np.float16).astype(np.float32))
    with pytest.raises(InputError, match="line break"):
        write_compact_vectors(tmp_path / "w.npz", ["a\nb"], np.zeros((1, 3)))
    assert not (tmp_path / "w.npz").exists()


@pytest.mark.parametrize("ending", ["txt", "npz"])
def test_only_the_wanted_words_and_the_first_ones(tmp_path: Path, ending: str) -> None:
    path = written(tmp_path / "v.txt", GLOVE)
    if ending == "npz":
        write_compact_vectors(tmp_path / "v.npz", WORDS, np.array(TABLE))
        path = tmp_path / "v.npz"
    found = read_or_draw_vectors(path, only={"name@domain.com", "dog"}, first=1)
    assert found.words == ("the", "name@domain.com")
    assert np.array_equal(found.table, np.array(TABLE, dtype=np.float32)[[0, 3]])
    assert read_or_draw_vectors(path, only={"dog"}).table.shape == (0, 3)
    assert found.num_in_file == 4
    assert found.digest == read_or_draw_vectors(path).digest


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "is empty"),
        ("4 3\n", "is empty"),
        ("the cat sat\n", "first line"),
        ("the 1 2 3\ncat 1 2\n", "line 2: .*'cat' has 2 values.* 3\\."),
        ("the 1 2 3\ncat 1 2 3 4\n", "line 2: .*'cat' has 4 values"),
        ("the 1 2 3\ncat 1 nan 3\n", "line 2: .* finite"),
        ("the 1 2 3\ncat 1 inf 3\n", "line 2: a value"),
        ("the 1 2 3\ncat 1 x 3\n", "line 2: a value"),
        ("the 1 2 3\ncat 1_0 2 3\n", "line 2: a value"),  # a number for Python alone
        ("the 1 2 3\ncat 1 2 3\n\ndog 1 2 3\n", "line 3: .*'' has 0 values"),
        ("the\t1\t2\t3\ncat\t1\t2\t3\n", "double spaces"),
        ("5 3\n" + GLOVE, "has 4 words, .* 5"),
    ],
)
def test_broken_text_is_refused_with_its_line(tmp_path: Path, text: str, expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        read_or_draw_vectors(written(tmp_path / "v.txt", text))


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.txt "):
        read_or_draw_vectors(tmp_path / "none.txt")
    with pytest.raises(InputError, match=r"width 3.*100.*-o width=3"):
        read_or_draw_vectors(written(tmp_path / "v.txt", GLOVE), width=100)
    with zipfile.ZipFile(tmp_path / "v.zip", "w") as packed:
        packed.writestr("v.txt", GLOVE)
    with pytest.raises(InputError, match=r"\(zip\)"):
        read_or_draw_vectors(tmp_path / "v.zip")
    (tmp_path / "v.npz").write_bytes((tmp_path / "v.zip").read_bytes())
    with pytest.raises(InputError, match=r"\.npz .*convert_vectors"):
        read_or_draw_vectors(tmp_path / "v.npz")
    np.save(tmp_path / "a.npy", np.full((2, 3), np.nan))
    written(tmp_path / "a.words.txt", "one\ntwo\n")
    with pytest.raises(InputError, match="vector of 'one'"):
        read_or_draw_vectors(tmp_path / "a.npy")


def test_arrays_and_compact_files_that_are_none_are_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.ones((2, 3)))
    (tmp_path / "a.words.txt").write_bytes(b"caf\xe9\ncat\n")
    with pytest.raises(InputError, match=r"UTF-8"):
        read_or_draw_vectors(tmp_path / "a.npy")
    for name, table in (("flat", np.ones(3)), ("numbers", np.ones((3, 3), int)), ("thin", np.ones((3, 0)))):
        np.save(tmp_path / f"{name}.npy", table)
        written(tmp_path / f"{name}.words.txt", "one\ntwo\nthree\n")
        with pytest.raises(InputError, match=rf"{name}\.npy .*shape"):
            read_or_draw_vectors(tmp_path / f"{name}.npy")
    (tmp_path / "array.npz").write_bytes((tmp_path / "a.npy").read_bytes())
    np.savez(tmp_path / "bytes.npz", words=np.array([255, 10, 97], np.uint8), table=np.ones((2, 3)))
    np.savez_compressed(
        tmp_path / "bits.npz", words=np.zeros(9, np.uint8), table=np.random.default_rng(0).random((2, 300))
    )
    bits = bytearray((tmp_path / "bits.npz").read_bytes())
    bits[400:900] = bytes(byte ^ 0x55 for byte in bits[400:900])
    (tmp_path / "bits.npz").write_bytes(bits)
    for name in ("array", "bytes", "bits"):
        with pytest.raises(InputError, match=r"\.npz .*convert_vectors"):
            read_or_draw_vectors(tmp_path / f"{name}.npz")


def test_a_mark_of_utf_8_is_no_part_of_the_first_word(tmp_path: Path) -> None:
    for text in (GLOVE, "4 3\n" + GLOVE):
        assert read_or_draw_vectors(written(tmp_path / "v.txt", "\ufeff" + text)).words == WORDS


def test_of_a_word_that_stands_twice_the_first_vector_counts(tmp_path: Path) -> None:
    found = read_or_draw_vectors(written(tmp_path / "v.txt", GLOVE + "cat 9 9 9\n"))
    assert found.table[found.row_by_word["cat"]].tolist() == pytest.approx(TABLE[1])


def test_a_drawn_vector_depends_on_the_word_and_the_seed_alone() -> None:
    few = read_or_draw_vectors(None, width=7, seed=3, only={"cat", "dog"})
    many = read_or_draw_vectors(None, width=7, seed=3, only={"ant", "zebra", "dog", "cat"})
    other = read_or_draw_vectors(None, width=7, seed=4, only={"cat", "dog"})
    assert np.array_equal(few.table[few.row_by_word["cat"]], many.table[many.row_by_word["cat"]])
    assert not np.allclose(few.table[few.row_by_word["cat"]], other.table[other.row_by_word["cat"]])
    assert not np.allclose(few.table[0], few.table[1])
    assert (few.name, few.digest) == ("random", "")


def test_words_without_a_vector_are_drawn_like_the_table(tmp_path: Path) -> None:
    rows = np.random.default_rng(0).normal(2.0, 0.1, (500, 20)).astype(np.float32)
    np.save(tmp_path / "v.npy", rows)
    written(tmp_path / "v.words.txt", "".join(f"w{row}\n" for row in range(500)))
    drawn = read_or_draw_vectors(tmp_path / "v.npy").draw_vectors([f"new{row}" for row in range(500)])
    assert drawn.mean() == pytest.approx(2.0, abs=0.01)
    assert drawn.std() == pytest.approx(0.1, rel=0.05)
    assert np.abs(np.corrcoef(drawn, rowvar=False) - np.eye(20)).max() < 0.25


def test_the_small_part_of_glove(shared_data: Path) -> None:
    path = shared_data / "vectors" / "glove_50d_8866_words.txt"
    found = read_or_draw_vectors(path, width=50, only={"the"})
    assert (found.words, found.num_in_file) == (("the",), 8866)
    assert found.table[0, :3] == pytest.approx([0.418, 0.24968, -0.41242])


def test_the_script_converts_the_package_of_wink(tmp_path: Path) -> None:
    entries = {'say "],': [1, 2.5, 3.8, 0], "caf\u00e9": [-1, 0.5, 1.1, 1], "vectors": [0, 0, 0, 2]}
    text = json.dumps(
        {"words": list(entries), "vectors": entries, "unkVector": [0, 0, 0, -1]}, separators=(",", ":")
    )
    (tmp_path / "wink-100d.json").write_text(text)
    with tarfile.open(tmp_path / "wink.tgz", "w:gz") as archive:
        inside = tarfile.TarInfo("package/wink-100d.json")
        inside.size = len(text)
        archive.addfile(inside, io.BytesIO(text.encode()))
    script = _script()
    for piece, source in ((1 << 22, "wink.tgz"), (50, "wink-100d.json")):
        script.PIECE = piece
        out = tmp_path / f"{source}.npz"
        ran = CliRunner().invoke(script.run, [str(tmp_path / source), str(out)])
        assert ran.exit_code == 0, ran.output
        found = read_or_draw_vectors(out, width=2)
        assert found.words == tuple(entries)
        assert found.table.tolist() == [[1, 2.5], [-1, 0.5], [0, 0]]


def test_the_script_says_what_it_can_not_convert(tmp_path: Path) -> None:
    (tmp_path / "cut-100d.json").write_text('{"vectors":{"a":[1,2,3,0],"b":[1,')
    (tmp_path / "uneven-100d.json").write_text('{"vectors":{"a":[1,2,3,0],"b":[1,2,3,4,0]}}')
    with tarfile.open(tmp_path / "other.tgz", "w:gz"):
        pass
    (tmp_path / "none.tgz").write_bytes(b"nothing")
    written(tmp_path / "v.txt", "the cat\n")
    for name, said in (
        ("cut-100d.json", "ends before its vectors"),
        ("uneven-100d.json", "vector of 'b'"),
        ("other.tgz", "no file that ends in 100d.json"),
        ("none.tgz", "not converted"),
        ("v.txt", "first line"),
    ):
        ran = CliRunner().invoke(_script().run, [str(tmp_path / name), str(tmp_path / "out.npz")])
        assert (ran.exit_code, isinstance(ran.exception, SystemExit)) == (1, True), ran.exception
        assert said in ran.output
        assert not (tmp_path / "out.npz").exists()


def _script() -> object:
    path = Path(__file__).parents[3] / "scripts" / "convert_vectors.py"
    spec = importlib.util.spec_from_file_location("convert_vectors", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
