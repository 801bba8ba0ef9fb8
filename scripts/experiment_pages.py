"""Put the tables of experiments' run folders into their pages: python scripts/experiment_pages.py RUN...

A page is docs/papers/NAME.md. What stands between the two marks is written anew; what people wrote around them stays.
"""

from __future__ import annotations

import json
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

PAGES = Path(__file__).parents[1] / "docs" / "papers"
BEGIN, END = "<!-- made by scripts/experiment_pages.py: -->\n", "<!-- as far as here -->\n"


def main(runs: list[str]) -> None:
    """Write the page of each run."""
    for run in map(Path, runs):
        facts = json.loads((run / "card.json").read_text(encoding="utf-8"))["experiment"]
        page = PAGES / f"{facts['name']}.md"
        table = (run / "table.md").read_text(encoding="utf-8")
        title, _, rest = table.partition("\n")
        text = page.read_text(encoding="utf-8") if page.exists() else f"{title}\n\n{BEGIN}{END}"
        if BEGIN not in text or END not in text:
            sys.exit(f"{page} has no place for results: put the lines\n{BEGIN}{END}where they belong.")
        before, _, after = text.partition(BEGIN)
        made = f"{how(facts, seconds(run))}\n{rest.strip()}\n"
        page.write_text(f"{before}{BEGIN}\n{made}\n{END}{after.partition(END)[2]}", encoding="utf-8")


def seconds(run: Path) -> list[float]:
    """List how long each model of a run was trained; one that was cut off, in all."""
    cards = sorted((run / "parts").glob("*/training.json"))
    return [json.loads(card.read_text(encoding="utf-8"))["seconds"] for card in cards]


def how(facts: dict[str, Any], trained: list[float]) -> str:
    """Say what was run, for how long, with what."""
    minutes = sum(trained) / 60
    words = re.sub(r" (--(?!force))", r" \\\n  \1", facts["command"].replace(" --force", ""))
    versions = ", ".join(f"{name} {number}" for name, number in facts["versions"].items())
    seeds = ", ".join(map(str, facts["seeds"]))
    sentence = (
        f"{len(trained)} models; training took {minutes:.0f} minutes in total, each model on one core of a "
        f"machine under other load. Seeds: {seeds}. Versions: {versions}. Date: {facts['started'][:10]}."
    )
    return f"```bash\n{words}\n```\n\n{textwrap.fill(sentence, 120)}\n"


if __name__ == "__main__":
    main(sys.argv[1:])
