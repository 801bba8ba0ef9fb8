"""Time and memory of `rightreasons audit`, against a plain Python loop and a pipeline of scikit-learn.

    python benchmarks/audit.py [--corpus train_pool.tsv] [--sizes 10000 100000 400000 1000000] [--json]

The corpus is any file of pairs that `audit` reads; without one, pairs are made from the words of the pocket corpus. It
is repeated with new ids until it has the size: as it is (repeated), or with the hypotheses of other pairs, so that no
pair occurs twice (distinct). Every size is one process of the command, from the file to the folder, with all audits
that the corpus allows.

`loop`: one pass over the pairs with dictionaries counts what the audits heuristics (nested rules), cues (without
corrections), shape and duplicates (exact and normalised) count, without intervals. `scikit-learn`: CountVectorizer and
LogisticRegression on the folds of partial-input. Both are CPU seconds, in memory, at one size, with one thread for
linear algebra: with more, threads that wait for each other are counted too.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

import rightreasons
from rightreasons.audits.audit_corpus import AuditCorpus
from rightreasons.audits.partial_input import PartialInputAudit
from rightreasons.audits.run_audits import build_audits, run_possible_audits
from rightreasons.core.pairs import Card, ChallengeSet
from rightreasons.corpora.corpus import read_damaged_corpus

if TYPE_CHECKING:
    from collections.abc import Callable

SIZES = (10_000, 100_000, 400_000, 1_000_000)
BASELINE_SIZES = (200_000, 20_000)  # of the loop and of scikit-learn, which takes minutes
FOLDS = 5
COLUMNS = ("premise", "hypothesis", "label")
WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
CURLY = "\N{RIGHT SINGLE QUOTATION MARK}"
SHIFT = 1_001  # rows by which the hypotheses of each further copy are moved


def read_pool(corpus: str | None) -> pl.DataFrame:
    """Read the pairs to repeat, in a fixed random order."""
    if corpus:
        pairs = read_damaged_corpus(corpus).pairs.select(COLUMNS).drop_nulls()
    else:
        pairs = shuffle_words(rightreasons.read_corpus("pocket").pairs.select(COLUMNS))
    return pairs.sample(fraction=1.0, shuffle=True, seed=0)


def shuffle_words(pairs: pl.DataFrame, copies: int = 40) -> pl.DataFrame:
    """Make more pairs by putting the words of each text in another order."""
    mixed = [
        pairs.with_columns(
            pl.col(side).str.split(" ").list.sample(fraction=1.0, shuffle=True, seed=seed).list.join(" ")
            for side in ("premise", "hypothesis")
        )
        for seed in range(copies)
    ]
    return pl.concat([pairs, *mixed])


def repeat_pairs(pool: pl.DataFrame, size: int, *, distinct: bool) -> pl.DataFrame:
    """Repeat pairs up to a size; distinct copies take the hypotheses of other pairs."""
    copies = []
    for place in range(-(-size // pool.height)):
        moved = np.roll(np.arange(pool.height), place * SHIFT if distinct else 0)
        copies.append(pool.with_columns(pool["hypothesis"][moved]))
    whole = pl.concat(copies).head(size)
    return whole.with_columns(id=pl.format("p{}", pl.int_range(pl.len())))


def measure_command(pairs: pl.DataFrame, folder: Path) -> dict[str, float]:
    """Run the command in a process of its own: seconds by the clock, CPU seconds and MiB of memory at the most."""
    file = folder / "pairs.parquet"
    pairs.write_parquet(file)
    words = [
        sys.executable,
        "-m",
        "rightreasons",
        "audit",
        str(file),
        "--out",
        str(folder / "out"),
        "--force",
    ]
    start = time.perf_counter()
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603 - ours
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(words)} failed with exit code {process.returncode}.")
    return {
        "seconds": time.perf_counter() - start,
        "cpu_seconds": used.ru_utime + used.ru_stime,
        "mib": used.ru_maxrss / 1024,
    }


def make_corpus(pairs: pl.DataFrame) -> AuditCorpus:
    """Make a corpus from pairs in memory."""
    return AuditCorpus.from_challenge_set(ChallengeSet(pairs, Card("pairs")))


def time_call(function: Callable[[], Any]) -> tuple[float, Any]:
    """Measure the CPU seconds of a call, and return its result too."""
    start = time.process_time()
    result = function()
    return time.process_time() - start, result


def count_in_loop(rows: list[tuple[str, str, str, str]]) -> dict[str, Any]:
    """Count in one pass, as a script would: rules, words and bigrams by label, lengths by label, duplicates."""
    fits: dict[str, Counter[str]] = {"lexical_overlap": Counter(), "subsequence": Counter()}
    cues: dict[str, Counter[str]] = defaultdict(Counter)
    shape: dict[tuple[str, int], Counter[str]] = defaultdict(Counter)
    exact: Counter[tuple[str, str]] = Counter()
    normalised: Counter[tuple[str, str]] = Counter()
    labels: Counter[str] = Counter()
    for premise, hypothesis, label, _ in rows:
        theirs, own = (WORD.findall(text.replace(CURLY, "'").lower()) for text in (premise, hypothesis))
        known = set(theirs)
        labels[label] += 1
        if own and all(word in known for word in own):
            fits["lexical_overlap"][label] += 1
            if f" {' '.join(own)} " in f" {' '.join(theirs)} ":
                fits["subsequence"][label] += 1
        for cue in {*own, *(f"{a} {b}" for a, b in zip(["<s>", *own], own, strict=False))}:
            cues[cue][label] += 1
        shape["hypothesis", len(own)][label] += 1
        shape["premise", len(theirs)][label] += 1
        shape["difference", len(theirs) - len(own)][label] += 1
        exact[premise, hypothesis] += 1
        letters = tuple("".join(filter(str.isalnum, text.casefold())) for text in (premise, hypothesis))
        normalised[letters[0], letters[1]] += 1
    scores = {}
    for cue, counts in cues.items():
        n = counts.total()
        if n >= 10:  # noqa: PLR2004 - as the audit does
            for label, hits in counts.items():
                share = labels[label] / len(rows)
                scores[cue, label] = (hits / n - share) / (share * (1 - share) / n) ** 0.5
    return {"fits": fits, "scores": scores, "exact": exact, "normalised": normalised, "shape": shape}


def compare_with_loop(pairs: pl.DataFrame) -> dict[str, Any]:
    """Time the audits that the loop replaces, after checking that both count the same."""
    options = {"heuristics.rule": "nested", "duplicates.near": 0}
    audits = build_audits(("heuristics", "cues", "shape", "duplicates"), options)
    mine, (audited,) = time_call(lambda: run_possible_audits([make_corpus(pairs)], audits))
    rows = pairs.select(*COLUMNS, "id").rows()
    theirs, counted = time_call(lambda: count_in_loop(rows))
    share = audited.list_figures()["heuristics.lexical_overlap"]
    fits = counted["fits"]["lexical_overlap"]
    if (fits.total(), fits["entailment"]) != (share.n, round(share.value * share.n)):
        raise SystemExit(f"The counts of the audit and of the plain loop differ: {share}, {dict(fits)}.")
    return {"what": "loop", "pairs": pairs.height, "seconds": mine, "baseline_seconds": theirs}


def compare_with_sklearn(pairs: pl.DataFrame) -> dict[str, Any]:
    """Time partial-input and the pipeline of scikit-learn on the same pairs and groups."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GroupKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from threadpoolctl import threadpool_limits

    corpus = make_corpus(pairs)
    with threadpool_limits(limits=1):
        mine, result = time_call(lambda: PartialInputAudit(folds=FOLDS).audit(corpus))
    gold = pairs["label"].to_numpy()
    groups = pairs["premise"].rank("dense").to_numpy()

    def cross_validate(side: str, longest: int) -> float:
        steps = (CountVectorizer(ngram_range=(1, longest)), LogisticRegression(max_iter=200))
        predicted = cross_val_predict(
            make_pipeline(*steps), pairs[side].to_list(), gold, groups=groups, cv=GroupKFold(FOLDS)
        )
        return float((predicted == gold).mean())

    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        theirs, accuracy = time_call(
            lambda: {"hypothesis": cross_validate("hypothesis", 2), "premise": cross_validate("premise", 1)}
        )
    ours = {name: result.get_figure(name).value for name in accuracy}
    return {
        "what": "scikit-learn",
        "pairs": pairs.height,
        "seconds": mine,
        "baseline_seconds": theirs,
        "accuracy": ours,
        "baseline_accuracy": accuracy,
    }


