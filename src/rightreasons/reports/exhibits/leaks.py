"""Leaks as exhibits: how much of each set a training file has, too, with examples."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypeAlias

import polars as pl

from rightreasons.audits.leaks import HOW
from rightreasons.audits.near import SIDE_THRESHOLD, THRESHOLD
from rightreasons.reports.exhibits.exhibit import Exhibit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rightreasons.audits.leaks import LeakReport
    from rightreasons.reports.exhibits.exhibit import Format

TrainingFile: TypeAlias = tuple[str, int, str | None]  # a training file: its name, its pairs, its digest
RULE = (
    "Exact: the same characters. Normalised: the same letters and digits, ignoring case, punctuation, white space "
    f"and Unicode form. Near: at least {float(THRESHOLD):.0%} of the runs of three characters in common (Jaccard), and "
    f"for pairs at least {float(SIDE_THRESHOLD):.0%} in each text. "
    "Each pair counts once, for its closest match. All pairs are counted, so there are no intervals."
)


def make_leak_tables(found: Sequence[LeakReport]) -> list[Exhibit]:
    """Show for each training file the counts for all sets in one table, and examples in another, if there are any."""
    by_training: dict[TrainingFile, list[LeakReport]] = {}
    for one in found:
        group = by_training.setdefault((one.training, one.training_rows, one.digest), [])
        if all(
            one.to_dict() != other.to_dict() for other in group
        ):  # as two runs with one file and set have it
            group.append(one)
    names = _name_training_files(list(by_training))
    ends = ["", *(f"-{number}" for number in range(2, len(by_training) + 1))]
    return [
        exhibit
        for end, name, group in zip(ends, names, by_training.values(), strict=False)
        for exhibit in (
            _make_count_table(group, f"leaks{end}", name),
            *_make_example_tables(group, f"leak-examples{end}", name),
        )
    ]


def _name_training_files(files: Sequence[TrainingFile]) -> list[str]:
    """Name training files; those of one name with their rows, and those of as many rows with their digest, too."""
    alike = Counter(name for name, _, _ in files)
    as_long = Counter((name, rows) for name, rows, _ in files)
    named = []
    for name, rows, digest in files:
        size = f", of {rows:,} pairs" if alike[name] > 1 else ""
        seal = f", sha256 {digest[:8] if digest else 'not recorded'}" if as_long[name, rows] > 1 else ""
        named.append(f"{name}{size}{seal}")
    return named


def _make_count_table(found: Sequence[LeakReport], key: str, training: str) -> Exhibit:
    tables = [one.table.select(pl.lit(one.set).alias("set"), pl.all()) for one in found]
    formats: dict[str, Format] = {
        "set": "text",
        "what": "text",
        **dict.fromkeys((*HOW, "any", "of"), "count"),
    }
    if not any(one.near for one in found):
        del formats["near"]
    return Exhibit(
        key,
        f"Overlap of the sets with {training}",
        f"Pairs of each set whose texts occur in the training file ({found[0].training_rows:,} pairs). {RULE}",
        pl.concat(tables),
        {**formats, "share": "percent"},
        notes=tuple(one.sentence for one in found),
    )


def _make_example_tables(found: Sequence[LeakReport], key: str, training: str) -> list[Exhibit]:
    tables = [one.examples.select(pl.lit(one.set).alias("set"), pl.all()) for one in found]
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
            "The first pairs of each kind, and their matches in the training file.",
            frame,
            formats,
            headings={name: name.replace("_", " ") for name in there},
        )
    ]
