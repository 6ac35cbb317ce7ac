"""Sentences about the use of traces: where the runs started in them, and how often they repeated."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


def trace_uses(runs: pd.DataFrame) -> list[tuple[str, str]]:
    """Return each trace of finished runs and a sentence on its use; then the traces of return links."""
    found = []
    for direction, suffix in (("forward", ""), ("return", ", return link")):
        used = runs[runs[f"{direction}_offset_s"].notna()]
        for trace, members in used.groupby("trace", sort=False):
            starts, repeats = members[f"{direction}_offset_s"], members[f"{direction}_trace_repeats"]
            sentence = f"{_starts(starts)}; {_repeats(repeats)}"
            found.append((f"{trace}{suffix}", sentence))
    return found


def equal_seeds_warning(runs: pd.DataFrame) -> str | None:
    """Return a warning when runs of several seeds all equal each other: intervals over them mean nothing."""
    cells = runs.groupby([column for column in ("experiment", "trace") if column in runs])
    several = [cell for _, cell in cells if len(cell) > 1]
    if not several or any(len(cell[column].unique()) > 1 for cell in several for column in _OUTCOME):
        return None
    return (
        "All seeds gave the same results: nothing in these runs is drawn by the seed, so that intervals over "
        'seeds mean nothing. With offset = "drawn" in [[trace]] each seed starts elsewhere in the trace.'
    )


_OUTCOME = ("forward_offset_s", "goodput_bps", "segments_sent", "delay_median_s")
"""Columns that differ between runs unless nothing differs."""


def _starts(starts_s: pd.Series) -> str:
    least, most = starts_s.min(), starts_s.max()
    if most == 0:
        return "every run starts at the beginning"
    if least == most:
        return f"every run starts at {least:.6g} s"
    return f"runs start at {starts_s.nunique()} places from {least:.6g} to {most:.6g} s"


def _repeats(repeats: pd.Series) -> str:
    known = repeats.dropna()
    if not len(known) or not known.max():
        return "no run repeats it"
    least, most = int(known.min()), int(known.max())
    if most == 1:
        return f"it repeats {'once' if least else 'at most once'} in a run"
    return f"it repeats {most if least == most else f'{least} to {most}'} times in a run"
