"""Pairs on disk: read from and written to our own files, those of HANS, and those of others.

formats      the names of the formats, and how one is told from an ending or from columns
generic      files with a premise, a hypothesis and a label under any of the usual names
hans         the eleven columns of HANS, as text or as JSON lines
huggingface  the columns of HANS on the Hugging Face hub, and integer labels with their names
checks       what every pair must have, each failure with its file and line
"""

from __future__ import annotations

from rightreasons.corpora.corpus import read_corpus
from rightreasons.corpora.reading import read_pairs
from rightreasons.corpora.texts import Texts, read_texts
from rightreasons.corpora.writing import card_path, losses, write_pairs

__all__ = ["Texts", "card_path", "losses", "read_corpus", "read_pairs", "read_texts", "write_pairs"]
