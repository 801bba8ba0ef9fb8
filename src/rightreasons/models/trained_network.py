"""A trained network of `rightreasons train` as a model: net:FOLDER."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import polars as pl

from rightreasons.core.errors import InputError
from rightreasons.core.options import option, require_at_least
from rightreasons.core.pairs import PARSE_COLUMNS
from rightreasons.inference import BatchedModel
from rightreasons.models.file_digests import digest_folder
from rightreasons.models.logit_backends import refuse_non_cpu_device
from rightreasons.models.network_folder import (
    RESTORE_ADVICE,
    check_network_digests,
    load_trained_network,
    read_network_card,
    read_network_description,
)
from rightreasons.models.network_job import NetworkJob, OnnxRunner, TorchRunner
from rightreasons.models.output_labels import ClassifierHead, resolve_classifier_head
from rightreasons.nets.declaration import NETS
from rightreasons.nets.text.parsers import PARSER_CHOICES, find_spacy_parser_folder

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rightreasons.models.network_folder import LoadedNetwork, NetworkDescription
    from rightreasons.models.network_job import NetworkRunner

TREE_COLUMNS = PARSE_COLUMNS[:2]
LITERAL_BATCH_SIZE = (
    32  # for literal networks, whose predictions depend on the batch, if training recorded no batch size
)


@dataclass(frozen=True)
class Net(BatchedModel):
    """A network trained with `rightreasons train`: words in, labels out."""

    extra: ClassVar[str | None] = "hf"
    advice = f"Use pairs with parses, or choose a parser: -o parser={PARSER_CHOICES}."
    folder: str | Path = option(help="Folder that `rightreasons train` wrote.")
    _: KW_ONLY
    parser: str | None = option(
        None,
        help="Parser for networks that read trees: right-branching, balanced, link-grammar or spacy. Default: the "
        "parser used in training. A network trained on given parses reads the parses of the pairs; this parser is then "
        "used only for pairs without parses.",
    )
    backend: Literal["torch", "onnx"] = option(
        "torch", help="torch or onnx. With onnx, the network is exported once and cached."
    )
    batch_size: int | None = option(None, help="Maximum number of pairs per batch.")
    device: str | None = option(None, help="cpu, cuda or mps (torch only).")

    def __post_init__(self) -> None:
        """Check the options; the folder is read with the first pair."""
        if self.batch_size is not None:
            require_at_least("batch_size", self.batch_size, 1)
        if self.backend == "onnx":
            refuse_non_cpu_device(self.device)

    @cached_property
    def name(self) -> str:
        """The name, such as net:FOLDER."""
        return f"net:{self.folder}"

    @cached_property
    def root(self) -> Path:
        """The path of the folder."""
        return Path(self.folder)

    @cached_property
    def description(self) -> NetworkDescription:
        """What the network is, read once."""
        return read_network_description(self.root)

    @property
    def reads_trees(self) -> bool:
        """Whether the network reads trees."""
        return NETS[self.description.net].text.forest

    @property
    def text_parser(self) -> str | None:
        """The parser of texts: the option, or the one that made the trees of the training data."""
        return self.parser or self.description.parser or None

    @property
    def needs(self) -> tuple[str, ...]:
        """The columns that the network requires."""
        return TREE_COLUMNS if self.reads_trees and self.text_parser is None else ()

    @property
    def wants(self) -> tuple[str, ...]:
        """The columns that the network reads if they exist."""
        return PARSE_COLUMNS if self.reads_trees and not self.description.parser else ()

    def precheck(self) -> None:
        """Check the card and the files of the folder against their digests."""
        _ = self.description, self.digests

    @cached_property
    def digests(self) -> dict[str, str]:
        """The digests of the files, each of which was checked."""
        return check_network_digests(self.root, read_network_card(self.root))

    @cached_property
    def loaded_network(self) -> LoadedNetwork:
        """The network with its weights and words, loaded once."""
        return load_trained_network(self.root)

    @cached_property
    def runner(self) -> NetworkRunner:
        """The runner that computes logits."""
        if self.backend == "onnx":
            from rightreasons.models.network_export import export_loaded_network
            from rightreasons.models.transformer_export import get_or_export_graph

            return OnnxRunner(
                get_or_export_graph(
                    self.digests, lambda out: export_loaded_network(self.loaded_network, out, str(self.root))
                )
            )
        from rightreasons.models.logit_backends import resolve_torch_device

        return TorchRunner(self.loaded_network.network.to(resolve_torch_device(self.device)))

    @cached_property
    def head(self) -> ClassifierHead:
        """The labels of the outputs, as training named them; checked with the probe unless the network needs parses."""
        order = self.description.labels
        if self.needs:
            return ClassifierHead(order, "names", {"names": list(order)})
        return resolve_classifier_head(order, None, self.compute_logits, self.name)

    def get_ready(self) -> None:
        """Load the network, and resolve the head."""
        _ = self.runner, self.head

    def fingerprint(self) -> dict[str, Any]:
        """Return what determines the predictions."""
        return {
            "kind": "Net",
            "files": self.digests,
            "labels": list(self.description.labels),
            "parser": self.text_parser if self.reads_trees else None,
            "parser_files": self._parser_file_digests,
            "backend": self.backend,
            "device": self.device or "cpu",
            # Predictions of literal networks may depend on the other pairs of the batch.
            "batch_size": self._literal_batch_size,
        }

    @cached_property
    def _parser_file_digests(self) -> dict[str, str]:
        """The digests of a spaCy pipeline that makes the trees."""
        folder = find_spacy_parser_folder(self.text_parser) if self.reads_trees and self.text_parser else None
        return digest_folder(folder, everything=True) if folder else {}

    @property
    def _literal_batch_size(self) -> int | None:
        """The batch size of a literal network: the option, or the one that it was trained with."""
        if not self.description.literal:
            return None
        trained = self.description.training.get("batch_size", LITERAL_BATCH_SIZE)
        if type(trained) is not int or trained < 1:
            raise InputError(
                f"The batch_size recorded in {self.root} is {trained!r:.60}, not an integer of at least 1. "
                f"{RESTORE_ADVICE}"
            )
        return self.batch_size or trained

    def prepare(self, pairs: pl.DataFrame) -> NetworkJob:
        """Encode the pairs as a job."""
        own = [name for name in PARSE_COLUMNS if name in pairs.columns and self.description.parser]
        return NetworkJob(
            pairs.drop(own),  # the network was trained on other trees
            self.loaded_network.text_encoder,
            self.runner,
            self.description.labels,
            parser=self.text_parser,
            batch_size=self._literal_batch_size or self.batch_size,
            in_order=self.description.literal,
        )

    def compute_logits(self, premises: list[str], hypotheses: list[str]) -> NDArray[np.float32]:
        """Compute the logits of some pairs."""
        job = self.prepare(pl.DataFrame({"premise": premises, "hypothesis": hypotheses}))
        outputs = np.empty((len(premises), len(self.description.labels)), dtype=np.float32)
        for batch in job.batches:
            outputs[batch] = job.compute_logits(batch)
        return outputs
