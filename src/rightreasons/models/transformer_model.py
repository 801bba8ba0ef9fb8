"""What all local transformers share: pairs as tokens, the head, the job. Subclasses choose the backend."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from rightreasons.core.errors import InputError
from rightreasons.core.options import option, require_at_least
from rightreasons.inference import BatchedModel
from rightreasons.models.label_probe import InputCapacity, read_probe_pairs
from rightreasons.models.output_labels import ClassifierHead, parse_labels_option, resolve_classifier_head
from rightreasons.models.pair_encoding import LongPremises, run_tokenizer, tokenize_pairs
from rightreasons.models.transformer_job import Backend, TransformerJob

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

__all__ = ["Backend", "ModelFolder", "TransformerModel"]

DEFAULT_MAX_LENGTH = 512
_POSITION_SETTINGS = (
    "max_position_embeddings",
    "n_positions",
)  # names of the number of positions in config.json
# These number positions from the id of the padding token on, so that many positions of their table are unused.
_SHIFTED_TYPES = ("roberta", "camembert", "longformer", "mpnet", "data2vec-text", "ibert", "luke", "esm")
PADDING_TOLERANCE = {"float32": 1e-3}  # how far padding may change a logit, by dtype
_LOW_PRECISION_TOLERANCE = 0.1  # for other dtypes
# These have relative positions instead of a table, and read longer texts as well.
_RELATIVE_TYPES = ("deberta", "t5", "xlnet")


@dataclass(frozen=True)
class ModelFolder:
    """The contents of a model folder, apart from the weights."""

    tokenizer: Tokenizer
    config: Mapping[str, Any]  # of config.json
    tokenizer_limit: int | None  # the tokenizer's own limit of tokens, if any
    digests: Mapping[str, str]  # of the files that determine the predictions
    input_names: tuple[str, ...] = ()  # names of the inputs, if the tokenizer has them

    @property
    def output_names(self) -> tuple[str, ...]:
        """The names of the outputs, in their order."""
        names = {int(place): str(name) for place, name in (self.config.get("id2label") or {}).items()}
        return tuple(names[place] for place in sorted(names))

    @property
    def pad_id(self) -> int:
        """The id of the padding token."""
        return int(self.config.get("pad_token_id") or 0)

    @property
    def pads_left(self) -> bool:
        """Whether rows must be padded on the left, because the network reads the last token."""
        return str(self.config.get("padding_side") or "").lower() == "left"

    @property
    def max_positions(self) -> int | None:
        """The number of positions of the network; None for any number."""
        kind = str(self.config.get("model_type", ""))
        table = next((self.config[name] for name in _POSITION_SETTINGS if name in self.config), None)
        if not isinstance(table, int) or table <= 0:
            return None
        is_shifted = any(word in kind for word in _SHIFTED_TYPES)
        return table - self.pad_id - 1 if is_shifted else table

    def choose_row_length(self, wanted: int | None, model: str) -> int:
        """Choose the largest number of tokens in a row."""
        kind = str(self.config.get("model_type", ""))
        usual = min(filter(None, (self.max_positions, self.tokenizer_limit)), default=DEFAULT_MAX_LENGTH)
        if usual < 1:
            raise InputError(
                f"The model {model!r} has {self.max_positions} positions after the id of the padding token in "
                "config.json. Save the model again."
            )
        if wanted is None:
            return usual
        is_relative = any(word in kind for word in _RELATIVE_TYPES)
        if self.max_positions and wanted > self.max_positions and not is_relative:
            raise InputError(
                f"The option max_length is {wanted}, but the model {model!r} has {self.max_positions} positions. "
                "Lower max_length. To split longer premises, add -o long=window-max."
            )
        return wanted


@dataclass(frozen=True)
class TransformerModel(BatchedModel):
    """A transformer that classifies pairs; subclasses read its folder and load the weights."""

    _: KW_ONLY
    labels: tuple[str, ...] | None = option(
        None, help="Labels of the outputs, in order, if their names are ambiguous."
    )
    max_length: int | None = option(
        None,
        help="Maximum number of tokens of premise and hypothesis together; default: the limit of the model.",
    )
    long: LongPremises = option(
        "cut",
        help="How longer premises are handled: cut truncates them; window-max and window-mean split them into "
        "overlapping windows, and use the window with the most probable entailment, or the mean.",
    )
    batch_size: int | None = option(
        None, help="Maximum number of pairs per batch; default: chosen by the number of tokens."
    )

    def __post_init__(self) -> None:
        """Check the options."""
        if self.labels is not None:
            object.__setattr__(self, "labels", parse_labels_option(self.labels, None, self.name))
        for name, value in (("max_length", self.max_length), ("batch_size", self.batch_size)):
            if value is not None:
                require_at_least(name, value, 1)

    def read_tokenizer_and_settings(self) -> ModelFolder:
        """Read the folder, without the weights."""
        raise NotImplementedError

    def load_backend(self) -> Backend:
        """Load the weights."""
        raise NotImplementedError

    def load_exact_backend(self) -> Backend | None:
        """Load the network that this one approximates, if it does."""
        return None

    def get_fingerprint_options(self) -> dict[str, Any]:
        """Return the options of the subclass that determine the predictions."""
        return {}

    @cached_property
    def contents(self) -> ModelFolder:
        """The tokenizer and the settings, read once."""
        contents = self.read_tokenizer_and_settings()
        # A saved tokenizer may truncate or pad each text; here, rows are cut and padded elsewhere.
        contents.tokenizer.no_truncation()
        contents.tokenizer.no_padding()
        check_pair_separator(contents.tokenizer, self.name)
        return contents

    @cached_property
    def network(self) -> Backend:
        """The network, loaded once."""
        return self.load_backend()

    @cached_property
    def can_pad(self) -> bool:
        """Whether rows may be padded: not if the network reads the last token, even of padding.

        No setting tells this reliably. So a short row is run alone and padded, together with a long one.
        """
        if self.contents.pads_left:
            return False
        pairs, length = read_probe_pairs(), self.contents.choose_row_length(None, self.name)
        texts = pairs["premise"].to_list(), pairs["hypothesis"].to_list()
        rows = tokenize_pairs(self.contents.tokenizer, *texts, length)
        if not len(rows) or rows.lengths.min() == rows.lengths.max():
            return False
        backend = self.exact_network or self.network
        both = rows.lengths.argmin(), rows.lengths.argmax()
        alone, padded = (
            backend.compute_logits(*rows.pad_rows(np.array(part), self.contents.pad_id))[0]
            for part in (both[:1], both)
        )
        near = PADDING_TOLERANCE.get(backend.facts.get("dtype", ""), _LOW_PRECISION_TOLERANCE)
        return bool(np.abs(alone - padded).max(initial=0) <= near)

    @cached_property
    def exact_network(self) -> Backend | None:
        """The network that this one approximates, if any."""
        return self.load_exact_backend()

    @cached_property
    def head(self) -> ClassifierHead:
        """The labels of the outputs."""
        capacity = InputCapacity(self.contents.choose_row_length(None, self.name), self._mark_fitting_pairs)
        return resolve_classifier_head(
            self.output_names, self.labels, self.compute_logits, self.name, capacity
        )

    @property
    def output_names(self) -> tuple[str, ...]:
        """The names of the outputs."""
        return self.contents.output_names

    @property
    def row_length(self) -> int:
        """The largest number of tokens in a row."""
        return self.contents.choose_row_length(self.max_length, self.name)

    def fingerprint(self) -> dict[str, Any]:
        """Return what determines the predictions."""
        return {
            "kind": type(self).__name__,
            "files": dict(self.contents.digests),
            "labels": list(self.head.order),
            "max_length": self.row_length,
            "long": self.long,
            **self.get_fingerprint_options(),
        }

    def precheck(self) -> None:
        """Read the files except for the weights, which is fast, and check the options against them."""
        _ = self.contents, self.row_length

    def get_ready(self) -> None:
        """Load the weights and resolve the head, so that timing covers predictions alone."""
        _ = self.head, self.network, self.exact_network, self.can_pad

    def prepare(self, pairs: pl.DataFrame) -> TransformerJob:
        """Encode the pairs as a job."""
        order = self.head.order
        texts = pairs["premise"].to_list(), pairs["hypothesis"].to_list()
        return self._make_transformer_job(
            *texts, order, long=self.long, length=self.row_length, exact=self.exact_network
        )

    def compute_logits(self, premises: list[str], hypotheses: list[str]) -> NDArray[np.float64]:
        """Compute the logits of some pairs."""
        # Probe pairs are short; a limit that is meant for other pairs must not cut them.
        length = self.contents.choose_row_length(None, self.name)
        job = self._make_transformer_job(premises, hypotheses, self.output_names, long="cut", length=length)
        outputs = np.full((len(premises), len(self.output_names)), np.nan)
        for batch in job.batches:
            outputs[batch] = job.compute_pair_logits(batch)
        return outputs

    def check_short_pair(self) -> None:
        """Run one short pair, to check that the network works and has one output for each label."""
        pair = read_probe_pairs().head(1)
        self.compute_logits(pair["premise"].to_list(), pair["hypothesis"].to_list())

    def _mark_fitting_pairs(self, premises: list[str], hypotheses: list[str]) -> NDArray[np.bool_]:
        """Mark the pairs that fit into the network."""
        length = self.contents.choose_row_length(None, self.name)
        return ~tokenize_pairs(self.contents.tokenizer, premises, hypotheses, length).is_long

    def _make_transformer_job(
        self,
        premises: list[str],
        hypotheses: list[str],
        order: Sequence[str],
        *,
        long: LongPremises,
        length: int,
        exact: Backend | None = None,
    ) -> TransformerJob:
        encoded = tokenize_pairs(self.contents.tokenizer, premises, hypotheses, length, long)
        return TransformerJob(
            encoded,
            self.network,
            order,
            pad_id=self.contents.pad_id,
            max_length=length,
            long=long,
            batch_size=self.batch_size,
            exact=exact,
            can_pad=self.can_pad,
        )


def check_pair_separator(tokenizer: Tokenizer, model: str) -> None:
    """Refuse a tokenizer that puts no special token between premise and hypothesis."""
    sides = run_tokenizer(tokenizer, [("one", "two")])[0].sequence_ids
    if 0 not in sides or 1 not in sides or None not in sides[sides.index(0) : sides.index(1)]:
        raise InputError(
            f"The tokenizer of the model {model!r} inserts no separator between premise and hypothesis, so it does not "
            "support pairs. Save it with a post-processor for pairs, or join the texts yourself in a python: model."
        )
