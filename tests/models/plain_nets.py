"""Networks with drawn weights, saved as training would save them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import torch

from rightreasons.core.labels import THREE_LABELS
from rightreasons.models.network_folder import NetworkDescription, save_network
from rightreasons.nets import NETS
from rightreasons.nets.batches import EmbeddingNetwork
from rightreasons.nets.text.encoder import learn_vocabulary
from rightreasons.nets.text.tokenization import tokenize_column

if TYPE_CHECKING:
    from pathlib import Path

    from rightreasons.nets.text.encoder import TextEncoder

PAIRS = pl.DataFrame(
    {
        "premise": [
            "The judge saw the lawyers near the old station.",
            "A dog slept.",
            "Nobody in the whole town believed the senator's story about 12 dogs.",
        ],
        "hypothesis": ["The lawyers saw the judge.", "A dog did n't sleep.", "The senator lied."],
        "premise_parse": [
            "( ( The judge ) ( ( saw ( the lawyers ) ) . ) )",
            "( ( A dog ) slept )",
            "( Nobody spoke )",
        ],
        "hypothesis_parse": ["( ( The lawyers ) ( saw ( the judge ) ) )", "dog", "( The ( senator lied ) )"],
    }
)


def made(
    net: str,
    *,
    labels: tuple[str, ...] = THREE_LABELS,
    literal: bool = False,
    vectors: Path | None = None,
    training: dict[str, Any] | None = None,
    **options: Any,
) -> tuple[EmbeddingNetwork, TextEncoder, NetworkDescription]:
    """Make a small network that knows the words of the pairs above."""
    config = NETS[net].make_text_config(literal=literal)
    texts = [
        tokenize_column(PAIRS[side], PAIRS[f"{side}_parse"], config) for side in ("premise", "hypothesis")
    ]
    known = learn_vocabulary(texts, config, vectors=vectors, width=None if vectors else 12, seed=1)
    description = NetworkDescription(
        net,
        labels,
        known.table.shape[1],
        "small",
        options,
        literal,
        vectors=known.vectors,
        training=training or {"seed": 1},
    )
    with torch.random.fork_rng():
        torch.manual_seed(1)
        network = EmbeddingNetwork(torch.from_numpy(known.table), description.build_module()).eval()
    return network, known.encoder, description


def saved(folder: Path, net: str, **options: Any) -> Path:
    """Save such a network."""
    save_network(folder, *made(net, **options))
    return folder
