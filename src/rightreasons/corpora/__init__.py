"""Pairs and texts on disk: read from and written to our own files, those of published corpora, and those of others.

formats      the names of the formats, and how one is told from an ending or from columns
generic      files with a premise, a hypothesis and a label under any of the usual names
hans         the eleven columns of HANS, as text or as JSON lines
huggingface  the columns of HANS on the Hugging Face hub, and integer labels with their names
nli          MultiNLI, SNLI, and the stress tests that have their columns
quant        the released numerical stress test
sick         SICK, plain or annotated with its rules
checks       what every pair must have, each failure with its file and line
repairs      what is repaired in a published corpus, and counted
corpus       one corpus of pairs or several, by name
texts        word problems, lines and premises, by name
sources      what a name stands for: the pocket corpus, a file, a dataset of the hub, what was fetched
"""

from __future__ import annotations

from rightreasons.corpora.corpus import read_corpus
from rightreasons.corpora.reading import read_pairs
from rightreasons.corpora.texts import Texts, read_texts
from rightreasons.corpora.writing import card_path, losses, write_pairs

__all__ = ["Texts", "card_path", "losses", "read_corpus", "read_pairs", "read_texts", "write_pairs"]
