"""Tables on disk: what is written is read back, and what is wrong is told with its line."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from rightreasons.core.errors import InputError, OutputError, UnknownNameError
from rightreasons.io.tables import detect_format, format_row_location, read_table, write_table

# Quotes, commas, tabs, line breaks, emoji, right-to-left text, and anything else that can be encoded.
TEXTS = st.text(st.characters(codec="utf-8"), max_size=12) | st.text(
    st.sampled_from(list("\"',;\t\n\r\\{}[]#\ufeff\u2028\x00 aé😀שלום")), max_size=12
)
ROWS = st.lists(st.tuples(TEXTS | st.none(), TEXTS | st.none()), max_size=6)
FORBIDDEN = {"csv": "\0", "tsv": "\0\t\n\r"}


@settings(max_examples=150, deadline=None)
@given(ROWS, st.sampled_from(["parquet", "jsonl", "csv", "tsv"]))
def test_any_text_survives_or_is_refused(rows: list[tuple[str | None, str | None]], kind: str) -> None:
    table = pl.DataFrame(rows, schema={"id": pl.String, "text": pl.String}, orient="row")
    texts = [text for row in rows for text in row if text is not None]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"table.{kind}")
        if any(letter in text for text in texts for letter in FORBIDDEN.get(kind, "")):
            with pytest.raises(OutputError, match=rf"Row \d+, column (id|text): .*{kind}"):
                write_table(table, path)
            assert list(Path(folder).iterdir()) == []
            return
        write_table(table, path)
        if kind == "jsonl" and not rows:
            return  # JSON lines have no header
        if kind == "tsv":  # where nothing is quoted, empty is none
            table = table.with_columns(pl.when(pl.all() != "").then(pl.all()))
        back = read_table(path)
        assert_frame_equal(back.cast(pl.String), table)


@pytest.mark.parametrize("kind", ["parquet", "jsonl", "csv", "tsv"])
def test_batches_are_written_in_order(tmp_path: Path, kind: str) -> None:
    table = pl.DataFrame({"id": [f"ex{i}" for i in range(1000)], "text": ["a, b"] * 1000})
    write_table((table[i : i + 7] for i in range(0, 1000, 7)), tmp_path / f"t.{kind}", schema=table.schema)
    assert_frame_equal(read_table(tmp_path / f"t.{kind}"), table)


@pytest.mark.parametrize("kind", ["parquet", "jsonl"])
def test_types_survive_where_the_format_has_them(tmp_path: Path, kind: str) -> None:
    table = pl.DataFrame({"id": ["a", "b"], "rank": [2**53 + 1, None], "p": [0.1, None], "l": [["x"], []]})
    write_table(table, tmp_path / "t", kind)
    assert_frame_equal(read_table(tmp_path / "t"), table)


def test_parquet_does_not_depend_on_the_number_of_threads(tmp_path: Path) -> None:
    code = """
        import sys, polars as pl
        from rightreasons.io.tables import write_table
        table = pl.DataFrame({"id": [f"ex{i % 977}" for i in range(400_000)]})
        batches = (table[i : i + 131072] for i in range(0, 400_000, 131072))
        write_table(batches, sys.argv[1], schema=table.schema)
    """
    for threads in ("1", "4"):
        command = [sys.executable, "-c", textwrap.dedent(code), str(tmp_path / f"{threads}.parquet")]
        subprocess.run(command, check=True, env={"POLARS_MAX_THREADS": threads})
    assert (tmp_path / "1.parquet").read_bytes() == (tmp_path / "4.parquet").read_bytes()


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.csv", b"id\tlabel\n1\tx\n", "tsv"),
        ("a.txt", b"id,label\n1,x\n", "csv"),
        ("a.csv", b'{"id": 1, "label": "x"}\n', "jsonl"),
        ("a.txt", b'\xef\xbb\xbf{"id": 1, "label": "x"}\r\n', "jsonl"),
        ("a.csv", b"id,la\tbel\n1,x\n", "csv"),
    ],
)
def test_the_content_tells_the_format(tmp_path: Path, name: str, content: bytes, kind: str) -> None:
    (tmp_path / name).write_bytes(content)
    assert detect_format(tmp_path / name) == kind
    assert read_table(tmp_path / name).shape == (1, 2)


@pytest.mark.parametrize("kind", ["csv", "tsv"])
def test_byte_order_marks_line_ends_of_windows_and_blank_ends_are_taken(tmp_path: Path, kind: str) -> None:
    separator = b"," if kind == "csv" else b"\t"
    lines = [b"\xef\xbb\xbfid,text", b"1,a b", b"2,", b"", b""]
    (tmp_path / "t").write_bytes(b"\r\n".join(lines).replace(b",", separator))
    assert read_table(tmp_path / "t").rows() == [("1", "a b"), ("2", None)]


def test_tsv_takes_quotes_as_letters(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_bytes(b'id\ttext\n"1\t"a "b\n')
    assert read_table(tmp_path / "t.tsv").rows() == [('"1', '"a "b')]


BAD = [
    (b"", "t is empty"),
    (b"\n\n", "t is empty"),
    (b"id,text\n1,a\n2\n3,c\n", "t, line 3: .*\\b1 fields.* 2\\b"),
    (b"id,text\n1,a\n2,b,c\n3\n", "t, line 3: .*\\b3 fields.* 2\\b"),
    (b"id\ttext\n1\ta\n\n3\tc\n", "t, line 3: .*\\b1 fields.* 2\\b"),
    (b"id\ttext\n1\ta\n2\tb\tc", "t, line 3: .*\\b3 fields.* 2\\b"),
    (b'id,text\n1,"a\nb"\n2,"c,\n\n",d\n', "t, line 4: .*\\b3 fields.* 2\\b"),
    (b'id,text\n1,"a\n2,b\n3,c\n', "t, line 2: .*quoted field"),
    (b'id,text\n0,"ok"\n1,"a\n2,"b"\n', "t, line 3: .*quoted field"),
    (b'id,text\n1,"a" b\n', "t, line 2: .*quoted field"),
    (b'id,text\n1,a\n2,5" pipe\n', "t, line 3: .*quote inside"),
    (b"id,text\n1,a\n2,\xff\xfe\n", "t, line 3: byte 0xff"),
    (b'{"id": 1}\n{"id": "\xe9"}\n', "t, line 2: byte 0xe9"),
    (b"id,text\n1,a\x00\n", "t, line 2: .*NUL byte"),
    (b"\x7fELF\x02\x00\x00", "t, line 1: .*NUL byte"),
    (b"\xff\xfei\x00d\x00,\x00", "t, line 1: .*NUL byte"),
    (b"\x1f\x8b\x08\x00rest", "t is compressed"),
    (b"id,text,id\n1,a,2\n", "t, line 1: .*'id' twice"),
    (b'[{"id": 1}]', "t, line 1: .*array"),
    (b'{"id": 1, "a": "x"}\n\n{"id": 2, "a": "', "t, line 3: .*JSON object"),
    (b'{"id": 1}\n{"id": 2} {"id": 3}\n', "t, line 2: .*JSON object"),
    (b'{"id": 1}\n[2]\n', "t, line 2: .*list"),
    (b'{"id": 1}\n7\n', "t, line 2: .*int"),
    (b'{\n"id": 1\n}\n', "t, line 1: .*JSON object"),
    (b'{"id": "\\ud83d\\ude00"}\n{"id": "\\ud83d"}\n', "t, line 2: .*surrogate"),
    (b"PAR1 and then nothing of use", "t is .*parquet"),
]


@pytest.mark.parametrize(("content", "message"), BAD)
def test_bad_files_are_refused_with_file_and_line(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "t").write_bytes(content)
    with pytest.raises(InputError, match=f"(?s){message}"):
        read_table(tmp_path / "t")


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.csv .*: No such file"):
        read_table(tmp_path / "none.csv")
    with pytest.raises(InputError, match=": Is a directory"):
        read_table(tmp_path)


def test_parquet_is_refused_wherever_it_is_cut(tmp_path: Path) -> None:
    write_table(pl.DataFrame({"id": [str(i) for i in range(500)]}), tmp_path / "t.parquet")
    whole = (tmp_path / "t.parquet").read_bytes()
    for length in range(4, len(whole), 97):
        (tmp_path / "cut").write_bytes(whole[:length])
        with pytest.raises(InputError, match=r"cut is .*parquet"):
            read_table(tmp_path / "cut")


def test_data_in_place_of_a_header_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("ex0,entailment\nex1,neutral\n")
    with pytest.raises(InputError, match=r"t\.csv, line 1: .* id, label .* ex0, entailment"):
        read_table(tmp_path / "t.csv", required=("id", "label"))


def test_a_wrong_format_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t").write_text("id,text\n1,a\n")
    with pytest.raises(InputError, match="t is csv, not parquet"):
        read_table(tmp_path / "t", "parquet")
    with pytest.raises(UnknownNameError, match=r"'parket'.* parquet"):
        read_table(tmp_path / "t", "parket")
    with pytest.raises(OutputError, match=r"'\.xls'.*\.csv"):
        write_table(pl.DataFrame({"id": ["1"]}), tmp_path / "t.xls")


def test_places_count_lines_and_not_records(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text('id,text\n1,"a\nb"\n2,"c ""d"""\n3,e')
    assert [format_row_location(tmp_path / "t.csv", row).split()[-1] for row in range(3)] == ["2", "4", "5"]
    (tmp_path / "t.jsonl").write_text('{"id": 1}\n\n{"id": 2}\n')
    assert format_row_location(tmp_path / "t.jsonl", 1).endswith("t.jsonl, line 3")
    write_table(pl.DataFrame({"id": ["1", "2"]}), tmp_path / "t.parquet")
    assert format_row_location(tmp_path / "t.parquet", 1).endswith("t.parquet, row 2")


