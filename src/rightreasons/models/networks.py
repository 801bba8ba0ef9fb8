"""A trained network of `rightreasons train` as a model: net:FOLDER."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import polars as pl

from rightreasons.core.errors import InputError
from rightreasons.core.options import option
from rightreasons.core.pairs import PARSE_COLUMNS
from rightreasons.inference import BatchedModel
from rightreasons.models.heads import ClassifierHead, resolve_head
from rightreasons.models.model_files import digest_folder
from rightreasons.models.network_folder import check_digests, load_network, read_card, read_description
from rightreasons.models.network_job import NetworkJob, OnnxRunner, TorchRunner
from rightreasons.nets.network import NETS
from rightreasons.nets.text.parsers import CHOICE, find_parser_folder

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rightreasons.models.network_folder import Description, Loaded
    from rightreasons.models.network_job import Runner

TREES = PARSE_COLUMNS[:2]
LITERAL_BATCH = (
    32  # pairs that are asked together where they change each other's answers, and nothing is known
)


@dataclass(frozen=True)
class Net(BatchedModel):
    """A network trained with `rightreasons train`: words in, labels out."""

    extra: ClassVar[str | None] = "hf"
    advice = f"Use pairs with parses, or name a parser: -o parser={CHOICE}."
    folder: str | Path = option(help="Folder that `rightreasons train` wrote.")
    _: KW_ONLY
    parser: str | None = option(
        None,
        help="Parser for networks that read trees, if the pairs have none: right-branching, balanced, link-grammar "
        "or spacy. A network trained on the trees of a parser always gets that parser's, or those of this one.",
    )
    backend: Literal["torch", "onnx"] = option(
        "torch", help="torch or onnx. With onnx, the network is exported once and cached."
    )
    batch_size: int | None = option(None, help="Most pairs in a batch.")
    device: str | None = option(None, help="cpu, cuda or mps, with torch.")

    def __post_init__(self) -> None:
        """Check the options; the folder is read with the first pair."""
        if self.batch_size is not None and self.batch_size < 1:
            raise InputError(f"The option batch_size is {self.batch_size}. Give 1 or more.")
        if self.backend == "onnx" and self.device not in (None, "cpu"):
            raise InputError(
                f"The device {self.device!r} works with torch only. Use -o backend=torch for it."
            )

    @cached_property
    def name(self) -> str:
        """The name, such as net:FOLDER."""
        return f"net:{self.folder}"

    @cached_property
    def root(self) -> Path:
        """The path of the folder."""
        return Path(self.folder)

    @cached_property
    def description(self) -> Description:
        """What the network is, read once."""
        return read_description(self.root)

    @property
    def reads_trees(self) -> bool:
        """Tell whether the network reads trees."""
        return NETS[self.description.net].text.forest

    @property
    def text_parser(self) -> str | None:
        """The parser of texts: the option, or the one that made the trees of the training data."""
        return self.parser or self.description.parser or None

    @property
    def needs(self) -> tuple[str, ...]:
        """List the columns that it can't do without."""
        return TREES if self.reads_trees and self.text_parser is None else ()

    @property
    def wants(self) -> tuple[str, ...]:
        """List the columns that it reads where they are there."""
        return PARSE_COLUMNS if self.reads_trees and not self.description.parser else ()

    def precheck(self) -> None:
        """Check the card and the files of the folder against their digests."""
        _ = self.description, self.digests

    @cached_property
    def digests(self) -> dict[str, str]:
        """The digests of the files, each of which was checked."""
        return check_digests(self.root, read_card(self.root))

    @cached_property
    def loaded(self) -> Loaded:
        """The network with its weights and its words, loaded once."""
        return load_network(self.root)

    @cached_property
    def runner(self) -> Runner:
        """What computes."""
        if self.backend == "onnx":
            from rightreasons.models.exporting import cached_graph
            from rightreasons.models.network_export import export_loaded

            return OnnxRunner(
                cached_graph(self.digests, lambda out: export_loaded(self.loaded, out, str(self.root)))
            )
        from rightreasons.models.backends import check_device

        return TorchRunner(self.loaded.network.to(check_device(self.device)))

    @cached_property
    def head(self) -> ClassifierHead:
        """The labels of the outputs, as training named them; a network that reads texts is asked about plain pairs."""
        order = self.description.labels
        if self.needs:
            return ClassifierHead(order, "names", {"names": list(order)})
        return resolve_head(order, None, self.logits, self.name)

    def get_ready(self) -> None:
        """Load what is slow to load."""
        _ = self.runner, self.head

    def fingerprint(self) -> dict[str, Any]:
        """Say what decides the answers."""
        return {
            "kind": "Net",
            "files": self.digests,
            "labels": list(self.description.labels),
            "parser": self.text_parser if self.reads_trees else None,
            "parser_files": self._parser_files,
            "backend": self.backend,
            "device": self.device or "cpu",
            # Of networks that are taken literally, the pairs of a batch may change each other's answers.
            "batch_size": self._fixed_size,
        }

    @cached_property
    def _parser_files(self) -> dict[str, str]:
        """The digests of a spaCy pipeline that makes the trees."""
        folder = find_parser_folder(self.text_parser) if self.reads_trees and self.text_parser else None
        return digest_folder(folder, everything=True) if folder else {}

    @property
    def _fixed_size(self) -> int | None:
        """The batch size of a literal network: the option, or the one that it was trained with."""
        if not self.description.literal:
            return None
        trained = self.description.training.get("batch_size", LITERAL_BATCH)
        if type(trained) is not int or trained < 1:
            raise InputError(
                f"{self.root} was trained with the batch_size {trained!r:.60}, not a number of at least 1. "
                "Train it again, or copy the folder again."
            )
        return self.batch_size or trained

    def prepare(self, pairs: pl.DataFrame) -> NetworkJob:
        """Make a job of pairs: their words, and the plan."""
        own = [name for name in PARSE_COLUMNS if name in pairs.columns and self.description.parser]
        return NetworkJob(
            pairs.drop(own),  # the network never saw trees like those
            self.loaded.reader,
            self.runner,
            self.description.labels,
            parser=self.text_parser,
            batch_size=self._fixed_size or self.batch_size,
            in_order=self.description.literal,
        )

    def logits(self, premises: list[str], hypotheses: list[str]) -> NDArray[np.float32]:
        """Compute the raw outputs for some pairs."""
        job = self.prepare(pl.DataFrame({"premise": premises, "hypothesis": hypotheses}))
        outputs = np.empty((len(premises), len(self.description.labels)), dtype=np.float32)
        for batch in job.batches:
            outputs[batch] = job.outputs(batch)
        return outputs
