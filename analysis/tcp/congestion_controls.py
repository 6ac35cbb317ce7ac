"""The congestion controls of `Agent/TCP/Modern` against published response functions, and on a GEO path.

``python -m analysis.tcp.congestion_controls [FOLDER]`` writes the tables to FOLDER (default: out/reproduce).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from functools import partial
from itertools import chain
from pathlib import Path

import pandas as pd

from analysis.pages import start, write_csv, write_tables
from analysis.runs import PointRuns, over_seeds
from analysis.tcp.response_functions import independent_losses, published
from tmt.run.ns2.script import ScriptFigures, ScriptSettings
from tools.page_tables import markdown_table

Cases = dict[str, list["Case"]]
"""Cases of each control."""
Cells = Callable[["Case", PointRuns], list[str]]
"""Returns the cells of a case."""

PAGE = "congestion-controls.md"
SCRIPT = Path(__file__).with_suffix(".tcl")
CONTROLS = ("reno", "cubic", "westwood", "hybla", "compound", "bbr", "bbr3")
PACKET_BITS = 12_000


@dataclass(frozen=True, slots=True)
class Case:
    """Settings of congestion_controls.tcl, in seconds and bit/s; the script's defaults are the same."""

    control: str
    rtt_s: float
    loss: float = 0.0
    flows: int = 1
    stagger_s: float = 0.0
    rate_bps: float = 2e6
    queue_packets: int = 500
    window_packets: int = 20_000
    warm_s: float = 0.0
    duration_s: float = 300.0

    def settings(self, seed: int) -> ScriptSettings:
        """Return the script's settings."""
        return asdict(self) | {"seed": seed}

    def goodput_bps(self, found: ScriptFigures, flow: int = 0) -> float:
        """Return the packets acknowledged in order after `warm_s`, headers included, in bit/s."""
        return found[f"acked_{flow}"] * PACKET_BITS / (self.duration_s - self.warm_s)

    def goodput_kbps(self, found: ScriptFigures) -> float:
        """Return the goodput of the first flow."""
        return self.goodput_bps(found) / 1e3

    def mean_window(self, found: ScriptFigures) -> float:
        """Return the packets in an RTT that never waits, from the goodput."""
        return self.goodput_bps(found) / PACKET_BITS * self.rtt_s

    def jain(self, found: ScriptFigures) -> float:
        """Return Jain's index of two flows' goodputs: 1 for equal ones, 1/2 for one flow alone."""
        rates = [self.goodput_bps(found, flow) for flow in range(self.flows)]
        return sum(rates) ** 2 / (self.flows * sum(rate**2 for rate in rates))

    def use(self, found: ScriptFigures) -> float:
        """Return the flows' use of the line's capacity less losses."""
        rates = [self.goodput_bps(found, flow) for flow in range(self.flows)]
        return sum(rates) / (self.rate_bps * (1 - self.loss))


def mean_sd(runs: PointRuns, measure: Callable[[ScriptFigures], float], digits: int = 0) -> str:
    """Return mean and standard deviation as text, the latter only where there is one."""
    spread = runs.standard_deviation(measure)
    mean = f"{runs.mean(measure):.{digits}f}"
    return f"{mean} ({spread:.{digits}f})" if spread >= 0.5 * 10**-digits else mean


def table(folder: Path, seeds: int, cases: Cases, heads: Iterable[str], cells: Cells) -> pd.DataFrame:
    """Run every case with so many seeds; return a row for each control, with the cells of its cases."""
    found = over_seeds(SCRIPT, chain(*cases.values()), seeds, folder)
    rows = [[control, *chain(*(cells(case, found[case]) for case in own))] for control, own in cases.items()]
    return pd.DataFrame(rows, columns=["control", *heads])


def geo(folder: Path) -> pd.DataFrame:
    """Goodput on a GEO path of 2 Mbit/s, 500 ms and a queue of 500 packets, in kbit/s."""
    losses = (0, 0.001, 0.005, 0.01)
    cases = {control: [Case(control, 0.5, loss) for loss in losses] for control in CONTROLS}
    heads = (f"loss {loss:g}" for loss in losses)
    return table(folder, 10, cases, heads, lambda case, runs: [mean_sd(runs, case.goodput_kbps)])


RESPONSES: tuple[tuple[str, float, float, float], ...] = (
    # control, RTT, loss, seconds
    *(("reno", 0.1, loss, 1000) for loss in (1e-2, 1e-3, 1e-4)),
    *(("cubic", 0.1, loss, 1000) for loss in (1e-2, 1e-3, 1e-4)),
    ("cubic", 0.5, 1e-3, 2000),
    *(("hybla", rtt_s, 1e-3, 300) for rtt_s in (0.025, 0.1)),
    *(("hybla", rtt_s, 1e-4, 200) for rtt_s in (0.1, 0.5)),
    *(("compound", 0.1, loss, 500) for loss in (1e-3, 1e-4)),
)


