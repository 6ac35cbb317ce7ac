"""Output on packs: what one holds, and whether its repetition has the same results."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tmt.campaign.pack_writer import PackSummary
    from tmt.results.pairing import Repetition

COLUMNS_SHOWN = 5


def packed_line(pack: Path, summary: PackSummary) -> str:
    """Return one line on a pack that was written."""
    missing = summary.runs - summary.done
    rest = f", {summary.failed} failed, {missing - summary.failed} missing" if missing else ""
    size = f"{summary.bytes / 1e6:.1f} MB" if summary.bytes >= 1e5 else f"{summary.bytes / 1e3:.1f} kB"
    return f"{pack}: results of {summary.done} of {summary.runs} runs{rest}; {summary.files} files, {size}"


def repetition_lines(found: Repetition) -> list[str]:
    """Return lines on how many results of a pack its repetition has, and what differs."""
    if found.is_equal:
        return [f"{found.pack}: all {found.packed} results are equal bit by bit"]
    lines = [
        f"{found.pack}: {found.equal} of {found.packed} results are equal bit by bit, {found.different} "
        f"differ, {found.missing} are missing here"
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
    return lines
