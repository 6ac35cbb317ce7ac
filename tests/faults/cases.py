"""The commands whose system calls fail, with their inputs, and the comparison of what they leave."""

import hashlib
import json
import pickle
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from tests.faults.tracer import End, Fault, trace
from tests.faults.warm import as_process, command, drawing_once, import_what

UNDISTURBED_S, LEAST_LIMIT_S, MOST_TIMES_LONGER = 3000.0, 400.0, 20.0
"""Time after which a command without a fault is given up. One with a fault has at least `LEAST_LIMIT_S`, and
this many times the duration of the undisturbed command: a busy machine is slow."""

SCENARIO = """
seeds = 1
records = [1]
[[trace]]
file = "phy.parquet"
[[scheme]]
name = "arq"
[path]
rtt = 0.1
[[traffic]]
tcp = "newreno"
stack = "2009"
duration = 0.5
"""

LIMITS = ("Exception ignored in thread started by", "in _remove_temp_dir", "panicked at")
"""Words of faults that libraries do not survive: docs/reliability.md names them.

Python waits for ever for a thread without memory, prints a traceback where it cannot remove its folder of
sockets, and Rust libraries print theirs where a thread is refused."""

ENDED_BY = frozenset({"vl_convert.abi3.so"})
"""Libraries that end the process by a signal: V8, in the one that draws charts, without memory or threads."""

MARGINS = re.compile(rb' (width|viewBox|transform)="[^"]*"')
"""Attributes of a chart that differ when vl-convert cannot map a font and takes another one."""

UNDRAWN = "warning: chart.svg: the chart cannot be drawn"
"""What a campaign says that has its results but no picture of them."""

ANSWER = "answer"
"""File of a worker's answer, beside what it says."""

VOLATILE = ("finished_at", "wall_time_s", "attempt", "command", "records")
"""Columns of a run that two runs of it need not share."""

OF_ONE_ATTEMPT = re.compile(r"(?<=/[0-9a-f]{32})-[0-9a-f]{16}(?=/)")
"""Part of the name of a folder of packet records that no other attempt has."""


@dataclass(frozen=True)
class Case:
    """A command in a folder of its own.

    Attributes
    ----------
    words
        The command's words after ``tmt``; None for the work of a cluster's worker.
    prepare
        Fills the folder.
    again
        Words that a second call has in addition.
    """

    name: str
    words: tuple[str, ...] | None
    prepare: Callable[[Path], None]
    again: tuple[str, ...] = ()


