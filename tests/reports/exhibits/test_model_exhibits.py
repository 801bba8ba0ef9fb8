"""The exhibits on what a model goes by, made from real runs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import polars as pl
import pytest

import rightreasons as rr
from rightreasons.core import heuristics
from rightreasons.core.labels import THREE_LABELS
from rightreasons.reports.exhibits import accuracy_drops, reliance
from rightreasons.reports.exhibits.calibration import make_calibration_tables
from rightreasons.reports.exhibits.errors import make_error_tables
from rightreasons.reports.exhibits.reliance import make_reliance_tables
from rightreasons.reports.exhibits.shares import make_share_tables
from rightreasons.runs.collection import RunCollection, load_runs
from rightreasons.scoring import calibration
from rightreasons.sets.stress.unmodified_pairs import Source

if TYPE_CHECKING:
    from pathlib import Path

    from rightreasons.core.exhibit import Exhibit

PARTS = (make_reliance_tables, make_error_tables, make_share_tables, make_calibration_tables)
CHANGED = ("stress/word-overlap", "stress/spelling")


class Overlap:
    """Says entailment where all words are the premise's, contradiction where few are; sure of it by as much."""

    name = "overlap"

    def predict(self, pairs: pl.DataFrame) -> pl.DataFrame:
        plain = pairs.select(heuristics.normalise_words(pl.col("premise", "hypothesis")).str.split(" "))
        common = pl.col("hypothesis").list.set_intersection("premise").list.len()
        share = plain.select(common / pl.col("hypothesis").list.unique().list.len()).to_series()
        all_of_it = share >= 1
        yes = pl.when(all_of_it).then(0.9).otherwise(0.3 * share)
        no = pl.when(all_of_it).then(0.06).otherwise(0.6 - 0.5 * share)
        odds = pl.select(p_entailment=yes, p_neutral=1 - yes - no, p_contradiction=no)
        best = pl.concat_list(odds.columns).list.arg_max()
        label = odds.select(
            best.replace_strict(dict(enumerate(THREE_LABELS)), return_dtype=pl.String).alias("label")
        )
        return pl.concat([pairs.select("id"), label, odds], how="horizontal")


@pytest.fixture(scope="module")
def sampled(tmp_path_factory: pytest.TempPathFactory) -> RunCollection:
    """Ask two models about samples of sets of every kind; one knows probabilities."""
    out = tmp_path_factory.mktemp("sampled") / "run"
    names = ["hans", "stress/antonymy", "stress/numerical", "simple-pair", "nps", "random-pair"]
    rr.evaluate([Overlap(), "constant"], sets=names, limit=120, short="allow", out=out)
    return load_runs([out])


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> RunCollection:
    """Ask a model about all pairs of the pocket corpus, as they are and changed, without baselines."""
    folder = tmp_path_factory.mktemp("whole")
    plan = Source().plan(size=None, limit=None, seed=0, split="eval")
    plan.rows(0, len(plan)).write_parquet(folder / "plain.parquet")
    names = [str(folder / "plain.parquet"), *CHANGED, "stress/antonymy"]
    options = {"stress/spelling.variant": "each"}
    rr.evaluate([Overlap()], sets=names, out=folder / "run", baselines=False, **options)
    return load_runs([folder / "run"])


def made(gathered: RunCollection) -> dict[str, Exhibit]:
    found = [
        one for name in gathered.set_names for part in PARTS for one in part(gathered.load_set_results(name))
    ]
    found += accuracy_drops.make_accuracy_drop_tables(gathered)
    assert len({one.key for one in found}) == len(found)
    return {one.key: one for one in found}


@pytest.fixture(scope="module")
def exhibits(sampled: RunCollection, whole: RunCollection) -> dict[str, Exhibit]:
    return {f"sampled {key}": one for key, one in made(sampled).items()} | {
        f"whole {key}": one for key, one in made(whole).items()
    }


