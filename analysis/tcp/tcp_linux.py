"""`python -m analysis.tcp.tcp_linux [FOLDER]`: changes by the patches of TCP-Linux, and its goodputs.

Builds a simulator for each step, with all patches before it (`clift-ns2/build-steps`), measures the cases
below with each, and writes the tables into FOLDER (default: out/reproduce). As it builds five simulators,
`make reproduce` leaves it out. The campaign engine does not do its runs: a campaign has one simulator and
compares result rows, while the first table compares five simulators by packets and windows. The second table
shares senders and links with the first.
"""

from __future__ import annotations

import importlib.util
import itertools
import os
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

import numpy as np

from analysis.pages import start, write_tables
from tmt.cli.progress import progress_bar
from tmt.core.measure.transport import RECEIVED, SENT
from tmt.core.trace import LinkTrace
from tmt.core.units import NS_PER_MS, NS_PER_S
from tmt.io import write_trace
from tmt.run.experiment import ExperimentResult, run
from tmt.spec.experiment import Experiment, Link, PlainLink, TraceLink
from tmt.spec.path import Path as LinkPath
from tmt.spec.stacks import Variant
from tmt.spec.traffic import Traffic
from tools.page_tables import markdown_table

ROOT = Path(__file__).resolve().parents[2]
PAGE = "tcp-linux.md"
PATCHES = ROOT / "clift-ns2" / "patches"

STEPS = (("0003", "0011", "0012", "0013"), ("0014", "0015"), ("0016",), ("0017", "0018", "0019", "0020"))
"""Numbers of the patches that change TCP-Linux and its sinks, by rows of the table; all others come first."""

S = NS_PER_S
PACKET_BYTES, PAYLOAD_BYTES = 1500, 1448
SPACING_NS = 6 * NS_PER_MS
"""Rows of 1500 bytes at this distance are 2 Mbit/s."""

LINE = PlainLink(2e6)
SUBSTREAMS = 10
LOSSES = (0.0, 0.001, 0.005, 0.01)
VARIANTS: tuple[Variant, ...] = ("newreno", "westwood", "hybla", "cubic", "compound")
REFERENCE = {
    "newreno": ((1981, 0), (1044, 68), (455, 42), (305, 23)),
    "westwood": ((1981, 0), (1905, 62), (1044, 142), (602, 58)),
    "hybla": ((1979, 0), (1984, 7), (1950, 12), (1818, 14)),
    "cubic": ((1981, 0), (1976, 11), (1137, 105), (661, 52)),
    "compound": ((1981, 0), (1309, 110), (474, 42), (312, 26)),
}
"""Mean and standard deviation of goodput in kbit/s over 10 substreams of ns-2's own losses: 300 s, 2 Mbit/s,
RTT 500 ms, DropTail 500, window 600, with patches 0003 and 0011 only, by a study that shares no code."""


def sender(
    tcp: Variant,
    link: Link = LINE,
    *,
    rtt: float = 0.5,
    duration: float = 300,
    window_packets: int = 600,
    in_order: bool = True,
) -> ExperimentResult:
    """Run one flow over the reference path."""
    path = LinkPath(rtt, in_order=in_order, queue_packets=500, window_packets=window_packets)
    return run(Experiment(link, path, Traffic(tcp, "2009", duration=duration)))


@cache
def lossy_link(folder: Path, loss: float, seed: int, delay_ns: int = 0) -> TraceLink:
    """Return 400 s of rows, each lost with probability `loss`; the first 50 s take `delay_ns` longer."""
    rows = 400 * S // SPACING_NS
    delays = np.where(np.arange(rows) * SPACING_NS < 50 * S, delay_ns, 0)
    delivered = np.random.default_rng(seed).random(rows) >= loss
    path = folder / f"{loss}-{seed}-{delay_ns}.npy"
    tx_ns = SPACING_NS * np.arange(rows, dtype=np.int64)
    write_trace(path, LinkTrace(tx_ns, delays, delivered, np.ones(rows, np.uint8)))
    return TraceLink(str(path), PACKET_BYTES)


def goodput_kbps(result: ExperimentResult) -> float:
    """Return the goodput in the bytes of whole packets."""
    goodput_bps = result.row["goodput_bps"]
    assert isinstance(goodput_bps, int | float)
    return goodput_bps * PACKET_BYTES / PAYLOAD_BYTES / 1e3


