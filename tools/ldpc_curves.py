"""From simulated code words to a table of modes: count errors around the threshold, fit curves to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pandas as pd
from scipy.optimize import minimize
from scipy.stats import norm

ROOT = Path(__file__).resolve().parents[1]
MODES = ROOT / "traces" / "modes"


class Link(Protocol):
    """One mode over white noise: code, constellation, decoder."""

    def errors(self, es_n0_db: float, blocks: int) -> int:
        """Return how many of some random blocks are decoded wrongly."""
        ...


def assumed(name: str) -> pd.DataFrame:
    """Return a table that comes along."""
    return pd.read_csv(ROOT / "tmt" / "core" / "modes" / "tables" / f"{name}.csv", comment="#")


def simulate(name: str, links: Callable[[int, Any], Link], step_db: float, blocks: int) -> None:
    """Count the errors of modes that have no counts yet; `links` makes the link of a number and a row."""
    path, modes = MODES / f"{name}-ldpc-counts.csv", assumed(name)
    counts = pd.read_csv(path) if path.exists() else pd.DataFrame({"name": []})
    order = pd.Index(modes["name"]).get_indexer
    for number, mode in enumerate(modes.itertuples()):
        if mode.name not in set(counts["name"]):
            points = pd.DataFrame(count(mode.name, links(number, mode), mode.es_n0_db, step_db, blocks))
            counts = pd.concat([counts, points])
            counts.sort_values("name", key=order, kind="stable").to_csv(
                path, index=False, lineterminator="\n"
            )
            print(f"{mode.name}: {len(points)} points", flush=True)


def count(name: str, link: Link, assumed_db: float, step_db: float, blocks: int) -> list[dict[str, Any]]:
    """Count errors at points from where at least half of the blocks are lost up to where none is."""
    found = dict[float, int]()
    es_n0_db, few = assumed_db - 0.5, blocks // 4
    while link.errors(es_n0_db, few) == few:
        es_n0_db += 2 * step_db
    es_n0_db -= 2 * step_db
    first_db, errors = es_n0_db, blocks
    while errors > 0:
        errors = found[es_n0_db] = link.errors(es_n0_db, blocks)
        es_n0_db += step_db
    while 2 * found[first_db] < blocks:
        first_db -= step_db
        found[first_db] = link.errors(first_db, blocks)
    return [
        {"name": name, "es_n0_db": round(point, 2), "blocks": blocks, "errors": errors}
        for point, errors in sorted(found.items())
    ]


def write_table(name: str, header: str, error_rate: float, *, one_width: bool = False) -> None:
    """Write the table that fits the counted errors; the modes' curves have one width or each its own."""
    counts, modes = pd.read_csv(MODES / f"{name}-ldpc-counts.csv"), assumed(name)
    modes = modes[modes["name"].isin(counts["name"])].copy()
    groups = [counts] if one_width else [group for _, group in counts.groupby("name")]
    curves = pd.concat(map(fit, groups)).loc[modes["name"]]
    modes["es_n0_db"] = [
        f"{need:.2f}" for need in curves["half_db"] - curves["width_db"] * norm.ppf(error_rate)
    ]
    modes["error_rate"] = error_rate
    modes["width_db"] = [f"{width:.{3 if one_width else 2}f}" for width in curves["width_db"]]
    text = header + modes.to_csv(index=False, lineterminator="\n")
    (MODES / f"{name}-ldpc.csv").write_text(text, encoding="utf-8")


def fit(counts: pd.DataFrame) -> pd.DataFrame:
    """Return where half of each mode's blocks are lost, and the width of all modes, by maximum likelihood."""
    of_mode, names = pd.factorize(counts["name"])
    es_n0_db, errors, decoded = counts["es_n0_db"], counts["errors"], counts["blocks"] - counts["errors"]
    start_db = counts.groupby("name", sort=False)["es_n0_db"].mean().to_numpy()

    def negative(parameters: Sequence[float]) -> float:
        """Of the halves' distances from the start in widths, and 1 / width: concave."""
        above = (es_n0_db - start_db[of_mode]) * parameters[-1] - np.asarray(parameters)[of_mode]
        return -float((errors * norm.logsf(above) + decoded * norm.logcdf(above)).sum())

    found = minimize(negative, [*np.zeros(len(names)), 5.0], method="BFGS").x
    return pd.DataFrame({"half_db": start_db + found[:-1] / found[-1], "width_db": 1 / found[-1]}, names)
