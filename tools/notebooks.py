"""Executes the notebooks of docs/notebooks and keeps what they show, which the site prints."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nbformat
from nbclient import NotebookClient

NOTEBOOKS = Path(__file__).resolve().parents[1] / "docs" / "notebooks"


def execute(path: Path) -> Any:
    """Run a notebook in an empty folder, and return it with its outputs."""
    notebook = nbformat.read(path, as_version=4)
    with TemporaryDirectory(prefix="tmt-notebook-") as folder:
        resources = {"metadata": {"path": folder}}
        NotebookClient(notebook, timeout=300, kernel_name="python3", resources=resources).execute()
    return notebook


def cleaned(notebook: Any) -> Any:
    """Return a notebook without times, without empty outputs, and with one form of each output."""
    for cell in notebook.cells:
        cell.metadata = {}
        if cell.cell_type != "code":
            continue
        kept = []
        for output in cell.outputs:
            forms = output.get("data", {})
            if any(form in forms for form in ("text/html", "image/png")):
                forms.pop("text/plain", None)
            if output.output_type in {"display_data", "execute_result"}:
                output.metadata = {}
            if output.output_type == "stream" or any(forms.values()):
                kept.append(output)
        cell.outputs = kept
    return notebook


if __name__ == "__main__":
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        if not sys.argv[1:] or path.stem in sys.argv[1:]:
            nbformat.write(cleaned(execute(path)), path)
