"""Tiny random networks of several architectures, with tokenizers of a few words."""

from __future__ import annotations

import string
from typing import TYPE_CHECKING, Any

import polars as pl
import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers import (
    AlbertConfig,
    AutoModelForSequenceClassification,
    BertConfig,
    DebertaV2Config,
    PreTrainedTokenizerFast,
    RobertaConfig,
)

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = [
    "The doctor near the actor danced.",
    "The lawyers who the judges saw slept well last night in the small house by the lake.",
    "If the managers arrived, the artist left the room without a word.",
    "Nobody knows whether the bankers thanked the presidents or the secretaries.",
]
PAIRS = pl.DataFrame(
    {
        "premise": [TEXTS[i % 4] if i % 3 else " ".join(TEXTS[: i % 5]) for i in range(1, 41)],
        "hypothesis": [" ".join(TEXTS[(i + 1) % 4].split()[: 2 + i % 7]) for i in range(1, 41)],
    }
).with_columns(id=pl.int_range(40).cast(pl.String))
NAMES = {0: "contradiction", 1: "entailment", 2: "neutral"}
_SMALL: dict[str, Any] = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "initializer_range": 0.5,  # so that the answers differ
}
_SPECIAL = {"cls": "[CLS]", "sep": "[SEP]", "pad": "[PAD]", "unk": "[UNK]", "mask": "[MASK]"}


def word_pieces() -> Tokenizer:
    """Make a tokenizer like BERT's: types 0 and 1."""
    words = sorted({word.strip(".,").lower() for text in TEXTS for word in text.split()})
    letters = [
        f"{before}{letter}" for before in ("", "##") for letter in string.ascii_lowercase + string.digits
    ]
    tokens = [*_SPECIAL.values(), *dict.fromkeys([*words[::2], *letters, ".", ","])]
    vocabulary = {token: place for place, token in enumerate(tokens)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token=_SPECIAL["unk"]))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return templated(tokenizer, "[CLS] $A [SEP] $B:1 [SEP]:1")


def byte_pairs() -> Tokenizer:
    """Make a tokenizer like RoBERTa's: two separators, all types 0, padding is 1."""
    tokens = ["[CLS]", "[PAD]", "[SEP]", "[UNK]", "[MASK]", *sorted(pre_tokenizers.ByteLevel.alphabet())]
    merges = [("t", "h"), ("th", "e"), ("Ġ", "the"), ("e", "r"), ("o", "r")]
    tokens += ["".join(merge) for merge in merges]
    tokenizer = Tokenizer(models.BPE({token: place for place, token in enumerate(tokens)}, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return templated(tokenizer, "[CLS] $A [SEP] [SEP] $B [SEP]")


def unigrams() -> Tokenizer:
    """Make a tokenizer like ALBERT's and DeBERTa's."""
    words = sorted({f"▁{word}" for text in TEXTS for word in text.split()})
    pieces = [*_SPECIAL.values(), *words[::2], "▁", *string.ascii_letters, *string.digits, ".", ","]
    scored = [(piece, -2.0 if len(piece) > 1 else -5.0) for piece in pieces]
    tokenizer = Tokenizer(models.Unigram(scored, unk_id=pieces.index(_SPECIAL["unk"])))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    return templated(tokenizer, "[CLS] $A [SEP] $B:1 [SEP]:1")


def templated(tokenizer: Tokenizer, pair: str) -> Tokenizer:
    """Have the tokenizer join two texts."""
    special = [(token, tokenizer.token_to_id(token)) for token in ("[CLS]", "[SEP]")]
    single = "[CLS] $A [SEP]"
    tokenizer.post_processor = processors.TemplateProcessing(single=single, pair=pair, special_tokens=special)
    return tokenizer


ARCHITECTURES: dict[str, Any] = {
    "bert": (BertConfig, word_pieces, {}),
    "roberta": (RobertaConfig, byte_pairs, {"type_vocab_size": 1}),
    "albert": (AlbertConfig, unigrams, {"embedding_size": 16, "type_vocab_size": 2}),
    "deberta": (
        DebertaV2Config,
        unigrams,
        {
            "relative_attention": True,
            "position_biased_input": False,
            "pos_att_type": ["p2c", "c2p"],
            "norm_rel_ebd": "layer_norm",
            "share_att_key": True,
            "position_buckets": 16,
            "max_relative_positions": -1,
            "type_vocab_size": 0,
        },
    ),
}


def save(architecture: str, folder: Path, *, seed: int = 7, positions: int = 130, **options: Any) -> Path:
    """Write a model folder; options are those of the config."""
    kind, tokens, own = ARCHITECTURES[architecture]
    tokenizer = tokens()
    config = kind(
        vocab_size=tokenizer.get_vocab_size(),
        max_position_embeddings=positions,
        pad_token_id=tokenizer.token_to_id("[PAD]"),
        **{**_SMALL, **own, "id2label": NAMES, **options},
    )
    torch.manual_seed(seed)
    AutoModelForSequenceClassification.from_config(config).save_pretrained(folder)
    inputs = ["input_ids", "attention_mask"]
    special = {f"{name}_token": token for name, token in _SPECIAL.items()}
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_input_names=inputs if architecture == "roberta" else [*inputs, "token_type_ids"],
        **special,
    ).save_pretrained(folder)
    return folder
