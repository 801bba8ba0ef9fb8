"""Logits by torch, on the processor or a graphics card."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rightreasons.core.errors import InputError
from rightreasons.models.failures import first_line, is_failure
from rightreasons.models.heads import check_logits

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    import torch
    from numpy.typing import NDArray

    from rightreasons.models.encoding import Numbers

_NO_MEMORY = re.compile(r"out of memory|can't allocate memory|bad_alloc|not enough memory", re.IGNORECASE)
_ON_CPU = (1024, 512, 2048, 4096)
_ON_CARD = (16384, 65536)


class TorchBackend:
    """A transformers model for sequence classification."""

    workers = 1  # torch uses all cores for one batch

    def __init__(self, module: torch.nn.Module, inputs: Sequence[str], device: str) -> None:
        """Take a loaded model, and the names of the inputs that its tokenizer makes."""
        import torch

        self.module = module.eval().to(device)
        self.device = device
        self.takes_types = "token_type_ids" in inputs
        self.tokens: tuple[int, ...] = _ON_CPU if device == "cpu" else _ON_CARD
        first = next(module.parameters())
        self.facts: dict[str, Any] = {
            "backend": "torch",
            "dtype": str(first.dtype).removeprefix("torch."),
            "device": device,
            "threads": torch.get_num_threads(),
            "torch": torch.__version__,
        }

    def logits(self, ids: Numbers, types: Numbers, mask: Numbers) -> NDArray[np.float32]:
        """Compute the outputs of one batch."""
        import torch

        tables = {"input_ids": ids, "attention_mask": mask}
        tables |= {"token_type_ids": types} if self.takes_types else {}
        with _memory(), _told_shape(ids.shape[1]), torch.inference_mode():
            given = {name: torch.from_numpy(table).to(self.device) for name, table in tables.items()}
            outputs = self.module(**given).logits.float().cpu().numpy()
        return check_logits(outputs, len(ids))


def check_device(device: str | None) -> str:
    """Name the device to compute on, the processor unless another is asked for and there."""
    import torch

    wanted = device or "cpu"
    kind, _, number = wanted.partition(":")
    cards = torch.cuda.device_count() if torch.cuda.is_available() else 0
    there = {"cpu": 1, "cuda": cards, "mps": int(torch.backends.mps.is_available())}
    place = number if number or ":" in wanted else "0"
    if not place.isdecimal() or int(place) >= there.get(kind, 0):
        found = " or ".join(_shown(name, count) for name, count in there.items() if count)
        raise InputError(f"There is no device {wanted!r} that torch can use here. Use {found}.")
    return wanted


def _shown(kind: str, count: int) -> str:
    return kind if count == 1 else f"{kind}:0 to {kind}:{count - 1}"


@contextmanager
def _memory() -> Iterator[None]:
    """Turn the many ways of saying that memory is short into one."""
    import torch

    try:
        yield
    except RuntimeError as error:  # torch.OutOfMemoryError is one
        if not _NO_MEMORY.search(str(error)):
            raise
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
        raise MemoryError(str(error)) from error


@contextmanager
def _told_shape(length: int) -> Iterator[None]:
    """Say in one sentence that a row, or a token's number, is beyond the tables of a network."""
    try:
        yield
    except BaseException as error:  # the code of a network, with odd settings, raises anything
        if not is_failure(error) or isinstance(error, MemoryError) or _NO_MEMORY.search(str(error)):
            raise
        raise InputError(
            f"The network fails on rows of {length} tokens: {first_line(error)}. "
            "If that is more than it has positions, lower -o max_length; else save it again, with its own tokenizer."
        ) from error
