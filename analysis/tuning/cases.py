"""The searches: twenty small spaces, Barakat's optimal code lengths, Kuhn's links over Es/N0."""

from __future__ import annotations

from itertools import product
from typing import Any

from scipy.stats import binom
from tmt.results.tune.toml_text import table

Table = dict[str, Any]

TRACES: dict[str, Table] = {
    "rare losses": {"channel": "bernoulli", "probability": 0.005},
    "frequent losses": {"channel": "bernoulli", "probability": 0.08},
    "bursts": {"channel": "gilbert-elliott", "alpha": 0.995, "beta": 0.9},
    "long outages": {"channel": "gilbert-elliott", "alpha": 0.9995, "beta": 0.99},
}
GOALS = (
    ("cubic", 0.05, "goodput"),
    ("cubic", 0.5, "goodput"),
    ("bbr", 0.2, "goodput"),
    ("newreno", 0.2, "transfer-time:100000"),
    ("cubic", 0.2, "delay-p95"),
)
SMALL_SCHEMES: tuple[Table, ...] = (
    {"name": "none"},
    {"name": "arq"},
    {"name": "harq", "data": 10, "repair": [1, 3]},
    {"name": "fec", "data": 10, "repair": [1, 3]},
    {"name": "harq-processes", "processes": [8, 32]},
    {"name": "sliding-window", "coding_window": 32, "repair_interval": 4},
)

LOSSES = (0.001, 0.01, 0.05, 0.1, 0.25)
FRAME_UNITS = {10: range(9), 50: range(31)}
"""Data units of a frame, K, and the redundant units that a search tries."""

LEAST_DECODED = 0.01
"""Codes that decode fewer frames are left out: a simulation follows each frame to its end."""

ES_N0_DB = (5.0, 6.0, 7.0, 8.0)
KUHN_SCHEMES: tuple[Table, ...] = (
    {"name": "none"},
    {"name": "arq"},
    {"name": "harq", "data": 10, "repair": [2, 5]},
    {"name": "harq", "data": 50, "repair": 2},
)


def _scenario(
    title: str,
    tcp: str,
    courses: int,
    trace: Table,
    schemes: tuple[Table, ...],
    link: Table,
    traffic: Table,
    tune: Table,
) -> str:
    """Return the text of a scenario with a table ``[tune]``."""
    parts = [
        *table(f'title = "{title}"', {}),
        *table("[grid]", {"tcp": [tcp], "seeds": courses}),
        *table("[[trace]]", trace),
        *(line for scheme in schemes for line in table("[[scheme]]", scheme)),
        *table("[link]", link),
        *table("[[traffic]]", traffic),
        *table("[tune]", {"objective": "goodput", **tune}),
    ]
    return "\n".join(parts)


def small_spaces() -> dict[str, str]:
    """Return the scenarios of twenty small spaces, by their names."""
    return {
        f"{name}, {tcp}, {rtt_s:g} s, {objective}": _scenario(
            f"{name}, {tcp}, RTT {rtt_s} s, {objective}",
            tcp,
            12,
            channel | {"rate": 1e6, "lldu_bytes": 500, "length": 60, "decode_time": 0.005},
            SMALL_SCHEMES,
            {"rtt": rtt_s, "queue_packets": 60},
            {"duration": 20},
            {"objective": objective, "held_out": 2},
        )
        for (name, channel), (tcp, rtt_s, objective) in product(TRACES.items(), GOALS)
    }


def hybrid(frame_units: int, loss: float) -> str:
    """Return the scenario of a search for N.

    Ten connections keep the link busy. Packets of 1250 bytes are whole frames of 10 and of 50 units.
    """
    channel = {"channel": "bernoulli", "probability": loss}
    repair = [units for units in FRAME_UNITS[frame_units] if _decoded(frame_units, units, loss)]
    return _scenario(
        f"K = {frame_units}, p = {loss}",
        "newreno",
        16,
        channel | {"rate": 2e6, "lldu_bytes": 25, "length": 60, "decode_time": 0.001},
        ({"name": "hybrid", "online": True, "data": frame_units, "repair": repair},),
        {"rtt": 0.1, "queue_packets": 100},
        {"duration": 30, "flows": 10, "packet_bytes": 1250},
        {"tolerance": 0.002, "held_out": 4},
    )


def _decoded(data: int, repair: int, loss: float) -> bool:
    return float(binom.sf(data - 1, data + repair, 1 - loss)) >= LEAST_DECODED


def kuhn(es_n0_db: float) -> str:
    """Return the scenario of a link of Kuhn 2014, section 6."""
    channel = {"channel": "lms", "profile": "internet", "code_width_db": 0.72, "slow_psi_db": 0.53}
    return _scenario(
        f"Internet, interleaved, {es_n0_db} dB",
        "cubic",
        10,
        channel | {"es_n0_db": es_n0_db, "length": 140},
        KUHN_SCHEMES,
        {"rtt": 0.5, "in_order": False, "queue_packets": 10000, "window_packets": 2000},
        {"stack": "2009-as-shipped", "duration": 120},
        {"held_out": 4},
    )
