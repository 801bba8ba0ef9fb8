"""Stop commands at seeded random moments, and hold them to what is promised.

    python tests/signals/stop_harness.py --signals 120 --seed 0

A scenario is run once without any signal, for reference. Then it is stopped several times in a row, resumed to its end,
and compared. Promised is: the exit code of the signal, no traceback or abort, an end within two seconds, a true
message, no process, hidden file, lock or temporary file left, and the same bytes in the end.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from stop_scenarios import Scenario, environment, prepare, scenarios

if TYPE_CHECKING:
    from collections.abc import Sequence

KINDS = (signal.SIGINT, signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
LIMIT = 2.0  # seconds from a signal to the end
SERVER_LIMIT = 10.0
PATIENCE = 600.0
OF_OTHERS = (".ses", "torchinductor_root")  # a file of ONNX Runtime, a cache folder of PyTorch
UGLY = (b"Traceback", b"terminate called", b"Aborted", b"core dumped", b"Exception ignored")


@dataclass(frozen=True)
class Stop:
    """One signal, and what became of the command."""

    scenario: str
    kind: signal.Signals
    moment: str
    code: int
    seconds: float
    faults: tuple[str, ...]


@dataclass(frozen=True)
class Before:
    """What there was before a command was started."""

    kept: int  # batches
    leftovers: frozenset[str]
    finished: frozenset[Path]


@dataclass
class Stopper:
    """Stops one scenario again and again, in a folder of its own."""

    scenario: Scenario
    shared: Path
    folder: Path
    rng: np.random.Generator
    stops: list[Stop] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    duration: float = 0.0

    def run(self, signals: int) -> None:
        """Take the reference, send the signals, resume, compare."""
        self._reset()
        if not self.scenario.serves:
            start = time.monotonic()
            self._finish()
            self.duration = time.monotonic() - start
        reference = self._output()
        self._reset()
        while len(self.stops) < signals:
            if not self._stop() or (self.scenario.predictions and self._finished()):
                self._compare(reference)  # it was done before the signal came, or before it took effect
                self._reset()
        if not self.scenario.serves:
            self._finish()
            self._compare(reference)

    def _reset(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        for part in ("tmp", "cache"):
            (self.folder / part).mkdir(parents=True)
        if self.scenario.inside:
            (self.folder / self.scenario.out).mkdir(exist_ok=True)

    def _start(self) -> subprocess.Popen[bytes]:
        cache = self.folder / "cache" if self.scenario.own_cache else None
        return subprocess.Popen(
            self.scenario.command(),
            cwd=self.folder,
            env={**environment(self.shared, cache), "TMPDIR": str(self.folder / "tmp")},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def _finish(self) -> None:
        with self._start() as process:
            _, said = process.communicate(timeout=PATIENCE)
        if process.returncode:
            self._blame(f"ended with {process.returncode} without a signal: {said.decode()[-300:]}")

    def _stop(self) -> bool:
        """Send one signal at a random moment; False where the command had ended before."""
        kind = signal.Signals(self.rng.choice(KINDS))
        # What a SIGKILL has left is removed by a command that comes so far, and is no fault of one that doesn't.
        before = Before(self._kept(), frozenset(self._leftovers()), frozenset(self._finished()))
        with self._start() as process:
            moment = self._wait(process)
            if process.poll() is not None:
                process.communicate()
                return False
            start = time.monotonic()
            self._send(process, kind)
            try:
                _, said = process.communicate(timeout=60)
            except subprocess.TimeoutExpired:
                process.kill()
                _, said = process.communicate()
            seconds = time.monotonic() - start
        if process.returncode == 0 and not self.scenario.serves:
            return False  # it ended in the very moment
        faults = self._faults(kind, process.returncode, seconds, said, before)
        faults += [f"process {pid} is alive" for pid in _survivors(process.pid)]
        self.stops.append(
            Stop(self.scenario.name, kind, moment, process.returncode, round(seconds, 2), tuple(faults))
        )
        return True

    def _wait(self, process: subprocess.Popen[bytes]) -> str:
        """Wait for the moment: some time after the start, or after some more predictions."""
        while process.poll() is None and not _takes_signals(process.pid):
            time.sleep(0.002)
        if self.scenario.serves:
            time.sleep(self.rng.uniform(0, 8))
            return "time"
        if self.scenario.predictions and self.rng.random() < 0.6:
            wanted, end = self._kept() + int(self.rng.integers(1, 4)), time.monotonic() + PATIENCE
            while process.poll() is None and self._kept() < wanted and time.monotonic() < end:
                time.sleep(0.002)
            time.sleep(self.rng.uniform(0, 0.1))
            return "predicting"
        end = time.monotonic() + self.rng.uniform(0, self.duration)
        while process.poll() is None and time.monotonic() < end:
            time.sleep(0.002)
        return "time"

    def _send(self, process: subprocess.Popen[bytes], kind: signal.Signals) -> None:
        """Send a signal, as a terminal does to all processes, or to the one; sometimes twice."""
        with suppress(ProcessLookupError):
            if kind == signal.SIGINT and self.rng.random() < 0.5:
                os.killpg(process.pid, kind)
            else:
                os.kill(process.pid, kind)
            if kind != signal.SIGKILL and self.rng.random() < 0.3:
                time.sleep(self.rng.uniform(0.01, 0.3))
                os.kill(process.pid, kind)

    def _kept(self) -> int:
        # Not by rglob, which fails where a folder goes while it looks.
        paths = [
            Path(place, "answers.jsonl")
            for place, _, files in os.walk(self.folder)
            if "answers.jsonl" in files
        ]
        return sum(path.read_bytes().count(b'"batch"') for path in paths)

    def _faults(
        self, kind: signal.Signals, code: int, seconds: float, said: bytes, before: Before
    ) -> list[str]:
        """List what was not as promised after one signal."""
        faults: list[str] = []
        if kind == signal.SIGKILL:
            return faults if code == -signal.SIGKILL else [f"exit code {code}"]
        expected = 128 + kind
        if code != expected and not (code == 0 and self.scenario.serves):
            faults.append(f"exit code {code}, not {expected}: {said.decode()[-300:]}")
        limit = SERVER_LIMIT if self.scenario.serves else LIMIT
        if seconds > limit:
            faults.append(f"took {seconds:.1f} s")
        faults += [f"says {ugly.decode()}: {said.decode()[-300:]}" for ugly in UGLY if ugly in said]
        if code:
            faults += self._untrue(said.decode(), before)
        return faults + [f"left {path}" for path in self._leftovers() if path not in before.leftovers]

    def _untrue(self, said: str, before: Before) -> list[str]:
        """Hold the one message to what there is, and to what there was before the command."""
        lines = [line for line in said.splitlines() if line.startswith(("Interrupted: ", "Terminated: "))]
        if len(lines) != 1:
            return [f"{len(lines)} messages: {said[-300:]}"]
        faults: list[str] = []
        kept, said_so = self._kept(), "are kept in" in lines[0]
        if self.scenario.predictions and ((said_so and not kept) or (kept > before.kept and not said_so)):
            faults.append(f"{kept - before.kept} more batches are kept, but: {lines[0]}")
        named = {Path(name.rstrip(".;")).name for name in lines[0].replace(",", " ").split()}
        unnamed = [
            path.name for path in self._finished() if path not in before.finished and path.name not in named
        ]
        return faults + [f"{name} is there, but: {lines[0]}" for name in unnamed]

    def _finished(self) -> list[Path]:
        """List the outputs that are in place; those of fetch and experiment are not outputs of one command alone."""
        place = self.folder / self.scenario.out
        if self.scenario.name in ("fetch", "experiment", "serve"):
            return []
        paths = place.iterdir() if self.scenario.inside else [place]
        return [path for path in paths if path.exists() and path.name[0] != "."]

    def _leftovers(self) -> list[str]:
        """List hidden files, locks of nobody and temporary files; unfinished work may lie there with its lock."""
        hidden = self.folder.rglob(".*")
        places = [path for path in hidden if path.name not in OF_OTHERS]
        places += [path for path in (self.folder / "tmp").iterdir() if path.name not in OF_OTHERS]
        return sorted({str(path.relative_to(self.folder)) for path in places if path.parent.name[:1] != "."})

    def _compare(self, reference: dict[str, bytes]) -> None:
        """Hold the output of a command that was stopped and resumed against the reference."""
        found = self._output()
        differing = [
            name for name in reference.keys() | found.keys() if reference.get(name) != found.get(name)
        ]
        if differing or not found:
            self._blame(f"differs after a resume: {sorted(differing)[:5]}")
        locks = [path.name for path in self.folder.rglob("*lock") if path.is_file()]
        unfinished = [path.name for path in self.folder.rglob("*.unfinished")]
        if (
            self.stops and self.stops[-1].kind == signal.SIGKILL
        ):  # in the very moment after the output was in place
            locks, unfinished = [], []
        for left in (*self._leftovers(), *locks, *unfinished):
            self._blame(f"left at the end: {left}")

    def _output(self) -> dict[str, bytes]:
        place = self.folder / self.scenario.out
        if place.is_file():
            return {place.name: place.read_bytes()}
        paths = {
            path for pattern in self.scenario.compared for path in place.rglob(pattern) if path.is_file()
        }
        return {
            str(path.relative_to(place)): path.read_bytes() for path in paths if "models" not in path.parts
        }

    def _blame(self, what: str) -> None:
        self.faults.append(f"{self.scenario.name}: {what}")


def _takes_signals(pid: int) -> bool:
    """Tell whether a process has come so far that it handles SIGTERM; before, Python itself is starting."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except OSError:
        return False
    caught = next((line for line in status.splitlines() if line.startswith("SigCgt")), "SigCgt: 0")
    return bool(int(caught.split()[1], 16) >> (signal.SIGTERM - 1) & 1)


