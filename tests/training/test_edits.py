"""Edits of training pairs: what each promises, whatever the pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rightreasons as rr
from rightreasons.core.labels import THREE_LABELS
from rightreasons.training.edits import EDITS, apply_edit, apply_edits, parse_edit

if TYPE_CHECKING:
    from pathlib import Path

TEXT = st.text("abc XYZ.", min_size=1, max_size=12).map(lambda text: f"w{text}")
ROWS = st.lists(st.tuples(TEXT, TEXT, st.sampled_from(THREE_LABELS)), min_size=1, max_size=40)


def table(rows: list[tuple[str, str, str]]) -> pl.DataFrame:
    frame = pl.DataFrame(rows, schema=["premise", "hypothesis", "label"], orient="row")
    return frame.select(pl.Series("id", [f"p{n}" for n in range(frame.height)]), pl.all())


PAIRS = ROWS.map(table)
SOME = table([("A man sat.", "A man moved.", "contradiction"), ("It rains.", "It is wet.", "entailment")])


@pytest.fixture(scope="module")
def pocket() -> pl.DataFrame:
    return rr.read_corpus("pocket").pairs


@given(PAIRS)
def test_swap_twice_changes_nothing(pairs: pl.DataFrame) -> None:
    assert apply_edit(apply_edit(pairs, "swap"), "swap").equals(pairs)
    assert apply_edit(pairs, "swap")["premise"].to_list() == pairs["hypothesis"].to_list()


def test_swap_takes_parses_along() -> None:
    pairs = SOME.with_columns(premise_parse=pl.lit("(A a)"), hypothesis_parse=pl.lit("(B b)"))
    swapped = apply_edit(pairs, "swap")
    assert swapped.columns == pairs.columns
    assert set(swapped["premise_parse"]) == {"(B b)"}
    one = apply_edit(pairs.drop("hypothesis_parse"), "swap")
    assert "hypothesis_parse" in one.columns
    assert "premise_parse" not in one.columns


@given(PAIRS)
def test_merge_twice_is_merge_once(pairs: pl.DataFrame) -> None:
    once = apply_edit(pairs, "merge")
    assert apply_edit(once, "merge").equals(once)
    assert set(once["label"]) <= {"entailment", "non-entailment"}
    assert (once["label"] == "entailment").equals(pairs["label"] == "entailment")


@given(PAIRS, st.integers(1, 45), st.integers(0, 3), st.randoms(use_true_random=False))
def test_a_subsample_does_not_depend_on_the_order_of_rows(
    pairs: pl.DataFrame, size: int, seed: int, chance: object
) -> None:
    order = list(range(pairs.height))
    chance.shuffle(order)  # type: ignore[attr-defined]
    edit = f"subsample:size={size},seed={seed}"
    one, two = apply_edit(pairs, edit), apply_edit(pairs[order], edit)
    texts = ["premise", "hypothesis", "label"]
    assert one.select(texts).sort(texts).equals(two.select(texts).sort(texts))
    assert one.height == min(size, pairs.height)


def test_a_subsample_keeps_the_shares_of_labels(pocket: pl.DataFrame) -> None:
    uneven = pl.concat([pocket.filter(pl.col("label") == "neutral"), pocket.head(30)]).unique("id")
    drawn = apply_edit(uneven, "subsample:size=60")
    for label in THREE_LABELS:
        share = (uneven["label"] == label).mean()
        assert abs((drawn["label"] == label).sum() - 60 * share) < 1
    assert not drawn.equals(apply_edit(uneven, "subsample:size=60,seed=1"))


def test_a_subsample_may_keep_the_shares_of_other_tags(pocket: pl.DataFrame) -> None:
    drawn = apply_edit(pocket, "subsample:size=100,by=genre,label")
    before, after = (
        dict(
            frame.group_by("genre", "label")
            .len()
            .select(pl.struct("genre", "label").struct.json_encode(), "len")
            .rows()
        )
        for frame in (pocket, drawn)
    )
    assert all(abs(after.get(cell, 0) - n * 100 / pocket.height) < 1 for cell, n in before.items())


def test_augmented_pairs_share_no_premise_with_any_evaluation_set(pocket: pl.DataFrame) -> None:
    added = apply_edit(pocket, "augment:size=6000,seed=3").filter(pl.col("set") == "hans")
    tested = pl.concat(
        [
            rr.generate("hans", limit=9_000, seed=3, parses="none").pairs.select("premise"),
            rr.generate("hans-released", text="natural", parses="none").pairs.select("premise"),
        ]
    )
    assert added.height == 6000
    assert added.join(tested, on="premise", how="semi").is_empty()


def test_augment_says_what_it_added(pocket: pl.DataFrame) -> None:
    made = apply_edits(pocket, ["augment:size=61"])
    facts = made.facts["edits"][0]
    assert facts["after"] - facts["before"] == facts["added"] == 61
    assert facts["split"] == "train"
    # Two pairs of each of the thirty subcases, half of which are entailed, and one more.
    assert facts["labels"] == {"entailment": 30, "neutral": 31}
    assert dict(made.pairs.tail(61)["label"].value_counts().iter_rows()) == facts["labels"]
    assert made.pairs["id"].is_unique().all()
    assert set(made.pairs["label"]) == set(THREE_LABELS)


@pytest.mark.parametrize("size", [1, 30, 31, 299])
def test_augment_may_add_one_label_alone(size: int) -> None:
    added = apply_edit(SOME, f"augment:size={size},only=non-entailment,non_entailment=contradiction")[2:]
    assert added.height == size
    assert set(added["label"]) == {"contradiction"}
    assert added["subcase"].str.slice(1, 1).unique().to_list() == ["n"]


def test_augment_makes_parses_where_the_pairs_have_them(pocket: pl.DataFrame) -> None:
    assert "premise_parse" not in apply_edit(pocket, "augment:size=30").columns
    parsed = SOME.with_columns(premise_parse=pl.lit("(A a)"), hypothesis_parse=pl.lit("(B b)"))
    assert apply_edit(parsed, "augment:size=30")["premise_parse"].null_count() == 0


def test_a_dose_of_none_adds_none() -> None:
    assert apply_edit(SOME, "augment:size=0").equals(SOME)


def test_withheld_subcases_are_gone_and_nothing_else() -> None:
    whole = apply_edit(SOME, "augment:size=300")
    kept = apply_edit(whole, "withhold:subcases=ln_passive,sn_NP/S")
    assert whole.height - kept.height == 20
    assert whole.filter(~pl.col("subcase").is_in(["ln_passive", "sn_NP/S"]).fill_null(value=False)).equals(
        kept
    )


@pytest.mark.parametrize(
    ("edit", "side", "end"),
    [
        ("distract", "hypothesis", " and false is not true."),
        ("distract:test=word-overlap", "hypothesis", " and true is true."),
        ("distract:test=length-mismatch", "premise", " and true is true" * 5 + "."),
        ("distract:tautology=green is not red", "hypothesis", " and green is not red."),
    ],
)
def test_distract_attaches_the_tautology_of_a_stress_test(edit: str, side: str, end: str) -> None:
    made = apply_edit(SOME, edit)
    assert made[side].to_list() == [text.removesuffix(".") + end for text in SOME[side]]
    assert made.drop(side).equals(SOME.drop(side))


def test_distract_may_keep_the_pairs_as_they_were(pocket: pl.DataFrame) -> None:
    made = apply_edit(pocket, "distract:keep=true")
    assert made.height == 2 * pocket.height
    assert made.head(pocket.height).equals(pocket)
    assert made["id"].is_unique().all()
    assert made["label"].tail(pocket.height).equals(pocket["label"])


def test_a_distracted_pair_has_no_parse_of_another_text() -> None:
    pairs = SOME.with_columns(premise_parse=pl.lit("(A a)"))
    assert "premise_parse" not in apply_edit(pairs, "distract").columns


@given(PAIRS)
def test_hypothesis_only_leaves_nothing_of_the_premise(pairs: pl.DataFrame) -> None:
    made = apply_edit(pairs, "hypothesis-only")
    assert set(made["premise"]) == {"."}
    assert made.drop("premise").equals(pairs.drop("premise"))


def test_drop_rule_finds_the_published_numbers(shared_data: Path) -> None:
    sick = rr.read_corpus(str(shared_data / "sick" / "SICK_annotated.txt")).pairs
    dropped = {
        rules: apply_edits(sick, [f"drop-rule:rules={rules}"]).facts["edits"][0]["dropped"]
        for rules in ("unrel", "ws", "inv", "od", "lex,so", "so", "expa")
    }
    assert dropped == {
        "unrel": 1197,
        "ws": 377,
        "inv": 419,
        "od": 608,
        "lex,so": 1783,
        "so": 933,
        "expa": 189,
    }


def test_edits_are_done_in_order_and_each_is_told(pocket: pl.DataFrame) -> None:
    edits = ["subsample:size=100", "augment:size=30", "merge"]
    made = apply_edits(pocket, edits)
    assert [fact["edit"] for fact in made.facts["edits"]] == edits
    assert [fact["after"] for fact in made.facts["edits"]] == [100, 130, 130]
    other = apply_edits(pocket, ["augment:size=30", "subsample:size=100", "merge"])
    assert other.pairs.height == 100


def test_dev_pairs_get_what_changes_the_question_alone(pocket: pl.DataFrame) -> None:
    made = apply_edits(pocket, ["augment:size=30", "subsample:size=20", "merge", "swap"], dev=True)
    assert made.pairs.height == pocket.height
    assert set(made.pairs["label"]) == {"entailment", "non-entailment"}
    assert made.pairs["premise"].equals(pocket["hypothesis"].alias("premise"))


@pytest.mark.parametrize(
    ("edits", "message"),
    [
        (["augmnt"], "Did you mean augment"),
        (["subsample:siz=3"], "Did you mean size"),
        (["subsample:size=many"], "size .*'many'.*whole number"),
        (["subsample:size=0"], "at least 1"),
        (["subsample"], "needs the option 'size'"),
        (["subsample:3"], "subsample:key=value"),
        (["subsample:size=3,size=4"], "twice"),
        (["augment:size=-1"], "0 or more"),
        (["augment:size=30,only=some"], "all or entailment or non-entailment"),
        (["withhold:subcases=ln_passive"], "withhold .*'subcase'.*augment"),
        (["augment:size=60", "withhold:subcases=ln_pasive"], "Did you mean ln_passive"),
        (["drop-rule:rules=lex"], "drop-rule .*'rule'.*sick/annotated"),
        ("merge", "'merge'.*list"),
    ],
)
def test_wrong_edits_are_refused(edits: list[str], message: str) -> None:
    with pytest.raises(rr.InputError, match=message):
        apply_edits(SOME, edits)


def test_a_wrong_edit_is_found_before_the_first_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    applied: list[pl.DataFrame] = []
    monkeypatch.setattr(EDITS.load("merge"), "edit", lambda _self, pairs: applied.append(pairs))
    with pytest.raises(rr.InputError, match="'sze'"):
        apply_edits(SOME, ["merge", "augment:sze=3"])
    assert applied == []


def test_an_edit_that_leaves_nothing_is_refused(pocket: pl.DataFrame) -> None:
    only = apply_edit(pocket, "augment:size=30").filter(pl.col("subcase") == "ln_passive")
    with pytest.raises(rr.InputError, match=r"'withhold:subcases=ln_passive'.* all 1 "):
        apply_edit(only, "withhold:subcases=ln_passive")


@pytest.mark.parametrize("name", EDITS)
def test_every_edit_is_found_by_its_name(name: str) -> None:
    assert parse_edit(name) == (name, {})
    assert parse_edit(f"{name}:a=1,b=x,y") == (name, {"a": "1", "b": "x,y"})


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        ("merge:a=b", "edit merge .*'a'"),
        ("drop-rule", "edit drop-rule .*'rules'"),
        ("withhold", "edit withhold .*'subcases'"),
        ("augment:size=30001,set=hans-released", "30,000 .*30,001.*set=hans"),
        ("augment:size=15001,set=hans-released,only=entailment", "15,000 .*15,001"),
    ],
)
def test_errors_name_the_edit_and_its_option(edit: str, message: str) -> None:
    pairs = pl.DataFrame({"id": ["a"], "premise": ["p"], "hypothesis": ["h"], "label": ["neutral"]})
    with pytest.raises(rr.InputError, match=message):
        apply_edit(pairs, edit)
