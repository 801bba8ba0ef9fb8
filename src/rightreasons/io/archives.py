"""The published archives that can be fetched: where they are, and what they must be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rightreasons.core.errors import UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Mapping

_HANS = "https://raw.githubusercontent.com/tommccoy1/hans/master"
_AQUA = "https://raw.githubusercontent.com/deepmind/AQuA/master"
_GSM8K = "https://raw.githubusercontent.com/openai/grade-school-math/master/grade_school_math/data"
_SICK = "https://zenodo.org/record/2787612/files"


@dataclass(frozen=True)
class Download:
    """One file of the web: its address, and the size and sha256 that it, or a member of the zip, must have."""

    url: str
    sha256: str
    bytes: int
    member: str | None = None

    @property
    def name(self) -> str:
        """Return the file's own name."""
        return self.url.partition("?")[0].rpartition("/")[2]


@dataclass(frozen=True)
class Archive:
    """A published corpus: its files, and the corpora in them as (file, member of a zip or nothing)."""

    about: str
    licence: str
    downloads: tuple[Download, ...]
    corpora: Mapping[str, tuple[str, str | None]]


def _map_corpora_to_zip_members(version: str, *names: str) -> dict[str, tuple[str, str | None]]:
    return {name: (f"{version}.zip", f"{version}/{version}_{name}.jsonl") for name in names}


ARCHIVES: dict[str, Archive] = {
    "multinli": Archive(
        "MultiNLI 1.0, with parses",
        "OANC and others",
        (
            Download(
                "https://cims.nyu.edu/~sbowman/multinli/multinli_1.0.zip",
                "049f507b9e36b1fcb756cfd5aeb3b7a0cfcb84bf023793652987f7e7e0957822",
                226_850_426,
            ),
        ),
        _map_corpora_to_zip_members("multinli_1.0", "train", "dev_matched", "dev_mismatched"),
    ),
    "snli": Archive(
        "SNLI 1.0, with parses",
        "CC BY-SA 4.0",
        (
            Download(
                "https://nlp.stanford.edu/projects/snli/snli_1.0.zip",
                "afb3d70a5af5d8de0d9d81e2637e0fb8c22d1235c2749d83125ca43dab0dbd3e",
                94_550_081,
            ),
        ),
        _map_corpora_to_zip_members("snli_1.0", "train", "dev", "test"),
    ),
    "sick": Archive(
        "SICK, plain and annotated with expansion rules",
        "CC BY-NC-SA 3.0",
        (
            Download(
                f"{_SICK}/SICK.zip?download=1",
                "da272af924399fc2de4889ed55383e38822c10d16c4a949a89d597d09a0b7912",
                217_584,
            ),
            Download(
                f"{_SICK}/SICK_Annotated.zip?download=1",
                "96ff360889efda6fe207925da0b20bff701b892786d9f88d7ddf86f018600595",
                2_676_369,
                member="SICK_annotated.txt",  # of the zip itself no digest is published
            ),
        ),
        {"plain": ("SICK.zip", "SICK.txt"), "annotated": ("SICK_Annotated.zip", "SICK_annotated.txt")},
    ),
    "hans": Archive(
        "the released HANS files",
        "MIT",
        (
            Download(
                f"{_HANS}/heuristics_evaluation_set.txt",
                "c55b62feef9913070e88f38938dc2492018c945ac81f70139346472494124e79",
                15_462_062,
            ),
            Download(
                f"{_HANS}/heuristics_train_set.txt",
                "49245bd5fdb0b185dcbfbf48f0f16513c62ad5bc9fad0b8800dc48d6818ee5cf",
                15_485_296,
            ),
        ),
        {"eval": ("heuristics_evaluation_set.txt", None), "train": ("heuristics_train_set.txt", None)},
    ),
    "aqua": Archive(
        "AQuA-RAT, algebra word problems with rationales",
        "Apache 2.0",
        (
            Download(
                f"{_AQUA}/train.json",
                "35b70c7cb1660c34d302bb932dfd3656ce3d05e8c982c797767fec31d7d1e0ba",
                47_570_935,
            ),
            Download(
                f"{_AQUA}/dev.json",
                "4a52301d8a49ae0b286f8e697f9c5da1b109b247b825b47b4c6de34312dceec5",
                132_008,
            ),
            Download(
                f"{_AQUA}/test.json",
                "de41581881ef95c5588c44ddc701c77fd480839241dd422a0d181262af24520c",
                130_192,
            ),
        ),
        {"train": ("train.json", None), "dev": ("dev.json", None), "test": ("test.json", None)},
    ),
    "gsm8k": Archive(
        "GSM8K, grade school word problems",
        "MIT",
        (
            Download(
                f"{_GSM8K}/train.jsonl",
                "17f347dc51477c50d4efb83959dbb7c56297aba886e5544ee2aaed3024813465",
                4_166_206,
            ),
            Download(
                f"{_GSM8K}/test.jsonl",
                "3730d312f6e3440559ace48831e51066acaca737f6eabec99bccb9e4b3c39d14",
                749_738,
            ),
        ),
        {"train": ("train.jsonl", None), "test": ("test.jsonl", None)},
    ),
}


def find_archive(name: str) -> Archive:
    """Find an archive by its name."""
    if name not in ARCHIVES:
        raise UnknownNameError("corpus to fetch", name, ARCHIVES)
    return ARCHIVES[name]


def list_archive_corpora() -> list[str]:
    """List the corpora of all archives, such as multinli/dev_matched."""
    return [f"{name}/{part}" for name, archive in ARCHIVES.items() for part in archive.corpora]