def most_in_flight(result: ExperimentResult) -> int:
    """Return the most packets that were sent and not acknowledged."""
    packets = result.packets
    sent = packets[(packets["direction"] == 0) & (packets["event"] == SENT)]
    acknowledged = packets[(packets["direction"] == 1) & (packets["event"] == RECEIVED)]
    at = np.searchsorted(acknowledged["time_ns"], sent["time_ns"], side="right") - 1
    first_open = np.where(at < 0, 0, np.maximum.accumulate(acknowledged["sequence"])[at] + 1)
    return int((sent["sequence"] + 1 - first_open).max())


CASES: dict[str, Callable[[Path], float]] = {
    "New Reno, 50 s of delay for the first 50 s: smoothed RTT at 300 s, s": lambda folder: (
        sender("newreno", lossy_link(folder, 0, 1, 50 * S), window_packets=20, in_order=False).windows[
            "srtt_ns"
        ][-1]
        / S
    ),
    "Hybla, RTT 810 ms, bound 200: window after 3 RTT": lambda _: (
        sender("hybla", rtt=0.81, window_packets=200, duration=3 * 0.81).windows["cwnd_packets"].max()
    ),
    "CUBIC, bound 10,000, kbit/s": lambda _: goodput_kbps(sender("cubic", window_packets=10_000)),
    "Hybla, bound 10,000, 1 % lost, kbit/s": lambda folder: goodput_kbps(
        sender("hybla", lossy_link(folder, 0.01, 1), window_packets=10_000)
    ),
    "Hybla, bound 10,000: most transmissions of a segment": lambda _: float(
        sender("hybla", window_packets=10_000).row["max_transmissions"] or 0
    ),
    "Hybla, bound 60: most packets in flight": lambda _: most_in_flight(
        sender("hybla", window_packets=60, duration=60)
    ),
}
"""Measures of the first table, by its heads; each takes the folder of the link traces."""


def builder() -> ModuleType:
    """Return `clift-ns2/build.py` as a module."""
    spec = importlib.util.spec_from_file_location("build", ROOT / "clift-ns2" / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def effects(folder: Path) -> str:
    """Measure every case with every step."""
    build = builder()
    rows = []
    changing = list(itertools.chain(*STEPS))
    chosen = sorted(path for path in PATCHES.glob("*.patch") if path.name[:4] not in changing)
    with progress_bar("patch by patch", total=len(STEPS) + 1, unit="simulators") as advance:
        for step in ((), *STEPS):
            chosen += [patch_file(number) for number in step]
            program = shutil.copy2(build.build_variant("steps", chosen), folder / "ns")
            # Memory from malloc is filled, so that uninitialised variables have the same value in every run.
            os.environ |= {"CLIFT_NS": str(program), "MALLOC_PERTURB_": "165"}
            values = [f"{measure(folder):.4g}" for measure in CASES.values()]
            rows.append([", ".join(step) or "none", *values])
            del os.environ["CLIFT_NS"], os.environ["MALLOC_PERTURB_"]
            advance(1)
    return markdown_table(["with these patches, and those above", *CASES], rows)


def patch_file(number: str) -> Path:
    """Return the patch of this number."""
    return next(PATCHES.glob(f"{number}-*.patch"))


def comparison(folder: Path) -> str:
    """Compare the built simulator with the reference figures."""
    rows = []
    with (
        ThreadPoolExecutor(os.cpu_count()) as pool,
        progress_bar("beside the reference", total=len(VARIANTS), unit="variants") as advance,
    ):
        for tcp in VARIANTS:
            cells = [tcp]
            for loss, (mean, sd) in zip(LOSSES, REFERENCE[tcp], strict=True):
                links = [lossy_link(folder, loss, seed) for seed in range(SUBSTREAMS if loss else 1)]
                runs = pool.map(lambda link, tcp=tcp: goodput_kbps(sender(tcp, link)), links)
                found = np.array(list(runs))
                ours = f"{found.mean():.0f}" + (f" ({found.std(ddof=1):.0f})" if loss else "")
                cells.append(f"{ours} / {mean}" + (f" ({sd})" if loss else ""))
            rows.append(cells)
            advance(1)
    return markdown_table(["loss", *map(str, LOSSES)], rows)


TABLES = {"effects": effects, "reference": comparison}
"""Functions that make the tables, by the tables' names on the page."""


def main(folder: Path) -> str:
    """Measure the effect of each patch and the mended agent's goodputs; write both tables into the folder."""
    with TemporaryDirectory() as traces:
        made = {name: measure(Path(traces)) for name, measure in TABLES.items()}
    return write_tables(folder, PAGE, made)


if __name__ == "__main__":
    start(main, PAGE)
