"""The searches: twenty small spaces, Barakat's optimal code lengths, Kuhn's links over Es/N0."""

from __future__ import annotations

from itertools import product

from scipy.stats import binom

TRACES = {
    "rare losses": 'channel = "bernoulli"\nprobability = 0.005',
    "frequent losses": 'channel = "bernoulli"\nprobability = 0.08',
    "bursts": 'channel = "gilbert-elliott"\nalpha = 0.995\nbeta = 0.9',
    "long outages": 'channel = "gilbert-elliott"\nalpha = 0.9995\nbeta = 0.99',
}
GOALS = (
    ("cubic", 0.05, "goodput"),
    ("cubic", 0.5, "goodput"),
    ("bbr", 0.2, "goodput"),
    ("newreno", 0.2, "transfer-time:100000"),
    ("cubic", 0.2, "delay-p95"),
)
SMALL = """\
title = "{trace}, {tcp}, RTT {rtt} s, {objective}"
[grid]
tcp = ["{tcp}"]
seeds = 12
[[trace]]
{channel}
rate = 1e6
lldu_bytes = 500
length = 60
decode_time = 0.005
[[scheme]]
name = "none"
[[scheme]]
name = "arq"
[[scheme]]
name = "harq"
data = 10
repair = [1, 3]
[[scheme]]
name = "fec"
data = 10
repair = [1, 3]
[[scheme]]
name = "harq-processes"
processes = [8, 32]
[[scheme]]
name = "sliding-window"
coding_window = 32
repair_interval = 4
[link]
rtt = {rtt}
queue_packets = 60
[[traffic]]
duration = 20
[tune]
objective = "{objective}"
held_out = 2
"""

HYBRID = """\
title = "K = {frame_units}, p = {loss}"
[grid]
tcp = ["newreno"]
seeds = 16
[[trace]]
channel = "bernoulli"
probability = {loss}
rate = 2e6
lldu_bytes = 25
length = 60
decode_time = 0.001
[[scheme]]
name = "hybrid"
online = true
data = {frame_units}
repair = [{repair}]
[link]
rtt = 0.1
queue_packets = 100
[[traffic]]
duration = 30
flows = 10
packet_bytes = 1250
[tune]
objective = "goodput"
tolerance = 0.002
held_out = 4
"""
"""Ten connections keep the link busy; packets of 1250 bytes are whole frames of 10 and of 50 units."""

LOSSES = (0.001, 0.01, 0.05, 0.1, 0.25)
FRAME_UNITS = {10: range(9), 50: range(31)}
"""Data units of a frame, K, and the redundant units that a search tries."""

LEAST_DECODED = 0.01
"""Codes that decode fewer frames are left out: a simulation follows each frame to its end."""

KUHN = """\
title = "Internet, interleaved, {es_n0_db} dB"
[grid]
tcp = ["cubic"]
seeds = 10
[[trace]]
channel = "lms"
profile = "internet"
code_width_db = 0.72
slow_psi_db = 0.53
es_n0_db = {es_n0_db}
length = 140
[[scheme]]
name = "none"
[[scheme]]
name = "arq"
[[scheme]]
name = "harq"
data = 10
repair = [2, 5]
[[scheme]]
name = "harq"
data = 50
repair = 2
[link]
rtt = 0.5
in_order = false
queue_packets = 10000
window_packets = 2000
[[traffic]]
stack = "2009-as-shipped"
duration = 120
[tune]
objective = "goodput"
held_out = 4
"""
ES_N0_DB = (5.0, 6.0, 7.0, 8.0)


def small_spaces() -> dict[str, str]:
    """Return the scenarios of twenty small spaces, by their names."""
    found = {}
    for (trace, channel), (tcp, rtt, objective) in product(TRACES.items(), GOALS):
        values = {"trace": trace, "channel": channel, "tcp": tcp, "rtt": rtt, "objective": objective}
        found[f"{trace}, {tcp}, {rtt:g} s, {objective}"] = SMALL.format(**values)
    return found


def hybrid(frame_units: int, loss: float) -> str:
    """Return the scenario of a search for N."""
    repair = ", ".join(str(units) for units in FRAME_UNITS[frame_units] if _decoded(frame_units, units, loss))
    return HYBRID.format(frame_units=frame_units, loss=loss, repair=repair)


def _decoded(data: int, repair: int, loss: float) -> bool:
    return float(binom.sf(data - 1, data + repair, 1 - loss)) >= LEAST_DECODED


def kuhn(es_n0_db: float) -> str:
    """Return the scenario of a link of Kuhn 2014, section 6."""
    return KUHN.format(es_n0_db=es_n0_db)
