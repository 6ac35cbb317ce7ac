"""Output of `tmt run`: forecast, results as tables or as JSON, failures."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from rich.text import Text

from tmt.campaign.columns import GOODPUT_COUNTS
from tmt.cli.lazy import imported_when_used
from tmt.cli.options import json_text
from tmt.cli.progress import duration_words, say
from tmt.cli.tables import print_parts
from tmt.io.atomic import write_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tmt.campaign.campaign import Campaign, Outlook
    from tmt.campaign.engine import Plan
    from tmt.results.cells import Cell, Summary
    from tmt.results.dataset import Failure, Results
    from tmt.results.expectations import Verdict
    from tmt.results.pairing import Repetition
    from tmt.spec.scenario import Scenario

with imported_when_used():
    from tmt.cli import run_tables
    from tmt.results import dataset, expectations

COLUMNS_SHOWN = 5
"""Number of differing columns that the last lines name after repeating a pack."""

FAILURES_SHOWN = 3
"""Number of failed runs that are described after the table; the results hold all of them."""


def forecast(found: Outlook, folder: Path, jobs: int, *, as_json: bool) -> str:
    """Return the number of runs to execute and an estimate of their duration."""
    if as_json:
        counts = {key: value for key, value in asdict(found).items() if key not in {"title", "known"}}
        return json_text(counts | {"seconds": round(found.seconds, 1), "jobs": jobs, "folder": str(folder)})
    basis = f"going by {found.known} finished runs" if found.known else "a guess: no run has finished yet"
    return (
        f"{found.title}\n"
        f"{found.runs} runs: {found.done} done, {found.failed} failed, "
        f"{found.to_run} to execute; {found.to_convert} link traces to make\n"
        f"about {duration_words(found.seconds)} with {jobs} at a time ({basis})\n"
        f"results in {folder}"
    )


@dataclass(frozen=True, slots=True)
class Finished:
    """A campaign at the end of `tmt run`, its comparison with its bounds and, for a pack, with the pack."""

    campaign: Campaign
    after: Plan
    results: Results
    figures: list[Path]
    repeated: Repetition | None
    verdicts: list[Verdict]

    @property
    def missed(self) -> list[Verdict]:
        """The results outside the bounds of the scenario."""
        return [one for one in self.verdicts if not one.is_kept]

    @property
    def is_good(self) -> bool:
        """Whether no run has failed, and the results are within the bounds and equal to those of the pack."""
        return not (self.after.failed or self.missed) and (self.repeated is None or self.repeated.is_equal)


def judged(results: Results, scenario: Scenario, junit_file: Path | None) -> list[Verdict]:
    """Compare the results with the scenario's bounds; write them as JUnit XML if there is a file for it."""
    found = expectations.verdicts(results, scenario.expect) if len(results.runs) else []
    if junit_file is not None:
        write_text(junit_file, expectations.junit(results, found))
    return found


def print_summary(done: Finished) -> None:
    """Print the table of goodputs, its explanation, the failed runs and the paths of the results."""
    after, summary = done.after, done.results.cells
    print_parts(Text(f"{done.campaign.title}\n", style="bold"))
    print_parts(*run_tables.goodput_tables(summary))
    if summary.cells:
        seeds = sorted({len(cell.rows) for cell in summary.cells})
        spread = str(seeds[0]) if len(seeds) == 1 else f"{seeds[0]} to {seeds[-1]}"
        of_seeds = "one seed" if seeds == [1] else f"mean and 95 % t interval over {spread} seeds"
        star = "* best of its row, or not significantly worse (paired t tests, Holm's correction, 5 %).\n"
        print_parts(
            f"Goodput in kbit/s of {GOODPUT_COUNTS}; {of_seeds}.\n"
            f"{star if len(summary.tcps) > 1 else ''}"
            "Capacity: mean rate of full packets back to back over the whole trace; a run sees a part of it.",
            *(f"Trace {trace}: {use}." for trace, use in dataset.trace_uses(done.results.runs)),
            "",
        )
    print_parts(*run_tables.measure_tables(summary))
    for members, heading, columns, said in run_tables.OF_MEMBERS:
        if (found := getattr(done.results, members)) is not None:
            print_parts(*run_tables.member_tables(found.cells, heading, columns), said, "")
    print_parts(
        f"{after.done} runs done, {after.failed} failed, {len(after.runs) - after.done - after.failed} open"
    )
    if after.failed:
        _describe_failures(done.results.failures)
    for one in done.missed:
        say(f"not as expected: {one}")
    if done.verdicts and not done.missed:
        say(f"all {len(done.verdicts)} results are as expected")
    say(f"results: {done.campaign.store.results_file}")
    for path in done.figures:
        say(f"figure:  {path}")
    for line in _repetition_lines(done):
        say(line)


