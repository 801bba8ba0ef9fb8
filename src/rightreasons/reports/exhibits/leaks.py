"""Leaks as exhibits: how much of each set also occurs in a training file, with examples."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypeAlias

import polars as pl

from rightreasons.audits.leaks import HOW
from rightreasons.audits.near_duplicates import SIDE_THRESHOLD, THRESHOLD
from rightreasons.core.exhibit import Exhibit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rightreasons.audits.leaks import LeakReport
    from rightreasons.core.exhibit import Format

TrainingFile: TypeAlias = tuple[str, int, str | None]  # a training file: its name, its pairs, its digest
RULE = (
    "Exact: the same characters. Normalised: the same letters and digits, ignoring case, punctuation, whitespace "
    f"and Unicode form. Near: a Jaccard similarity of character trigrams of at least {float(THRESHOLD):.0%}, and for "
    f"pairs of at least {float(SIDE_THRESHOLD):.0%} in each text. "
    "Each pair counts once, for its closest match. All pairs are counted, so there are no intervals."
)


def make_leak_tables(reports: Sequence[LeakReport]) -> list[Exhibit]:
    """Show for each training file the counts for all sets in one table, and examples in another, if there are any."""
    by_training: dict[TrainingFile, list[LeakReport]] = {}
    for report in reports:
        group = by_training.setdefault((report.training, report.training_rows, report.digest), [])
        # Two runs with the same training file and set have equal reports.
        if all(report.to_dict() != other.to_dict() for other in group):
            group.append(report)
    names = _name_training_files(list(by_training))
    ends = ["", *(f"-{number}" for number in range(2, len(by_training) + 1))]
    return [
        exhibit
        for end, name, group in zip(ends, names, by_training.values(), strict=False)
        for exhibit in (
            _make_overlap_table(group, f"leaks{end}", name),
            *_make_overlap_example_tables(group, f"leak-examples{end}", name),
        )
    ]


def _name_training_files(files: Sequence[TrainingFile]) -> list[str]:
    """Name training files; add their size to equal names, and their digest if the sizes are equal, too."""
    alike = Counter(name for name, _, _ in files)
    as_long = Counter((name, rows) for name, rows, _ in files)
    named = []
    for name, rows, digest in files:
        size = f", of {rows:,} pairs" if alike[name] > 1 else ""
        checksum = f", sha256 {digest[:8] if digest else 'not recorded'}" if as_long[name, rows] > 1 else ""
        named.append(f"{name}{size}{checksum}")
    return named


def _make_overlap_table(reports: Sequence[LeakReport], key: str, training: str) -> Exhibit:
    tables = [report.table.select(pl.lit(report.set).alias("set"), pl.all()) for report in reports]
    formats: dict[str, Format] = {
        "set": "text",
        "what": "text",
        **dict.fromkeys((*HOW, "any", "of"), "count"),
    }
    if not any(report.near for report in reports):
        del formats["near"]
    return Exhibit(
        key,
        f"Overlap of the sets with {training}",
        f"Pairs of each set whose texts occur in the training file ({reports[0].training_rows:,} pairs). {RULE}",
        pl.concat(tables),
        {**formats, "share": "percent"},
        notes=tuple(report.sentence for report in reports),
    )


def _make_overlap_example_tables(reports: Sequence[LeakReport], key: str, training: str) -> list[Exhibit]:
    tables = [report.examples.select(pl.lit(report.set).alias("set"), pl.all()) for report in reports]
    frame = pl.concat(tables)
    if frame.is_empty():
        return []
    texts = ("set", "what", "how", "id", "premise", "hypothesis")
    there = ("training_id", "training_premise", "training_hypothesis")
    formats: dict[str, Format] = {
        **dict.fromkeys(texts, "text"),
        "similarity": "share",
        **dict.fromkeys(there, "text"),
    }
    return [
        Exhibit(
            key,
            f"Examples of overlap with {training}",
            "The first pairs of each type, and their matches in the training file.",
            frame,
            formats,
            headings={name: name.replace("_", " ") for name in there},
        )
    ]
