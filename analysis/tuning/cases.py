"""The searches: twenty small spaces, Barakat's optimal code lengths, Kuhn's links over Es/N0."""

from __future__ import annotations

from itertools import product

from scipy.stats import binom

from tmt.core.channels.base import Channel
from tmt.core.channels.gilbert_elliott import GilbertElliott
from tmt.core.channels.lms import Lms
from tmt.core.channels.memoryless import Bernoulli
from tmt.core.schemes.arq import Arq
from tmt.core.schemes.fec import Fec
from tmt.core.schemes.harq import Harq
from tmt.core.schemes.harq_processes import HarqProcesses
from tmt.core.schemes.none import NoScheme
from tmt.core.schemes.online_only import Hybrid
from tmt.core.schemes.scheme import Scheme
from tmt.core.schemes.sliding_window import SlidingWindow
from tmt.spec.path import Path
from tmt.spec.scenario import Scenario, Tune
from tmt.spec.stacks import Variant
from tmt.spec.trace import Trace
from tmt.spec.traffic import Traffic

CHANNELS: dict[str, Channel] = {
    "rare losses": Bernoulli(0.005),
    "frequent losses": Bernoulli(0.08),
    "bursts": GilbertElliott(0.995, 0.9),
    "long outages": GilbertElliott(0.9995, 0.99),
}
GOALS: tuple[tuple[Variant, float, str], ...] = (
    ("cubic", 0.05, "goodput"),
    ("cubic", 0.5, "goodput"),
    ("bbr", 0.2, "goodput"),
    ("newreno", 0.2, "transfer-time:100000"),
    ("cubic", 0.2, "delay-p95"),
)
SMALL_SCHEMES: tuple[Scheme, ...] = (
    NoScheme(),
    Arq(),
    *(Harq(10, repair) for repair in (1, 3)),
    *(Fec(10, repair) for repair in (1, 3)),
    *(HarqProcesses(processes) for processes in (8, 32)),
    SlidingWindow(32, 4),
)

LOSSES = (0.001, 0.01, 0.05, 0.1, 0.25)
FRAME_UNITS = {10: range(9), 50: range(31)}
"""Data units of a frame, K, and the redundant units that a search tries."""

LEAST_DECODED = 0.01
"""Codes that decode fewer frames are left out: a simulation follows each frame to its end."""

ES_N0_DB = (5.0, 6.0, 7.0, 8.0)
KUHN_SCHEMES: tuple[Scheme, ...] = (NoScheme(), Arq(), Harq(10, 2), Harq(10, 5), Harq(50, 2))


def small_spaces() -> dict[str, Scenario]:
    """Return the scenarios of twenty small spaces, by their names."""
    return {
        f"{name}, {tcp}, {rtt_s:g} s, {objective}": Scenario(
            title=f"{name}, {tcp}, RTT {rtt_s} s, {objective}",
            seeds=12,
            trace=(Trace(channel=channel, rate=1e6, lldu_bytes=500, length=60, decode_time=0.005),),
            scheme=SMALL_SCHEMES,
            path=(Path(rtt_s, queue_packets=60),),
            traffic=(Traffic(tcp, duration=20),),
            tune=Tune((objective,), held_out=2),
        )
        for (name, channel), (tcp, rtt_s, objective) in product(CHANNELS.items(), GOALS)
    }


def hybrid(frame_units: int, loss: float) -> Scenario:
    """Return the scenario of a search for N.

    Ten connections keep the link busy. Packets of 1250 bytes are whole frames of 10 and of 50 units.
    """
    repair = [units for units in FRAME_UNITS[frame_units] if _decoded(frame_units, units, loss)]
    return Scenario(
        title=f"K = {frame_units}, p = {loss}",
        seeds=16,
        trace=(Trace(channel=Bernoulli(loss), rate=2e6, lldu_bytes=25, length=60, decode_time=0.001),),
        scheme=tuple(Hybrid(frame_units, units, online=True) for units in repair),
        path=(Path(0.1, queue_packets=100),),
        traffic=(Traffic("newreno", duration=30, flows=10, packet_bytes=1250),),
        tune=Tune(tolerance=0.002, held_out=4),
    )


def _decoded(data: int, repair: int, loss: float) -> bool:
    return float(binom.sf(data - 1, data + repair, 1 - loss)) >= LEAST_DECODED


def kuhn(es_n0_db: float) -> Scenario:
    """Return the scenario of a link of Kuhn 2014, section 6."""
    channel = Lms(es_n0_db=es_n0_db, code_width_db=0.72, slow_psi_db=0.53)
    return Scenario(
        title=f"Internet, interleaved, {es_n0_db} dB",
        seeds=10,
        trace=(Trace(channel=channel, length=140),),
        scheme=KUHN_SCHEMES,
        path=(Path(0.5, in_order=False, queue_packets=10_000, window_packets=2000),),
        traffic=(Traffic(stack="2009-as-shipped", duration=120),),
        tune=Tune(held_out=4),
    )