def main() -> None:
    """Measure all sizes and both baselines, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument(
        "--corpus", help="file of pairs to repeat; default: pairs made from the pocket corpus"
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="numbers of pairs")
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    parser.add_argument(
        "--baseline-sizes",
        type=int,
        nargs=2,
        default=BASELINE_SIZES,
        help="pairs for the loop and scikit-learn",
    )
    options = parser.parse_args()
    pool = read_pool(options.corpus)
    figures: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        for size in options.sizes:
            for kind in ("repeated", "distinct"):
                pairs = repeat_pairs(pool, size, distinct=kind == "distinct")
                row = {"what": kind, "pairs": size, **measure_command(pairs, Path(folder))}
                figures.append(row)
                print(
                    f"{kind:<8} {size:>9,} pairs: {row['seconds']:6.1f} s, {row['cpu_seconds']:6.1f} s of CPU, "
                    f"{row['cpu_seconds'] / size * 1e6:5.0f} us a pair, {row['mib']:6,.0f} MiB",
                    flush=True,
                )
    figures.append(compare_with_loop(repeat_pairs(pool, options.baseline_sizes[0], distinct=True)))
    figures.append(compare_with_sklearn(repeat_pairs(pool, options.baseline_sizes[1], distinct=True)))
    for row in figures[-2:]:
        row["ratio"] = row["baseline_seconds"] / row["seconds"]
        accuracies = {key: row[key] for key in ("accuracy", "baseline_accuracy") if key in row}
        print(
            f"{row['what']}: {row['pairs']:,} pairs: {row['seconds']:.1f} s of CPU, baseline "
            f"{row['baseline_seconds']:.1f} s, ratio {row['ratio']:.2f} {accuracies or ''}"
        )
    if options.json:
        print(json.dumps({"benchmark": "audit", "figures": figures}))


if __name__ == "__main__":
    main()
