"""Tiny networks with random weights, one of each usual architecture, saved as transformers saves them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import rightreasons as rr

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tokenizers import Tokenizer

SIZES: dict[str, Any] = {
    "hidden_size": 16,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": 130,
    "pad_token_id": 0,
    "initializer_range": 0.5,  # weights this large make answers that differ
}
# Each with the marks that its tokenizer puts around a pair, and whether it tells the two texts by their types.
ARCHITECTURES: dict[str, tuple[str, bool]] = {
    "bert": ("[CLS] $A [SEP] $B:1 [SEP]:1", True),
    "roberta": ("[CLS] $A [SEP] [SEP] $B [SEP]", False),
    "albert": ("[CLS] $A [SEP] $B:1 [SEP]:1", True),
    "deberta-v2": ("[CLS] $A [SEP] $B:1 [SEP]:1", True),
}
MARKS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")


def save_network(folder: Path, architecture: str, labels: Sequence[str], seed: int = 0) -> Path:
    """Make a sequence classifier with these outputs and its tokenizer, and save both."""
    import torch
    from transformers import AutoConfig, AutoModelForSequenceClassification

    save_tokenizer(folder, architecture)
    more = {"embedding_size": 16} if architecture == "albert" else {}
    config = AutoConfig.for_model(
        architecture,
        **SIZES,
        **more,
        vocab_size=len(words()),
        type_vocab_size=2,
        id2label=dict(enumerate(labels)),
        label2id={label: number for number, label in enumerate(labels)},
    )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        AutoModelForSequenceClassification.from_config(config).eval().save_pretrained(folder)
    return folder


def save_tokenizer(folder: Path, architecture: str) -> None:
    """Save a tokenizer that knows the words of some HANS pairs."""
    from transformers import PreTrainedTokenizerFast

    _, types = ARCHITECTURES[architecture]
    names = ["input_ids", *(["token_type_ids"] if types else []), "attention_mask"]
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer(architecture),
        model_input_names=names,
        **{f"{mark[1:-1].lower()}_token": mark for mark in MARKS},
        model_max_length=128,
    ).save_pretrained(folder)


def tokenizer(architecture: str) -> Tokenizer:
    """Make a tokenizer of whole words."""
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.normalizers import Lowercase
    from tokenizers.pre_tokenizers import Whitespace
    from tokenizers.processors import TemplateProcessing

    made = Tokenizer(WordLevel({word: number for number, word in enumerate(words())}, unk_token=MARKS[1]))
    made.normalizer = Lowercase()
    made.pre_tokenizer = Whitespace()
    special = [(mark, number) for number, mark in enumerate(MARKS)]
    pair, _ = ARCHITECTURES[architecture]
    made.post_processor = TemplateProcessing(single="[CLS] $A [SEP]", pair=pair, special_tokens=special)
    return made


@cache
def words() -> tuple[str, ...]:
    """List the vocabulary."""
    texts = rr.generate("hans", limit=300, parses="none").pairs.select("premise", "hypothesis")
    found = {word for row in texts.rows() for text in row for word in text.lower().replace(".", " .").split()}
    return (*MARKS, *sorted(found))
