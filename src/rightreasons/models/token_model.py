"""What all local networks share: pairs as tokens, the head, the job; only the backend differs."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from rightreasons.core.errors import InputError
from rightreasons.core.options import option
from rightreasons.inference import BatchedModel
from rightreasons.models.encoding import Long, encode, encode_texts
from rightreasons.models.heads import ClassifierHead, read_labels, resolve_head
from rightreasons.models.probe import InputCapacity, unmistakable_pairs
from rightreasons.models.token_job import Backend, TokenJob

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

__all__ = ["Backend", "ModelFolder", "TokenModel"]

USUAL_LENGTH = 512
_TABLES = ("max_position_embeddings", "n_positions")  # how architectures call the number of positions
# These count positions from the padding token's number on, so their table is that much shorter than it says.
_SHIFTED = ("roberta", "camembert", "longformer", "mpnet", "data2vec-text", "ibert", "luke", "esm")
NEAR = {"float32": 1e-3}  # how far filling rows up may move an output, by dtype
_ROUGHLY = 0.1  # with less precision
# These have no table of positions: they know only how far apart two tokens are, and read longer texts too.
_RELATIVE = ("deberta", "t5", "xlnet")


@dataclass(frozen=True)
class ModelFolder:
    """What a network's folder has beside the weights."""

    tokenizer: Tokenizer
    config: Mapping[str, Any]  # of config.json
    known_length: int | None  # tokens that the tokenizer's settings allow, if they say
    digests: Mapping[str, str]  # of the files that determine the predictions
    inputs: tuple[str, ...] = ()  # names of what the network reads, if the tokenizer says

    @property
    def names(self) -> tuple[str, ...]:
        """Name the outputs, in their order."""
        names = {int(place): str(name) for place, name in (self.config.get("id2label") or {}).items()}
        return tuple(names[place] for place in sorted(names))

    @property
    def pad(self) -> int:
        """Give the number of the token that fills rows up."""
        return int(self.config.get("pad_token_id") or 0)

    @property
    def pads_left(self) -> bool:
        """Tell whether rows are to be filled up from the left, since the last token is read."""
        return str(self.config.get("padding_side") or "").lower() == "left"

    @property
    def table(self) -> int | None:
        """Count the positions that the network has; None where it takes any number."""
        kind = str(self.config.get("model_type", ""))
        table = next((self.config[name] for name in _TABLES if name in self.config), None)
        if not isinstance(table, int) or table <= 0:
            return None
        is_shifted = any(word in kind for word in _SHIFTED)
        return table - self.pad - 1 if is_shifted else table

    def length(self, wanted: int | None, model: str) -> int:
        """Choose how many tokens a row may have."""
        kind = str(self.config.get("model_type", ""))
        usual = min(filter(None, (self.table, self.known_length)), default=USUAL_LENGTH)
        if usual < 1:
            raise InputError(
                f"The model {model!r} has no position for a token: its config.json counts {self.table} beyond the "
                "padding token's number. Save it again."
            )
        if wanted is None:
            return usual
        is_relative = any(word in kind for word in _RELATIVE)
        if self.table and wanted > self.table and not is_relative:
            raise InputError(
                f"The option max_length is {wanted}, but the model {model!r} has {self.table} positions. "
                "Lower it; with -o long=window-max longer premises are split."
            )
        return wanted


