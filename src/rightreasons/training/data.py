"""The data of a run: training, dev and test pairs, read, checked, edited, and searched for overlap."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import polars as pl

from rightreasons.core.errors import InputError, format_count
from rightreasons.core.labels import NON_ENTAILMENT, THREE_LABELS, TWO_LABELS, merge_labels
from rightreasons.core.pairs import TEXTS, ChallengeSet, compute_digest
from rightreasons.corpora import read_corpus
from rightreasons.corpora.pair_checks import check_pairs
from rightreasons.language.shingles import normalise_letters

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PairsSource: TypeAlias = "str | Path | ChallengeSet"
HANS = "the released HANS evaluation set"


@dataclass(frozen=True)
class TrainingData:
    """Training and dev pairs, and what the card records of them."""

    train: pl.DataFrame
    dev: pl.DataFrame
    facts: dict[str, Any]


NO_PAIRS = TrainingData(pl.DataFrame(), pl.DataFrame(), {})


def read_training_data(
    train: PairsSource | Sequence[PairsSource],
    dev: PairsSource,
    test: Sequence[PairsSource] = (),
    edits: Sequence[str] = (),
    *,
    allow_overlap: bool = False,
) -> TrainingData:
    """Read all pairs, edit those to train on, and refuse a single label or test pairs among them."""
    several = [train] if isinstance(train, str | Path | ChallengeSet) else list(train)
    sources = [_read_source(source) for source in several]
    raw = _concatenate_pairs([source.pairs for source in sources])
    held_out = _read_dev_and_test(dev, test)
    edited, dev_pairs, applied = _edit_train_and_dev(raw, held_out[_get_source_name(dev)].pairs, edits)
    _refuse_single_label(edited)
    shared = _count_shared_test_pairs(raw, edited, held_out)
    if not allow_overlap:
        refuse_test_pairs(shared)
    facts = {
        "train": [_describe_source(source) for source in sources],
        "dev": _describe_dev_source(held_out[_get_source_name(dev)]),
        **({"edits": applied} if edits else {}),
        **(
            {"overlap": {name: count for name, count in shared.items() if count}}
            if any(shared.values())
            else {}
        ),
        "digests": {"train": compute_digest([edited]), "dev": compute_digest([dev_pairs])},
    }
    return TrainingData(edited, dev_pairs, facts)


def choose_labels(train: pl.DataFrame, dev: pl.DataFrame) -> tuple[str, ...]:
    """Return the labels that a model learns: three, or two if the training pairs have non-entailment."""
    order = THREE_LABELS if set(train["label"].unique()) <= set(THREE_LABELS) else TWO_LABELS
    if order == THREE_LABELS and NON_ENTAILMENT in dev["label"]:
        raise InputError(
            "The dev set has the label non-entailment, but the training pairs have three labels. "
            "Give dev pairs with the same labels."
        )
    return order


def convert_labels_to_indices(pairs: pl.DataFrame, order: tuple[str, ...]) -> pl.Series:
    """Return the index of each gold label in an order; three labels are merged if the order has two."""
    merged = merge_labels(pairs["label"]) if order == TWO_LABELS else pairs["label"]
    return merged.replace_strict(list(order), list(range(len(order))), return_dtype=pl.Int64)


def _get_source_name(source: PairsSource) -> str:
    return source.card.set if isinstance(source, ChallengeSet) else str(source)


def _read_dev_and_test(dev: PairsSource, test: Sequence[PairsSource]) -> dict[str, ChallengeSet]:
    """Read dev and test pairs, dev first; a further set of the same name gets a number."""
    distinct = {
        id(source) if isinstance(source, ChallengeSet) else str(source): source for source in (dev, *test)
    }
    names: Counter[str] = Counter()
    sets = {}
    for source in distinct.values():
        name = _get_source_name(source)
        names[name] += 1
        sets[name if names[name] == 1 else f"{name} ({names[name]})"] = _read_source(source)
    return sets


def _read_source(source: PairsSource) -> ChallengeSet:
    """Read a file, or check a set in memory as if it were one."""
    if not isinstance(source, ChallengeSet):
        return read_corpus(str(source))
    name = source.card.set
    pairs, remarks = check_pairs(source.pairs, lambda row: name if row < 0 else f"{name}, row {row + 1}")
    return ChallengeSet(pairs, replace(source.card, remarks=(*source.card.remarks, *remarks)))


def _concatenate_pairs(tables: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Concatenate tables; repeated ids get a number, since edits refer to them."""
    whole = pl.concat(tables, how="diagonal_relaxed")
    twice = pl.int_range(pl.len()).over("id")
    return whole.with_columns(
        pl.when(twice > 0).then(pl.concat_str("id", pl.lit("#"), twice)).otherwise("id").alias("id")
    )