def _survivors(group: int) -> list[int]:
    """List the processes of a session that are there, a second after its first process has ended."""
    end = time.monotonic() + 2
    while found := [pid for pid in _processes() if _session(pid) == group]:
        if time.monotonic() > end:
            return found
        time.sleep(0.05)
    return []


def _processes() -> list[int]:
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]


def _session(pid: int) -> int | None:
    with suppress(OSError):
        return os.getsid(pid)
    return None


def stop_all(names: Sequence[str], signals: int, seed: int, place: Path) -> list[Stopper]:
    """Send so many signals, spread over scenarios; all of them if none is named."""
    signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # what is ignored here is ignored by children, too
    shared = place / "shared"
    shared.mkdir()
    with scenarios(shared) as known:
        chosen = [known[name] for name in names or known]
        shares = [len(part) for part in np.array_split(np.arange(signals), len(chosen))]
        stoppers = []
        for number, (scenario, share) in enumerate(zip(chosen, shares, strict=True)):
            rng = np.random.default_rng((seed, number))
            stopper = Stopper(scenario, shared, place / f"scenario{number}", rng)
            prepare(scenario, shared)
            stopper.run(share)
            stoppers.append(stopper)
            _say(_line(stopper))
            shutil.rmtree(stopper.folder, ignore_errors=True)
    return stoppers


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _line(stopper: Stopper) -> str:
    seconds = [stop.seconds for stop in stopper.stops if stop.kind != signal.SIGKILL]
    spread = f"median {statistics.median(seconds):.2f} s, longest {max(seconds):.2f} s" if seconds else "-"
    faults = [
        *stopper.faults,
        *(f"{stop.kind.name}: {fault}" for stop in stopper.stops for fault in stop.faults),
    ]
    load = os.getloadavg()[0]
    line = f"{stopper.scenario.name:18} {len(stopper.stops):3} signals, {spread}, load {load:.1f}, {len(faults)} faults"
    return "\n  ".join([line, *faults])


def main() -> int:
    """Stop all scenarios, or those that are named, and say what was found."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help="scenarios; all if left out")
    parser.add_argument("--signals", type=int, default=120)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="signals-") as place:
        stoppers = stop_all(given.names, given.signals, given.seed, Path(place))
    stops = [stop for stopper in stoppers for stop in stopper.stops]
    faults = sum(len(stop.faults) for stop in stops) + sum(len(stopper.faults) for stopper in stoppers)
    counts = {kind.name: sum(stop.kind == kind for stop in stops) for kind in dict.fromkeys(KINDS)}
    seconds = sorted(
        stop.seconds for stop in stops if stop.kind != signal.SIGKILL and stop.scenario != "serve"
    )
    if seconds:
        marks = ", ".join(f"{share:.0%} {np.quantile(seconds, share):.2f} s" for share in (0.5, 0.9, 0.99, 1))
        _say(f"Seconds to the end: {marks}; over {LIMIT:g} s: {sum(one > LIMIT for one in seconds)}")
    _say(f"{len(stops)} signals ({counts}), {faults} faults.")
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())
