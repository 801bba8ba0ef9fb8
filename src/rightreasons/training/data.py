"""What a run is given: training pairs, dev pairs and test pairs, read, checked, edited, and held against each other."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import polars as pl

from rightreasons.core.errors import InputError
from rightreasons.core.labels import NON_ENTAILMENT, THREE, TWO, merge
from rightreasons.core.pairs import ChallengeSet, digest
from rightreasons.corpora import read_corpus
from rightreasons.corpora.checks import checked
from rightreasons.training import overlap

if TYPE_CHECKING:
    from collections.abc import Sequence

Given: TypeAlias = "str | Path | ChallengeSet"


@dataclass(frozen=True)
class TrainingData:
    """Pairs to learn and to be checked on, and what the card says of them."""

    train: pl.DataFrame
    dev: pl.DataFrame
    facts: dict[str, Any]


NO_PAIRS = TrainingData(pl.DataFrame(), pl.DataFrame(), {})


def gather(
    train: Given | Sequence[Given],
    dev: Given,
    test: Sequence[Given] = (),
    edits: Sequence[str] = (),
    *,
    allow_overlap: bool = False,
) -> TrainingData:
    """Read all pairs, edit those to train on, and refuse what can't be learnt or tested honestly."""
    several = [train] if isinstance(train, str | Path | ChallengeSet) else list(train)
    sources = [_read(one) for one in several]
    raw = _joined([source.pairs for source in sources])
    judged = _judged(dev, test)
    edited, checked_on, done = _edited(raw, judged[_name(dev)].pairs, edits)
    _refuse_one_label(edited)
    shared = _shared(raw, edited, judged)
    if not allow_overlap:
        overlap.refuse_shared(shared)
    facts = {
        "train": [_facts(source) for source in sources],
        "dev": _dev_facts(judged[_name(dev)]),
        **({"edits": done} if edits else {}),
        **(
            {"overlap": {name: count for name, count in shared.items() if count}}
            if any(shared.values())
            else {}
        ),
        "digests": {"train": digest([edited]), "dev": digest([checked_on])},
    }
    return TrainingData(edited, checked_on, facts)


def label_order(train: pl.DataFrame, dev: pl.DataFrame) -> tuple[str, ...]:
    """Tell which labels a model learns: three, or two where the training pairs have non-entailment."""
    order = THREE if set(train["label"].unique()) <= set(THREE) else TWO
    if order == THREE and NON_ENTAILMENT in dev["label"]:
        raise InputError(
            "The dev set has the label non-entailment, the training pairs have three labels. "
            "Choose the weights by pairs with the same labels."
        )
    return order


def gold_numbers(pairs: pl.DataFrame, order: tuple[str, ...]) -> pl.Series:
    """Number the labels of pairs in an order; three labels are merged where the order has two."""
    merged = merge(pairs["label"]) if order == TWO else pairs["label"]
    return merged.replace_strict(list(order), list(range(len(order))), return_dtype=pl.Int64)


def _name(given: Given) -> str:
    return given.card.set if isinstance(given, ChallengeSet) else str(given)


def _judged(dev: Given, test: Sequence[Given]) -> dict[str, ChallengeSet]:
    """Read what the training pairs are held against, dev first; a further set of the same name gets a number."""
    distinct = {id(one) if isinstance(one, ChallengeSet) else str(one): one for one in (dev, *test)}
    names: Counter[str] = Counter()
    found = {}
    for one in distinct.values():
        name = _name(one)
        names[name] += 1
        found[name if names[name] == 1 else f"{name} ({names[name]})"] = _read(one)
    return found


def _read(given: Given) -> ChallengeSet:
    """Read a file, or check a set that was made in memory as if it were one."""
    if not isinstance(given, ChallengeSet):
        return read_corpus(str(given))
    name = given.card.set
    pairs, remarks = checked(given.pairs, lambda row: name if row < 0 else f"{name}, row {row + 1}")
    return ChallengeSet(pairs, replace(given.card, remarks=(*given.card.remarks, *remarks)))


def _joined(tables: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Put tables below each other; ids that come twice get a number, since edits go by them."""
    whole = pl.concat(tables, how="diagonal_relaxed")
    twice = pl.int_range(pl.len()).over("id")
    return whole.with_columns(
        pl.when(twice > 0).then(pl.concat_str("id", pl.lit("#"), twice)).otherwise("id").alias("id")
    )


def _edited(
    train: pl.DataFrame, dev: pl.DataFrame, edits: Sequence[str]
) -> tuple[pl.DataFrame, pl.DataFrame, list[dict[str, Any]]]:
    """Edit the training pairs; what changes the question is done to the dev pairs, too."""
    if not edits:
        return train, dev, []
    from rightreasons.training.edits import edited

    made = edited(train, edits)
    return made.pairs, edited(dev, edits, dev=True).pairs, made.facts["edits"]


def _refuse_one_label(pairs: pl.DataFrame) -> None:
    labels = pairs["label"]
    found = (merge(labels) if NON_ENTAILMENT in labels else labels).unique().to_list()
    if len(found) == 1:
        raise InputError(
            f"All {pairs.height:,} training pairs have the label {found[0]}. Give pairs of at least two labels."
        )


def _shared(raw: pl.DataFrame, edited: pl.DataFrame, judged: dict[str, ChallengeSet]) -> dict[str, int]:
    """Count test pairs among those trained on, as they were before edits, and as edits changed or added them."""
    kept = raw.join(edited.select("id"), on="id", how="semi")
    texts = pl.concat([one.select("premise", "hypothesis") for one in (kept, edited)])
    tests = {name: one.pairs for name, one in judged.items()}
    return overlap.shared_pairs(texts, {**tests, overlap.HANS: overlap.hans_pairs()})


def _facts(pairs: ChallengeSet) -> dict[str, Any]:
    facts = {"name": pairs.card.set, "rows": pairs.pairs.height, "sources": pairs.card.sources}
    return facts | ({"remarks": list(pairs.card.remarks)} if pairs.card.remarks else {})


def _dev_facts(dev: ChallengeSet) -> dict[str, Any]:
    facts, labels = _facts(dev), dev.pairs["label"].unique().to_list()
    if len(labels) > 1:
        return facts
    only = f"All {dev.pairs.height:,} dev pairs have the label {labels[0]}: weights are chosen by that label alone."
    return facts | {"remarks": [*facts.get("remarks", []), only]}
