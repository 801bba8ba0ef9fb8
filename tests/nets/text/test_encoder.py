"""How networks read words: vocabularies, unknown words, marks, limits, letters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.language.tokenizer import tokenize
from rightreasons.nets import NETS
from rightreasons.nets.text.encoder import NUM_LETTERS, LearnedWords, encode_letters, learn_vocabulary
from rightreasons.nets.text.text_config import parse_text_config
from rightreasons.nets.text.tokenization import tokenize_texts
from rightreasons.nets.text.vectors import read_or_draw_vectors
from rightreasons.nets.text.vocabulary import UNKNOWN_ROW

if TYPE_CHECKING:
    from pathlib import Path

TRAINING = pl.Series("premise", ["The judge saw 12 dogs.", "A glorp slept"])
FILE = "the 1 1\njudge 2 2\nsaw 3 3\ndogs 4 4\n. 5 5\nslept 6 6\nzebra 7 7\nZoe 8 8\n<s> 9 9\nof the 1 2\n"


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    path = tmp_path / "v.txt"
    path.write_text(FILE, encoding="utf-8")
    return path


def learnt(vectors: Path | None, net: str, *, literal: bool = False, **changes: Any) -> LearnedWords:
    return learn_vocabulary(
        [tokenize_texts(TRAINING)],
        NETS[net].make_text_config(literal=literal, **changes),
        vectors=vectors,
        width=2,
    )


def shown(known: LearnedWords, text: str, *, training: bool = False) -> list[str]:
    """Show a text as the network sees it."""
    names = ["", "?", *known.encoder.vocabulary.words]
    encoded = known.encoder.encode_texts(pl.Series("premise", [text]), training=training)
    return [names[row] for row in encoded.ids]


def test_literal_changes_nothing_but_the_known_mistakes() -> None:
    known = {"rc": {"numerals"}, "ch": {"spells_unknown"}, "infersent": {"draws"}}
    known |= {net: {"longest", "longest_in_training"} for net in ("bilstm", "cbow", "jiant")}
    for net in NETS:
        corrected, literal = (NETS[net].make_text_config(literal=form).facts() for form in (False, True))
        changed = {name for name in corrected if corrected[name] != literal[name]}
        assert changed == known.get(net, set()), net
        assert bool(NETS[net].literal_text) is bool(changed)


def test_every_network_has_a_reading_and_only_those() -> None:
    for net in NETS:
        assert parse_text_config(NETS[net].make_text_config(literal=True).facts()) == NETS[
            net
        ].make_text_config(literal=True)


@pytest.mark.parametrize(
    ("net", "literal", "seen"),
    [
        ("da", False, ["the", "zebra->?", "saw", "12", "dogs", ".", "<null>"]),
        ("esim", False, ["the", "zebra->?", "saw", "12", "dogs", "."]),
        ("rc", False, ["the", "zebra->?", "saw", "12", "dogs", "."]),
        ("rc", True, ["the", "zebra->?", "saw", "?", "dogs", "."]),
        ("nb", False, ["The", "zebra", "saw", "12", "dogs", "."]),
        ("nb", True, ["The", "zebra", "saw", "12", "dogs", "."]),  # no mistake of its code is known
        ("ch", False, ["<s>", "The", "?", "saw", "12", "dogs", ".", "</s>"]),
        ("infersent", False, ["<s>", "The", "zebra", "saw", "12", "dogs", ".", "</s>"]),
        ("infersent", True, ["<s>", "The", "zebra", "saw", "dogs", ".", "</s>"]),
        ("bilstm", False, ["The", "?", "saw", "12", "dogs", "."]),
        ("cbow", True, ["The", "?", "saw", "12", "dogs", "."]),
    ],
)
def test_each_network_reads_in_its_own_way(vectors: Path, net: str, literal: bool, seen: list[str]) -> None:
    known = learnt(vectors, net, literal=literal)
    assert shown(known, "The Zebra saw 12 dogs.") == [word.rpartition("->")[2] for word in seen]


@pytest.mark.parametrize(
    ("unknown", "seen", "row"),
    [
        ("zero", ["The", "?", "?", "."], [0, 0]),
        ("random", ["The", "?", "?", "."], None),
        ("look-up", ["The", "zebra", "?", "."], None),
        ("delete", ["The", "zebra", "."], None),
    ],
)
def test_unknown_words_are_one_switch(
    vectors: Path, unknown: str, seen: list[str], row: list[float] | None
) -> None:
    known = learnt(vectors, "bilstm", unknown=unknown)
    assert shown(known, "The zebra blicket.") == seen
    assert (known.table[UNKNOWN_ROW].tolist() == [0, 0]) is (row is not None)
    assert not known.table[0].any()


def test_the_table_has_the_file_s_vectors_and_drawn_ones(vectors: Path) -> None:
    known = learnt(vectors, "infersent")
    index, table = known.encoder.vocabulary.row_by_word, known.table
    assert table[index["judge"]].tolist() == [2, 2]
    assert table[index["The"]].tolist() == [1, 1]  # that of the same word in lower case
    assert table[index["<s>"]].tolist() == [9, 9]
    assert table[index["glorp"]].tolist() == read_or_draw_vectors(vectors).draw_vectors(["glorp"])[0].tolist()
    assert known.encoder.vocabulary.words[known.encoder.vocabulary.num_training_words :] == (
        "the",
        "zebra",
        "Zoe",
    )
    assert table[index["Zoe"]].tolist() == [8, 8]
    assert known.vectors["own"] == known.encoder.vocabulary.num_training_words
    assert known.vectors["further"] == 3


def test_fewer_further_words_and_none_where_unknown_ones_share_a_row(vectors: Path) -> None:
    learn = learn_vocabulary(
        [tokenize_texts(TRAINING)], NETS["nb"].make_text_config(), vectors=vectors, further=1
    )
    assert learn.vectors["further"] == 1
    assert learnt(vectors, "cbow").vectors["further"] == 0
    assert learnt(None, "nb").vectors == {
        "name": "random", "digest": "", "width": 2, "words": 0, "seed": 0, "own": 9, "further": 0,
    }  # fmt: skip


def test_the_order_of_the_training_texts_changes_nothing(vectors: Path) -> None:
    one, two = (
        learn_vocabulary([tokenize_texts(texts)], NETS["nb"].make_text_config(), vectors=vectors)
        for texts in (TRAINING, TRAINING.reverse())
    )
    assert one.encoder.vocabulary == two.encoder.vocabulary
    assert np.array_equal(one.table, two.table)


def test_sentences_are_cut_and_never_empty(vectors: Path) -> None:
    long = " ".join(["judge"] * 200)
    assert len(shown(learnt(vectors, "nb"), long)) == 150
    assert len(shown(learnt(vectors, "nb"), long, training=True)) == 60
    assert len(shown(learnt(vectors, "cbow", literal=True), long)) == 50
    assert len(shown(learnt(vectors, "cbow"), long)) == 200
    assert shown(learnt(vectors, "infersent"), "blicket toma") == ["<s>", "</s>"]
    assert shown(learnt(vectors, "infersent", markers=False), "blicket toma") == ["?"]
    cut = learnt(vectors, "infersent", markers=False, longest=2)
    assert shown(cut, "blicket judge toma saw dogs") == ["judge", "saw"]


@pytest.mark.parametrize("text", ["", " \t", None])
def test_a_text_without_words_is_refused_with_its_row(vectors: Path, text: str | None) -> None:
    known = learnt(vectors, "da")
    with pytest.raises(InputError, match="hypothesis of row 2 "):
        known.encoder.encode_texts(pl.Series("hypothesis", ["The judge", text]))


def test_batches_are_padded_and_rows_may_come_in_any_order(vectors: Path) -> None:
    known = learnt(vectors, "da")
    encoded = known.encoder.encode_texts(pl.Series(["The judge slept.", "A glorp", "The judge slept."]))
    assert len(encoded) == 3
    assert encoded.lengths.tolist() == [5, 3, 5]
    assert len(encoded.ids) == 8  # the repeated text is kept once
    tokens = known.encoder.make_token_batch(encoded, np.array([1, 2]))
    assert tokens.words.shape == (2, 5)
    assert tokens.words[0, 3:].tolist() == [0, 0]
    assert (
        tokens.words[1].tolist() == known.encoder.make_token_batch(encoded, np.array([0])).words[0].tolist()
    )
    assert tokens.lengths.tolist() == [3, 5]
    assert (tokens.letters, tokens.forest) == (None, None)


def test_letters_are_those_of_the_word_or_in_the_released_way_of_the_unknown_mark(vectors: Path) -> None:
    texts = pl.Series(["The jugde slept\u00e9"])
    for literal in (False, True):
        known = learnt(vectors, "ch", literal=literal)
        tokens = known.encoder.make_token_batch(known.encoder.encode_texts(texts), np.array([0]))
        assert tokens.letters is not None
        spelt = "".join(chr(letter + 31) for letter in tokens.letters[0, 2] if letter)
        assert spelt == ("<unknown>" if literal else "jugde")
        assert "".join(chr(letter + 31) for letter in tokens.letters[0, 1] if letter) == "The"
        assert tokens.letters.max() < NUM_LETTERS


def test_signs_beyond_ascii_are_spelt_as_a_space() -> None:
    assert encode_letters(["a~", "\u00e9 b", "abcdef"], 4).tolist() == [
        [66, 95, 0, 0],
        [1, 1, 67, 0],
        [66, 67, 68, 69],
    ]
    assert encode_letters([], 4).shape == (0, 4)
    assert encode_letters(["a\0b", "\0"], 4).tolist() == [
        [66, 1, 67, 0],
        [1, 0, 0, 0],
    ]  # no gap, and never no letter


def test_no_letter_is_lost_with_the_neighbours(vectors: Path) -> None:
    known = learnt(vectors, "ch")
    encoded = known.encoder.encode_texts(pl.Series(["a\0bcdefghijk", "internationally"]))
    alone, both = (known.encoder.make_token_batch(encoded, np.array(rows)).letters for rows in ([0], [0, 1]))
    assert alone is not None
    assert both is not None
    assert alone[0, 1].tolist() == both[0, 1, : alone.shape[2]].tolist()
    assert int((alone[0, 1] > 0).sum()) == 12


def test_long_training_pairs_are_left_out_where_the_network_asks_for_it(vectors: Path) -> None:
    known = learnt(vectors, "cbow", left_out_beyond=3)
    some = [known.encoder.encode_texts(pl.Series(texts)) for texts in (["a", "a b c d"], ["a b c", "a"])]
    assert known.encoder.mark_trainable_pairs(*some).tolist() == [True, False]
    assert learnt(vectors, "cbow").encoder.mark_trainable_pairs(*some).tolist() == [True, True]


def test_readings_that_make_no_sense_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="random"):
        NETS["da"].make_text_config(unknown="randon")
    with pytest.raises(UnknownNameError, match="lower"):
        NETS["da"].make_text_config(lowercase=True)
    with pytest.raises(InputError, match="longest is 0"):
        NETS["da"].make_text_config(longest=0)
    with pytest.raises(InputError, match="reads parses"):
        NETS["spinn"].make_text_config(unknown="delete")
    for name, value in (
        ("longest", "50"),
        ("longest", True),
        ("lower", "yes"),
        ("letters", -1),
        ("forest", None),
    ):
        with pytest.raises(InputError, match=f"option {name} is {value!r}"):
            NETS["cbow"].make_text_config(**{name: value})


@given(st.lists(st.text(st.sampled_from("abM.'! \n\t\u00a01,()-\u2019"), max_size=20), max_size=6))
def test_pieces_are_cut_as_whole_texts_are(texts: list[str]) -> None:
    found = tokenize_texts(pl.Series(texts, dtype=pl.String))
    starts = found.starts
    for row, text in zip(found.rows, texts, strict=True):
        forms = found.forms[starts[row] : starts[row] + found.counts[row]]
        assert [found.words[form] for form in forms] == [text[start:end] for start, end in tokenize(text)]


def test_pieces_of_real_texts_are_cut_as_whole_texts_are(shared_data: Path) -> None:
    path = shared_data / "train_pool.tsv"
    texts = (
        pl.scan_csv(path, separator="\t", quote_char=None, infer_schema=False)
        .head(20_000)
        .collect()["premise"]
    )
    found = tokenize_texts(texts)
    different = texts.unique(maintain_order=True)
    assert [found.words[form] for form in found.forms] == [
        text[start:end] for text in different for start, end in tokenize(text)
    ]
