"""`tmt import` and `tmt export`: options, output and refusals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from in_process import Said, tmt

from tmt.core.trace import PhyTrace
from tmt.io import read_phy, read_trace, write_trace

if TYPE_CHECKING:
    from pathlib import Path


def run(folder: Path, *arguments: str) -> Said:
    return tmt(*arguments, folder=folder)


def test_import_and_export__go_there_and_back(tmp_path: Path) -> None:
    (tmp_path / "trace.up").write_text("0\n2\n2\n7\n")
    imported = run(tmp_path, "import", "mahimahi", "trace.up", "phy.parquet", "--decode-time", "0.001")
    assert (imported.status, imported.err) == (0, "")
    assert imported.out == "phy.parquet: 4 slots, 0 of them erased\n"
    for source, target in [("phy.parquet", "phy.txt.gz"), ("phy.txt.gz", "phy.npy"), ("phy.npy", "phy.csv")]:
        result = run(tmp_path, "export", source, target)
        assert (result.status, result.out, result.err) == (0, "", "")
    trace = read_phy(tmp_path / "phy.csv")
    np.testing.assert_array_equal(trace.tx_time_ns, read_phy(tmp_path / "phy.parquet").tx_time_ns)
    exported = run(tmp_path, "export", "phy.parquet", "again.up", "--for", "mahimahi")
    assert exported.out == "again.up: 4 opportunities for 1500 bytes\n"
    assert (tmp_path / "again.up").read_text() == "1\n3\n3\n8\n"


def test_export__keeps_how_the_trace_was_made(tmp_path: Path) -> None:
    metadata = {"kind": "phy", "format_version": 1, "seed": 7}
    write_trace(tmp_path / "a.parquet", PhyTrace(np.array([1]), np.array([1]), metadata))
    assert run(tmp_path, "export", "a.parquet", "b.parquet").status == 0
    assert read_trace(tmp_path / "b.parquet").metadata == metadata


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("export", "bad.txt", "out.npy"),
            "bad.txt:2: tx_time is 0 as in the row before; times must increase",
        ),
        (("export", "none.txt", "out.npy"), "none.txt: cannot be read: No such file or directory"),
        (
            ("export", "good.txt", "out.dat"),
            "out.dat: its ending tells no trace format; allowed are .parquet, ",
        ),
        (
            ("export", "good.txt", "out.npy", "--lldu-bytes", "5"),
            "--lldu-bytes has no meaning without --for",
        ),
        (
            ("export", "good.txt", "out", "--for", "mahimahi"),
            "--lldu-bytes is missing, and good.txt does not say",
        ),
        (("import", "mahimahi", "bad.txt", "out.npy"), "bad.txt:1: 0 1 is no whole number of milliseconds"),
        (
            ("import", "lte-harq", "bad.txt", "out.npy"),
            "bad.txt: there is no column called log_ms; the columns are 1, 2",
        ),
        (
            ("export", "good.txt", "./good.txt"),
            "./good.txt: this is good.txt itself, which would be overwritten",
        ),
        (
            ("export", "good.txt", "good.txt", "--for", "mahimahi", "--lldu-bytes", "1500"),
            "good.txt: this is good.txt itself, which would be overwritten",
        ),
        (("import", "mahimahi", "bad.txt", "./bad.txt"), "./bad.txt: this is bad.txt itself, which would be"),
        (("export", "good.txt", "none/out.npy"), "none/out.npy: cannot be written: there is no folder none"),
    ],
)
def test_commands__refuse_in_one_line_and_write_nothing(
    arguments: tuple[str, ...], message: str, tmp_path: Path
) -> None:
    (tmp_path / "bad.txt").write_text("0 1\n0 1\n")
    (tmp_path / "good.txt").write_text("0 1\n1 1\n")
    result = run(tmp_path, *arguments)
    assert result.status == 2
    assert result.err.startswith(message)
    assert len(result.err.splitlines()) == 1
    assert result.out == ""
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.txt", "good.txt"]
