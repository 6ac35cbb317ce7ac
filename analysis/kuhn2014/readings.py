"""Other readings of the paper, and other channels: their scenarios, and one row for each reading and cell.

Each scenario of `scenarios/` beside this module changes one thing of a scenario of the page, and has the same
courses of the channel.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from analysis.kuhn2014.campaigns import INTERLEAVED, NOT_INTERLEAVED, TRANSFERS, UP
from tmt.spec.stacks import HEADER_BYTES

SCENARIOS = Path(__file__).with_name("scenarios")
AS_HERE = "as on this page"

STEMS = (
    "up-links",
    "up-senders",
    "up-harq",
    "up-wired",
    "up-channels",
    "net-links",
    "net-senders",
    "net-wired",
    "net-decoding",
    "net-channels",
    "net-transfers",
)
"""Scenarios of readings: of the up-link of Distribution, and of the Internet scenarios."""

COURSES = {UP: 6, INTERLEAVED: 10, NOT_INTERLEAVED: 10, TRANSFERS: 40}
"""Seeds of the readings, by the page's scenario that they change."""

CELL = ["reading", "parameter", "step", "scenario", "es_n0_db", "tcp", "scheme"]
"""Columns that identify a row; parameter and step: of a channel that differs in one value."""

MEASURES = (
    "goodput_bps",
    "retransmission_ratio",
    "max_retransmissions",
    "delay_min_s",
    "delay_p85_s",
    "delay_p99_s",
    "cwnd_mean_packets",
    "completion_s",
)
FULL_BYTES = 1500

CHANGES: dict[str, tuple[object, str]] = {
    "stack": ("2009-as-shipped", "stack mended"),
    "window_packets": (2000, "window {:g}"),
    "queue_packets": (10_000, "queue {:g}"),
    "delayed_acks": (False, "delayed acknowledgements"),
    "packet_bytes": (FULL_BYTES, "packets of {:g} bytes"),
    "wired_delay_s": (0.0, "wired hop of {:g} s"),
    "extra": (1.0, "N_S = {:g}"),
    "rounds": (2.0, "R = {:g}"),
}
"""Columns that a reading may change: value on the page, and the reading's name with another one."""


def rows_of(runs: pd.DataFrame, page: pd.DataFrame) -> pd.DataFrame:
    """Return means over the courses of one scenario of readings, one row for each reading and cell.

    `page` has the runs of the page's scenarios, with their names in `scenario`.
    """
    schemes = [json.loads(text) for text in runs["scheme_parameters"]]
    extra, rounds = ([one.get(name, CHANGES[name][0]) for one in schemes] for name in ("extra", "rounds"))
    runs = runs.assign(extra=extra, rounds=rounds)
    runs["reading"] = [_reading(run) for _, run in runs.iterrows()]
    runs["scenario"] = [_scenario(run) for _, run in runs.iterrows()]
    places = ["scenario", "es_n0_db"]
    of_page = page.drop_duplicates(places).set_index(places)["trace_parameters"]
    texts = [of_page[at] for at in runs[places].itertuples(index=False, name=None)]
    steps = [_step(*both) for both in zip(runs["trace_parameters"], texts, strict=True)]
    runs["parameter"], runs["step"] = zip(*steps, strict=True)
    return _means(runs)


def rows_of_page(page: pd.DataFrame) -> pd.DataFrame:
    """Return the same rows of the page's own runs, with the seeds of the readings."""
    most = page["scenario"].map(COURSES).fillna(0)
    chosen = page[(page["seed"] <= most) & (page["scheme"] != "none")]
    return _means(chosen.assign(reading=AS_HERE, parameter="", step=0.0))


def write_readings(tables: Iterable[pd.DataFrame], path: Path) -> None:
    """Keep the rows with five significant digits."""
    pd.concat(tables).to_csv(path, index=False, float_format="%.5g", lineterminator="\n")


def read_readings(path: Path) -> pd.DataFrame:
    """Return the rows that `write_readings` has kept."""
    return pd.read_csv(path).fillna({"parameter": ""})


def _reading(run: pd.Series) -> str:
    """Return the name of the parameter that a run changes."""
    label = str(run["trace"]).split(",", maxsplit=1)[0]
    if label != AS_HERE:
        return label
    for column, (here, name) in CHANGES.items():
        if pd.notna(run[column]) and run[column] != here:
            return name.format(run[column])
    return AS_HERE


def _scenario(run: pd.Series) -> str:
    """Return the page's scenario that a run changes."""
    channel = json.loads(run["trace_parameters"])
    if channel["channel"] == "shadows":
        return UP
    if pd.notna(run["transfer_bytes"]):
        return TRANSFERS
    return INTERLEAVED if channel["interleaver_depth_ns"] else NOT_INTERLEAVED


def _step(trace_parameters: str, of_page: str) -> tuple[str, float]:
    """Return the parameter of a channel that differs from the page's, and by how much.

    Nothing is returned if more than one differs.
    """
    mine, here = json.loads(trace_parameters), json.loads(of_page)
    changed = [name for name in here if mine[name] != here[name]]
    return (changed[0], float(mine[changed[0]] - here[changed[0]])) if len(changed) == 1 else ("", 0.0)


def _means(runs: pd.DataFrame) -> pd.DataFrame:
    size = runs["packet_bytes"]
    runs = runs.assign(
        scheme=[_plain_name(json.loads(text)) for text in runs["scheme_parameters"]],
        goodput_bps=runs["goodput_bps"] * size.clip(upper=FULL_BYTES) / (size - HEADER_BYTES),
        max_retransmissions=runs["max_transmissions"] - 1,
    )
    groups = runs.groupby(CELL, sort=False)
    found = groups[list(MEASURES)].mean()
    return found.assign(count=groups["seed"].nunique()).reset_index()


def _plain_name(scheme: dict[str, int]) -> str:
    """Return a scheme's name without N_S and R."""
    return f"HARQ({scheme['data']}/{scheme['data'] + scheme['repair']})" if "data" in scheme else "ARQ"
