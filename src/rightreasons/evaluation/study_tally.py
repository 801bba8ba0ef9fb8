"""Categories that the participants of a study chose: types of errors and types of antonyms, beside published shares."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from rightreasons.audits.error_analysis import CATEGORIES, ErrorTally, make_share_table, parse_category
from rightreasons.core.errors import InputError
from rightreasons.core.exhibit import Exhibit
from rightreasons.people.question_labels import QuestionLabels
from rightreasons.people.retained import apply_exclusions, describe_simulated_participants, load_judgements
from rightreasons.reports.exhibits.errors import make_error_tally_tables
from rightreasons.reports.exhibits.published_people import list_people_rows

if TYPE_CHECKING:
    from pathlib import Path

    from rightreasons.people.judgements import Judgements
    from rightreasons.people.questions import Question

ANTONYM_TYPES = ("complementary", "relational", "gradable")
_FIGURE = "majority: antonym-type="
_CAPTION = (
    "Type of the antonyms that most participants chose, as a share of the items with such a type, with 95% confidence "
    "intervals (Wilson), and as published."
)


def make_study_tally_tables(folder: str | Path) -> list[Exhibit]:
    """Count the categories that most participants of a study chose for each item, after its planned exclusions."""
    found = apply_exclusions(load_judgements(folder))
    tables = make_judgement_tally_tables(found.retained)
    simulated = describe_simulated_participants(found.whole)
    return [replace(table, notes=(*table.notes, simulated)) for table in tables] if simulated else tables


def make_judgement_tally_tables(judgements: Judgements) -> list[Exhibit]:
    """Count the categories of judgements: those of errors, those of antonyms, or both."""
    questions = judgements.study.protocol.questions
    errors = next((each for each in questions if _is_about_errors(each)), None)
    antonyms = next((each for each in questions if set(ANTONYM_TYPES) <= set(each.values)), None)
    if errors is None and antonyms is None:
        raise InputError(
            f"The study {str(judgements.study.folder)!r} asks neither for types of errors nor for types of antonyms. "
            "Use a study with the protocol error-types or antonym-types."
        )
    types = _choose_categories(judgements, antonyms) if antonyms else {}
    tables = []
    if errors is not None:
        tables += make_error_tally_tables(_count_errors(_choose_categories(judgements, errors), types))
    if types:
        tables.append(_make_antonym_exhibit(types))
    return tables


def _is_about_errors(question: Question) -> bool:
    return bool(question.values) and all(parse_category(value) for value in question.values)


def _choose_categories(judgements: Judgements, question: Question) -> dict[str, str | None]:
    """Return the category of each judged item that most participants chose; None where there is no majority."""
    labels = QuestionLabels.from_judgements(judgements, question)
    chosen = labels.name_choices(labels.choose_labels("majority")).to_list()
    judged = (labels.judgements > 0).tolist()
    return {
        item: value
        for item, value, known in zip(labels.items["item"].to_list(), chosen, judged, strict=True)
        if known
    }


def _count_errors(chosen: dict[str, str | None], types: dict[str, str | None]) -> ErrorTally:
    """Make the tally of a sheet from the categories of the items; nothing was suggested."""
    known = {item: parse_category(value) for item, value in chosen.items() if value is not None}
    if not known:
        raise InputError(
            "No item of the study has a category that most participants chose. Collect more judgements."
        )
    counts = Counter(known.values())
    rows = [(category, counts[category]) for category in CATEGORIES]
    antonyms = Counter(
        types.get(item) or "unknown" for item, category in known.items() if category == "antonymy"
    )
    nothing = make_share_table([], [], ("suggested", "chosen")).with_columns(of=pl.lit(0, pl.Int64))
    return ErrorTally(
        make_share_table(rows, [len(known)] * len(rows), ("category", "n")),
        nothing,
        dict(sorted(antonyms.items())) if types else {},
        len(known),
        len(chosen) - len(known),
    )


def _make_antonym_exhibit(types: dict[str, str | None]) -> Exhibit:
    """Show the types of antonyms next to the published shares."""
    counts = Counter(types.values())
    known = sum(counts[name] for name in ANTONYM_TYPES)
    rows = [(name, counts[name]) for name in ANTONYM_TYPES]
    table = make_share_table(rows, [known] * len(rows), ("type", "n"))
    published = list_people_rows(["stress/antonymy"]).filter(pl.col("figure").str.starts_with(_FIGURE))
    parts = published.with_columns(type=pl.col("figure").str.strip_prefix(_FIGURE)).pivot(
        "split", index="type", values="value"
    )
    others = len(types) - known
    note = f"n: {known:,} items; {others:,} without a majority or with another answer are not counted."
    names = [name for name in parts.columns if name != "type"]
    return Exhibit(
        "antonym-types",
        "Types of antonyms: section 4.3 of the stress-test paper",
        _CAPTION,
        table.join(parts, on="type", how="left", maintain_order="left"),
        {"type": "text", "n": "count", "share": "share", **dict.fromkeys(names, "share")},
        notes=(note,),
    )