def never_full(control: str, rtt_s: float, loss: float, duration_s: float) -> Case:
    """Return a path that never queues, judged without the first tenth of the time."""
    return Case(
        control,
        rtt_s,
        loss,
        rate_bps=1e10,
        queue_packets=1_000_000,
        window_packets=100_000,
        warm_s=duration_s / 10,
        duration_s=duration_s,
    )


def responses(folder: Path) -> pd.DataFrame:
    """Mean windows on a path that never queues: published, by the law under independent losses, in ns-2."""
    found = over_seeds(SCRIPT, [never_full(*response) for response in RESPONSES], 5, folder)
    rows = []
    for case, runs in found.items():
        model = independent_losses(case.control, case.loss, case.rtt_s)
        digits = 0 if model > 100 else 1
        row = {
            "control": case.control,
            "RTT": f"{case.rtt_s * 1e3:.0f} ms",
            "loss": f"{case.loss:g}",
            "published": f"{published(case.control, case.loss, case.rtt_s):.{digits}f}",
            "its law": f"{model:.{digits}f}",
            "ns-2 (sd)": mean_sd(runs, case.mean_window, digits),
            "ns-2 / law": f"{runs.mean(case.mean_window) / model:.2f}",
        }
        rows.append(row)
    return pd.DataFrame(rows)


LOSS_RATES = (0, 0.001, 0.01, 0.015, 0.02, 0.03, 0.05, 0.1, 0.15, 0.2, 0.25)


def losses(folder: Path) -> pd.DataFrame:
    """BBR's share of the capacity less losses of a path of 100 Mbit/s and 100 ms."""
    wide = partial(Case, rtt_s=0.1, rate_bps=1e8, queue_packets=833, warm_s=5, duration_s=35)
    cases = {
        control: [wide(control, loss=loss) for loss in LOSS_RATES] for control in ("bbr", "bbr3", "cubic")
    }
    heads = (f"{loss:.1%}" for loss in LOSS_RATES)
    return table(folder, 3, cases, heads, lambda case, runs: [f"{runs.mean(case.use):.2f}"])


def sharing(folder: Path) -> pd.DataFrame:
    """Two like flows, 10 Mbit/s, 100 ms, a queue of one and of three BDP: Jain's index, use, mean queue."""
    bdp, depths = 1e7 * 0.1 / PACKET_BITS, (1, 3)
    two = partial(Case, rtt_s=0.1, flows=2, stagger_s=5, rate_bps=1e7, warm_s=60, duration_s=360)
    cases = {
        control: [two(control, queue_packets=round(depth * bdp)) for depth in depths] for control in CONTROLS
    }

    def cells(case: Case, runs: PointRuns) -> list[str]:
        means = (runs.mean(case.jain), runs.mean(case.use), runs.mean("mean_queue") / bdp)
        return [f"{mean:.2f}" for mean in means]

    heads = [f"{name}, {depth} BDP" for depth in depths for name in ("Jain", "use", "queue / BDP")]
    return table(folder, 3, cases, heads, cells)


WINDOWS = (2, 10, 100, 1000, 20_000)


def windows(folder: Path) -> pd.DataFrame:
    """Goodput on the GEO path without losses for advertised windows from 2 to 20,000 packets, in kbit/s."""
    cases = {
        control: [Case(control, 0.5, window_packets=window) for window in WINDOWS] for control in CONTROLS
    }
    heads = (f"window {window:,}" for window in WINDOWS)
    return table(folder, 1, cases, heads, lambda case, runs: [f"{runs.mean(case.goodput_kbps):.0f}"])


SHOWN = {"geo": geo, "responses": responses}
BESIDE = {"losses": losses, "sharing": sharing, "windows": windows}
"""Functions that make the tables on the page, and in files beside it, by the tables' names."""


def main(folder: Path) -> str:
    """Execute the missing runs; write the tables into `folder`, and return those of the page."""
    runs = folder / "campaigns" / "congestion-controls"
    for name, make in BESIDE.items():
        write_csv(folder / f"congestion-controls-{name}.csv", make(runs))
    shown = {name: make(runs) for name, make in SHOWN.items()}
    tables = {name: markdown_table(found, found.to_numpy()) for name, found in shown.items()}
    return write_tables(folder, PAGE, tables)


if __name__ == "__main__":
    start(main, PAGE, "congestion-controls-*.csv")