class Bench:
    """A case's prepared folder, its undisturbed results, and runs of it under faults."""

    def __init__(self, case: Case, place: Path) -> None:
        self.case, self._box, self._said = case, place / "box", place / "said"
        self._fresh, self._drawn = place / "fresh", place / "drawn"
        for folder in (self._fresh, self._said, self._drawn):
            folder.mkdir(parents=True)
        case.prepare(self._fresh)
        self._reset()
        import_what(self._box, self._said, self._call())
        self._reset()
        started = time.monotonic()
        end = self._run(Fault("any", "EIO", 0))
        assert end.status == 0, (case.name, end, self.stderr())
        self._limit_s = max(LEAST_LIMIT_S, MOST_TIMES_LONGER * (time.monotonic() - started))
        self._expected = self._results()
        assert self._expected
        self._reset()
        assert self._run(Fault("any", "EIO", 0)).status == 0
        assert not self._differences(), f"two undisturbed runs: {self._differences()}"
        self._completed: set[str] = set()

    def count(self, call: str, how: str) -> int:
        """Return the number of the command's calls of a kind."""
        self._reset()
        return self._run(Fault(call, how, 0)).calls

    def defects(self, fault: Fault) -> tuple[End, list[str], bool]:
        """Run the command under a fault, and again if it failed.

        The second run is left out where an earlier one completed from the same files.

        Returns
        -------
        End
            How the command ended.
        list of str
            What was wrong afterwards.
        bool
            Whether a library's limit explains how the command ended; see `LIMITS`.
        """
        self._reset()
        end = self._run(fault)
        is_limit = any(words in self.stderr() for words in LIMITS) or bool(ENDED_BY & end.crashed_in)
        found = [] if is_limit else list(self._defects_of_end(end, fault))
        found += [f"half a file: {name}" for name in self._half_files()]
        if end.status == 0:
            wrong = self._differences()
            if fault.call == "mmap" and wrong and not self._differences(compare_margins=False):
                return end, found, True
            if wrong == "missing: chart.svg" and UNDRAWN in self.stderr():
                return end, found, True
            if wrong:
                found.append(f"status 0, but {wrong}")
            return end, found, is_limit
        left = self._state()
        if left in self._completed:
            return end, found, is_limit
        again = self._run(Fault("none", "EIO", 0), *self.case.again)
        if again.status != 0:
            found.append(f"called again: status {again.status}: {self.stderr()!r}")
        elif wrong := self._differences():
            found.append(f"called again: {wrong}")
        else:
            self._completed.add(left)
        return end, found, is_limit

    def stderr(self) -> str:
        """Return the error output of the last run."""
        return (self._said / "err").read_text(errors="replace")

    def _reset(self) -> None:
        (self._said / ANSWER).unlink(missing_ok=True)
        shutil.rmtree(self._box, ignore_errors=True)
        shutil.copytree(self._fresh, self._box)
        (self._box / "temporary").mkdir()

    def _call(self, *more: str) -> Callable[[], object]:
        words = self.case.words
        return partial(_work, self._box) if words is None else command(*words, *more)

    def _run(self, fault: Fault, *more: str) -> End:
        limit_s = self._limit_s if fault.number else UNDISTURBED_S
        # Faults of memory and threads, which drawing asks for, meet commands that draw.
        draws = fault.call in {"mmap", "clone"}
        with nullcontext() if draws else drawing_once(self._drawn):
            return trace(as_process(self._box, self._said, self._call(*more)), self._box, fault, limit_s)

    def _state(self) -> str:
        """Return a hash of all files in the box, hidden ones too, with their names."""
        state = hashlib.sha256()
        for path in sorted(self._box.rglob("*")):
            name = path.relative_to(self._box).as_posix()
            content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "folder"
            state.update(f"{name}\0{content}\0".encode(errors="surrogateescape"))
        return state.hexdigest()

    def _defects_of_end(self, end: End, fault: Fault) -> Iterator[str]:
        said = self.stderr()
        if end.left:
            yield f"processes left after {self._limit_s:.0f} s: {len(end.left)}"
        elif end.status is None or end.status < 0:
            if fault.how != "kill" or end.status != -9:
                yield f"ended by signal {end.status}"
        elif end.status not in (0, 1, 2):
            yield f"status {end.status}"
        elif end.status and fault.how != "kill" and len(said.splitlines()) != 1:
            yield f"status {end.status} with {len(said.splitlines())} lines: {said[-600:]!r}"
        if "Traceback" in said or "Exception ignored" in said:
            yield f"a traceback: {said[-600:]!r}"

    def _half_files(self) -> Iterator[str]:
        """Yield files under a final name that are neither absent nor as they should be."""
        for name, content in self._files().items():
            expected = self._expected.get(name)
            if expected is not None and content != expected and not _is_of_other_runs(name):
                yield name

    def _differences(self, *, compare_margins: bool = True) -> str:
        found, expected = self._results(), self._expected
        if not compare_margins:
            found, expected = _without_margins(found), _without_margins(expected)
        missing = sorted(expected.keys() - found.keys())
        more = sorted(found.keys() - expected.keys())
        other = sorted(name for name in found.keys() & expected.keys() if found[name] != expected[name])
        return "; ".join(
            f"{what}: {', '.join(names)}"
            for what, names in (("missing", missing), ("too many", more), ("differ", other))
            if names
        )

    def _results(self) -> dict[str, Any]:
        return self._files() | _rows(self._box / "out") | _answer(self._said / ANSWER)

    def _files(self) -> dict[str, Any]:
        """Return the finished files: no hidden ones, none in folders for unfinished ones."""
        found = {}
        for path in sorted(self._box.rglob("*")):
            name = path.relative_to(self._box).as_posix()
            hidden = path.name.startswith(".") or name.startswith(("temporary/", "out/scratch/"))
            if (
                path.is_file()
                and not hidden
                and not path.name.startswith(("campaign.sqlite", "results.parquet"))
            ):
                found[OF_ONE_ATTEMPT.sub("", name)] = _content(path)
        return found


def _content(path: Path) -> Any:
    """Return the content of a file; of a run's own records without its command line, date and duration."""
    if "records" in path.parts:
        with suppress(ValueError, OSError):
            return _record(path.name, path.read_bytes())
    return path.read_bytes()


def _without_margins(files: dict[str, Any]) -> dict[str, Any]:
    """Return files and rows, the charts among them without their margins."""
    return {
        name: MARGINS.sub(b"", content) if name.endswith(".svg") else content
        for name, content in files.items()
    }


def _answer(path: Path) -> dict[str, Any]:
    """Return a worker's answer: the row, and its files of records as they are in a folder."""
    if not path.exists():
        return {}
    row = pickle.loads(path.read_bytes())
    files = {name: _record(name, content) for name, content in row.pop("files", {}).items()}
    return {"answer": row, **{f"answer's {name}": content for name, content in files.items()}}


