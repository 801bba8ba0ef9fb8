"""The card of an exported dataset: front matter that the hub reads, and a page for people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rightreasons import __version__
from rightreasons.exports import run_recipe as recipe
from rightreasons.exports import yaml
from rightreasons.reports.markdown import code, escape

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rightreasons.core.pairs import Card
    from rightreasons.exports.source import ExportSet, ExportSource

# What the hub calls sizes.
_SIZES = {1_000: "n<1K", 10_000: "1K<n<10K", 100_000: "10K<n<100K", 1_000_000: "100K<n<1M", 10**7: "1M<n<10M"}
_LARGEST = "n>10M"
MEANINGS = {
    "id": "the pair's own name, which answers are joined by",
    "premise": "what is given",
    "hypothesis": "what may follow from it",
    "label": "whether it does, as a number; above it is said which stands for what",
    "set": "the set that made the pair",
    "heuristic": "the heuristic that says entailment for the pair",
    "subcase": "the construction that the pair was made by",
    "template": "the template within the subcase",
    "subvariant": "the variant of the template",
    "group": "pairs that belong together, such as twins or edits of one source, have the same",
    "rank": "the pair's number in the space of its template",
    "genre": "the genre that the corpus gives",
    "source_id": "the pair of the corpus that this one was made from",
    "source_label": "the label of that pair",
    "side": "which of the two texts was edited",
    "edit_at": "where the edit begins, in characters",
    "edit_from": "the words before the edit",
    "edit_to": "the words after it",
    "premise_parse": "the premise as a bracketed tree",
    "hypothesis_parse": "the hypothesis as a bracketed tree",
    "premise_binary_parse": "the premise as a tree of two branches a node, without labels",
    "hypothesis_binary_parse": "the hypothesis as a tree of two branches a node, without labels",
}
_A_TAG = "a tag of the set"


@dataclass(frozen=True)
class WrittenSet:
    """One set as it was written."""

    one: ExportSet
    card: Card
    split: str
    names: tuple[str, ...]
    kinds: Mapping[str, str]
    size: int
    remarks: tuple[str, ...] = ()

    @property
    def file(self) -> str:
        """Say where the pairs lie, from the card."""
        return f"{self.one.slug}/{self.split}.parquet"


def page(parts: Sequence[WrittenSet], source: ExportSource) -> str:
    """Write the whole card."""
    made = "made for a run of rightreasons" if source.run else "made with rightreasons"
    head = f"---\n{yaml.shown(_front(parts))}---\n\n# Challenge sets for natural language inference"
    what = (
        f"Pairs of a premise and a hypothesis that test whether a model is right for the right reasons, "
        f"{made} {__version__}. They are for testing: a model that was trained on them is not tested by them."
    )
    return "\n\n".join([head, what, *(_section(part) for part in parts)]) + "\n"


def _front(parts: Sequence[WrittenSet]) -> dict[str, Any]:
    licences = sorted({recipe.licence(part.card, part.one.given) for part in parts})
    rows = sum(part.card.rows or 0 for part in parts)
    return {
        "license": licences[0] if len(licences) == 1 else recipe.UNKNOWN,
        "language": ["en"],
        "task_categories": ["text-classification"],
        "task_ids": ["natural-language-inference"],
        "size_categories": [next((name for most, name in _SIZES.items() if rows < most), _LARGEST)],
        "configs": [
            {"config_name": part.one.slug, "data_files": [{"split": part.split, "path": part.file}]}
            for part in parts
        ],
        "dataset_info": [_info(part) for part in parts],
    }


def _info(part: WrittenSet) -> dict[str, Any]:
    labels = {"class_label": {"names": {str(number): name for number, name in enumerate(part.names)}}}
    features = [
        {"name": name, "dtype": labels if name == "label" else kind} for name, kind in part.kinds.items()
    ]
    split = {"name": part.split, "num_bytes": part.size, "num_examples": part.card.rows}
    sizes = {"download_size": part.size, "dataset_size": part.size}
    return {"config_name": part.one.slug, "features": features, "splits": [split], **sizes}


def _section(part: WrittenSet) -> str:
    card, given = part.card, part.one.given
    labels = ", ".join(f"{number} {name}" for number, name in enumerate(part.names))
    lines = [
        f"- {card.rows:,} pairs in the split `{part.split}`; labels: {labels}.",
        f"- Licence: {recipe.licence_words(card, given)}",
        f"- Digest of the rows: {code(card.digest)}",
        *(f"- Source: {escape(name)}, {code(value)}" for name, value in card.sources.items()),
        *(f"- {escape(remark)}" for remark in (*card.remarks, *part.remarks)),
    ]
    columns = ["| column | meaning |", "| --- | --- |"]
    columns += [f"| {escape(name)} | {MEANINGS.get(name, _A_TAG)} |" for name in part.kinds]
    again = recipe.command(card, given)
    how = f"Made again by {code(again)}." if again else "It was read from a file of pairs."
    return "\n\n".join([f"## {escape(part.one.name)}", "\n".join(lines), how, "\n".join(columns)])