def as_json(done: Finished) -> str:
    """Return the summary as JSON."""
    content = {
        "title": done.campaign.title,
        "runs": len(done.after.runs),
        "done": done.after.done,
        "failed": done.after.failed,
        "results": str(done.campaign.store.results_file),
        "figures": [str(path) for path in done.figures],
        "goodput_counts": GOODPUT_COUNTS,
        "traces": dict(dataset.trace_uses(done.results.runs)),
        "groups": _groups(done.results.cells),
        **({"expectations": [asdict(one) for one in done.verdicts]} if done.verdicts else {}),
        **({} if done.repeated is None else {"repetition": asdict(done.repeated)}),
    }
    return json_text(content)


def _groups(summary: Summary) -> list[dict[str, Any]]:
    """Return the goodput of the TCP variants, one record for each point of the grid and scheme."""
    goodput, factor = run_tables.GOODPUT, run_tables.kbps(summary)
    members: dict[tuple[int, int], list[Cell]] = {}
    for cell in summary.cells:
        if goodput in cell.intervals:
            members.setdefault((cell.point, cell.scheme), []).append(cell)
    return [
        {
            "point": summary.levels(point),
            "scheme": summary.schemes[scheme],
            "capacity_kbps": cells[0].capacity_bps / 1000,
            "cells": [
                {
                    "tcp": summary.tcps[cell.tcp],
                    "goodput_kbps": asdict(cell.intervals[goodput].scaled(factor)),
                    "values_kbps": [value * factor for value in cell.single[goodput]],
                    "letters": cell.letters.get(goodput, {}).get("tcp", "a"),
                    "among_best": cell.among_best.get(goodput, True),
                }
                for cell in cells
            ],
        }
        for (point, scheme), cells in sorted(members.items())
    ]


def part(campaign: Campaign, after: Plan, *, as_json: bool) -> str:
    """Return the counts of a part that has ended."""
    if as_json:
        counts = {"runs": len(after.runs), "done": after.done, "failed": after.failed}
        return json_text({"title": campaign.title, **counts, "results": str(campaign.store.results_file)})
    return (
        f"{campaign.title}: {after.done} of {len(after.runs)} runs done, {after.failed} failed; "
        f"results in {campaign.store.folder}"
    )


def complaints(done: Finished) -> list[str]:
    """Return lines on how many runs have failed, and which results differ from those of a pack."""
    found = []
    if done.after.failed:
        first = done.results.failures[0]
        said, _, _ = first.output.partition("\n")
        found.append(
            f"{done.after.failed} of {len(done.after.runs)} runs failed (see the column `message` of "
            f"{done.campaign.store.results_file}; --retry-failed executes them again), "
            f"the first: {first.reason}: {first.name}: {said}"
        )
    found += [f"not as expected: {one}" for one in done.missed]
    is_equal = done.repeated is None or done.repeated.is_equal
    return found if is_equal else found + _repetition_lines(done)


def _describe_failures(failures: Sequence[Failure]) -> None:
    for failure in failures[:FAILURES_SHOWN]:
        said = failure.output.replace("\n", "\n    ")
        say(f"{failure.reason}: {failure.name}: {said}")
        if failure.command:
            say(f"  command: {failure.command}")
    if len(failures) > FAILURES_SHOWN:
        say(f"and {len(failures) - FAILURES_SHOWN} more: see `message` in the results")
    say("call again with --retry-failed to execute them again")


def _repetition_lines(done: Finished) -> list[str]:
    if (found := done.repeated) is None:
        return []
    absent = len(done.after.runs) - found.packed
    without = f"; it has no result of {absent} of {len(done.after.runs)} runs" if absent else ""
    if found.is_equal:
        return [f"{found.pack}: all {found.packed} results are equal bit by bit{without}"]
    lines = [
        f"{found.pack}: {found.equal} of {found.packed} results are equal bit by bit, {found.different} "
        f"differ, {found.missing} are missing here{without}"
    ]
    if found.columns:
        most = sorted(found.columns, key=lambda name: -found.columns[name])
        told = ", ".join(f"{name} ({found.columns[name]})" for name in most[:COLUMNS_SHOWN])
        more = f" and {len(most) - COLUMNS_SHOWN} more columns" if len(most) > COLUMNS_SHOWN else ""
        lines.append(f"columns that differ, with the number of results: {told}{more}")
    lines += [
        f"made by another {column}: {there[:16]} in the pack, {here[:16]} here"
        for column, there, here in found.programs
    ]
    if found.different:
        lines.append(f"how much they differ: tmt compare {found.pack} {done.campaign.store.folder}")
    return lines
