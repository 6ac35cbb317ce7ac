"""Users who share a line as one result: what they get together, and how fair it is among them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from tmt.core.measure.transport import jain_index
from tmt.results.dataset import parameters

if TYPE_CHECKING:
    from tmt.results.dataset import Results

USER = "trace.user"
"""Column of the results: the user of a line whose slots a trace has, from 1."""

_SUMS = ("goodput_bps", "capacity_bps")


def users_of(results: Results) -> Results | None:
    """Return the lines whose users all have a finished run; None where no line has.

    Each row stands for the users of one line with one seed, TCP variant and scheme: goodput and capacity are
    sums, `fairness` is Jain's index of the users' goodputs, 1 with one user. Each user's TCP ran over its own
    slots, in a run of its own: what a scheduler gives to one user does not depend on the others' traffic.
    """
    axes = tuple(axis for axis in results.axes if axis.column not in (USER, "trace"))
    if all(axis.column != USER for axis in results.axes):
        return None
    runs, users = results.runs, parameters(results.runs, "trace")["users"]
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
