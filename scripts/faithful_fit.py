"""Compare faithful HANS with the released files: two-sample chi-square tests of all that the draw decides.

Usage: python scripts/faithful_fit.py [--seeds 1] [--every] [--json]

Needs scipy. A test compares how often each value (a sub-variant, a noun, a preposition, ...) occurs in our
faithful set of one seed and in the released file of the same split, which the package rebuilds from ranks.
"""

from __future__ import annotations

import argparse
import json

import polars as pl
from scipy.stats import chi2_contingency

import rightreasons as rr

LEAST = 0.001
ALL = "."
RELATIVE = ("temp31", "temp48")  # the templates whose structural choice is a relative clause
NOUNS = (
    "professor student president judge senator secretary doctor lawyer "
    "scientist banker tourist manager artist author actor athlete "
    "professors students presidents judges senators secretaries doctors lawyers "
    "scientists bankers tourists managers artists authors actors athletes"
)
TRANSITIVE = (
    "recommended called helped supported contacted believed avoided advised "
    "saw stopped introduced mentioned encouraged thanked recognized admired"
)
# Words of a slot, and the subcases whose premises have that slot.
SLOTS = {
    "nouns": (ALL, NOUNS),
    "transitive verbs": (ALL, TRANSITIVE),
    "intransitive verbs": (ALL, "slept danced ran shouted resigned waited arrived performed"),
    "relativisers": ("relative_clause", "who that"),
    "adjectives": ("se_adjective", "important popular famous young happy helpful serious angry"),
    "places of MV/RR": ("sn_past_participle", "museum school library office laboratory"),
    "subordinators of NP/Z": ("sn_NP/Z", "while after before when although because since"),
}
PREPOSITION = r" (near|behind|by|in front of|next to) the"
OBJECT = r" the ([a-z ]+) \.$"


def observations(pairs: pl.DataFrame) -> pl.DataFrame:
    """List what is compared, a row each: the family of the test, the subcase it is about, a value."""
    kinds = pl.col("subvariant").str.split(".").list.slice(1)
    relative = pl.col("template").is_in(RELATIVE)
    verbs = pl.col("subcase") == "se_understood_object"
    triggers = pl.when(verbs).then(pl.lit("understood-object verbs")).otherwise(pl.lit("trigger words"))
    clauses = pl.when(relative).then(pl.lit("relative-clause kinds")).otherwise(pl.lit("predicate kinds"))
    chosen = pairs.with_columns(family=clauses, value=kinds).explode("value", empty_as_null=False)
    parts = [
        pairs.select(family=pl.lit("sub-variants"), where="subcase", value="subvariant"),
        chosen.select("family", where="subcase", value="value"),
        pairs.filter(pl.col("trigger").is_not_null()).select(
            family=triggers, where="subcase", value="trigger"
        ),
        _drawn(pairs.filter(pl.col("subcase").str.contains("PP|preposition")), "prepositions", PREPOSITION),
        _drawn(pairs.filter(verbs, pl.col("trigger") != "paid"), "understood objects", OBJECT),
        _words(pairs),
    ]
    return pl.concat(parts)


def _drawn(pairs: pl.DataFrame, family: str, pattern: str) -> pl.DataFrame:
    """Take the words that a pattern finds in the premises."""
    return pairs.select(
        family=pl.lit(family), where=pl.lit("all"), value=pl.col("premise").str.extract(pattern)
    )


def _words(pairs: pl.DataFrame) -> pl.DataFrame:
    """Take the words of the slots that are single words."""
    words = pairs.select("subcase", value=pl.col("premise").str.to_lowercase().str.split(" ")).explode(
        "value"
    )
    return pl.concat(
        words.filter(pl.col("subcase").str.contains(where), pl.col("value").is_in(listed.split())).select(
            family=pl.lit(family), where=pl.lit("all"), value="value"
        )
        for family, (where, listed) in SLOTS.items()
    )


def compare(ours: pl.DataFrame, theirs: pl.DataFrame) -> pl.DataFrame:
    """Test each family, subcase by subcase: the statistic, its degrees of freedom and p."""
    both = pl.concat(
        observations(pairs).with_columns(side=pl.lit(side)) for side, pairs in enumerate((ours, theirs))
    )
    counts = both.group_by("family", "where", "value", maintain_order=True).agg(
        ours=(pl.col("side") == 0).sum(), theirs=(pl.col("side") == 1).sum()
    )
    rows = []
    for (family, where), cells in counts.group_by("family", "where", maintain_order=True):
        if cells.height > 1:  # a subcase of one sub-variant has nothing to compare
            found = chi2_contingency(cells.select("ours", "theirs").to_numpy().T, correction=False)
            rows.append((family, where, float(found.statistic), int(found.dof), float(found.pvalue)))
    return pl.DataFrame(rows, schema=["family", "where", "statistic", "df", "p"], orient="row")


def fit(split: str, seed: int) -> pl.DataFrame:
    """Compare the faithful set of one seed with the released file."""
    ours = rr.generate("hans", mode="faithful", seed=seed, split=split, parses="none").pairs
    theirs = rr.generate("hans-released", split=split, parses="none").pairs
    return compare(ours, theirs).with_columns(split=pl.lit(split), seed=pl.lit(seed))


def _family_table(tests: pl.DataFrame) -> list[str]:
    """Show the number of tests and the smallest p of each family for seed 0, the two splits side by side."""
    lines = ["| compared | tests a split | smallest p, eval | smallest p, train |", "|---|---|---|---|"]
    for (family,), rows in tests.filter(seed=0).group_by("family", maintain_order=True):
        least = dict(rows.group_by("split").agg(pl.min("p")).iter_rows())
        lines.append(f"| {family} | {rows.height // 2} | {least['eval']:.3f} | {least['train']:.3f} |")
    return lines


def _remarks(tests: pl.DataFrame, seeds: int) -> list[str]:
    """Say how many tests fall below the bound, and which."""
    low = tests.filter(pl.col("p") < LEAST)
    said = f"{low.height} of {tests.height:,} tests over {seeds} seed(s) and two splits have p < {LEAST}"
    shown = "- seed {seed}, {split}: {family} of {where}, p = {p:.5f}"
    which = [shown.format_map(row) for row in low.iter_rows(named=True)]
    return [f"{said}; by chance {tests.height * LEAST:.1f} would.", *which]


def main() -> None:
    """Run the tests and print them."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--seeds", type=int, default=1, help="how many seeds, from 0 on")
    parser.add_argument("--every", action="store_true", help="show every test of seed 0")
    parser.add_argument("--json", action="store_true", help="print all tests as one JSON object, last line")
    asked = parser.parse_args()
    tests = pl.concat(fit(split, seed) for seed in range(asked.seeds) for split in ("eval", "train"))
    print("\n".join(_family_table(tests)), *_remarks(tests, asked.seeds), sep="\n")
    if asked.every:
        for row in tests.filter(seed=0).iter_rows(named=True):
            print("{split} {family}, {where}: {statistic:.2f} on {df} df, p = {p:.4f}".format_map(row))
    if asked.json:
        print(json.dumps({"least": LEAST, "tests": tests.to_dicts()}))


if __name__ == "__main__":
    main()
