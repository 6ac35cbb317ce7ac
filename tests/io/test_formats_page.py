"""The page on formats is current, names every format, and has correct examples."""

import importlib
import re
from pathlib import Path

import pytest

from tmt.io import endings, read_trace

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
