"""The runs behind figures 3 to 6 of Botos, Polgar and Bota."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from analysis.botos.losses import ERRORS_PER_CLUSTER, PACKET_BITS, SHORT_BITS
from analysis.runs import PointRuns, over_seeds
from tmt.results.statistics import Interval
from tmt.run.ns2.script import ScriptFigures, ScriptSettings
from tmt.show.charts.style import TCP_STYLES

SCRIPT = Path(__file__).with_name("wlan.tcl")
SEEDS = 5
DELAYS_S = (0.02, 0.1)
ROUND_TRIP_DELAYS_S = (0.01, 0.05)
"""The same where the paper's delays are those of both ways together."""
LOSSES = (0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)
FECTCP = "fectcp"
VARIANTS = ("newreno", "sack", "westwood", "hybla", "cubic", "compound")
MODERN = ("cubic", "bbr", "bbr3")
CLUSTERS_BITS = (SHORT_BITS, 6000, 24_000, 60_000)
"""Lengths of clusters over which FECTCP is tried at the longer delay: up to five packets."""
FILE_BYTES = 10_000_000
MOST_S = 3000.0
"""A longer transfer is judged by the data acknowledged until then."""

LATE_S, UNTIL_S, SAMPLE_S = 60, 180, 1
"""Figures 5 and 6: when the second flow starts, when the run ends, over which time a rate is taken."""
SETTLED_S = LATE_S + 20
"""From then on the shares of both flows are compared."""
SHARED_LOSSES = (0.0, 0.01, 0.05, 0.1)
QUEUES_PACKETS = (10, 20, 50, 200)
"""Lengths of the access point's queue over which FECTCP and TCP share; 50 elsewhere."""
UDP_BPS = 160_000
"""20 kB/s."""
LABELS = {FECTCP: "FECTCP", "sack": "SACK", "udp": "UDP, 20 kB/s"}


def label(tcp: str) -> str:
    """Return the label of a flow in figures and tables."""
    return LABELS.get(tcp) or TCP_STYLES[tcp].label


@dataclass(frozen=True, slots=True)
class Download:
    """One file to one client, of a variant, over a delay and a segment loss."""

    tcp: str
    delay_s: float
    loss: float
    cluster_bits: int = SHORT_BITS
    stack: str = "2009"

    def settings(self, seed: int) -> ScriptSettings:
        """Return the arguments of `wlan.tcl`."""
        return {
            "flows": self.tcp,
            "stack": self.stack,
            "delay_s": self.delay_s,
            "loss": self.loss,
            "errors_per_cluster": ERRORS_PER_CLUSTER,
            "cluster_packets": self.cluster_bits / PACKET_BITS,
            "transfer_bytes": FILE_BYTES,
            "duration_s": MOST_S,
            "seed": seed,
        }


def throughput_bps(result: ScriptFigures) -> float:
    """Return payload over the time of the transfer: the application's throughput.

    A file that has not arrived within `MOST_S` counts as far as its segments were acknowledged. (A coded one
    has always arrived by then.)
    """
    if result["elapsed_s"] < MOST_S:
        return 8.0 * FILE_BYTES / result["elapsed_s"]
    return 8.0 * result["flow_0_acknowledged"] * result["flow_0_payload_bytes"] / result["elapsed_s"]


def figure_points(delays_s: tuple[float, ...]) -> list[Download]:
    """Return the points of figures 3 and 4, for given one-way delays."""
    return [Download(tcp, d, p) for tcp in (FECTCP, *VARIANTS) for d in delays_s for p in LOSSES]


def further_points() -> list[Download]:
    """Return cases beyond the paper: later variants of TCP, and longer clusters."""
    later = [Download(tcp, d, p, stack="modern") for tcp in MODERN for d in DELAYS_S for p in LOSSES]
    return later + [Download(FECTCP, 0.1, p, bits) for bits in CLUSTERS_BITS for p in LOSSES]


def measure(points: Sequence[Download], folder: Path) -> dict[Download, Interval]:
    """Run every transfer with `SEEDS` seeds, and return mean throughput in bit/s; `folder` keeps the runs."""
    found = over_seeds(SCRIPT, points, SEEDS, folder)
    return {point: runs.interval(throughput_bps) for point, runs in found.items()}


@dataclass(frozen=True, slots=True)
class Sharing:
    """A flow, and a second one that starts later, on one wireless LAN."""

    first: str
    second: str
    loss: float
    delay_s: float = 0.02
    queue_packets: int = 50

    def settings(self, seed: int) -> ScriptSettings:
        """Return the arguments of `wlan.tcl`."""
        return {
            "flows": f"{self.first} {self.second}",
            "start_s": f"0 {LATE_S}",
            "delay_s": self.delay_s,
            "queue_packets": self.queue_packets,
            "loss": self.loss,
            "errors_per_cluster": ERRORS_PER_CLUSTER,
            "cluster_packets": SHORT_BITS / PACKET_BITS,
            "duration_s": UNTIL_S + 0.5,
            "sample_s": SAMPLE_S,
            "udp_rate_bps": UDP_BPS,
            "seed": seed,
        }


def pair_points() -> list[Sharing]:
    """Return the pairs of flows at each loss, at the usual queue."""
    pairs = ((FECTCP, "newreno"), (FECTCP, "cubic"), (FECTCP, "udp"), ("newreno", "newreno"))
    return [Sharing(*pair, loss) for pair in pairs for loss in SHARED_LOSSES]


def queue_points() -> list[Sharing]:
    """Return FECTCP beside TCP at queues of each length, without losses and with few."""
    return [
        Sharing(FECTCP, "newreno", loss, queue_packets=packets)
        for packets in QUEUES_PACKETS
        for loss in SHARED_LOSSES[:2]
    ]


@dataclass(frozen=True)
class Shares:
    """Rates at which IP bytes of both flows reach their clients, and how both share them."""

    runs: PointRuns

    def mean_bps(self, flow: int, first_s: int, last_s: int) -> Interval:
        """Return the mean rate of a flow over a part of the run."""
        return self.runs.interval(lambda figures: float(rates_bps(figures)[flow, first_s:last_s].mean()))

    @property
    def alone_bps(self) -> Interval:
        """The first flow before the second starts."""
        return self.mean_bps(0, 20, LATE_S)

    @property
    def jain(self) -> Interval:
        """Jain's index (sum x)^2 / (2 sum x^2) of both flows' rates: 1 for equal shares, 1/2 for none."""
        return self.runs.interval(_jain)


def measure_sharing(points: Sequence[Sharing], folder: Path) -> dict[Sharing, Shares]:
    """Run every pair of flows with `SEEDS` seeds; `folder` keeps the runs."""
    return {point: Shares(runs) for point, runs in over_seeds(SCRIPT, points, SEEDS, folder).items()}


def _jain(figures: ScriptFigures) -> float:
    x = rates_bps(figures)[:, SETTLED_S:].mean(axis=1)
    return float(x.sum() ** 2 / (2.0 * (x**2).sum()))


def rates_bps(result: ScriptFigures) -> npt.NDArray[np.float64]:
    """Return the rates of both flows, [2, n_samples]."""
    samples = range(0, UNTIL_S + 1, SAMPLE_S)
    seen = [[result[f"flow_{flow}_bytes_at_{1000 * t}_ms"] for t in samples] for flow in (0, 1)]
    return 8.0 * np.diff(seen, axis=1) / SAMPLE_S
