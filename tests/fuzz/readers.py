"""Every reader of files, as a function of a path that reads all of it."""

import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tests.fuzz import rows
from tests.fuzz.rows import CORPUS
from tests.measured.excerpts import EXCERPTS
from tests.scenario_parts import HARQ_OVER_GEO
from tmt.core.errors import TmtError
from tmt.results.dataset import Results
from tmt.spec.toml import ScenarioError

ROOT = Path(__file__).resolve().parents[2]
CONTRACT = ROOT / "traces" / "contract"

SCENARIO = f"""seeds = 2
[[trace]]
channel = {{ name = "gilbert-elliott", alpha = 0.99, beta = 0.5 }}
rate = 1000000
length = 10
lldu_bytes = 1500
{HARQ_OVER_GEO}[[traffic]]
tcp = "newreno"
stack = "2009"
duration = 5
""".encode()


FEW_ROWS = 100_000
"""In place of `tmt.importers.probes.MAX_ROWS` and `MOST_LOST`: so many rows take a second and 2 GB."""

LONGEST_SEED_BYTES = 40_000
"""Longer inputs of the corpora are read, but not changed: one of them takes the time of a thousand others."""


def read(name: str, path: Path) -> str:
    """Read a file with the reader called `name`; return the refusal's line, empty for a good file.

    Raises
    ------
    Exception
        What no reader may raise, and AssertionError for a refusal of more than one line.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            READERS[name](path)
        except TmtError as refused:
            return one_line(refused)
    return ""


def one_line(refused: TmtError) -> str:
    """Return the text of a refusal, which has one line, or the first of those of a scenario's problems."""
    lines = str(refused).split("\n")
    allowed = len(refused.problems) if isinstance(refused, ScenarioError) else 1
    assert len(lines) == allowed, f"a refusal of several lines: {lines!r}"
    return lines[0]


def import_libraries() -> None:
    """Import what the readers import when they are first used."""
    import tmt.campaign.pack_reader
    import tmt.importers.importer
    import tmt.io
    import tmt.results.pairing  # noqa: F401


def read_in_one_thread() -> None:
    """Read traces without the thread that reads ahead: a start of it takes longer than a short trace."""
    from tmt.io import base

    base.ahead = iter


def _trace(path: Path) -> None:
    from tmt.io import open_trace

    with open_trace(path) as reader:
        for _ in reader:
            pass


def _metadata(path: Path) -> None:
    from tmt.io import open_trace

    trace = path.with_name("beside.npy")
    if not trace.exists():
        shutil.copyfile(CONTRACT / "link.npy", trace)
    shutil.copyfile(path, f"{trace}.json")
    with open_trace(trace):
        pass


def _scenario(path: Path) -> None:
    from tmt.spec.scenario import Scenario

    Scenario.read(path)


def _campaign(path: Path) -> None:
    """Read and check the rows of a campaign; see `_of_database_or_cells`."""
    from tmt.campaign.database import DATABASE, frame, read_runs
    from tmt.results.reading import check_rows

    def read_rows(folder: Path) -> None:
        check_rows(frame(read_runs(folder)), folder / DATABASE)

    _of_database_or_cells(path, read_rows)


def _results(path: Path) -> None:
    """Read a campaign as a report does; see `_of_database_or_cells`."""
    from tmt.results.reading import read_results

    _of_database_or_cells(path, read_results)


def _of_database_or_cells(path: Path, read_folder: Callable[[Path], object]) -> None:
    """Read a campaign whose database is the input, or whose runs have the input's cells."""
    folder = path.with_name("campaign")
    folder.mkdir(exist_ok=True)
    database = folder / "campaign.sqlite"
    content = path.read_bytes()

    def read_cells(cells: Sequence[rows.Cell]) -> None:
        database.write_bytes(rows.campaign_of(cells))
        read_folder(folder)

    if content.startswith(b"SQLite"):
        database.write_bytes(content)
        read_folder(folder)
    else:
        _each(read_cells, rows.cells(content))