def test_refusals_on_writing_name_the_row_and_leave_nothing(tmp_path: Path) -> None:
    batches = [pl.DataFrame({"id": ["1", "2"]}), pl.DataFrame({"id": ["3", "a\tb"]})]
    with pytest.raises(OutputError, match=r"Row 4, column id: 'a\\tb' .*tsv"):
        write_table(batches, tmp_path / "t.tsv", schema={"id": pl.String})
    with pytest.raises(OutputError, match=r"Column l .*csv"):
        write_table(pl.DataFrame({"l": [["a"]]}), tmp_path / "t.csv")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["parquet", "jsonl", "csv", "tsv"])
def test_a_full_disk_leaves_nothing(tmp_path: Path, kind: str) -> None:
    code = """
        import resource, signal, sys
        import polars as pl
        from rightreasons.core.errors import OutputError
        from rightreasons.io.tables import write_table
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
        batches = (pl.DataFrame({"id": pl.int_range(i, i + 10_000, eager=True).hash().cast(pl.String)})
            for i in range(0, 100_000, 10_000))
        try:
            write_table(batches, sys.argv[1], schema={"id": pl.String})
        except OutputError as error:
            print(error)
    """
    command = [sys.executable, "-c", textwrap.dedent(code), str(tmp_path / f"t.{kind}")]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert re.search(rf"t\.{kind} .*: the file grew larger", done.stdout)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_a_kill_in_the_middle_leaves_no_table(tmp_path: Path, kind: str) -> None:
    code = """
        import sys, time
        import polars as pl
        from rightreasons.io.tables import write_table
        def batches():
            for i in range(1000):
                yield pl.DataFrame({"id": pl.int_range(0, 100_000, eager=True).hash().cast(pl.String)})
                if i == 5:
                    print("ready", flush=True)
                time.sleep(0.05)
        write_table(batches(), sys.argv[1], schema={"id": pl.String})
    """
    command = [sys.executable, "-c", textwrap.dedent(code), str(tmp_path / f"t.{kind}")]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        child.send_signal(signal.SIGKILL)
        child.wait(timeout=20)
    assert [path.name[0] for path in tmp_path.iterdir()] == ["."]


@pytest.mark.parametrize("error", [InputError, KeyboardInterrupt])
@pytest.mark.parametrize("kind", ["parquet", "jsonl"])
def test_errors_of_the_source_come_through_as_they_are(
    tmp_path: Path, kind: str, error: type[BaseException]
) -> None:
    def batches() -> object:
        yield pl.DataFrame({"id": ["1"]})
        raise error("mine")

    with pytest.raises(error, match="mine"):
        write_table(batches(), tmp_path / f"t.{kind}", schema={"id": pl.String})  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []
