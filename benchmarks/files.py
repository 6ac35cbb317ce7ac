"""`tmt convert` from Parquet to Parquet: against a bare read and write, its first call, its memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np
import pyarrow.parquet as pq

from benchmarks.timing import marked, paired_medians
from tmt.core.schema import PHY_TRACE
from tmt.core.schemes.arq import Arq
from tmt.core.schemes.fec import Fec
from tmt.core.schemes.harq import Harq
from tmt.core.schemes.none import NoScheme
from tmt.core.schemes.scheme import Scheme
from tmt.core.trace import PhyTrace
from tmt.io import create_trace
from tmt.io.conversion import convert_file
from tmt.io.parquet import READ_SETTINGS, WRITE_SETTINGS
from tools.page_tables import markdown_table

LONG_SLOTS = 100_000_000
FILE_TARGET = 1.25
"""Upper bound on the time of a conversion / that of a bare read and write."""
RTT_S = 0.5
SCHEMES: tuple[Scheme, ...] = (NoScheme(), Fec(10, 2), Arq(), Harq(10, 2))
TMT = Path(sys.executable).with_name("tmt")
BARE_COPY = Path(__file__).with_name("bare_copy.py")
AS_USERS = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""Surroundings of a command: Python keeps its byte code."""


def write_phy(path: Path, n_slots: int, erased: float = 0.01) -> None:
    """Write a PHY trace of a regular line with independent erasures."""
    rng = np.random.default_rng(2014)
    with create_trace(path, PHY_TRACE, {}) as writer:
        for first in range(0, n_slots, 1 << 18):
            tx = np.arange(first, min(first + (1 << 18), n_slots), dtype=np.int64) * 1_004_000
            writer.write(PhyTrace(tx, np.where(rng.random(len(tx)) < erased, 0, 36_000_000)))


def file_table(n_slots: int = 10_000_000, repeats: int = 3) -> str:
    """Return the table of conversions from Parquet to Parquet, a row for each scheme.

    The reference reads the two columns of the PHY trace and writes the four columns of the link trace that
    the conversion gave, with pyarrow and the same settings; reading the latter beforehand is not counted.
    """
    with TemporaryDirectory() as folder:
        phy, link, copy = (Path(folder, name) for name in ("phy.parquet", "link.parquet", "copy.parquet"))
        write_phy(phy, n_slots)
        rows = []
        for scheme in SCHEMES:
            convert_file(phy, link, scheme, RTT_S)
            with pq.ParquetFile(link) as held:
                schema = held.schema_arrow
                groups = [held.read_row_group(group) for group in range(held.num_row_groups)]

            def bare(groups: list[object] = groups, schema: object = schema) -> None:
                with pq.ParquetFile(phy, **READ_SETTINGS) as source:
                    for group in range(source.num_row_groups):
                        source.read_row_group(group)
                with pq.ParquetWriter(copy, schema, **WRITE_SETTINGS) as writer:
                    for group in groups:
                        writer.write_table(group)

            bare_s, convert_s = paired_medians(
                bare, lambda scheme=scheme: convert_file(phy, link, scheme, RTT_S), repeats
            )
            ratio = convert_s / bare_s
            shown = marked(f"{ratio:.2f}", ratio <= FILE_TARGET, FILE_TARGET)
            rows.append([scheme.label, shown, f"{n_slots / convert_s / 1e6:.1f} M/s"])
        return markdown_table(["scheme", "time / bare read and write", "slots per second"], rows)


def measure_first_call(n_slots: int = 50_000, repeats: int = 5) -> float:
    """Return how many seconds `tmt convert` takes on a small trace, as users start it, with a warm cache.

    The first run, which does not count, leaves Python's byte code and the kernels' machine code behind.
    """
    with TemporaryDirectory() as folder:
        write_phy(Path(folder, "phy.parquet"), n_slots)
        times = []
        for repeat in range(repeats + 1):
            start = perf_counter()
            subprocess.run(
                [TMT, "convert", "phy.parquet", "link.npy", "--scheme", "arq", "--rtt", "0.5"],
                cwd=folder,
                check=True,
                capture_output=True,
                env=AS_USERS,
            )
            if repeat:
                times.append(perf_counter() - start)
        return median(times)


def long_figures(n_slots: int = LONG_SLOTS, repeats: int = 5) -> dict[str, str]:
    """Measure `tmt convert` on a trace of many slots, under ARQ, against a bare read and write in turn.

    Return its time / theirs, and its peak of resident memory, as the page has them.

    Both are programs that start anew each time. The reference is that of `file_table`, a row group at a
    time.
    """
    # Not the maximum of getrusage: it includes the memory of the calling process.
    script = (
        "from tmt.cli.main import main\n"
        "try: main()\n"
        "except SystemExit: print(next(line for line in open('/proc/self/status') if 'VmHWM' in line))"
    )
    convert = ["-c", script, "convert", "phy.parquet", "link.parquet", "--scheme", "arq", "--rtt", "0.5"]
    settings = json.dumps([READ_SETTINGS, WRITE_SETTINGS])
    bare = [str(BARE_COPY), "phy.parquet", "link.parquet", "copy.parquet", settings]
    ratios, peaks_mib = [], []
    with TemporaryDirectory() as folder:
        write_phy(Path(folder, "phy.parquet"), n_slots)
        for _ in range(repeats):
            convert_s, said = _python(convert, folder)
            peaks_mib.append(int(said.split()[-2]) / 1024)
            bare_s, uncounted_s = _python(bare, folder)
            ratios.append(convert_s / (bare_s - float(uncounted_s)))
    ratio, peak_mib = median(ratios), max(peaks_mib)
    return {
        "long_slots": f"{n_slots:,}",
        "long_ratio": marked(f"{ratio:.2f}", ratio <= FILE_TARGET),
        "peak_mib": marked(f"{peak_mib:.0f} MiB", peak_mib <= 300),
    }


def _python(arguments: list[str], folder: str) -> tuple[float, str]:
    """Return how many seconds a program of Python takes, and what it prints."""
    start = perf_counter()
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, check=True, capture_output=True, text=True, env=AS_USERS
    )
    return perf_counter() - start, done.stdout
