"""One whole word of each hypothesis is misspelt, always really so; pairs where none can be are kept and flagged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.core.edits import has_consistent_edit, undo_edits
from rightreasons.core.errors import InputError
from rightreasons.language.english_words import are_words_or_names
from rightreasons.language.tokens import tokens
from rightreasons.sets.stress.misspellings import CONTENT, FUNCTION, VARIANTS, filter_misspellable_tokens
from rightreasons.sets.stress.spelling import Spelling, misspell_pairs

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = st.lists(
    st.one_of(
        st.text(),
        st.text("abcMTh' .-4é"),
        st.lists(
            st.sampled_from(
                [
                    "The",
                    "a",
                    "of",
                    "can't",
                    "cannot",
                    "3rd",
                    "U.S.",
                    "NASA",
                    "naïve",
                    "well-known",
                    "aa",
                    "house",
                    "😀",
                ]
            )
        ).map(" ".join),
    ),
    min_size=1,
    max_size=6,
)
SENTENCES = (
    "The old man saw 3 dogs in the park.",
    "She can't find her well-known book, and they cannot help.",
    "NASA is in the U.S. now.",
    "42 ?",
    "We of them.",
)


def corpus(*texts: str) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "id": [f"{number}e" for number in range(len(texts))],
            "premise": [f"premise {number}" for number in range(len(texts))],
            "hypothesis": texts,
            "label": ["entailment"] * len(texts),
            "genre": pl.Series([None] * len(texts), dtype=pl.String),
        }
    )


def tagged(texts: pl.Series, tag: str | None = "NN") -> pl.DataFrame:
    """Give every token the same tag."""
    return tokens(texts, tagged=False).with_columns(pl.lit(tag, dtype=pl.String).alias("tag"))


def made(*texts: str, tag: str | None = "NN", **options: Any) -> pl.DataFrame:
    pairs = corpus(*texts)
    return misspell_pairs(pairs, tagged(pairs["hypothesis"], tag), **options)


@given(
    TEXTS,
    st.sampled_from([*VARIANTS, "mixed", "each"]),
    st.sampled_from(["avoid", "allow"]),
    st.integers(0, 9),
)
def test_every_pair_is_kept_and_every_edit_is_one(
    texts: list[str], variant: str, real_words: str, seed: int
) -> None:
    rows = made(*texts, variant=variant, real_words=real_words, seed=seed)
    times = 4 if variant == "each" else 1
    sources = [text for text in texts for _ in range(times)]
    assert rows.height == len(sources)
    assert rows["id"].n_unique() == rows.height
    assert undo_edits(rows).to_list() == sources
    assert has_consistent_edit(rows).all()
    assert set(rows["label"]) == {"entailment"}
    edited = rows.filter("edited")
    assert (edited["edit_from"] != edited["edit_to"]).all()
    assert (edited["edit_from"] == edited["word"]).all()
    assert (edited["edit_to"] == edited["misspelling"]).all()
    assert (edited["word"].str.len_chars() == edited["misspelling"].str.len_chars()).all()
    if real_words == "avoid":
        assert not any(are_words_or_names(edited["misspelling"].to_list()))
    rest = rows.filter(~pl.col("edited"))
    assert rest["hypothesis"].to_list() == [
        text for text, ok in zip(sources, rows["edited"], strict=True) if not ok
    ]
    assert set(rest["edit_at"]) <= {0}
    assert set(rest["edit_from"]) | set(rest["edit_to"]) <= {""}


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_choice_depends_on_nothing_but_the_pair(variant: str) -> None:
    pairs = corpus(*SENTENCES)
    found = tagged(pairs["hypothesis"], "NN" if variant == "content" else "IN")
    whole = misspell_pairs(pairs, found, variant=variant, seed=3)  # type: ignore[arg-type]
    back = pairs.reverse()
    turned = misspell_pairs(back, tagged(back["hypothesis"], found["tag"][0]), variant=variant, seed=3)  # type: ignore[arg-type]
    assert turned.reverse().equals(whole)
    for number in range(pairs.height):
        one = pairs[number : number + 1]
        alone = misspell_pairs(one, tagged(one["hypothesis"], found["tag"][0]), variant=variant, seed=3)  # type: ignore[arg-type]
        assert alone.equals(whole[number : number + 1])


def test_mixed_and_each_are_made_of_the_four() -> None:
    texts = [f"The small house number{letter} stands by old trees" for letter in "abcdefghijklmnopqrst"]
    each = made(*texts, variant="each")
    mixed = made(*texts, variant="mixed")
    assert each["subcase"].value_counts()["count"].to_list() == [20] * 4
    assert set(mixed["subcase"]) == set(VARIANTS)
    assert mixed.join(each, on=mixed.columns, nulls_equal=True).height == mixed.height
    content = made(*texts, variant="content")
    assert each.filter(pl.col("subcase") == "content").equals(content)


def test_only_whole_words_of_letters_are_candidates() -> None:
    found = filter_misspellable_tokens(tagged(pl.Series(SENTENCES)), "content")
    words = found["token"].to_list()
    assert words == [
        *("The", "old", "man", "saw", "dogs", "in", "the", "park"),
        *("She", "find", "her", "book", "and", "they", "help"),
        *("is", "in", "the", "now"),
        *("We", "of", "them"),
    ]


@pytest.mark.parametrize(("variant", "tags"), [("content", CONTENT), ("function", FUNCTION)])
def test_tags_choose_the_words(variant: str, tags: tuple[str, ...]) -> None:
    for tag in ("NN", "NNS", "JJ", "IN", "TO", "DT", "PRP$", "VB", "CD", None):
        rows = made("Some plain words here", tag=tag, variant=variant)
        assert rows["edited"].to_list() == [tag in tags]


def test_words_without_a_misspelling_give_way_to_others() -> None:
    for seed in range(20):
        rows = made("aa bb мм plan", variant="swap", seed=seed)
        assert rows["word"].to_list() == ["plan"]
    assert made("aa bb мм", variant="swap")["edited"].to_list() == [False]
    assert made("да нет", variant="keyboard")["edited"].to_list() == [False]


def test_where_swapping_fails_the_keyboard_serves() -> None:
    for seed in range(10):
        rows = made("oo oo", variant="content", real_words="allow", seed=seed)
        assert rows["operation"].to_list() == ["keyboard"]


def test_all_words_and_both_operations_are_taken() -> None:
    seen = pl.concat([made(SENTENCES[0], seed=seed) for seed in range(200)])
    assert set(seen["word"]) == {"The", "old", "man", "saw", "dogs", "in", "the", "park"}
    assert set(seen["operation"]) == {"swap", "keyboard"}
    assert seen.select("word", "misspelling").n_unique() > 40


def test_a_text_of_ten_thousand_characters() -> None:
    texts = [
        "a" * 10_000,
        "ab " * 3_333,
        "да " * 3_333,
        "12 " * 3_333,
        " ".join(f"a{'b' * n}" for n in range(130)),
    ]
    for variant in VARIANTS:
        assert made(*texts, variant=variant).height == 5


def test_the_default_set() -> None:
    part = Spelling()
    plan = part.plan(size=None, limit=None, seed=0, split="eval")
    rows = plan.rows(0, len(plan))
    assert tuple(rows.columns[4:]) == part.tags
    assert rows["edited"].mean() > 0.95
    assert set(rows.filter("edited")["word_tag"]) <= set(CONTENT)
    assert "NN" in set(rows["word_tag"])


@pytest.mark.parametrize(("name", "rows"), [("dev_matched", 9_815), ("dev_mismatched", 9_832)])
def test_every_labelled_pair_of_a_real_corpus_is_kept(name: str, rows: int, shared_data: Path) -> None:
    file = str(shared_data / "mnli" / f"{name}.csv")
    plan = Spelling(corpus=(file,), variant="swap").plan(size=None, limit=None, seed=0, split="eval")
    assert len(plan) == rows
    unedited = rows - plan.rows(0, rows)["edited"].sum()
    assert unedited < 20
    assert any(remark.startswith(f"{unedited} of {rows:,} hypotheses") for remark in plan.card.remarks)


@pytest.mark.parametrize(
    ("mode", "given", "done"),
    [
        ("corrected", None, "avoid"),
        ("corrected", "allow", "allow"),
        ("faithful", None, "allow"),
        ("faithful", "allow", "allow"),
    ],
)
def test_the_card_says_whether_real_words_were_avoided(mode: Any, given: Any, done: str) -> None:
    plan = Spelling(mode=mode, real_words=given).plan(size=None, limit=5, seed=0, split="eval")
    assert plan.card.options["real_words"] == done


def test_the_faithful_mode_cant_avoid_real_words() -> None:
    with pytest.raises(InputError, match=r"real_words=avoid .* mode=faithful"):
        Spelling(mode="faithful", real_words="avoid")


@pytest.mark.parametrize(
    ("word", "name"), [("Tom", "Tim"), ("San", "Dan"), ("long", "kong"), ("may", "amy"), ("to", "yo")]
)
def test_no_misspelling_is_a_name_or_an_interjection(word: str, name: str) -> None:
    avoided = {made(word, seed=seed)["misspelling"][0] for seed in range(100)}
    allowed = {made(word, seed=seed, real_words="allow")["misspelling"][0] for seed in range(100)}
    assert name not in avoided
    assert name in allowed
