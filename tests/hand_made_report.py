"""Reports made by hand, for the tests of their pages: a small one, and one whose every text is hostile."""

from __future__ import annotations

import polars as pl

from rightreasons.core.exhibit import Exhibit
from rightreasons.reports.report_data import Examples, Finding, Headline, Report

PARSE = "(ROOT (S (NP (DT The) (NN Judge) (CD {})) (VP (VBD saw) (NP the student)) (. .)))"
LABELS = ("entailment", "neutral", "contradiction")
HOSTILE = (
    "<script>window.hacked=1</script>",
    "</script><script>window.hacked=2</script>",
    "<img src=x onerror='window.hacked=3'>",
    '"><svg onload=window.hacked=4>',
    "' onmouseover='window.hacked=5",
    "{{ 7*7 }}{% raw %}${7*7}",
    "<!-- <script>",
    "&lt;b&gt;&amp;",
    "javascript:window.hacked=6",
    "\x00\x01\x08\x1b[31m\x7f\x85",
    "\u202egnp.exe\u2066\u2069\u200f",
    "\u2028\u2029]]>",
    "__proto__",
    "constructor",
    "=1+1",
)
LONG = "x" * 49_990 + "<b>end</b>"


def chart() -> dict[str, object]:
    """Draw bars with intervals, as the exhibits do."""
    across = {"type": "quantitative", "scale": {"domain": [0, 1]}}
    where = {"field": "model", "type": "nominal", "title": None}
    bar = {"mark": "bar", "encoding": {"y": where, "x": {"field": "accuracy", **across}}}
    ends = {"x": {"field": "accuracy_low", **across}, "x2": {"field": "accuracy_high"}}
    return {"layer": [bar, {"mark": "rule", "encoding": {"y": where, **ends}}]}


def accuracies(models: tuple[str, ...], **changes: object) -> Exhibit:
    """Show the accuracy of some models, the later the better."""
    shares = [(number + 1) / (len(models) + 1) for number in range(len(models))]
    frame = pl.DataFrame(
        {
            "model": models,
            "n": [1000 * (number + 1) for number in range(len(models))],
            "accuracy": shares,
            "accuracy_low": [share - 0.02 for share in shares],
            "accuracy_high": [share + 0.02 for share in shares],
        }
    )
    made = {
        "key": "accuracy-small",
        "title": "Accuracy",
        "caption": "The share of right answers, with its 95% interval.",
        "frame": frame,
        "formats": {"model": "text", "n": "count", "accuracy": "share"},
        "set": "small",
        "chart": chart(),
        "notes": ("A note.",),
    }
    return Exhibit(**(made | changes))  # type: ignore[arg-type]


def pairs(count: int = 120) -> pl.DataFrame:
    """Make pairs with tags, edits after a character of two units, and parses."""
    rows = pl.DataFrame({"row": range(count)})
    row = pl.col("row")
    return rows.select(
        id=pl.format("p{}", row),
        premise=pl.format("\N{OWL} The Judge number {} saw the student.", row),
        hypothesis=pl.format("\N{OWL} The student cool {} saw.", row),
        label=(row % 3).replace_strict(dict(enumerate(LABELS)), return_dtype=pl.String),
        subcase=pl.format("case-{}", row % 4),
        rank=row.cast(pl.Int64),
        side=pl.lit("hypothesis"),
        edit_at=pl.lit(14, dtype=pl.Int64),
        edit_from=pl.lit("warm"),
        edit_to=pl.lit("cool"),
        premise_parse=pl.format(PARSE, row),
    )


def answers(table: pl.DataFrame, every: int, confidence: float | None = 0.75) -> pl.DataFrame:
    """Make answers that are right but for every so many-th, which are neutral or entailment."""
    wrong = (pl.int_range(pl.len()) + 1) % every == 0
    other = pl.when(pl.col("label") == "neutral").then(pl.lit("entailment")).otherwise(pl.lit("neutral"))
    made = table.select(prediction=pl.when(wrong).then(other).otherwise("label"), right=~wrong)
    sure = pl.when("right").then(confidence).otherwise(0.4).cast(pl.Float64) if confidence else pl.lit(None)
    return made.with_columns(sure.cast(pl.Float64).alias("confidence"))


def small_report(**changes: object) -> Report:
    """Make a report with two models and two sets."""
    table = pairs()
    both = {"file:a/model_one": answers(table, 5), "second": answers(table, 7, None)}
    other = table.head(30).drop("premise_parse")
    models = ("file:a/model_one", "second", "majority")
    findings = (
        Finding("small", "is right on nearly all pairs", "good"),
        Finding("other", "can't be told", "open"),
    )
    made = {
        "title": "Is it right for the right reasons?",
        "created": "2026-01-02T03:04:05+00:00",
        "headlines": (
            Headline("file:a/model_one", "Reliable on plain pairs.", "good", findings),
            Headline("second", "Follows lexical overlap 97% of the time.", "bad", findings),
        ),
        "rule": "A sentence is said only where the intervals bear it.",
        "warnings": ("second on small: all answers are the same.",),
        "exhibits": (
            accuracies(models),
            accuracies(models, key="overview", title="All sets and models", set=""),
            accuracies(models, key="accuracy-other", set="other", title="Accuracy elsewhere"),
        ),
        "examples": (
            Examples("small", table, both, 120),
            Examples("other", other, {"second": answers(other, 7, None)}, 300, "Chosen evenly."),
        ),
        "model_notes": (("second", "120 pairs in 1 s."),),
        "provenance": (("command", "rightreasons evaluate file:a/model_one second --out run"),),
        "remarks": ("A remark.",),
        "choice": ("second is shown better than file:a/model_one on small.", "Not told apart on other."),
    }
    return Report(**(made | changes))  # type: ignore[arg-type]


def hostile_report() -> Report:
    """Make a report whose names, tags and texts all try to break out."""
    texts = [*HOSTILE, LONG]
    count = len(texts)
    table = pl.DataFrame(
        {
            "id": [f"{number}{text[:200]}" for number, text in enumerate(texts)],
            "premise": texts,
            "hypothesis": texts[::-1],
            "label": ["entailment"] * count,
            "<b>tag</b>": texts,
            "__proto__": texts,
            "side": ["premise"] * count,
            "edit_at": [0] * count,
            "edit_from": texts,
            "edit_to": [text[:3] for text in texts],
            "premise_parse": [f"({text} (((" for text in texts],
        }
    )
    given = {text: answers(table, 3) for text in texts}
    rows = accuracies(tuple(texts)).frame
    exhibits = [
        accuracies((), key=text, title=text, caption=text, set=text, frame=rows, notes=(text,), headings={"n": text})
        for text in texts
    ]  # fmt: skip
    return Report(
        title=HOSTILE[1],
        created=HOSTILE[0],
        headlines=tuple(Headline(text, text, "bad", (Finding(text, text, "open"),)) for text in texts),
        rule=HOSTILE[0],
        warnings=tuple(texts),
        exhibits=tuple(exhibits),
        examples=tuple(Examples(text, table, given, count, text) for text in texts[:2]),
        model_notes=tuple((text, text) for text in texts),
        provenance=tuple((text, text) for text in texts),
        remarks=tuple(texts),
        choice=tuple(texts),
    )
