"""Write the digests of all sets' default rows, after a set was given a new version.

Usage: python scripts/golden.py
"""

from __future__ import annotations

import json
from pathlib import Path

import rightreasons as rr
from rightreasons.core import registry
from rightreasons.core.pairs import compute_digest

FILE = Path(__file__).parent.parent / "src" / "rightreasons" / "data" / "sets" / "defaults.json"


def main() -> None:
    """Make every set as it comes, and note its version, rows and digest."""
    found = {}
    for name in registry.list_set_names():
        made = rr.generate(name)
        labels = dict(made.pairs["label"].value_counts().sort("label").rows())
        found[name] = {"version": made.card.version, "labels": labels, "digest": compute_digest([made.pairs])}
        print(f"`{name}` version {made.card.version}, default rows `{found[name]['digest'][:12]}`")
    FILE.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
