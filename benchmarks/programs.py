"""Cost of programs in simulated time: processor time and memory, beside a flow of the same bytes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.backends import MEMORY_TARGET_MIB, measure_run
from benchmarks.timing import marked
from tmt.core.errors import TmtError
from tmt.spec.experiment import Experiment, PlainLink
from tmt.spec.path import Path as LinkPath
from tmt.spec.programs import Program
from tmt.spec.stacks import Stack
from tmt.spec.traffic import Traffic
from tools.page_tables import markdown_table

SCENARIOS = Path(__file__).resolve().parents[1] / "scenarios"
ROOT = SCENARIOS / "out" / "programs.tar"
LINK, PATH = PlainLink(5e6), LinkPath(rtt=0.1)
SIZE_BYTES = 3_000_000
BOOT = "boot"
TLS = "head -c {size} /dev/zero > page; . $FILES/certificate.sh; exec "
QUIC = ". $FILES/certificate.sh; exec $FILES/{name} server {size} {control}"


@dataclass(frozen=True, slots=True)
class Subject:
    """Programs, the unit and target of their processor time, and the stack of the flow beside them."""

    program: Program
    unit: str
    target: float
    stack: Stack | None = None


def _quic(name: str, control: str = "") -> Program:
    return Program(
        server=QUIC.format(name=name, size=SIZE_BYTES, control=control),
        ready="udp:443",
        client=f"$FILES/{name} client",
        files=(f"{SCENARIOS}/out/bin/{name}", f"{SCENARIOS}/programs/certificate.sh"),
        root=str(ROOT),
        duration=100,
    )


SUBJECTS = {
    BOOT: Subject(Program(client="true", root=str(ROOT)), "s", 0.3),
    "nginx and curl": Subject(
        Program(
            server=f"{TLS.format(size=SIZE_BYTES)} nginx -c $FILES/nginx.conf",
            ready="tcp:443",
            client="curl -sS --fail --cacert cert.pem -o /dev/null https://server/page",
            files=(f"{SCENARIOS}/programs/nginx.conf", f"{SCENARIOS}/programs/certificate.sh"),
            root=str(ROOT),
            duration=100,
        ),
        "s per simulated second",
        0.1,
        "linux",
    ),
    "quinn": Subject(_quic("quinn_transfer", "cubic"), "s per MB", 1.0, "quic"),
    "quic-go": Subject(_quic("quic_go_transfer"), "s per MB", 1.0, "quic"),
}
"""What is measured; `docs/programs-compared.md` says how root and programs are made."""


def program_table() -> str:
    """Return the table of 3 MB at 5 Mbit/s by each pair of programs, beside a flow of CUBIC."""
    heads = ["programs", "processor time", "target", "/ flow (stack)", "memory"]
    return markdown_table(heads, [[name, *_cells(name, subject)] for name, subject in SUBJECTS.items()])


def _cells(name: str, subject: Subject) -> list[str]:
    program, of_flow = subject.program, ""
    try:
        cost, simulated_s = measure_run(Experiment(LINK, PATH, program), program.files)
        if subject.stack:
            path = replace(PATH, window_packets=20_000)
            traffic = Traffic("cubic", subject.stack, transfer_bytes=SIZE_BYTES)
            flow_s = measure_run(Experiment(LINK, path, traffic))[0].cpu_s
            of_flow = f"{cost.cpu_s / flow_s:.0f} ({subject.stack})"
    except TmtError as error:
        return [str(error).splitlines()[0], "", "", ""]
    units = {"s": 1, "s per simulated second": simulated_s, "s per MB": SIZE_BYTES / 1e6}
    cpu_s = cost.cpu_s / units[subject.unit]
    return [
        marked(f"{cpu_s:.2f} {subject.unit}", cpu_s <= subject.target),
        f"{subject.target:g}",
        of_flow,
        marked(f"{cost.memory_mib:.0f} MiB", name != BOOT or cost.memory_mib <= MEMORY_TARGET_MIB),
    ]
