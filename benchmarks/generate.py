"""Speed of generating HANS, in CPU time of one process without imports, against one pair at a time.

The baseline, measured in the same run, generates HANS pairs one at a time like the study's own generator: fill every
slot at random, reject repeated words and pairs, write sentence and parses of the tree. --json prints one JSON object on
the last line; --large also writes ten million pairs to parquet (a few minutes and 4 GB of disk).
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rightreasons as rr
from rightreasons.core.trees import binarise_tree, parse_tree
from rightreasons.sets import template_set
from rightreasons.sets.hans import hans
from rightreasons.sets.hans import released_ranks as released
from rightreasons.templates import notation, slot_space
from rightreasons.templates.grammar import load_grammar
from rightreasons.templates.notation import Branch, FixedWord, Slot, get_base_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rightreasons.templates.notation import Item

REPEATS = 15
CACHES: tuple[Any, ...] = (
    load_grammar,
    template_set.get_filler,
    released.load_ranks,
    released.reserve_released_premises,
    slot_space.tabulate_key_orders,
    notation.get_base_name,
    notation.read_items,
    notation.read_plain_text,
    notation.read_sentence,
)
MEGABYTE = 1 << 20


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the figures as one JSON object, last")
    parser.add_argument(
        "--large", action="store_true", help="also ten million pairs to parquet, and the cost per pair"
    )
    parser.add_argument("--repeats", type=int, default=REPEATS, help="the best of so many runs counts")
    options = parser.parse_args()
    repeats = options.repeats
    figures = {**cold_start(repeats), **rates(repeats), **baseline(), **help_cost(repeats)}
    figures["ratio_to_one_at_a_time"] = (
        figures["pairs_per_s_with_parses"] / figures["one_at_a_time_pairs_per_s"]
    )
    if options.large:
        figures |= large()
    for name, value in figures.items():
        print(f"{name:40} {value:>14,.3f}" if isinstance(value, float) else f"{name:40} {value:>14,}")
    if options.json:
        print(json.dumps(figures))


def cpu(work: Callable[[], Any]) -> float:
    """Return the CPU seconds of one call."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def cold_start(repeats: int) -> dict[str, float]:
    """Generate the default set for the first time (with imports on first use), with empty caches, and once more."""
    first = cpu(lambda: rr.generate("hans", parses="binary"))
    again = min(cpu(lambda: rr.generate("hans", parses="binary")) for _ in range(repeats))
    fresh = min(cpu(_afresh) for _ in range(repeats))
    return {"default_30000_first_s": first, "default_30000_afresh_s": fresh, "default_30000_again_s": again}


def _afresh() -> None:
    forget()
    rr.generate("hans", parses="binary")


def forget() -> None:
    """Clear the caches, so that reading and expanding the templates counts."""
    for cached in CACHES:
        cached.cache_clear()


def rates(repeats: int) -> dict[str, float]:
    """Generate about 290,000 pairs, text only and with both parses; everything but imports counts."""
    figures: dict[str, float] = {}
    for name, parses in (("text_only", "none"), ("with_parses", "binary")):
        made = rr.plan("hans", size=10_000, short="allow", parses=parses)
        afresh = min(cpu(lambda p=parses: _rate_once(p)) for _ in range(repeats))
        again = min(cpu(lambda p=parses: _many(p)) for _ in range(repeats))
        figures[f"pairs_per_s_{name}"] = len(made) / afresh
        figures[f"pairs_per_s_{name}_templates_at_hand"] = len(made) / again
    return figures


def _rate_once(parses: str) -> None:
    forget()
    _many(parses)


def _many(parses: str) -> None:
    rr.generate("hans", size=10_000, short="allow", parses=parses)


def baseline(pairs: int = 3000) -> dict[str, float]:
    """Generate pairs one at a time."""
    grammar = hans.load_hans_grammar("faithful")
    variants = [variant for variant in grammar.variants if variant.source.weight > 0]
    rng = random.Random(0)  # noqa: S311 - a baseline, not a secret
    seen: set[tuple[str, str]] = set()

    def one_by_one() -> None:
        while len(seen) < pairs:
            variant = rng.choice(variants)
            lists = {slot: grammar.document.words[get_base_name(slot)] for slot in variant.slots}
            draw = {slot: rng.randrange(len(words)) for slot, words in lists.items()}
            keys = [lists[slot].keys[entry] for slot, entry in draw.items()]
            parses = [
                write(items, lists, draw) for items in (variant.source.premise, variant.source.hypothesis)
            ]
            trees = [parse_tree(parse) for parse in parses]
            pair = (binarise_tree(trees[0]), binarise_tree(trees[1]))
            if len(set(keys)) == len(keys):
                seen.add(pair)

    return {"one_at_a_time_pairs_per_s": pairs / cpu(one_by_one)}


def write(items: Sequence[Item], lists: Mapping[str, Any], draw: Mapping[str, int]) -> str:
    """Write the parse of one tree."""
    parts = []
    for item in items:
        if isinstance(item, Branch):
            parts.append(f"({item.label} {write(item.children, lists, draw)})")
        elif isinstance(item, FixedWord) and item.tag:
            parts.append(f"({item.tag} {item.text})")
        elif isinstance(item, Slot):
            words = lists[item.name]
            text = words.texts[draw[item.name]]
            parts.append(f"({item.tag or words.tags[draw[item.name]] or 'X'} {text})")
            parts.append(write(item.inner, lists, draw)) if item.inner else None
    return " ".join(parts)


def help_cost(repeats: int) -> dict[str, float]:
    """Compare `rightreasons --help` with `python -c pass`."""
    bare = min(_child_cpu([sys.executable, "-c", "pass"]) for _ in range(repeats))
    full = min(_child_cpu([sys.executable, "-m", "rightreasons", "--help"]) for _ in range(repeats))
    return {"help_ms_over_bare": 1000 * (full - bare)}


def _child_cpu(command: Sequence[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - our own command
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def large() -> dict[str, float]:
    """Write 10^5, 10^6 and 10^7 pairs to parquet, each in a process of its own."""
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        for pairs in (10**5, 10**6, 10**7):
            out = Path(folder) / f"{pairs}.parquet"
            code = (
                "import time, pathlib, rightreasons as rr\n"
                f"plan = rr.plan('hans', limit={pairs}, parses='binary')\n"
                "begin = time.process_time()\n"
                f"rr.write_pairs(plan, {str(out)!r})\n"
                "seconds = time.process_time() - begin\n"
                "peak = pathlib.Path('/proc/self/status').read_text().split('VmHWM:')[1].split()[0]\n"
                "print(seconds, peak)\n"
            )
            done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)  # noqa: S603
            seconds, kilobytes = (float(figure) for figure in done.stdout.split())
            figures[f"parquet_us_per_pair_{pairs}"] = 1e6 * seconds / pairs
            figures[f"parquet_peak_mb_{pairs}"] = kilobytes * 1024 / MEGABYTE
            out.unlink()
    return figures


if __name__ == "__main__":
    main()
