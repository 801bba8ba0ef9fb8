"""Sets for the datasets library and the Hugging Face hub: one parquet file per set and split, and a dataset card."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons import __version__
from rightreasons.core import registry
from rightreasons.core.parts import Export
from rightreasons.corpora.pair_files import ROWS_CHANGED
from rightreasons.exports.export import translate_split
from rightreasons.exports.layout import choose_label_order, dump_yaml
from rightreasons.io.table_writer import stream_table
from rightreasons.reports.renderers.markdown import escape_markdown, format_code_span

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from rightreasons.core.pairs import Card
    from rightreasons.exports.export import ExportSet, ExportSource

MIT, UNKNOWN = "mit", "unknown"
COLUMNS = {
    "id": "unique name of the pair; predictions are joined by it",
    "premise": "the text that is given",
    "hypothesis": "the text that may follow from the premise",
    "label": "gold label as a number; the numbers are listed above",
    "set": "the set that generated the pair",
    "heuristic": "the heuristic that predicts entailment for the pair",
    "subcase": "the construction of the pair",
    "template": "the template within the subcase",
    "subvariant": "the variant of the template",
    "group": "shared by pairs that belong together, such as twins or edits of one source",
    "rank": "number of the pair in the space of its template",
    "genre": "genre of the source in the corpus",
    "source_id": "the pair of the corpus that this pair was generated from",
    "source_label": "gold label of that pair",
    "side": "which of the two texts was edited",
    "edit_at": "start of the edit, in characters",
    "edit_from": "the words before the edit",
    "edit_to": "the words after the edit",
    "premise_parse": "constituency parse of the premise",
    "hypothesis_parse": "constituency parse of the hypothesis",
    "premise_binary_parse": "binary parse of the premise, without labels",
    "hypothesis_binary_parse": "binary parse of the hypothesis, without labels",
}
_TAG_COLUMN = "a tag of the set"
_TYPES = {pl.String: "string", pl.Boolean: "bool", pl.Float64: "float64", pl.Float32: "float32"}
_TYPES |= {pl.Int64: "int64", pl.Int32: "int32", pl.Int16: "int16", pl.Int8: "int8"}
_TYPES |= {pl.UInt64: "uint64", pl.UInt32: "uint32", pl.UInt16: "uint16", pl.UInt8: "uint8"}
# The hub's names for sizes.
_SIZES = {1_000: "n<1K", 10_000: "1K<n<10K", 100_000: "10K<n<100K", 1_000_000: "100K<n<1M", 10**7: "1M<n<10M"}
_LARGEST = "n>10M"
_POCKET = ["pocket"]  # the corpus in the package, whose sentences were all written for it
_RELEASED = "hans-released"
_FLAGS = ("size", "limit", "seed", "split")


@dataclass(frozen=True)
class WrittenSet:
    """One set as it was written."""

    origin: ExportSet
    card: Card
    split: str
    names: tuple[str, ...]
    types: Mapping[str, str]
    size: int
    remarks: tuple[str, ...] = ()

    @property
    def file(self) -> str:
        """The path of the pairs, relative to the card."""
        return f"{self.origin.slug}/{self.split}.parquet"


@dataclass(frozen=True, kw_only=True)
class DatasetExport(Export):
    """Parquet files and a dataset card, for the datasets library and the Hugging Face Hub."""

    def write(self, source: ExportSource, folder: Path) -> list[str]:
        """Write a parquet file for each set, and one card for all of them; return which columns are left out."""
        written = [_write_set(item, folder) for item in source.sets]
        (folder / "README.md").write_text(_render_dataset_card(written, source), encoding="utf-8")
        return [remark for item in written for remark in item.remarks]


def _write_set(item: ExportSet, folder: Path) -> WrittenSet:
    challenge_set = item.load()
    pairs, card = challenge_set.pairs, challenge_set.card
    names = choose_label_order(item.name, challenge_set)
    columns = [name for name, dtype in pairs.schema.items() if _get_datasets_type(dtype)]
    left_out = [name for name in pairs.columns if name not in columns]
    numbers = pl.col("label").replace_strict(names, range(len(names)), return_dtype=pl.Int64)
    table = pairs.select(columns).with_columns(numbers)
    split = translate_split(card)
    path = folder / item.slug / f"{split}.parquet"
    path.parent.mkdir()
    types = {name: _get_datasets_type(dtype) for name, dtype in table.schema.items()}
    stream_table(table, path, "parquet", metadata=_make_features_metadata(types, names))
    remark = f"Columns of {item.name} left out because of their type: {', '.join(left_out)}."
    return WrittenSet(item, card, split, names, types, path.stat().st_size, (remark,) if left_out else ())


def _get_datasets_type(dtype: pl.DataType) -> str:
    """Name a type as the datasets library does; empty for nested types and dates."""
    return _TYPES.get(dtype.base_type(), "")


def _make_features_metadata(types: dict[str, str], names: tuple[str, ...]) -> dict[str, str]:
    """Record in the file, too, which number is which label: our own reader looks there, the library at the card."""
    features: dict[str, Any] = {name: {"dtype": dtype, "_type": "Value"} for name, dtype in types.items()}
    features["label"] = {"names": list(names), "_type": "ClassLabel"}
    return {"huggingface": json.dumps({"info": {"features": features}})}


def _render_dataset_card(written: Sequence[WrittenSet], source: ExportSource) -> str:
    """Render the card: front matter that the hub reads, and a page for people."""
    origin = "generated for a run of rightreasons" if source.run else "generated with rightreasons"
    head = f"---\n{dump_yaml(_build_front_matter(written))}---\n\n# Challenge sets for natural language inference"
    about = (
        f"Premise-hypothesis pairs that test whether a model is right for the right reasons, {origin} {__version__}. "
        "They are test data: a model trained on them can't be evaluated on them."
    )
    return "\n\n".join([head, about, *(_render_set_section(item) for item in written)]) + "\n"


def _build_front_matter(written: Sequence[WrittenSet]) -> dict[str, Any]:
    licences = sorted({find_licence(item.card, item.origin.given) for item in written})
    rows = sum(item.card.rows or 0 for item in written)
    return {
        "license": licences[0] if len(licences) == 1 else UNKNOWN,
        "language": ["en"],
        "task_categories": ["text-classification"],
        "task_ids": ["natural-language-inference"],
        "size_categories": [next((name for most, name in _SIZES.items() if rows < most), _LARGEST)],
        "configs": [
            {"config_name": item.origin.slug, "data_files": [{"split": item.split, "path": item.file}]}
            for item in written
        ],
        "dataset_info": [_make_dataset_info(item) for item in written],
    }


def _make_dataset_info(item: WrittenSet) -> dict[str, Any]:
    labels = {"class_label": {"names": {str(number): name for number, name in enumerate(item.names)}}}
    features = [
        {"name": name, "dtype": labels if name == "label" else dtype} for name, dtype in item.types.items()
    ]
    split = {"name": item.split, "num_bytes": item.size, "num_examples": item.card.rows}
    sizes = {"download_size": item.size, "dataset_size": item.size}
    return {"config_name": item.origin.slug, "features": features, "splits": [split], **sizes}


def _render_set_section(item: WrittenSet) -> str:
    card, given = item.card, item.origin.given
    labels = ", ".join(f"{number} {name}" for number, name in enumerate(item.names))
    lines = [
        f"- {card.rows:,} pairs in the split `{item.split}`; labels: {labels}.",
        f"- Licence: {_describe_licence(card, given)}",
        f"- Digest of the rows: {format_code_span(card.digest)}",
        *(
            f"- Source: {escape_markdown(name)}, {format_code_span(value)}"
            for name, value in card.sources.items()
        ),
        *(f"- {escape_markdown(remark)}" for remark in (*card.remarks, *item.remarks)),
    ]
    columns = ["| column | meaning |", "| --- | --- |"]
    columns += [f"| {escape_markdown(name)} | {COLUMNS.get(name, _TAG_COLUMN)} |" for name in item.types]
    again = make_generate_command(card, given)
    how = (
        f"To generate it again: {format_code_span(again)}." if again else "It was read from a file of pairs."
    )
    return "\n\n".join([f"## {escape_markdown(item.origin.name)}", "\n".join(lines), how, "\n".join(columns)])


def make_generate_command(card: Card, given: str) -> str | None:
    """Return the command that generates the set again, or None where it is not known."""
    maker = _find_generating_set(card, given)
    if maker is None:
        return None
    words = ["rightreasons", "generate", maker]
    for key, value in card.options.items():
        if value is None:
            continue
        if key in _FLAGS:
            words += [f"--{key}", str(value)]
        elif key == "corpus":
            words += [word for name in value for word in ("--corpus", str(name))]
        else:
            words += ["-o", f"{key}={_format_option_value(value)}"]
    return shlex.join([*words, "--out", "pairs.parquet"])


def find_licence(card: Card, given: str) -> str:
    """Return the licence of the pairs where it is known: that of our own sentences, and of nobody else's."""
    maker = _find_generating_set(card, given)
    if maker not in registry.SETS or card.options.get("hypotheses") is not None:
        return UNKNOWN
    ours = not card.sources or maker == _RELEASED or card.options.get("corpus") == _POCKET
    return MIT if ours else UNKNOWN


def _describe_licence(card: Card, given: str) -> str:
    if find_licence(card, given) == UNKNOWN:
        return "not known to rightreasons; the licence of the sources applies to the pairs."
    if card.set.startswith("hans"):
        return "MIT, the licence of HANS, whose vocabulary and templates the pairs follow."
    return "MIT; the sentences were written for rightreasons."


def _find_generating_set(card: Card, given: str) -> str | None:
    """Return the set or template file that generated the pairs; a file of pairs may name it on its card."""
    if not card.options or ROWS_CHANGED in card.remarks:
        return None
    if registry.is_template_file(given):
        return given
    return card.set if registry.is_set_name(card.set) else None


def _format_option_value(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple | list) else str(value)
