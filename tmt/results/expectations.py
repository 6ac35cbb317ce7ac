"""Whether results keep the bounds of a scenario, as values and as JUnit XML for continuous integration."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import numpy as np

from tmt.core.words.values import counted
from tmt.results.measures import OF_PROGRAM, numbers_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tmt.results.cells import Cell
    from tmt.results.dataset import Results
    from tmt.spec.goals import Expect


@dataclass(frozen=True, slots=True)
class Verdict:
    """A cell's mean of a column, None where a run has no value, and whether it lies within the bounds."""

    column: str
    cell: str
    mean: float | None
    runs: int
    bounds: str
    is_kept: bool

    def __str__(self) -> str:
        value = "no value" if self.mean is None else f"{self.mean:.6g}"
        mean = f"{value} (mean of {counted(self.runs, 'run')})"
        return f"{self.column} of {self.cell}: {mean}; {self.bounds} is expected"


def verdicts(results: Results, expected: Sequence[Expect]) -> list[Verdict]:
    """Compare every cell of the grid with each bound; cells whose programs lack the measure are left out."""
    return [one for bound in expected for one in _of_bound(results, bound)]


def _of_bound(results: Results, bound: Expect) -> Iterator[Verdict]:
    runs, own = results.runs, f"{OF_PROGRAM}{bound.column}"
    column = own if own in runs else bound.column
    values = numbers_of(runs, column) if column in runs else np.full(len(runs), np.nan)
    for cell in results.cells.cells:
        if column == own and not _is_asked(results, cell, bound.column):
            continue
        found = values[cell.rows]
        found = found[np.isfinite(found)]
        mean = float(found.mean()) if len(found) == len(cell.rows) else None
        is_kept = mean is not None and bound.keeps(mean)
        yield Verdict(bound.column, _name(results, cell), mean, len(found), bound.bounds, is_kept)


def _is_asked(results: Results, cell: Cell, measure: str) -> bool:
    said = results.runs["measures"].iloc[cell.rows].dropna()
    return any(measure in json.loads(text) for text in said)


def _name(results: Results, cell: Cell) -> str:
    summary, runs = results.cells, results.runs
    is_named = "program" not in runs or any(axis.column == "program" for axis in summary.axes)
    program = None if is_named else runs["program"].iloc[cell.rows[0]]
    sender = program if isinstance(program, str) else summary.tcps[cell.tcp]
    name = f"{sender} over {summary.schemes[cell.scheme]}"
    return ", ".join(filter(None, [name, summary.point_label(cell.point)]))


def junit(results: Results, found: Sequence[Verdict]) -> str:
    """Return the verdicts and the runs that failed as JUnit XML."""
    counts = {
        "tests": len(found) + len(results.failures),
        "failures": sum(not one.is_kept for one in found),
        "errors": len(results.failures),
    }
    about = {"name": results.title} | {name: str(count) for name, count in counts.items()}
    suite = ElementTree.Element("testsuite", about)
    for one in found:
        case = ElementTree.SubElement(suite, "testcase", {"classname": one.column, "name": one.cell})
        if not one.is_kept:
            ElementTree.SubElement(case, "failure", {"message": str(one)})
    for failure in results.failures:
        case = ElementTree.SubElement(suite, "testcase", {"classname": "run", "name": failure.name})
        error = ElementTree.SubElement(case, "error", {"message": failure.reason})
        error.text = f"{failure.output}\n{failure.command}".strip()
    ElementTree.indent(suite)
    return f"{ElementTree.tostring(suite, encoding='unicode')}\n"