def test_every_figure_is_in_its_frame_and_its_interval(exhibits: dict[str, Exhibit]) -> None:
    assert len(exhibits) > 30
    for exhibit in exhibits.values():
        frame = exhibit.frame
        assert frame.height
        assert set(exhibit.formats) <= set(frame.columns), exhibit.key
        assert set(exhibit.headings) <= set(frame.columns), exhibit.key
        assert exhibit.caption.endswith("."), exhibit.key
        for name in exhibit.formats:
            if f"{name}_low" in frame.columns:
                inside = (pl.col(f"{name}_low") - 1e-9 <= pl.col(name)) & (
                    pl.col(name) <= pl.col(f"{name}_high") + 1e-9
                )
                assert frame.select(inside.all()).item(), (exhibit.key, name)


def test_charts_are_plain_specifications_without_data_or_colours(exhibits: dict[str, Exhibit]) -> None:
    charts = [one.chart for one in exhibits.values() if one.chart is not None]
    assert len(charts) > 15
    for chart in charts:
        text = json.dumps(chart)
        assert '"data"' not in text
        assert "#" not in text


def test_the_overlap_model_goes_by_lexical_overlap(exhibits: dict[str, Exhibit]) -> None:
    table = exhibits["sampled reliance-hans"]
    figures = {
        (heuristic, model): figure
        for heuristic, model, figure in table.frame.select("heuristic", "model", "reliance").iter_rows()
    }
    assert figures["lexical overlap", "overlap"] == figures["lexical overlap", "constant"] == 1
    assert figures["subsequence", "overlap"] == 0
    assert ("lexical overlap", "random") in figures
    assert not any(model.startswith("rules:") for _, model in figures)
    assert any(note.startswith("lexical overlap: ") for note in table.notes)


def test_another_set_tells_the_overlap_model_from_a_constant_one(exhibits: dict[str, Exhibit]) -> None:
    frame = exhibits["sampled reliance-simple-pair"].frame.filter(pl.col("heuristic") == "lexical overlap")
    figures = dict(frame.select("model", "reliance").iter_rows())
    assert figures == {
        "overlap": 1,
        "constant": 0,
        "majority": 0,
    }  # the baseline predicts neutral, the gold label


def test_unknown_reliance_is_not_shown(exhibits: dict[str, Exhibit]) -> None:
    assert "sampled reliance-nps" not in exhibits
    assert "sampled reliance-random-pair" not in exhibits


def test_rules_from_texts_are_those_of_the_rule_models(sampled: RunCollection) -> None:
    results = sampled.load_set_results("hans")
    answered = reliance.apply_heuristics(results)
    assert list(answered) == list(reliance.NAMES)
    for name in reliance.NAMES:
        from_texts = reliance._apply_heuristic(name, results)
        assert from_texts is not None
        assert from_texts.to_list() == answered[name].to_list()


def test_a_model_without_probabilities_has_no_calibration(exhibits: dict[str, Exhibit]) -> None:
    for key, exhibit in exhibits.items():
        if any(word in key for word in ("calibration", "reliability", "threshold")):
            assert exhibit.frame["model"].unique().to_list() == ["overlap"]


def test_sets_with_one_true_label_show_shares_instead_of_confusions(exhibits: dict[str, Exhibit]) -> None:
    assert "sampled confusion-simple-pair" not in exhibits
    coarse, fine = exhibits["sampled shares-simple-pair"], exhibits["sampled shares-simple-pair-by-parts"]
    rows = coarse.frame.filter(pl.col("model") == "overlap")
    assert rows.height == 11
    assert rows["n"][:-1].sum() == rows["n"][-1] == 120
    assert fine.frame.filter(pl.col("model") == "overlap").height == 43
    assert "sampled confusion-hans" in exhibits
    assert "sampled shares-hans" not in exhibits


