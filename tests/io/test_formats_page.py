"""The page on formats is current and its examples are correct; `tmt import` and `tmt export`."""

import importlib
import re
from pathlib import Path

import numpy as np
import pytest
from in_process import Said, tmt

from tmt.core.trace import PhyTrace
from tmt.io import endings, read_phy, read_trace, write_trace

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "formats.md").read_text(encoding="utf-8")


def test_page__is_what_its_maker_makes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(DOCS.with_name("tools"))
    made = importlib.import_module("page_tables").filled(
        PAGE, importlib.import_module("format_tables").tables()
    )
    assert made == PAGE, "run `python tools/format_tables.py`"


@pytest.mark.parametrize("name", endings())
def test_page__tells_every_format(name: str) -> None:
    assert name in PAGE


@pytest.mark.parametrize(
    ("name", "kind", "rows", "erased_or_unsettled"),
    [
        ("phy.txt", "phy", 3, 1),
        ("link.txt", "link", 3, 1),
        ("link.csv", "link", 3, 1),
        ("phy.csv", "phy", 2, 1),
    ],
)
def test_page__shows_files_that_can_be_read(
    name: str, kind: str, rows: int, erased_or_unsettled: int, tmp_path: Path
) -> None:
    (example,) = re.findall(rf"```text {re.escape(name)}\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / name).write_text(example)
    trace = read_trace(tmp_path / name)
    assert trace.table.kind == kind
    assert len(trace) == rows
    open_delay = trace.decode_time_ns == 0 if kind == "phy" else trace.delay_ns == -1
    assert open_delay.sum() == erased_or_unsettled


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
    assert (tmp_path / "again.up").read_text() == "1\n3\n3\n7\n"


def test_export__keeps_how_the_trace_was_made(tmp_path: Path) -> None:
    metadata = {"kind": "phy", "format_version": 1, "seed": 7}
    write_trace(tmp_path / "a.parquet", PhyTrace(np.array([1]), np.array([1]), metadata))
    assert run(tmp_path, "export", "a.parquet", "b.parquet").status == 0
    assert read_trace(tmp_path / "b.parquet").metadata == metadata
