"""The runs of a campaign as labelled arrays of xarray: one dimension for each varied setting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tmt.core.errors import UsageError
from tmt.results.cells import grid_of
from tmt.results.measures import numbers_of
from tmt.results.values import COLUMNS

if TYPE_CHECKING:
    import xarray

    from tmt.results.dataset import Results


def arrays_of(results: Results) -> xarray.Dataset:
    """Return the measured columns of the runs as arrays; see `Results.to_xarray`."""
    try:
        import xarray as xr  # noqa: PLC0415  (an extra)
    except ImportError:
        raise UsageError('xarray is not installed: pip install "tmt-clift[xarray]"') from None
    runs, axes = results.runs, results.axes
    grid, _ = grid_of(runs, axes)
    seeds, seed_of = np.unique(runs["seed"].to_numpy(), return_inverse=True)
    keys = np.array(grid.keys, dtype=np.intp).reshape(-1, 3)
    points = np.array(grid.points, dtype=np.intp).reshape(len(grid.points), len(axes))
    place = (keys[:, 0], keys[:, 1], *points[keys[:, 2]].T, seed_of)
    if len(set(zip(*place, strict=True))) < len(runs):
        raise UsageError("two runs of one seed differ in a setting that is no axis of the campaign")
    levels = {"tcp": grid.tcps, "scheme": grid.schemes}
    sizes = (*map(len, levels.values()), *(len(axis.levels) for axis in axes), len(seeds))
    found = xr.Dataset(coords=levels | {axis.column: _level_array(axis.levels) for axis in axes})
    found = found.assign_coords(seed=seeds)
    for axis in axes:
        found[axis.column].attrs = _said(long_name=axis.label, units=axis.unit)
    for name, column in COLUMNS.items():
        if column.kind not in {"integer", "number"} or column.group in {"scenario", "provenance"}:
            continue
        if name not in runs or runs[name].isna().all():
            continue
        values = np.full(sizes, np.nan)
        values[place] = numbers_of(runs, name)
        about = _said(units=column.unit, long_name=column.meaning, counts=column.counts)
        found[name] = (tuple(found.coords), values, about)
    return found.assign_attrs(title=results.title)


def _level_array(levels: tuple[Any, ...]) -> np.ndarray[Any, Any]:
    """Return levels as an array: of numbers, of texts, or else of objects, which keeps None."""
    if all(isinstance(level, int | float) for level in levels):
        return np.array(levels)
    found = np.empty(len(levels), dtype=object)
    found[:] = levels
    return found


def _said(**attributes: str) -> dict[str, str]:
    return {name: text for name, text in attributes.items() if text}
