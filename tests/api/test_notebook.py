"""The notebooks of docs run from their first cell to their last, and show their objects as tables."""

import os
import warnings
from pathlib import Path

import nbformat
import pytest
from waiting import PATIENCE_S

from tmt.api.notebook import bar_of, progress_shown
from tmt.campaign.engine import Progress

SHOWN = {
    "data-frame-to-results": {
        "PHY trace": 2,
        "link trace": 1,
        "run of cubic": 1,
        "Two variants, two schemes, goodput in ": 1,
    },
    "scheme-design": {"PHY trace": 1, "link trace": 1, "Five designs under CUBIC, goodput in ": 1},
    "campaign-analysis": {
        "Random losses, stack modern, probability 0.0": 2,
        "modern minus 2009, goodput in ": 1,
    },
}
"""Captions of the tables of each notebook, and how many there are."""

NOTEBOOKS = Path(__file__).resolve().parents[2] / "docs" / "notebooks"

RUN = sorted(SHOWN) if os.environ.get("TMT_CODE_BLOCKS") == "all" else ["data-frame-to-results"]
"""`make test-blocks` runs all."""


def test_progress_bar__counts_runs_and_is_for_notebooks_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert bar_of(Progress(total=12, done=3, failed=1)) == (
        '<progress value="4" max="12"></progress> 4 of 12 runs, 1 failed'
    )
    with progress_shown() as watch:
        watch(Progress(total=12))
    assert capsys.readouterr() == ("", "")


@pytest.mark.ns2
@pytest.mark.parametrize("name", RUN)
def test_notebook__runs_as_it_stands(name: str, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the libraries that talk to the kernel
        from nbclient import NotebookClient

        notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
        resources = {"metadata": {"path": str(tmp_path)}}
        NotebookClient(notebook, timeout=PATIENCE_S, kernel_name="python3", resources=resources).execute()
    shown = [
        output["data"].get("text/html", "")
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if output.output_type == "execute_result"
    ]
    source = "".join(cell.source for cell in notebook.cells)
    vanished = [
        output
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if output.output_type == "display_data" and output["data"].get("text/html") == ""
    ]
    assert len(vanished) == source.count("run_scenario("), "progress bars"
    for caption, tables in SHOWN[name].items():
        assert sum(html.count(f'left">{caption}') for html in shown) == tables, caption
