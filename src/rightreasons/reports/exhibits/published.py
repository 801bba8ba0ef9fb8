"""The tables of the HANS paper and of the study of random and simple pairs, with our rows on top."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core.exhibit import Exhibit
from rightreasons.core.labels import NEUTRAL, THREE_LABELS, TWO_LABELS
from rightreasons.reports import published
from rightreasons.reports.exhibits.published_comparison import (
    INTERVALS,
    OURS,
    TableHeading,
    collect_published_notes,
    compare_with_published,
    make_slug,
    measure_accuracy_by_tag,
)
from rightreasons.reports.exhibits.published_people import describe_people
from rightreasons.reports.exhibits.published_stress import make_stress_overviews, make_stress_tables
from rightreasons.scoring.interval_notes import name_proportion_intervals, warn_of_narrow_intervals

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rightreasons.core.exhibit import Format
    from rightreasons.reports.published import PublishedSubset
    from rightreasons.runs.collection import RunCollection
    from rightreasons.runs.set_results import SetResults
    from rightreasons.scoring.proportion import Proportion

_WORDS = {"lexical_overlap": "lexical", "subsequence": "subseq.", "constituent": "const."}
_COLUMNS = {
    published.name_figure_column(heuristic, gold): f"{word}, {gold}"
    for gold in TWO_LABELS
    for heuristic, word in _WORDS.items()
}
_SAMPLE = (
    "The published figures are for the released set; this run used another sample of the same templates."
)


def make_published_tables(results: SetResults) -> list[Exhibit]:
    """Show the published tables about one set, if there are any."""
    if published.has_hans_tags(results.pairs) and set(results.gold_labels) <= set(TWO_LABELS):
        return _make_hans_tables(results)
    if not set(results.gold_labels) <= set(THREE_LABELS):
        return []  # merged labels can't be compared with figures for three labels
    return make_stress_tables(results) + make_pair_study_tables(results)


def make_published_overviews(gathered: RunCollection) -> list[Exhibit]:
    """Show the published tables about several sets: those of the stress tests."""
    return make_stress_overviews(gathered)


def _make_hans_tables(results: SetResults) -> list[Exhibit]:
    at, names = make_slug(results.name), results.requested_models or list(results.predictions)
    ours = {(model, ""): _measure_heuristic_accuracies(results, model) for model in names}
    other = [_SAMPLE] if "set" in results.pairs.columns and results.pairs["set"][0] == "hans" else []
    caption = "Accuracy by heuristic and gold label; neutral and contradiction count as non-entailment."
    main = TableHeading(
        f"published-{at}", f"{results.name}: Table 3 of the HANS paper", caption, set=results.name
    )
    rest = TableHeading(
        f"published-others-{at}", f"{results.name}: other published results", caption, set=results.name
    )
    others = [*published.read_rows("hans", ["4", "11"]), *published.read_rows("hans_others", ["", "2 and 6"])]
    return [
        compare_with_published(
            main, _COLUMNS, published.read_rows("hans", ["3"]), ours, [*other, *describe_people("hans")]
        ),
        _make_subcase_table(results, names, at),
        compare_with_published(rest, _COLUMNS, others, ours, other),
    ]


def _measure_heuristic_accuracies(results: SetResults, model: str) -> dict[str, Proportion]:
    shares = measure_accuracy_by_tag(results, model, "heuristic")
    return {published.name_figure_column(*key): share for key, share in shares.items()}


def _make_subcase_table(results: SetResults, names: list[str], at: str) -> Exhibit:
    """Show Tables 9 and 10: a row per subcase, our models first."""
    paper = published.read_rows("hans", ["9", "10"])
    models = list(dict.fromkeys(row.model for row in paper))
    printed = {(row.model, column): value for row in paper for column, value in row.values.items()}
    groups = results.pairs.select("heuristic", "subcase").with_columns(results.predictions[names[0]]["gold"])
    lines = groups.group_by("heuristic", "subcase", "gold", maintain_order=True).agg(n=pl.len())
    frame = lines.with_columns(
        pl.Series(
            f"p{place}", [printed.get((model, f"{sub}/{gold}")) for _, sub, gold, _ in lines.iter_rows()]
        )
        for place, model in enumerate(models)
    )
    figures: list[Proportion] = []
    for place, model in enumerate(names):
        shares = measure_accuracy_by_tag(results, model, "subcase")
        found = [shares[str(sub), str(gold)] for _, sub, gold, _ in lines.iter_rows()]
        figures += found
        frame = frame.hstack(pl.DataFrame([share.to_columns(f"m{place}") for share in found]))
    theirs = {f"p{place}": f"{model} (printed)" for place, model in enumerate(models)}
    own = {f"m{place}": f"{model} ({OURS})" for place, model in enumerate(names)}
    texts: dict[str, Format] = dict.fromkeys(("heuristic", "subcase", "gold"), "text")
    shown: dict[str, Format] = {**texts, "n": "count", **dict.fromkeys([*own, *theirs], "share")}
    return Exhibit(
        f"published-subcases-{at}",
        f"{results.name}: Tables 9 and 10 of the HANS paper",
        f"Accuracy by subcase. {INTERVALS.format(name_proportion_intervals(figures))}",
        frame,
        shown,
        results.name,
        notes=(
            *warn_of_narrow_intervals(figures),
            *collect_published_notes(paper, {column for _, column in printed}),
        ),
        headings=own | theirs,
    )


_NEUTRAL_CAPTION = (
    "Percentage of the pairs that are predicted neutral. The gold label of all pairs is neutral."
)
_TABLES: tuple[tuple[str, Mapping[str, PublishedSubset]], ...] = (
    ("1", published.RANDOM),
    ("2", published.SENTENCES),
    ("3", published.JOINED),
)
_SOURCES = "The published figures are for premises from MNLI and SNLI; this run used premises from: {}."


def make_pair_study_tables(results: SetResults) -> list[Exhibit]:
    """Show the tables of the study that are about this set."""
    pairs = results.pairs
    if "set" not in pairs.columns or set(pairs["label"].unique()) != {NEUTRAL}:
        return []
    return [
        _make_pair_study_table(results, number, places)
        for number, places in _TABLES
        if {place.set for place in places.values()} == set(pairs["set"].unique())
    ]


def _make_pair_study_table(
    results: SetResults, number: str, places: Mapping[str, PublishedSubset]
) -> Exhibit:
    columns = {published.name_figure_column(name, NEUTRAL): _make_column_heading(name) for name in places}
    from_where = ", ".join(results.card["sources"])
    at = make_slug(results.name)
    title = f"{results.name}: Table {number} of the pair study"
    heading = TableHeading(
        f"published-table-{number}-{at}", title, _NEUTRAL_CAPTION, shown="percent", set=results.name
    )
    ours = {
        (model, ""): _measure_neutral_shares(results, model, places) for model in results.requested_models
    }
    more = [_SOURCES.format(from_where)] if number == "1" and from_where else []
    more += describe_people("random-pair") if number == "1" else ()
    return compare_with_published(heading, columns, published.read_rows("pairs", [number]), ours, more)


def _measure_neutral_shares(
    results: SetResults, model: str, places: Mapping[str, PublishedSubset]
) -> dict[str, Proportion]:
    tag = next(iter(places.values())).tag or "set"
    shares = measure_accuracy_by_tag(results, model, tag)
    found = {name: shares.get((place.value or place.set, NEUTRAL)) for name, place in places.items()}
    return {published.name_figure_column(name, NEUTRAL): share for name, share in found.items() if share}


def _make_column_heading(name: str) -> str:
    return name.replace("_", " ").replace("NA:", "N is A:")
