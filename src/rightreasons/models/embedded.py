"""The model that comes with the package: a small network, trained on pairs of MultiNLI, SNLI and LingNLI."""

from __future__ import annotations

from rightreasons.core.resources import DATA
from rightreasons.models.encoding import Long  # noqa: TC001 - read as an option
from rightreasons.models.onnx import Onnx

FOLDER = DATA / "model"


class Embedded(Onnx):
    """The model that comes with the package: MiniLM-L6, trained on pairs of MultiNLI, SNLI and LingNLI."""

    name = "default"

    def __init__(
        self, max_length: int | None = None, long: Long = "cut", batch_size: int | None = None
    ) -> None:
        """Choose what there is to choose.

        Args:
            max_length: tokens of premise and hypothesis together; what the model allows if left out.
            long: premises beyond that are cut, or split into windows, as for onnx: models.
            batch_size: pairs at a time, at most; by the tokens if left out.
        """
        super().__init__(FOLDER, max_length=max_length, long=long, batch_size=batch_size)