def _each(read_cells: Callable[[Sequence[rows.Cell]], None], cells: Sequence[rows.Cell]) -> None:
    """Read cells at once, and again in halves where one is refused: a refused cell must not hide others.

    Raises
    ------
    TmtError
        The first refusal.
    """
    try:
        read_cells(cells)
    except TmtError as refused:
        one_line(refused)
        if len(cells) > 1:
            for half in (cells[: len(cells) // 2], cells[len(cells) // 2 :]):
                with suppress(TmtError):
                    _each(read_cells, half)
        raise


def _published(path: Path) -> None:
    from tmt.results.reading import read_published, unmatched_warnings

    results = _one_run()
    unmatched_warnings(read_published(path, results.axes, results.title), results.runs)


@cache
def _one_run() -> Results:
    from tmt.results.reading import read_results

    with tempfile.TemporaryDirectory() as folder:
        shutil.copyfile(CORPUS / "campaign" / "one-run.sqlite", Path(folder) / "campaign.sqlite")
        return read_results(Path(folder))


def _pack(path: Path) -> None:
    """Read a pack, or one whose `pack.json`, results or cells of the results are the input."""
    from tmt.campaign.pack_reader import is_pack, unpacked
    from tmt.results.pairing import packed_rows

    def read_pack(file: Path) -> None:
        with unpacked(file) as found:
            packed_rows(found, file)

    def read_pack_with(name: str, content: bytes) -> None:
        file = path.with_name("changed.zip")
        file.write_bytes(rows.pack_with(name, content))
        read_pack(file)

    content = path.read_bytes()
    if is_pack(path):
        read_pack(path)
    elif content.startswith(b"{"):
        read_pack_with("pack.json", content)
    elif content.startswith(b"PAR1"):
        read_pack_with("results.parquet", content)
    else:
        _each(lambda cells: read_pack_with("results.parquet", rows.results_of(cells)), rows.cells(content))


def _importer(name: str) -> Callable[[Path], None]:
    options_of_excerpts = [excerpt.options for excerpt in EXCERPTS.values() if excerpt.importer == name]
    choices: list[dict[str, Any]] = []
    for options in options_of_excerpts or [{}]:
        if options not in choices:
            choices.append(options)

    def read_measurement(path: Path) -> None:
        """Read a measurement with the options of each excerpt; raise if it is refused with all of them."""
        from tests.measured.imports import import_trace
        from tmt.importers import probes

        if path.read_bytes().startswith(b"PAR1"):  # the ending tells Parquet from text
            path = shutil.copyfile(path, path.with_suffix(".parquet"))
        refusals = []
        with patch.multiple(probes, MAX_ROWS=FEW_ROWS, MOST_LOST=FEW_ROWS):
            for options in choices:
                try:
                    import_trace(name, path, **options)
                except TmtError as refused:
                    one_line(refused)
                    refusals.append(refused)
        if len(refusals) == len(choices):
            raise refusals[0]

    return read_measurement


CAPTURES = ("pcap", "pcap-tcp", "radiotap")
IMPORTERS = (*dict.fromkeys(excerpt.importer for excerpt in EXCERPTS.values()), *CAPTURES)
"""Importers of text, and those of packet captures, whose known inputs are all in the corpus."""

READERS: dict[str, Callable[[Path], None]] = {
    **dict.fromkeys(("npy", "txt", "csv", "parquet"), _trace),
    "metadata": _metadata,
    "scenario": _scenario,
    "campaign": _campaign,
    "results": _results,
    "published": _published,
    "pack": _pack,
    **{name: _importer(name) for name in IMPORTERS},
}

ENDINGS = {name: f".{name}" for name in ("npy", "txt", "csv", "parquet")} | {"scenario": ".toml"}


def seeds(name: str) -> Iterator[bytes]:
    """Yield the known inputs of a reader: its corpus, the contract files, and excerpts of measurements."""
    for path in sorted((CORPUS / {"results": "campaign"}.get(name, name)).glob("*")):
        yield path.read_bytes()
    if name in {"npy", "txt", "csv", "parquet"}:
        for path in sorted(CONTRACT.glob(f"*.{name}")):
            yield path.read_bytes()
    for excerpt in EXCERPTS.values():
        if excerpt.importer == name:
            yield excerpt.text.encode()
    if name == "scenario":
        yield SCENARIO
        for path in sorted((ROOT / "scenarios").glob("*.toml")):
            yield path.read_bytes()
    if name == "pack":
        yield from rows.parts_of_the_pack()
