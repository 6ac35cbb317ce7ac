"""Groups of flows, and users who share a link, as results of their own.

Each group of a run has a row, and so have the flows that ran alone; the users of a link share one row.
"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from tmt.core.measure.transport import jain_index
from tmt.results.dataset import level_order, parameters
from tmt.results.values import Axis

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tmt.results.cells import Summary
    from tmt.results.dataset import Results
    from tmt.results.measures import Measure

ALONE = "alone"
"""Level of the axis `beside` of flows that have the path to themselves."""

BRIEF = ("share", "goodput_bps", "harm", "delay_p95_s")
"""Measures of groups of flows that fit in a line of the terminal."""

MEASURES = (*BRIEF, "harm_delay", "retransmission_ratio", "convergence_s")
"""Measures of groups of flows on a page."""

USER = "trace.user"
"""Column of the results: the user of a link whose slots a trace has, from 1."""

_SUMS = ("goodput_bps", "capacity_bps")
"""Columns of all users of a link together."""

LIKE = ("tcp", "count", "direction", "rtt_s", "transfer_bytes")
"""Settings of a group that its flows also have when they run alone, except start and end."""


def harm(alone: float, beside: float, *, more_is_better: bool = True) -> float:
    """Return the harm that rivals do to a measure: 0 none, 1 all of it; below 0 they help.

    It is the difference divided by the greater value: the value alone if `more_is_better` (goodput),
    otherwise the value beside the rivals (delay). NaN where the divisor is 0. Ware, Mukerjee, Seshan and
    Sherry, Beyond Jain's Fairness Index, HotNets 2019.
    """
    whole, left = (alone, beside) if more_is_better else (beside, alone)
    return (whole - left) / whole if whole else math.nan


def groups_of(results: Results) -> Results | None:
    """Return the groups of a campaign's runs as results; None without groups.

    In each row `tcp` is the group's name, and further columns are its figures; the axis `beside` names the
    other groups. Flows that ran alone are included, beside ALONE. `harm` and `harm_delay` compare goodput and
    95th percentile of the delay with those of the same flows alone, with the same seed, trace and scheme.
    """
    if "groups" not in results.runs or results.runs["groups"].isna().all():
        return None
    # A group's own value of such a column is part of its name.
    axes = [axis.column for axis in results.axes]
    rows = [
        row | {column: run[column] for column in axes}
        for run in results.runs.to_dict("records")
        for row in _rows(run)
    ]
    if all(row["beside"] == ALONE for row in rows):
        return None
    keys = ("trace", "scheme", "seed", *axes)
    place = [tuple(None if _is_missing(row[key]) else row[key] for key in keys) for row in rows]
    alone = {(at, row["like"]): row for at, row in zip(place, rows, strict=True) if row["beside"] == ALONE}
    for at, row in zip(place, rows, strict=True):
        base = alone.get((at, row["like"])) if row["beside"] != ALONE else None
        row["harm"] = _harm(base, row, "goodput_bps")
        row["harm_delay"] = _harm(base, row, "delay_p95_s", more_is_better=False)
    levels = tuple(sorted({row["beside"] for row in rows}, key=lambda one: (one != ALONE, level_order(one))))
    axis = Axis("beside", "beside", "", levels)
    runs = pd.DataFrame(rows).drop(columns="like")
    return replace(results, runs=runs, axes=(*results.axes, axis), older=None, records=(), published=())


def shown_measures(groups: Summary, names: Sequence[str] = MEASURES) -> list[Measure]:
    """Return those measures of groups of flows that have values."""
    return [one for name in names for one in groups.measures if one.column == name]


def _rows(run: dict[Any, Any]) -> list[dict[str, Any]]:
    """Return a row for each group of a run; for flows of one variant, one row."""
    if _is_missing(run.get("groups")):
        own = (run["tcp"], run["flows"], "forward", None, _known(run["transfer_bytes"]))
        name = run["tcp"] if run["flows"] == 1 else f"{run['flows']} {run['tcp']}"
        return [run | {"tcp": name, "beside": ALONE, "share": None, "like": own}]
    groups = json.loads(run["groups"])
    found = []
    for one in groups:
        others = " + ".join(other["group"] for other in groups if other is not one)
        like = tuple(_known(one[key]) for key in LIKE)
        found.append(run | one | {"tcp": one["group"], "beside": others or ALONE, "like": like})
    return found


def _harm(base: dict[str, Any] | None, row: dict[str, Any], column: str, **how: bool) -> float | None:
    if base is None or _is_missing(base[column]) or _is_missing(row[column]):
        return None
    found = harm(base[column], row[column], **how)
    return None if math.isnan(found) else found


def _known(value: Any) -> Any:
    return None if _is_missing(value) else value


def _is_missing(value: Any) -> bool:
    return value is None or bool(pd.isna(value))


def users_of(results: Results) -> Results | None:
    """Return the links whose users all have a finished run; None without one.

    Each row combines the users of one link with one seed, TCP variant and scheme: goodput and capacity are
    sums, `fairness` is Jain's index of the users' goodputs, 1 with one user. Each user's TCP ran over its own
    slots, in a separate run: these slots do not depend on the others' traffic. Runs of all users at once are
    left out; their groups are the users.
    """
    axes = tuple(axis for axis in results.axes if axis.column not in (USER, "trace"))
    if all(axis.column != USER for axis in results.axes):
        return None
    runs, users = results.runs, parameters(results.runs, "trace")["users"]
    runs, users = runs[runs[USER] != "all"], users[runs[USER] != "all"]
    keys = ["tcp", "scheme", "seed", *(axis.column for axis in axes)]
    rows = []
    for _, own in runs.assign(users=users).groupby(keys, sort=False, dropna=False):
        if len(own) != own["users"].iloc[0] or own[USER].nunique() != len(own):
            continue
        goodputs = own["goodput_bps"].to_numpy(np.float64)
        kept = {key: own[key].iloc[0] for key in (*keys, "scheme_name")}
        sums = {name: own[name].sum(min_count=len(own)) for name in _SUMS}
        rows.append(dict.fromkeys(runs.columns) | kept | sums | {"fairness": jain_index(goodputs)})
    if not rows:
        return None
    return replace(
        results, runs=pd.DataFrame(rows), axes=axes, older=None, records=(), published=(), failures=()
    )