def test_kinds_of_error_on_antonyms_are_those_of_the_paper(exhibits: dict[str, Exhibit]) -> None:
    table = exhibits["sampled errors-stress-antonymy"]
    assert list(table.headings.values()) == ["C->E", "C->N"]
    always = table.frame.filter(pl.col("model") == "constant").row(0, named=True)
    assert (always["errors"], always["k0"], always["k1"]) == (120, 1, 0)


def test_costs_are_those_of_changed_pairs_with_their_label(
    exhibits: dict[str, Exhibit], whole: RunCollection
) -> None:
    frame = exhibits["whole costs"].frame
    assert frame["set"].to_list() == [
        CHANGED[0], CHANGED[1], *(f"{CHANGED[1]}: {one}" for one in ("swap", "keyboard", "content", "function")),
    ]  # fmt: skip
    assert frame["n"].to_list() == [510, 2040, 510, 510, 510, 510]
    for name in CHANGED:
        row = frame.row(by_predicate=pl.col("set") == name, named=True)
        right = {
            one: whole.load_set_results(one).predictions["overlap"]["right"].mean() for one in (name, "plain")
        }
        assert row["after"] == pytest.approx(right[name])
        assert row["before"] == pytest.approx(right["plain"])
        assert row["cost"] == pytest.approx(right["plain"] - right[name])
        assert row["lost"] - row["gained"] == pytest.approx(row["cost"])


def test_kinds_of_error_before_and_after_are_of_the_same_pairs(exhibits: dict[str, Exhibit]) -> None:
    costs_of = exhibits["whole costs"].frame.row(0, named=True)
    row = exhibits["whole costs-kinds"].frame.row(0, named=True)
    assert row["errors_after"] - row["errors_before"] == pytest.approx(costs_of["cost"] * costs_of["n"])


def test_without_changed_pairs_there_are_no_costs(sampled: RunCollection) -> None:
    assert accuracy_drops.make_accuracy_drop_tables(sampled) == []


def test_missing_sources_are_explained(tmp_path: Path) -> None:
    rr.evaluate([Overlap()], sets=CHANGED, limit=60, out=tmp_path / "run", baselines=False)
    (exhibit,) = accuracy_drops.make_accuracy_drop_tables(load_runs([tmp_path / "run"]))
    assert (exhibit.key, exhibit.frame.rows()) == ("costs", [(name, 60) for name in CHANGED])
    assert "stress/source" in exhibit.caption
    rr.evaluate(
        [Overlap()], sets=[*CHANGED, "stress/source"], limit=60, out=tmp_path / "both", baselines=False
    )
    assert accuracy_drops.make_accuracy_drop_tables(load_runs([tmp_path / "both"]))[0].frame[
        "n"
    ].to_list() == [60, 60]


def test_real_probabilities_are_a_little_too_high(shared_data: Path) -> None:
    rows = pl.read_ndjson(shared_data / "predictions" / "snli_dev_electra_small.jsonl")
    scores = rows["predicted_scores"].list.to_array(3).to_numpy()
    odds = pl.DataFrame(scores, schema=["p_entailment", "p_neutral", "p_contradiction"]).select(
        pl.all().exp()
    )
    odds = odds.select(pl.all() / pl.sum_horizontal(pl.all()))
    names = dict(enumerate(THREE_LABELS))
    answers = rows.select(
        gold=pl.col("label").replace_strict(names), prediction=pl.col("predicted_label").replace_strict(names)
    ).with_columns(odds, right=rows["label"] == rows["predicted_label"])
    found = calibration.collect_probabilities(answers)
    assert found is not None
    assert found.observed.mean() == pytest.approx(0.8948, abs=5e-5)
    bins = calibration.make_equal_mass_bins(found)
    low, high = calibration.compute_calibration_error_interval(bins)
    assert 0.02 < low < bins.compute_calibration_error() < high < 0.045
    assert bins.compute_calibration_error() > calibration.compute_noise_level(bins)
