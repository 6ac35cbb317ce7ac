"""A web page by nginx and curl in simulated time, beside real time: a table of docs/programs.md.

``python -m analysis.page_in_real_time [FOLDER]`` gives the commands of ``scenarios/programs-page.toml`` to
`tmt replay` and `tmt emulate`, with the root that the scenario names. Real time wants a machine at rest.
"""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

import tmt
from analysis.pages import DOCS, start, write_tables
from analysis.runs import SCENARIOS
from tmt.core.errors import UsageError
from tools.page_tables import markdown_table

if TYPE_CHECKING:
    from tmt.spec.programs import Program

PAGE, TABLE = "programs.md", "page-in-real-time"
TMT, MEASURED = Path(sys.executable).with_name("tmt"), DOCS.parent / "traces" / "measured"
LINKS: tuple[tuple[str, float | Path, float], ...] = (
    ("2.25 Mbit/s, RTT 0.5 s", 2.25e6, 0.5),
    ("20 Mbit/s, RTT 0.1 s", 20e6, 0.1),
    ("LTE, RTT 0.1 s", MEASURED / "mahimahi" / "att-lte-driving.down.parquet", 0.1),
    ("5G phone, RTT 0.1 s", MEASURED / "nr-phone.parquet", 0.1),
    ("Starlink, RTT 0.1 s", MEASURED / "starlink.parquet", 0.1),
)
"""Links that carry the page: name, rate in bit/s or PHY trace, round-trip time in seconds."""

RETURN_RATE, QUEUE, TIMES = "2e6", ("--queue-packets", "200"), 5
"""Rate of the requests' link in bit/s, options of both queues, and loads of a page in real time."""

CONTROL = "net.ipv4.tcp_congestion_control=reno"
"""The only control that a namespace of any user may choose on every kernel."""


def main(folder: Path) -> str:
    """Load the page over each link; write the table into `folder`, and return it."""
    pages = tmt.Scenario.read(SCENARIOS / "programs-page.toml").program
    programs = [page for page in pages if page.ready == ("tcp:443",)]
    root = _unpacked(DOCS.parent / str(programs[0].root), folder / "page-root")
    lines = []
    for number, (name, link, rtt_s) in enumerate(LINKS):
        trace = _link_trace(link, folder / f"page-link-{number}.parquet") if isinstance(link, Path) else None
        for program in programs:
            simulated_s = _simulated(program, [str(trace)] if trace else ["--rate", str(link)], rtt_s)
            answers = ["--return", str(trace)] if trace else ["--return-rate", str(link)]
            real_s = [_in_real_time(program, root, answers, rtt_s, folder / "page") for _ in range(TIMES)]
            median_s = statistics.median(real_s)
            lines.append(
                [
                    name,
                    str(program.label),
                    f"{simulated_s:.3f}",
                    f"{median_s:.3f} ({min(real_s):.3f} to {max(real_s):.3f})",
                    f"{median_s / simulated_s - 1:+.1%}",
                ]
            )
    heads = ["link", "page by", "simulated (s)", f"real time (s): median and range of {TIMES}", "deviation"]
    return write_tables(folder, PAGE, {TABLE: markdown_table(heads, lines)})


def _unpacked(archive: Path, root: Path) -> Path:
    """Return a folder with the files of a root, for `chroot`: 20 kB of zeros are its /dev/zero."""
    if not archive.is_file():
        raise UsageError(f"{archive} is missing; docs/programs-compared.md tells how to make it")
    shutil.rmtree(root, ignore_errors=True)
    with tarfile.open(archive) as files:
        files.extractall(root, filter="tar")
    for name in ("dev", "files", "tmp"):
        (root / name).mkdir(exist_ok=True)
    (root / "dev" / "zero").write_bytes(bytes(20_000))
    (root / "etc" / "hosts").write_text("10.0.0.2 server\n")
    return root.absolute()


def _link_trace(phy: Path, link: Path) -> Path:
    _tmt("convert", str(phy), str(link), "--scheme", "none")
    return link


def _simulated(program: Program, link: list[str], rtt_s: float) -> float:
    """Return the time of the page in the kernel whose clock is simulated."""
    programs = [
        *("--server", program.server[0], "--client", program.client[0], "--ready", program.ready[0]),
        *("--files", ",".join(program.files), "--root", str(program.root), "--sysctls", CONTROL),
    ]
    path = ["--offset", "0", "--return-rate", RETURN_RATE, "--rtt", str(rtt_s), *QUEUE, "--duration", "60"]
    return float(json.loads(_tmt("replay", *link, *path, *programs, "--json"))["completion_s"])


def _in_real_time(program: Program, root: Path, answers: list[str], rtt_s: float, output: Path) -> float:
    """Return the time from the first packet to the last one of the answers, in real time."""
    shutil.rmtree(output, ignore_errors=True)
    shutil.rmtree(root / "tmp")
    (root / "tmp").mkdir()
    for file in program.files:
        shutil.copy(DOCS.parent / file, root / "files")
    server = f"cd /tmp; export FILES=/files; {program.server[0]}"
    (root / "files" / "server.sh").write_text(server)
    sysctls = ["--sysctl", CONTROL, "--sysctl", "net.ipv4.tcp_no_metrics_save=1"]
    inside = ["chroot", str(root), "sh", "-c"]
    path = ["--rate", RETURN_RATE, *answers, "--offset", "0", "--rtt", str(rtt_s), *QUEUE]
    served = ["--server", f"chroot {root} sh /files/server.sh"]
    client = [*inside, f"cd /tmp; exec {program.client[0]}"]
    _tmt("emulate", *path, *sysctls, *served, "--output", str(output), "--", *client)
    packets = pd.read_parquet(output / "packets.parquet")
    answered = packets[(packets["direction"] == 1) & (packets["event"] == 1) & (packets["size_bytes"] > 300)]
    return float(answered["time_ns"].max() - packets["time_ns"].min()) / 1e9


def _tmt(*words: str) -> str:
    """Return what a command prints; UsageError has what it says when it fails."""
    done = subprocess.run([TMT, *words], check=False, capture_output=True, text=True, cwd=DOCS.parent)
    if done.returncode != 0:
        raise UsageError(f"tmt {words[0]}: {done.stderr.strip()}")
    return done.stdout


if __name__ == "__main__":
    start(main, f"{PAGE}#{TABLE}")
