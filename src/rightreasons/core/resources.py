"""Where the data files of the package are."""

from __future__ import annotations

from pathlib import Path

DATA_FOLDER = Path(__file__).parent.parent / "data"
