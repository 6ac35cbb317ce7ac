"""The notebook of docs/python.md runs from its first cell to its last, and shows its objects as tables."""

from __future__ import annotations

import warnings
from pathlib import Path

import nbformat
import pytest

NOTEBOOKS = Path(__file__).resolve().parents[2] / "docs" / "notebooks"


@pytest.mark.ns2
@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebook__runs_as_it_stands(path: Path, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the libraries that talk to the kernel
        from nbclient import NotebookClient

        notebook = nbformat.read(path, as_version=4)
        resources = {"metadata": {"path": str(tmp_path)}}
        NotebookClient(notebook, timeout=300, kernel_name="python3", resources=resources).execute()
    shown = [
        output["data"].get("text/html", "")
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if output.output_type == "execute_result"
    ]
    captions = ("PHY trace", "link trace", "run of cubic", "Two variants, two schemes, goodput in ")
    for caption, tables in zip(captions, (2, 1, 1, 1), strict=True):
        assert sum(f'left">{caption}' in html for html in shown) == tables, caption