def _edit_train_and_dev(
    train: pl.DataFrame, dev: pl.DataFrame, edits: Sequence[str]
) -> tuple[pl.DataFrame, pl.DataFrame, list[dict[str, Any]]]:
    """Edit the training pairs, and the dev pairs as far as an edit changes the task."""
    if not edits:
        return train, dev, []
    from rightreasons.training.edits import apply_edits

    edited = apply_edits(train, edits)
    return edited.pairs, apply_edits(dev, edits, dev=True).pairs, edited.facts["edits"]


def _refuse_single_label(pairs: pl.DataFrame) -> None:
    labels = pairs["label"]
    distinct = (merge_labels(labels) if NON_ENTAILMENT in labels else labels).unique().to_list()
    if len(distinct) == 1:
        raise InputError(
            f"All {pairs.height:,} training pairs have the label {distinct[0]}. Give pairs of at least two labels."
        )


def _count_shared_test_pairs(
    raw: pl.DataFrame, edited: pl.DataFrame, held_out: dict[str, ChallengeSet]
) -> dict[str, int]:
    """Count test pairs among the training pairs, before and after edits."""
    kept = raw.join(edited.select("id"), on="id", how="semi")
    texts = pl.concat([pairs.select(TEXTS) for pairs in (kept, edited)])
    tests = {name: source.pairs for name, source in held_out.items()}
    return count_shared_pairs(texts, {**tests, HANS: make_released_hans_pairs()})


def _describe_source(pairs: ChallengeSet) -> dict[str, Any]:
    facts = {"name": pairs.card.set, "rows": pairs.pairs.height, "sources": pairs.card.sources}
    return facts | ({"remarks": list(pairs.card.remarks)} if pairs.card.remarks else {})


def _describe_dev_source(dev: ChallengeSet) -> dict[str, Any]:
    facts, labels = _describe_source(dev), dev.pairs["label"].unique().to_list()
    if len(labels) > 1:
        return facts
    only = f"All {dev.pairs.height:,} dev pairs have the label {labels[0]}; the checkpoint is selected by it alone."
    return facts | {"remarks": [*facts.get("remarks", []), only]}


def count_shared_pairs(train: pl.DataFrame, tests: Mapping[str, pl.DataFrame]) -> dict[str, int]:
    """Count the pairs of each test set that are training pairs as well, ignoring case, punctuation and white space."""
    known = _hash_texts(train).unique()
    return {name: _hash_texts(test).join(known, on=TEXTS, how="semi").height for name, test in tests.items()}


def drop_shared_pairs(pairs: pl.DataFrame, train: pl.DataFrame) -> pl.DataFrame:
    """Drop the pairs that are training pairs as well, as `count_shared_pairs` counts them."""
    keys = _hash_texts(pairs).with_row_index("row")
    return pairs[keys.join(_hash_texts(train).unique(), on=TEXTS, how="anti")["row"].sort()]


@lru_cache(maxsize=1)
def make_released_hans_pairs() -> pl.DataFrame:
    """Make the pairs of the released HANS evaluation set, on which nobody should train."""
    from rightreasons.sets.hans.hans import HansReleased

    plan = HansReleased().plan(size=None, limit=None, seed=0, split="eval")
    return plan.rows(0, len(plan)).select(TEXTS)


def refuse_test_pairs(shared: Mapping[str, int]) -> None:
    """Refuse to train on test pairs: the test would measure memorisation."""
    counts = [f"{format_count(count, 'pair')} of {name}" for name, count in shared.items() if count]
    if counts:
        verb = "is a training pair" if [*filter(None, shared.values())] == [1] else "are training pairs"
        raise InputError(
            f"{' and '.join(counts)} {verb} as well. Remove these pairs from one of the files, or use --allow-overlap."
        )


def _hash_texts(pairs: pl.DataFrame) -> pl.DataFrame:
    """Hash both texts of each pair by their letters and digits, to 64 bits each."""
    return pairs.select(normalise_letters(pl.col(name)).hash().alias(name) for name in TEXTS)