def _record(name: str, content: bytes) -> Any:
    """Return a file of a run's records without what may vary."""
    if name == "result.json":
        return {name: value for name, value in json.loads(content).items() if name not in VOLATILE}
    return parquet.read_table(pa.BufferReader(content)).replace_schema_metadata(None).to_pydict()


def _is_of_other_runs(name: str) -> bool:
    """Whether a file shows all runs there are, so that it may differ before the campaign is complete."""
    return name.endswith(".svg")


def _rows(folder: Path) -> dict[str, Any]:
    """Return the rows of a campaign, and of its results file where there is one, without what may vary."""
    from tmt.campaign.database import holds_campaign, read_runs

    found = {}
    if holds_campaign(folder):
        found["rows"] = read_runs(folder).drop_columns(list(VOLATILE)).to_pylist()
    if (folder / "results.parquet").exists():
        found["results"] = (
            parquet.read_table(folder / "results.parquet").drop_columns(list(VOLATILE)).to_pylist()
        )
    return found


def _phy(folder: Path) -> None:
    from tmt.core.channels.gilbert_elliott import GilbertElliott
    from tmt.core.generate import Line
    from tmt.io.generation import generate

    line = Line.at_rate(2_000_000, 1500, 1_000_000)
    generate(
        folder / "phy.parquet", GilbertElliott(0.99, 0.5), line, duration_ns=10**10, seed=1, lldu_bytes=1500
    )


def _mahimahi(folder: Path) -> None:
    (folder / "phone.down").write_text("".join(f"{n * 7 // 3}\n" for n in range(1, 4000)))


def _scenario(folder: Path) -> None:
    _phy(folder)
    (folder / "s.toml").write_text(SCENARIO)


def _campaign(folder: Path) -> None:
    _scenario(folder)
    _in_fork(folder, "run", "s.toml", "--output", "out", "--quiet", "--plot", "chart.svg")


def _task(folder: Path) -> None:
    """Prepare what a worker gets: a run and the contents of its link traces."""
    from tmt.campaign.link_traces import Convert, facts_file, link_file, make_link_trace
    from tmt.campaign.plan import expand
    from tmt.campaign.tasks import Simulate
    from tmt.spec.scenario import Scenario

    _scenario(folder)
    (run,) = expand(Scenario.read(folder / "s.toml"))
    cache = folder / "out-cache"
    cache.mkdir()
    make_link_trace(Convert(run.recipe, cache, folder))
    contents = [
        (link_file(cache, made).read_bytes(), facts_file(cache, made).read_bytes()) for made in run.recipes
    ]
    task = Simulate(run, 1, cache, folder)
    (folder / "task").write_bytes(pickle.dumps((task, contents)))
    shutil.rmtree(cache)


def _work(folder: Path) -> None:
    """Do a run as a cluster's worker does, and write its answer; the engine shows an error as one line."""
    from tmt.campaign.cluster_worker import perform_away
    from tmt.cli.main import NO_THREAD
    from tmt.core.errors import TmtError

    task, contents = pickle.loads((folder.parent / "fresh" / "task").read_bytes())
    try:
        row, files = perform_away(task, contents)
    except (TmtError, OSError, MemoryError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and str(error) not in NO_THREAD:
            raise
        print((str(error).splitlines() or ["no memory"])[0], file=sys.stderr)
        raise SystemExit(1) from None
    if row["status"] != "done":
        print(row["status"], file=sys.stderr)
        raise SystemExit(1)
    answer = {name: value for name, value in row.items() if name not in VOLATILE} | {"files": files}
    (folder.parent / "said" / ANSWER).write_bytes(pickle.dumps(answer))


def _in_fork(folder: Path, *words: str) -> None:
    said = folder.parent
    end = trace(as_process(folder, said, command(*words)), folder, Fault("any", "EIO", 0), UNDISTURBED_S)
    assert end.status == 0, (said / "err").read_text()
    shutil.rmtree(folder / "temporary", ignore_errors=True)


CASES = (
    Case("convert", ("convert", "phy.parquet", "link.parquet", "--scheme", "arq", "--rtt", "0.1"), _phy),
    Case("convert-npy", ("convert", "phy.parquet", "link.npy", "--scheme", "arq", "--rtt", "0.1"), _phy),
    Case("import", ("import", "mahimahi", "phone.down", "phy.csv.gz"), _mahimahi),
    Case("pack", ("pack", "s.toml", "--results", "out", "--output", "s.pack.zip", "--records"), _campaign),
    Case("report", ("report", "out", "--no-figures"), _campaign),
    Case(
        "run",
        ("run", "s.toml", "--output", "out", "--jobs", "1", "--quiet", "--plot", "chart.svg"),
        _scenario,
        ("--retry-failed",),
    ),
    Case("worker", None, _task),
)
