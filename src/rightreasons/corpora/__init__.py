"""Pairs and texts on disk: read from and written to our own files, those of published corpora, and those of others.

pair_files         read and write a file of pairs in any format, with its card
pair_formats       the formats by name, and how one is told from an ending or from columns
generic_columns    a premise, a hypothesis and a label under any of the usual names
hans_columns       the eleven columns of HANS, as text or as JSON lines
hub_columns        the columns of HANS on the Hugging Face Hub, and integer labels with their names
published_columns  MultiNLI, SNLI, SICK, and the released numerical stress test
pair_checks        what every pair must have, each failure with its file and line; repairs of published corpora
corpus             one corpus of pairs or several, by name
texts              word problems, lines and premises, by name
corpus_source      what a name stands for: the pocket corpus, a file, a dataset of the Hub, a fetched archive
hub                datasets of the Hugging Face Hub
captions, running_text, tagged_sentences  what networks are pretrained on
"""

from __future__ import annotations

from rightreasons.corpora.corpus import read_corpus
from rightreasons.corpora.pair_files import get_card_path, list_losses, read_pairs, write_pairs
from rightreasons.corpora.texts import Texts, read_texts

__all__ = ["Texts", "get_card_path", "list_losses", "read_corpus", "read_pairs", "read_texts", "write_pairs"]
