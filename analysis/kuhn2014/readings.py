"""`python -m analysis.kuhn2014.readings [FOLDER]`: what other readings do to tables 1 and 2 of Kuhn et al.

Each reading changes one thing in the Distribution scenario's up-link: CUBIC, Hybla and Westwood+ over four
schemes, 500 s, the same courses of the channel for all. Writes a line per reading and cell to readings.csv in
FOLDER (default: out/reproduce) and goes on where it stopped.

  --docs    copy the table to analysis/kuhn2014/, from where the page of the reproduction takes it
"""

from __future__ import annotations

import csv
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from analysis.command_line import start
from tmt.channels import Shadows
from tmt.convert import convert
from tmt.experiment import Experiment, TraceLink
from tmt.generate import Line, lay_over
from tmt.io import write_trace
from tmt.schemes import SCHEMES
from tmt.trace import PhyTrace
from tmt.units import NS_PER_S

if TYPE_CHECKING:
    from collections.abc import Iterator

KEPT = Path(__file__).with_name("readings.csv")
COURSES = (1, 2)
DURATION_S = 500
RTT_NS = NS_PER_S // 2
RATE_BPS, LLDU_BYTES = 2_340_000, 33
TCP = ("cubic", "hybla", "westwood")
HARQ = {"HARQ(50/52)": (50, 2), "HARQ(10/12)": (10, 2), "HARQ(10/15)": (10, 5)}
MEASURES = (
    "goodput_bps",
    "retransmission_ratio",
    "max_transmissions",
    "delay_min_s",
    "delay_p85_s",
    "delay_p99_s",
)


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read the paper: what it changes of channel, schemes and experiment."""

    name: str
    channel: dict[str, Any] = field(default_factory=dict)
    harq: dict[str, Any] = field(default_factory=dict)
    experiment: dict[str, Any] = field(default_factory=dict)


READINGS = (
    Reading("as on this page"),
    Reading("stack mended", experiment={"stack": "2009"}),
    Reading("window 750", experiment={"window_packets": 750}),
    Reading("window 1000", experiment={"window_packets": 1000}),
    Reading("window 1400", experiment={"window_packets": 1400}),
    Reading("queue 500", experiment={"queue_packets": 500}),
    Reading("queue 1000", experiment={"queue_packets": 1000}),
    Reading("delayed acknowledgements", experiment={"delayed_acks": True}),
    Reading("packets of 1000 bytes", experiment={"packet_bytes": 1000}),
    Reading("N_S = 0", harq={"extra": 0}),
    Reading("N_S = 2", harq={"extra": 2}),
    Reading("R = 1", harq={"rounds": 1}),
    Reading("R = 4", harq={"rounds": 4}),
    Reading("decoded 72 ms later", channel={"interleaver_depth_ns": 108_000_000}),
    Reading("shadows 11 s apart", channel={"spacing_ns": 11_000_000_000}),
    Reading("shadows 9.5 s apart", channel={"spacing_ns": 9_500_000_000}),
    Reading("spacing within 40 %", channel={"spacing_spread": 0.4}),
    Reading("spacing within 80 %", channel={"spacing_spread": 0.8}),
    Reading("crown of 0.25 s", channel={"crown_ns": 250_000_000}),
    Reading("crown of 0.21 s", channel={"crown_ns": 210_000_000}),
    Reading("crown erases 0.095", channel={"crown_error": 0.095}),
    Reading("trunk of 1.8 ms", channel={"trunk_ns": 1_800_000}),
    Reading("trunk of 3.2 ms", channel={"trunk_ns": 3_200_000}),
)


def main(folder: Path) -> str:
    """Run the readings that `folder` does not hold, and say how many there are."""
    path = folder / "readings.csv"
    if not path.is_file():
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerow(["reading", "tcp", "scheme", *MEASURES])
    with path.open(newline="", encoding="utf-8") as file:
        held = {row["reading"] for row in csv.DictReader(file)}
    for reading in READINGS:
        if reading.name in held:
            continue
        rows = list(cells(reading))
        with path.open("a", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)
        print(f"{reading.name}: done", flush=True)
    return f"{len(READINGS)} readings in {path}"


def cells(reading: Reading) -> Iterator[list[object]]:
    """Yield reading, TCP, scheme and the means over the courses of each measure."""
    found: dict[tuple[str, str], list[list[float]]] = {}
    for course in COURSES:
        channel = Shadows.of("distribution", **reading.channel)
        line = Line.at_rate(RATE_BPS, LLDU_BYTES, channel.decode_time_ns)
        slots = line.slots_within(DURATION_S * NS_PER_S)
        bare = PhyTrace(line.tx_times_ns(0, slots), np.full(slots, line.decode_time_ns, np.int64))
        phy = lay_over(bare, channel.realisation(course))
        schemes = {"ARQ": SCHEMES["arq"](rtt_ns=RTT_NS)} | {
            name: SCHEMES["harq"](data=data, repair=repair, rtt_ns=RTT_NS, **reading.harq)
            for name, (data, repair) in HARQ.items()
        }
        with TemporaryDirectory() as scratch:
            for name, scheme in schemes.items():
                path = Path(scratch) / "link.npy"
                write_trace(path, convert(phy, scheme))
                for tcp in TCP:
                    row = _experiment(tcp, path, reading).run().row
                    found.setdefault((tcp, name), []).append([float(row[measure]) for measure in MEASURES])
    for place, values in found.items():
        yield [reading.name, *place, *(f"{value:.5g}" for value in np.mean(values, axis=0))]


def _experiment(tcp: str, path: Path, reading: Reading) -> Experiment:
    settings: dict[str, Any] = {
        "stack": "2009-as-shipped",
        "window_packets": 2000,
        "queue_packets": 10_000,
    }
    return Experiment(
        tcp=tcp,
        forward_link=TraceLink(path, LLDU_BYTES),
        rtt_ns=RTT_NS,
        duration_ns=DURATION_S * NS_PER_S,
        in_order=False,
        **(settings | reading.experiment),
    )


def keep(folder: Path) -> None:
    """Copy the table to where the page takes it from."""
    shutil.copyfile(folder / "readings.csv", KEPT)


if __name__ == "__main__":
    start(main, keep)
