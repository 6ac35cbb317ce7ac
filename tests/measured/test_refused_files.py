"""Bad measurements are refused with file, line and reason, which refusals.txt has whole."""

from pathlib import Path

import pytest
from answers import blocks

from tests.measured.imports import read
from tmt.core.errors import TmtError

CASES = blocks(Path(__file__).with_name("refusals.txt"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]} {case[-1]}")
def test_measurement__is_refused_with_line_and_reason(case: list[str], tmp_path: Path) -> None:
    importer, *lines, answer = case
    end = "" if lines and lines[-1].startswith("\\") else "\n"
    text = "\n".join(line.removeprefix("|").removeprefix(" ") for line in lines if line.startswith("|"))
    file = tmp_path / "file.txt"
    file.write_text(text + end if lines else "")
    with pytest.raises(TmtError) as refused:
        read(importer, file)
    assert str(refused.value) == answer.replace("FILE", str(file), 1)