@dataclass(frozen=True)
class TokenModel(BatchedModel):
    """A network that reads tokens; subclasses read its folder and load the weights."""

    _: KW_ONLY
    labels: tuple[str, ...] | None = option(
        None, help="Labels of the outputs, in order, if their names are ambiguous."
    )
    max_length: int | None = option(
        None, help="Tokens of premise and hypothesis together; default: the limit of the model."
    )
    long: Long = option(
        "cut",
        help="What happens to longer premises: cut truncates them; window-max and window-mean split them into "
        "overlapping windows and keep the one with the most probable entailment, or the mean.",
    )
    batch_size: int | None = option(None, help="Most pairs in a batch; default: chosen by their tokens.")

    def __post_init__(self) -> None:
        """Check the options."""
        if self.labels is not None:
            object.__setattr__(self, "labels", read_labels(self.labels, None, self.name))
        for name, value in (("max_length", self.max_length), ("batch_size", self.batch_size)):
            if value is not None and value < 1:
                raise InputError(f"The option {name} is {value}. Give 1 or more.")

    def read(self) -> ModelFolder:
        """Look at the files, without the weights."""
        raise NotImplementedError

    def load(self) -> Backend:
        """Load the weights."""
        raise NotImplementedError

    def load_exact(self) -> Backend | None:
        """Load the network that this one is an approximation of, if it is one."""
        return None

    def settings(self) -> dict[str, Any]:
        """Say which own options of the kind decide the answers."""
        return {}

    @cached_property
    def parts(self) -> ModelFolder:
        """The tokenizer and the settings, read once."""
        parts = self.read()
        # Saved settings may fill each text up to any length; rows are cut and filled up here alone.
        parts.tokenizer.no_truncation()
        parts.tokenizer.no_padding()
        check_pairs(parts.tokenizer, self.name)
        return parts

    @cached_property
    def network(self) -> Backend:
        """The network, loaded once."""
        return self.load()

    @cached_property
    def fills(self) -> bool:
        """Whether rows may be filled up: not where the network reads the last token, whatever it is.

        No setting says so for sure. So a short row is asked alone and beside a long one.
        """
        if self.parts.pads_left:
            return False
        pairs, length = unmistakable_pairs(), self.parts.length(None, self.name)
        texts = pairs["premise"].to_list(), pairs["hypothesis"].to_list()
        rows = encode(self.parts.tokenizer, *texts, length)
        if not len(rows) or rows.lengths.min() == rows.lengths.max():
            return False
        backend = self.exact or self.network
        both = rows.lengths.argmin(), rows.lengths.argmax()
        alone, beside = (
            backend.logits(*rows.padded(np.array(part), self.parts.pad))[0] for part in (both[:1], both)
        )
        near = NEAR.get(backend.facts.get("dtype", ""), _ROUGHLY)
        return bool(np.abs(alone - beside).max(initial=0) <= near)

    @cached_property
    def exact(self) -> Backend | None:
        """The network that this one is an approximation of."""
        return self.load_exact()

    @cached_property
    def head(self) -> ClassifierHead:
        """The labels of the outputs."""
        room = InputCapacity(self.parts.length(None, self.name), self._fits)
        return resolve_head(self.names, self.labels, self.logits, self.name, room)

    @property
    def names(self) -> tuple[str, ...]:
        """Name the outputs."""
        return self.parts.names

    @property
    def length(self) -> int:
        """Count the tokens that a row may have."""
        return self.parts.length(self.max_length, self.name)

    def fingerprint(self) -> dict[str, Any]:
        """Say what decides the answers."""
        return {
            "kind": type(self).__name__,
            "files": dict(self.parts.digests),
            "labels": list(self.head.order),
            "max_length": self.length,
            "long": self.long,
            **self.settings(),
        }

    def precheck(self) -> None:
        """Read the files but for the weights, which takes no long time, and check the options by them."""
        _ = self.parts, self.length

    def get_ready(self) -> None:
        """Load the weights and find out what has to be known, so that the time of asking is that alone."""
        _ = self.head, self.network, self.exact, self.fills

    def prepare(self, pairs: pl.DataFrame) -> TokenJob:
        """Make a job of pairs: their tokens, and the plan."""
        order = self.head.order
        texts = pairs["premise"].to_list(), pairs["hypothesis"].to_list()
        return self._job(*texts, order, long=self.long, length=self.length, exact=self.exact)

    def logits(self, premises: list[str], hypotheses: list[str]) -> NDArray[np.float64]:
        """Compute the raw outputs for some pairs, whatever they mean."""
        # These are short pairs; a limit that is meant for others must not cut them.
        length = self.parts.length(None, self.name)
        job = self._job(premises, hypotheses, self.names, long="cut", length=length)
        outputs = np.full((len(premises), len(self.names)), np.nan)
        for batch in job.batches:
            outputs[batch] = job.outputs(batch)
        return outputs

    def check_outputs(self) -> None:
        """Ask about one short pair, to see that the network works and gives a number for each label."""
        pair = unmistakable_pairs().head(1)
        self.logits(pair["premise"].to_list(), pair["hypothesis"].to_list())

    def _fits(self, premises: list[str], hypotheses: list[str]) -> NDArray[np.bool_]:
        """Tell which pairs the network can read whole."""
        length = self.parts.length(None, self.name)
        return ~encode(self.parts.tokenizer, premises, hypotheses, length).long

    def _job(
        self,
        premises: list[str],
        hypotheses: list[str],
        order: Sequence[str],
        *,
        long: Long,
        length: int,
        exact: Backend | None = None,
    ) -> TokenJob:
        encoded = encode(self.parts.tokenizer, premises, hypotheses, length, long)
        return TokenJob(
            encoded,
            self.network,
            order,
            pad=self.parts.pad,
            max_length=length,
            long=long,
            batch_size=self.batch_size,
            exact=exact,
            fills=self.fills,
        )


def check_pairs(tokenizer: Tokenizer, model: str) -> None:
    """Refuse a tokenizer that runs premise and hypothesis together."""
    sides = encode_texts(tokenizer, [("one", "two")])[0].sequence_ids
    if 0 not in sides or 1 not in sides or None not in sides[sides.index(0) : sides.index(1)]:
        raise InputError(
            f"The tokenizer of the model {model!r} puts nothing between premise and hypothesis, so it is not made "
            "for pairs. Save it with a template for pairs, or join the texts yourself in a python: model."
        )
