"""The journal of a job: its plan, written before the first batch, and its predictions, appended as they come.

PLACE/KEY/plan.json         which rows go together, and what the key stands for, with a checksum
PLACE/KEY/answers.jsonl     one line a batch, with a checksum: a line that a kill has torn is seen and dropped
PLACE/KEY/unanswered.tsv    the pairs without a prediction, if there are any
PLACE/KEY.lock              held by the one process that runs the model

The key is a digest of all that decides the predictions, so those of another model, set or version are never used. The
checksum of a line covers that of the plan: rows are joined by the plan that they were predicted by, or not at all.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from rightreasons.core.errors import InputError, OutputError
from rightreasons.inference.journal_folders import LOCK_EXTENSION, remove_empty_folders, remove_journal
from rightreasons.io.locks import hold_lock
from rightreasons.io.outputs import write_atomically

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

FORMAT = 2
PLAN_FILE = "plan.json"
PREDICTIONS_FILE = "answers.jsonl"
MISSING_FILE = "unanswered.tsv"
_LINE_HEAD = b'{"sum":"%b",'  # the checksum of all that follows it in the line
_SUM_BYTES = 8
_HEAD_LENGTH = len(_LINE_HEAD) - 2 + 2 * _SUM_BYTES
_SECONDS_UNSYNCED = 1.0

Columns = dict[str, list[Any]]


@dataclass(frozen=True)
class BatchPlan:
    """Which rows form a batch, in the order of prediction, and which are refused, with the reason."""

    batches: list[list[int]]
    refused: dict[int, str]

    def has_each_row_once(self, height: int) -> bool:
        """Return whether every row from 0 up to a height occurs exactly once."""
        return sorted(chain(*self.batches, self.refused)) == list(range(height))


class JobRecord:
    """What is known of a job so far, in memory alone."""

    def __init__(self) -> None:
        """Start with nothing known."""
        self.plan: BatchPlan | None = None
        self.predictions: dict[int, Columns] = {}  # by number of the batch
        self.costs: dict[str, float] = {}  # costs so far, of all processes that took part
        self.facts: dict[str, Any] | None = None  # known once all predictions are there

    @property
    def folder(self) -> Path | None:
        """The folder of the journal, or None in memory."""
        return None

    def set_plan(self, plan: BatchPlan) -> None:
        """Set the plan."""
        self.plan = plan

    def add_batch(self, number: int, columns: Columns, spent: dict[str, float]) -> None:
        """Add the predictions of one batch."""
        self.predictions[number] = columns
        self.costs = spent

    def record_costs(self, spent: dict[str, float]) -> None:
        """Record the costs so far, including those of batches without predictions."""
        self.costs = spent

    def finish(self, facts: dict[str, Any]) -> None:
        """Record facts about the whole job."""
        self.facts = facts


class Journal(JobRecord):
    """What is known of a job so far, in a folder; whoever opens it must hold its lock."""

    def __init__(self, folder: Path, key: Mapping[str, Any]) -> None:
        """Read what there is; nothing is written before the plan."""
        super().__init__()
        self._folder = folder
        self._key = normalise_json(key)
        self._file: int | None = None
        self._synced = time.monotonic()
        self._sum = b""  # of the plan
        stored = read_plan(folder / PLAN_FILE)
        if stored is not None and stored.key == self._key:
            self.plan, self._sum = stored.plan, stored.sum
            self._read_predictions(stored)
        elif _has_content(folder / PREDICTIONS_FILE):
            raise InputError(
                f"{folder / PLAN_FILE} is missing or damaged. "
                f"Without this file, the predictions in {PREDICTIONS_FILE} can't be matched to pairs. "
                f"Restore it, or delete {folder} to predict all pairs again."
            )

    @property
    def folder(self) -> Path:
        """The folder of the journal."""
        return self._folder

    def set_plan(self, plan: BatchPlan) -> None:
        """Write the plan; predictions by an earlier plan are removed."""
        with _explain_write_errors(self.folder):
            self.folder.mkdir(exist_ok=True)
            (self.folder / PREDICTIONS_FILE).unlink(missing_ok=True)
        content = {"key": self._key, "batches": plan.batches, "refused": list(plan.refused.items())}
        self._sum = _compute_checksum(_dump_json(content).encode())
        with write_atomically(self.folder / PLAN_FILE, force=True, internal=True) as part:
            part.write_text(_dump_json({"sum": self._sum.decode(), "plan": content}) + "\n", encoding="utf-8")
        super().set_plan(plan)

    def add_batch(self, number: int, columns: Columns, spent: dict[str, float]) -> None:
        """Append the predictions of one batch to the file immediately."""
        self._append_entry({"batch": number, "answers": columns, "spent": spent})
        super().add_batch(number, columns, spent)

    def record_costs(self, spent: dict[str, float]) -> None:
        """Write the costs so far in a line of their own."""
        self._append_entry({"spent": spent})
        super().record_costs(spent)

    def finish(self, facts: dict[str, Any]) -> None:
        """Write facts about the whole job, so that a finished job is not prepared again."""
        self._append_entry({"facts": facts})
        (self.folder / MISSING_FILE).unlink(missing_ok=True)
        super().finish(facts)

    def close(self) -> None:
        """Close the file, with all that was written on the disk."""
        if self._file is not None:
            with _explain_write_errors(self.folder):
                os.fsync(self._file)
                os.close(self._file)
            self._file = None

    def _read_predictions(self, stored: StoredPlan) -> None:
        for entry in read_journal_entries(self.folder / PREDICTIONS_FILE, stored.sum):
            if "facts" in entry:
                self.facts = entry["facts"]
            elif "answers" not in entry:
                super().record_costs(entry["spent"])
            else:
                super().add_batch(entry["batch"], entry["answers"], entry["spent"])
        if len(self.predictions) < len(stored.plan.batches):
            self.facts = None

    def _append_entry(self, entry: dict[str, Any]) -> None:
        rest = _dump_json(entry)[1:].encode()
        line = _LINE_HEAD % _compute_checksum(rest, self._sum) + rest + b"\n"
        with _explain_write_errors(self.folder):
            if self._file is None:
                self._file = _open_for_append(self.folder / PREDICTIONS_FILE)
            _write_whole_line(self._file, line)
            if time.monotonic() - self._synced > _SECONDS_UNSYNCED:
                os.fsync(self._file)
                self._synced = time.monotonic()


@contextmanager
def open_journal(place: Path, key: Mapping[str, Any]) -> Iterator[Journal]:
    """Open the journal that belongs to a key; a journal without predictions is removed."""
    folder = place / hashlib.sha256(_dump_json(key).encode()).hexdigest()[:16]
    with _explain_write_errors(place):
        place.mkdir(parents=True, exist_ok=True)
    try:
        with hold_lock(folder.with_suffix(LOCK_EXTENSION)):
            journal = Journal(folder, key)
            try:
                yield journal
            finally:
                journal.close()
                if not journal.predictions and not (folder / MISSING_FILE).exists():
                    remove_journal(folder)
    finally:
        remove_empty_folders(place)


@dataclass(frozen=True)
class StoredPlan:
    """A plan as it was read, the key that it was made for, and its checksum."""

    plan: BatchPlan
    key: Any
    sum: bytes


def read_plan(path: Path) -> StoredPlan | None:
    """Read a plan and verify its checksum; None where there is none that can be trusted."""
    try:
        stored = json.loads(path.read_bytes())
        content = stored["plan"]
        checksum = _compute_checksum(_dump_json(content).encode())
        if checksum.decode() != stored["sum"]:
            return None
        plan = BatchPlan(content["batches"], dict(content["refused"]))
        height = sum(map(len, plan.batches)) + len(plan.refused)
        return StoredPlan(plan, content["key"], checksum) if plan.has_each_row_once(height) else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def read_journal_entries(path: Path, plan_sum: bytes) -> Iterator[dict[str, Any]]:
    """Read the lines that are whole and belong to a plan; others are ignored, and their batches are predicted again."""
    with suppress(FileNotFoundError, IsADirectoryError):
        *lines, _ = path.read_bytes().split(b"\n")
        for line in lines:
            head, rest = line[:_HEAD_LENGTH], line[_HEAD_LENGTH:]
            if head == _LINE_HEAD % _compute_checksum(rest, plan_sum):
                yield json.loads(line)


def _compute_checksum(data: bytes, key: bytes = b"") -> bytes:
    return hashlib.blake2b(data, digest_size=_SUM_BYTES, key=key).hexdigest().encode()


def _has_content(path: Path) -> bool:
    try:
        return path.stat().st_size > 0
    except OSError:
        return False


def _open_for_append(path: Path) -> int:
    """Open a file for appending; a torn line gets its end first."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o666)
    size = os.fstat(file).st_size
    if size:
        os.lseek(file, size - 1, os.SEEK_SET)
        if os.read(file, 1) != b"\n":
            _write_whole_line(file, b"\n")
    return file


def _write_whole_line(file: int, line: bytes) -> None:
    while line:
        line = line[os.write(file, line) :]


@contextmanager
def _explain_write_errors(place: Path) -> Iterator[None]:
    """Turn errors of the disk into one clear sentence."""
    try:
        yield
    except OSError as error:
        raise OutputError(
            f"The predictions can't be stored in {place}: {error.strerror}. Free some space, or choose another output."
        ) from error


def normalise_json(value: Mapping[str, Any]) -> dict[str, Any]:
    """Convert a value to what JSON returns when it is read back."""
    shown: dict[str, Any] = json.loads(_dump_json(value))
    return shown


def _dump_json(value: object) -> str:
    """Show a value as JSON; Python writes floats so that the very same come back."""
    return json.dumps(value, separators=(",", ":"), sort_keys=True, default=_convert_numpy_for_json)


def _convert_numpy_for_json(value: Any) -> Any:
    """Take the number out of one of numpy's; anything else is shown as text."""
    return value.item() if hasattr(value, "item") else str(value)
