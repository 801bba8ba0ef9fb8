"""Corpora that are empty, strange or hostile: every set says so, or flags a row, and loses nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import rightreasons as rr
from rightreasons.core import options, registry
from rightreasons.core.edits import has_consistent_edit, select_other_text, undo_edits

if TYPE_CHECKING:
    from pathlib import Path

SETS = [
    name for name in registry.list_set_names() if "corpus" in options.get_schema(registry.get_set_class(name))
]
KEEPS_ALL = (
    "stress/word-overlap",
    "stress/negation",
    "stress/length-mismatch",
    "stress/spelling",
    "stress/source",
)
FROM_OTHER_SIDE = ("stress/antonymy", "stress/numerical")

LONG = "The big dog saw 12 small cats and " * 295 + "slept."
STRANGE = {
    "no letters": ("12 + 30 = 42 !!!", "... ?"),
    "emoji": ("👩‍👩‍👧 🎉🎉 bought 5 🍎!", "👍🏽 🙂."),
    "right to left": ("اشترى الرجل ٥ تفاحات حمراء.", "האישה הגדולה קנתה 3 ספרים?"),  # noqa: RUF001
    "very long": (LONG, LONG.replace("big", "small")),
    "tabs and newlines": ("The old\tman bought\n3 red hats.", "A\r\nyoung woman\tslept."),
    "combining marks": ("Cafe\u0301 Zoe\u0308 sold 20 hot pies.", "Zalgo h\u0335\u0322o\u0338t te\u0301xt."),
    "one letter": ("A", "I"),
    "quotes only": ("“ ” « »", "''"),
    "no spaces": ("thebigdogsaw12cats", "thesmalldogslept"),
    "null and escapes": ("The old man\u0000 ran.", "The \\n young man ran. \u200b"),
}


def corpus(folder: Path, rows: list[dict[str, Any]], name: str = "corpus.jsonl") -> str:
    path = folder / name
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text(text, encoding="utf-8")
    return str(path)


def rows_of(*texts: tuple[str, str], label: str = "neutral") -> list[dict[str, Any]]:
    return [
        {"id": f"x{number}", "premise": premise, "hypothesis": hypothesis, "label": label}
        for number, (premise, hypothesis) in enumerate(texts)
    ]


def generate_or_none(name: str, path: str) -> pl.DataFrame | None:
    """Generate the set, or return None after checking that the error is one line."""
    try:
        made = rr.generate(name, corpus=[path])
    except rr.InputError as error:
        message = str(error)
        assert "\n" not in message
        assert len(message) < 900
        assert message.endswith(".")
        return None
    assert len(made) > 0
    return made.pairs


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("mode", ["corrected", "faithful"])
def test_strange_texts_one_by_one(name: str, mode: str, tmp_path: Path) -> None:
    for kind, texts in STRANGE.items():
        path = corpus(tmp_path, rows_of(texts), f"{kind.replace(' ', '_')}.jsonl")
        more = {"mode": mode} if "mode" in options.get_schema(registry.get_set_class(name)) else {}
        try:
            pairs = rr.generate(name, corpus=[path], **more).pairs
        except rr.InputError as error:
            message = str(error)
            assert name not in KEEPS_ALL or mode == "faithful", kind
            assert "corpus" in message, kind
            continue
        if "edit_at" not in pairs.columns:
            continue
        assert has_consistent_edit(pairs).all(), kind
        expected = pairs.select(select_other_text().alias("text")).to_series()
        if name not in FROM_OTHER_SIDE:
            expected = pl.Series([texts[side == "hypothesis"] for side in pairs["side"]])
        assert undo_edits(pairs).to_list() == expected.to_list(), kind


@pytest.mark.parametrize("name", KEEPS_ALL)
def test_no_row_is_lost(name: str, tmp_path: Path) -> None:
    path = corpus(tmp_path, rows_of(*STRANGE.values()))
    pairs = rr.generate(name, corpus=[path]).pairs
    assert pairs["source_id"].to_list() == [f"x{number}" for number in range(len(STRANGE))]
    if "edited" in pairs.columns:
        same = pairs["hypothesis"] == pl.Series([texts[1] for texts in STRANGE.values()])
        assert (pairs["edited"] == ~same).all()


@pytest.mark.parametrize("name", SETS)
def test_one_label_only(name: str, tmp_path: Path) -> None:
    texts = [
        (f"The old man {verb} 12 small boats in Oslo on a dark night.", f"The big town {verb} cold.")
        for verb in ("saw", "had", "sold", "kept")
    ]
    path = corpus(tmp_path, rows_of(*texts))
    pairs = generate_or_none(name, path)
    if name in KEEPS_ALL:
        assert pairs is not None
        assert pairs["label"].unique().to_list() == ["neutral"]
        assert rr.generate(name, corpus=[path]).card.labels == ("neutral",)


@pytest.mark.parametrize("name", SETS)
def test_nothing_to_work_on(name: str, tmp_path: Path) -> None:
    """There is no number, no antonym, no garden path, and one premise that has nothing but its own hypotheses."""
    path = corpus(tmp_path, rows_of(("Somebody hums.", "Somebody sings."), ("Somebody hums.", "They hum.")))
    pairs = generate_or_none(name, path)
    assert (pairs is not None) == (name in KEEPS_ALL)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("content", ["", "\n", '{"id": "a"}\n', "id,premise\n", "[]", "not a corpus at all"])
def test_empty_and_broken_files(name: str, content: str, tmp_path: Path) -> None:
    path = tmp_path / "corpus.jsonl"
    path.write_text(content, encoding="utf-8")
    assert generate_or_none(name, str(path)) is None


@pytest.mark.parametrize("name", SETS)
def test_unlabelled_rows_are_counted(name: str, tmp_path: Path) -> None:
    rows = rows_of(
        *[(f"The old man saw {n} small boats in Oslo.", f"The town was cold {n}.") for n in range(3, 9)]
    )
    rows[0]["label"] = "-"
    try:
        card = rr.generate(name, corpus=[corpus(tmp_path, rows)]).card
    except rr.InputError:
        assert name not in KEEPS_ALL
        return
    assert "1 of 6" in " ".join(card.remarks)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("parse", ["(ROOT (S (NP", "", "()", "(ROOT (NN dog))) )", "no tree", None])
def test_invalid_parses(name: str, parse: str | None, tmp_path: Path) -> None:
    """A parse that is malformed, or of another text, is not used; the corpus's own ids show it is MultiNLI."""
    rows = [
        {
            "gold_label": label,
            "sentence1": f"The old man saw {number} small boats in Oslo.",
            "sentence2": f"The big town was cold {number}.",
            "sentence1_parse": parse,
            "sentence2_parse": parse,
            "pairID": f"{number}{label[0]}",
            "promptID": str(number),
            "genre": "fiction",
        }
        for number, label in enumerate(("entailment", "neutral", "contradiction") * 2, start=3)
    ]
    pairs = generate_or_none(name, corpus(tmp_path, rows))
    if name in KEEPS_ALL:
        assert pairs is not None
        assert pairs.height == 6


@pytest.mark.parametrize("name", SETS)
def test_a_file_that_is_not_there(name: str, tmp_path: Path) -> None:
    assert generate_or_none(name, str(tmp_path / "none.csv")) is None


@pytest.mark.parametrize("name", SETS)
def test_bytes_that_are_no_text(name: str, tmp_path: Path) -> None:
    path = tmp_path / "corpus.csv"
    path.write_bytes(b"id,premise,hypothesis,label\n1,The \xff\xfe man ran.,A man ran.,neutral\n")
    assert generate_or_none(name, str(path)) is None
