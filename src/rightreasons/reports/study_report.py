"""From the results of a study to one `Report`: who was excluded, accuracy, agreement, labels and disputed items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.core.errors import format_count
from rightreasons.core.exhibit import Exhibit
from rightreasons.core.formatting import round_outwards
from rightreasons.people.answer_accuracy import TOO_FEW
from rightreasons.people.question_labels import DAWID_SKENE, MACE, MAJORITY, METHODS
from rightreasons.people.results import EXCLUDED, RETAINED
from rightreasons.people.retained import describe_simulated_participants
from rightreasons.reports.exhibits.published_people import make_published_people_exhibit
from rightreasons.reports.report_data import Finding, Headline, Report, ReportHeadings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rightreasons.core.exhibit import Format
    from rightreasons.people.answer_accuracy import AnswerAccuracy
    from rightreasons.people.question_labels import QuestionLabels
    from rightreasons.people.results import StudyResults
    from rightreasons.scoring.participant_agreement import ParticipantAgreement

HEADINGS = ReportHeadings(
    headlines="In short",
    rule="How to read the figures",
    finding="question",
    overview="Participants and exclusions",
    notes="How the study was run",
)
RULE = (
    "Participants are excluded by the rules that were fixed when the study was planned, and by no others. Accuracy is "
    "the share of single judgements that are the gold answer; the labels of items come from all their judgements "
    "together. Intervals are 95% confidence intervals; they combine the variances over participants and over items."
)
_ACCURACY_CAPTION = "Share of judgements that are the gold answer{by}. n is the number of judgements."
_AGREEMENT_CAPTION = (
    "Pairwise agreement is the probability that two participants agree on an item. Fleiss' kappa and Krippendorff's "
    "alpha (nominal) correct it for chance; kappa needs equal numbers of judgements, so it uses the items with the "
    "most frequent number. Items with fewer than two judgements are left out."
)
_LABEL_CAPTION = (
    "The labels of items by majority, by the model of Dawid and Skene, and by MACE: how many items have one, and the "
    "share of the items with a gold answer on which it is the gold answer. Items without a label count as wrong."
)
_ITEM_CAPTION = (
    "Each item with its judgements, and its label by each method with the probability of that label: the share of the "
    "judgements, or the posterior."
)
_DISPUTED_CAPTION = "Items on which participants disagree, those with the lowest agreement first."
_RELIABILITY_CAPTION = (
    "Measures of each participant. Reliability is the probability of the true label by the model of Dawid and Skene; "
    "spamming is the probability of ignoring the item by MACE. Both are fitted to participants who were retained."
)
_GROUP_CAPTION = "Times are per item, controls left out."
_MOST_DISPUTED = 100


def build_study_report(
    results: StudyResults, created: str, provenance: Mapping[str, str], remarks: tuple[str, ...] = ()
) -> Report:
    """Build the report on a study, which every renderer shows."""
    study = results.study
    simulated = describe_simulated_participants(results.judgements.whole)
    return Report(
        title=f"Human study: {study.card['name']}",
        created=created,
        headlines=(_make_study_headline(results),),
        rule=RULE,
        warnings=(simulated,) if simulated else (),
        exhibits=tuple(_list_study_exhibits(results)),
        examples=(),
        model_notes=(("protocol", f"{study.protocol.name}: {study.protocol.about}"),),
        provenance=tuple(provenance.items()),
        remarks=remarks,
        headings=HEADINGS,
        fold=False,
    )


def _make_study_headline(results: StudyResults) -> Headline:
    """Say how many participants were retained, and the main figure of each question."""
    groups = {row["participants"]: row for row in results.groups.iter_rows(named=True)}
    kept, dropped = groups[RETAINED], groups[EXCLUDED]
    sentence = (
        f"{format_count(kept['n'], 'participant')} retained, {dropped['n']} excluded; "
        f"{format_count(kept['judged items'], 'judgement')} of items analysed."
    )
    findings = [
        Finding(each.question.name, _summarize_question(results, each), "plain") for each in results.questions
    ]
    return Headline(str(results.study.card["name"]), sentence, "plain", tuple(findings))


def _summarize_question(results: StudyResults, labels: QuestionLabels) -> str:
    parts = []
    accuracy = results.accuracies.get(labels.question.name)
    if accuracy is not None:
        share = accuracy.measure()
        parts.append(
            f"{share.share:.1%} of judgements are the gold answer ({_format_ends(share.low, share.high)})."
        )
    alpha = labels.agreement.alpha
    if alpha.value is not None:
        parts.append(f"Krippendorff's alpha is {alpha.value:.2f} ({alpha.low:.2f} to {alpha.high:.2f}).")
    elif labels.agreement.pairwise.value is not None:
        parts.append("All judgements are the same.")
    return " ".join(parts) or "No item has two judgements."


def _format_ends(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return "no interval"
    return "{}% to {}%".format(*round_outwards(100 * low, 100 * high, 1))


def _list_study_exhibits(results: StudyResults) -> Iterator[Exhibit]:
    yield _make_group_exhibit(results)
    if results.exclusions.height:
        yield _make_exclusion_exhibit(results)
    if results.study.protocol.exclude:
        yield _make_sensitivity_exhibit(results)
    yield _make_agreement_exhibit(results)
    published = make_published_people_exhibit(results)
    if published is not None:
        yield published
    for labels in results.questions:
        accuracy = results.accuracies.get(labels.question.name)
        if accuracy is not None:
            yield from _list_accuracy_exhibits(labels, accuracy)
        yield _make_label_exhibit(labels)
        yield _make_disputed_exhibit(results, labels)
        yield _make_item_exhibit(labels)
    if results.texts.height:
        yield _make_text_exhibit(results)
    yield _make_participant_exhibit(results)


def _make_group_exhibit(results: StudyResults) -> Exhibit:
    formats: dict[str, Format] = {
        "participants": "text",
        "n": "count",
        "completed": "count",
        "judged items": "count",
        "mean seconds": "decimal",
        "median seconds": "decimal",
        "controls wrong": "decimal",
    }
    if "accuracy" in results.groups.columns:
        formats["accuracy"] = "percent"
    return Exhibit("participants", "Retained and excluded", _GROUP_CAPTION, results.groups, formats)


def _make_exclusion_exhibit(results: StudyResults) -> Exhibit:
    caption = "Excluded participants, the rules that exclude them, and the values of what the rules measure."
    formats: dict[str, Format] = dict.fromkeys(results.exclusions.columns, "text")
    return Exhibit("excluded", "Excluded participants", caption, results.exclusions, formats)


def _make_sensitivity_exhibit(results: StudyResults) -> Exhibit:
    frame = results.sensitivity
    caption = "The main figures as planned, without any exclusions, and with all rules but one."
    texts: dict[str, Format] = {"exclusions": "text", "participants": "count", "question": "text"}
    shares: dict[str, Format] = {
        name: "percent"
        for name in frame.columns
        if name.startswith(("accuracy", "agreement")) and not name.endswith(("_low", "_high"))
    }
    return Exhibit("sensitivity", "Other exclusions", caption, frame, {**texts, **shares, "alpha": "figure"})


def _make_agreement_exhibit(results: StudyResults) -> Exhibit:
    rows = [
        {"question": labels.question.name, "measure": name, "items": each.n, **each.to_columns("value")}
        for labels in results.questions
        for name, each in _list_agreement(labels.agreement)
    ]
    schema = {"value": pl.Float64, "value_low": pl.Float64, "value_high": pl.Float64}
    formats: dict[str, Format] = {"question": "text", "measure": "text", "items": "count", "value": "figure"}
    few = [each for each in results.questions if not each.agreement.over_participants]
    notes = {TOO_FEW.format(participants=len(each.annotations.annotators)) for each in few}
    frame = pl.DataFrame(rows, schema_overrides=schema, infer_schema_length=None)
    return Exhibit("agreement", "Agreement", _AGREEMENT_CAPTION, frame, formats, notes=tuple(sorted(notes)))


def _list_agreement(agreement: ParticipantAgreement) -> list[tuple[str, Any]]:
    return [
        ("pairwise agreement", agreement.pairwise),
        ("Fleiss' kappa", agreement.fleiss),
        ("Krippendorff's alpha", agreement.alpha),
    ]


def _list_accuracy_exhibits(labels: QuestionLabels, accuracy: AnswerAccuracy) -> Iterator[Exhibit]:
    """Show the accuracy by gold answer, and by each tag of the items."""
    name = labels.question.name
    participants = accuracy.answers["participant"].n_unique()
    notes = (TOO_FEW.format(participants=participants),) if accuracy.ignores_participants else ()
    formats: dict[str, Format] = {
        "gold": "text",
        "accuracy": "percent",
        "n": "count",
        "participants": "count",
        "items": "count",
    }
    for tag in (None, *accuracy.list_tags()):
        by = f" by {tag}" if tag else ""
        yield Exhibit(
            f"accuracy-{name}" + (f"-{tag}" if tag else ""),
            f"{name}: accuracy{by or ' by gold answer'}",
            _ACCURACY_CAPTION.format(by=by),
            accuracy.make_table(tag),
            {**({tag: "text"} if tag else {}), **formats},
            name,
            notes=notes,
        )


def _make_label_exhibit(labels: QuestionLabels) -> Exhibit:
    """Compare the labels of the three methods with the gold answers and with each other."""
    judged = pl.Series(labels.judgements > 0)
    known = judged & labels.gold.is_not_null()
    by_method = {method: labels.name_choices(labels.choose_labels(method)) for method in METHODS}
    by_method["majority, ties decided"] = labels.name_choices(labels.decide_ties())
    rows = []
    for method, chosen in by_method.items():
        right = (chosen == labels.gold).fill_null(value=False).filter(known)
        same = (chosen == by_method[DAWID_SKENE]).filter(judged & chosen.is_not_null())
        rows.append(
            {
                "labels": method,
                "items": int(judged.sum()),
                "without a label": int((chosen.is_null() & judged).sum()),
                **{value: int((chosen == value).sum()) for value in labels.question.values},
                "gold": right.mean() if len(right) else None,
                "as Dawid-Skene": same.mean() if len(same) else None,
            }
        )
    formats: dict[str, Format] = {
        "labels": "text",
        "items": "count",
        "without a label": "count",
        **dict.fromkeys(labels.question.values, "count"),
        **({"gold": "percent"} if known.any() else {}),
        "as Dawid-Skene": "percent",
    }
    name = labels.question.name
    frame = pl.DataFrame(rows, infer_schema_length=None)
    return Exhibit(f"labels-{name}", f"{name}: labels", _LABEL_CAPTION, frame, formats, name)


def _make_item_exhibit(labels: QuestionLabels) -> Exhibit:
    table = labels.make_item_table()
    shown = [
        pl.max_horizontal(f"{method} {value}" for value in labels.question.values).alias(f"p {method}")
        for method in (DAWID_SKENE, MACE)
    ]
    counts: dict[str, Format] = {f"n_{value}": "count" for value in labels.question.values}
    formats: dict[str, Format] = {
        "id": "text",
        "premise": "text",
        "hypothesis": "text",
        "gold": "text",
        **counts,
        MAJORITY: "text",
        DAWID_SKENE: "text",
        f"p {DAWID_SKENE}": "share",
        MACE: "text",
        f"p {MACE}": "share",
    }
    name = labels.question.name
    return Exhibit(
        f"items-{name}",
        f"{name}: all items",
        _ITEM_CAPTION,
        table.with_columns(shown),
        formats,
        name,
        headings={f"n_{value}": value for value in labels.question.values},
    )


def _make_disputed_exhibit(results: StudyResults, labels: QuestionLabels) -> Exhibit:
    """List disputed items to read, with the answers in free text."""
    disputed = labels.list_disputed()
    values = labels.question.values
    divided = pl.concat_str(
        [
            pl.when(pl.col(f"n_{value}") > 0).then(pl.concat_str(pl.col(f"n_{value}"), pl.lit(f" {value}")))
            for value in values
        ],
        separator=", ",
        ignore_nulls=True,
    )
    texts = results.texts.group_by("item", maintain_order=True).agg(remarks=pl.col("answer").str.join(" | "))
    frame = (
        disputed.head(_MOST_DISPUTED)
        .with_columns(answers=divided)
        .join(texts, on="item", how="left", maintain_order="left")
    )
    formats: dict[str, Format] = {
        "id": "text",
        "premise": "passage",
        "hypothesis": "passage",
        "gold": "text",
        "answers": "text",
        "agreement": "percent",
    }
    if results.texts.height:
        formats["remarks"] = "passage"
    judged = int((labels.judgements > 1).sum())
    name = labels.question.name
    note = f"{disputed.height:,} of {judged:,} items with several judgements are disputed."
    return Exhibit(
        f"disputed-{name}", f"{name}: disputed items", _DISPUTED_CAPTION, frame, formats, name, notes=(note,)
    )


def _make_text_exhibit(results: StudyResults) -> Exhibit:
    items = results.study.items.select("item", "id", "premise", "hypothesis")
    frame = results.texts.join(items, on="item", how="left", maintain_order="left")
    formats: dict[str, Format] = {
        "question": "text",
        "id": "text",
        "premise": "text",
        "hypothesis": "text",
        "answer": "passage",
    }
    return Exhibit(
        "texts", "Answers in free text", "All answers of the participants who were retained.", frame, formats
    )


def _make_participant_exhibit(results: StudyResults) -> Exhibit:
    frame = results.participants
    whole = {"controls_wrong", "controls_judged", "judged"}
    shares = {"controls_wrong_share", "same_answer_share", "accuracy"}
    formats: dict[str, Format] = {}
    for name in frame.columns:
        if name in ("participant", "source", "status", "excluded"):
            formats[name] = "text"
        elif name in whole:
            formats[name] = "count"
        else:
            formats[name] = (
                "percent" if name in shares else "decimal" if name.endswith("seconds") else "share"
            )
    shown = frame.with_columns(pl.col(name).cast(pl.Int64) for name in whole).with_columns(
        pl.when("excluded").then(pl.lit("yes")).otherwise(pl.lit("no")).alias("excluded")
    )
    headings = {name: name.replace("_", " ") for name in frame.columns}
    return Exhibit("reliability", "Each participant", _RELIABILITY_CAPTION, shown, formats, headings=headings)
