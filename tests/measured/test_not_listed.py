"""The page on logs that are not listed: each line of its tables runs, and gives what the page says."""

import re
import shlex
from pathlib import Path

import pytest
from in_process import tmt

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "import" / "not-listed.md").read_text(encoding="utf-8")
LINES = re.findall(r"^\| .* \| `(--time [^`]*)` \|(?: (.*?) ?\|)?$", PAGE, re.MULTILINE)
LINES += [(f"{time} --bad lost=1", "") for time in re.findall(r"\(`(--time [^`]*)`\)", PAGE)]
USUAL = "4 slots, 1 of them erased"


def test_page__has_twenty_kinds_of_columns() -> None:
    assert len(LINES) >= 20
    assert PAGE.count(f"the trace is the same: {USUAL}.") == 1


@pytest.mark.parametrize(("options", "trace"), LINES)
def test_page__says_what_a_line_makes(options: str, trace: str, tmp_path: Path) -> None:
    for name, text in re.findall(r"^```text (\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL):
        (tmp_path / name).write_text(text, encoding="utf-8")
    said = tmt("import", "table", "log.csv", "trace.parquet", *shlex.split(options), folder=tmp_path)
    assert said.status == 0, said.err
    assert said.out.splitlines()[0] == f"trace.parquet: {trace or USUAL}"
