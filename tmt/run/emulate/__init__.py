"""Real programs over link traces in real time; as a backend, bulk transfers by this machine's kernel."""

from __future__ import annotations

import json
import os
import platform
import random
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tmt.core.declaration import ns
from tmt.core.errors import EmulatorError
from tmt.core.schema import UNSETTLED, WINDOW_RECORDS
from tmt.core.units import NS_PER_S, ns_to_seconds
from tmt.run import Recording, RunError, refuse_absent, use_columns
from tmt.run.emulate.emulation import Emulation
from tmt.run.emulate.emulator import find_program, run
from tmt.run.program import last_words, program_hash
from tmt.spec.stacks import HEADER_BYTES, LINUX, RECEIVE_BUFFER_BYTES, VARIANTS, control_of

if TYPE_CHECKING:
    from tmt.core.measure.transport import Records
    from tmt.run.emulate.emulation import EmulationResult
    from tmt.run.setup import Setup
    from tmt.spec.experiment import Experiment
    from tmt.spec.settings import Value

AVAILABLE = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
BULK = Path(__file__).with_name("bulk.py")
BUFFER_BYTES = 1 << 25
"""Size of a send buffer that never limits."""

FIRST_BUFFER_BYTES = 131_072
"""Initial receive buffer of a connection, Linux's default."""

SYSCTLS = (
    f"net.ipv4.tcp_wmem=4096 {BUFFER_BYTES} {BUFFER_BYTES}",
    "net.ipv4.tcp_no_metrics_save=1",
)
"""Settings of both ends: send buffers that never limit the window, and no memory of earlier connections."""


class Emulate:
    """The built emulator; see `tmt.run.Backend`."""

    name = "emulate"

    def program(self) -> Path:
        """Return the emulator's file."""
        return find_program()

    def stamp(self) -> str:
        """Return a hash of the emulator's program, and the kernel's version."""
        try:
            return f"{program_hash(find_program())} {platform.release()}"
        except OSError as error:
            raise EmulatorError(f"{find_program()}: {os.strerror(error.errno or 0)}") from error

    def check(self, experiment: Experiment) -> None:
        """Refuse, by the kernel's own name, a congestion control that this machine's kernel lacks."""
        traffic = experiment.traffic
        own = [one.tcp for one in traffic.flow or (traffic,) if one.tcp not in VARIANTS]
        if own:
            refuse_absent(own, "this machine's kernel", AVAILABLE.read_text().split())

    def run(self, setup: Setup, directory: Path, timeout_s: float | None) -> Recording:
        """Run one experiment, in real time."""
        traffic, samples = setup.traffic, directory / "sender.json"
        chance = random.Random(setup.experiment.seed)
        start_ns, spread_ns = ns(traffic.start), ns(traffic.start_spread)
        starts_ns = sorted(start_ns + chance.randint(0, spread_ns) for _ in range(traffic.flows))
        control = control_of(traffic.tcp, LINUX)
        about = {
            "control": control,
            "starts_s": [ns_to_seconds(start_ns) for start_ns in starts_ns],
            "duration_s": traffic.duration,
            "transfer_bytes": traffic.transfer_bytes,
        }
        samples.write_text(json.dumps(about))
        command = (sys.executable, str(BULK), str(samples))
        result = run(_emulation(setup, command), record=True, output=directory, timeout_s=timeout_s)
        if result.status:
            status, words = result.status, last_words(directory)
            raise RunError(command, f"exit status {status}", words, program="the emulator", status=status)
        found = json.loads(samples.read_text())
        if found["used"] != [control] * traffic.flows:
            taken = f"the kernel took {found['used']} instead of {control}"
            raise RunError(command, taken, last_words(directory), program="the emulator")
        return _recording(setup, result, found, command)


def _emulation(setup: Setup, command: tuple[str, ...]) -> Emulation:
    """Return the emulation of a bulk transfer that `command` sends."""
    traffic = setup.traffic
    most = traffic.receive_buffer_bytes or RECEIVE_BUFFER_BYTES
    has_ecn = traffic.ecn != "off"
    # The receiver of DCTCP echoes marks by its own rule.
    receiver = ["receive", control_of(traffic.tcp, LINUX)] if has_ecn else ["receive"]
    return Emulation(
        command=command,
        server=f"exec {shlex.join([sys.executable, str(BULK), *receiver])}",
        forward=setup.experiment.forward,
        back=setup.experiment.back,
        path=setup.path,
        mtu_bytes=traffic.packet_bytes,
        sysctls=(
            *SYSCTLS,
            f"net.ipv4.tcp_ecn={int(has_ecn)}",
            f"net.ipv4.tcp_rmem=4096 {min(FIRST_BUFFER_BYTES, most)} {most}",
        ),
    )


def _recording(
    setup: Setup, result: EmulationResult, found: dict[str, Any], command: tuple[str, ...]
) -> Recording:
    traffic, packets, row = setup.traffic, result.packets, result.row
    assert packets is not None
    duration_s = float(row["duration_s"] or 0)
    end_ns = min(ns(traffic.duration), round(duration_s * NS_PER_S))
    columns: dict[str, Value] = {
        "command": shlex.join(command),
        "wall_time_s": duration_s,
        "late_share": row["forward_late_share"],
    }
    for direction in ("forward", "return"):
        if f"{direction}_bytes_offered" in row:
            names = ("bytes_offered", "bytes_used", "trace_repeats")
            columns |= use_columns(direction, *(int(row[f"{direction}_{name}"] or 0) for name in names))
    return Recording(
        packets[(packets["flow"] < traffic.flows) & (packets["time_ns"] <= end_ns)],
        _windows(found["samples"], end_ns, paced=traffic.tcp == "bbr"),
        end_ns,
        HEADER_BYTES,
        columns,
    )


def _windows(samples: list[list[list[float]]], end_ns: int, *, paced: bool) -> Records:
    """Turn samples of TCP_INFO into window records, by the kernel's own numbers of states.

    TCP_INFO has a pacing rate for every control; but the kernel itself paces only BBR's packets.
    """
    rows = np.array([row for of_flow in samples for row in of_flow]).reshape(-1, 6)
    windows = np.zeros(len(rows), WINDOW_RECORDS.dtype)
    time_s, cwnd, ssthresh, srtt_us, state, pacing = rows.T
    windows["time_ns"] = np.rint(time_s * NS_PER_S)
    windows["flow"] = np.repeat(np.arange(len(samples)), [len(of_flow) for of_flow in samples])
    windows["cwnd_packets"], windows["ssthresh_packets"], windows["state"] = cwnd, ssthresh, state
    windows["srtt_ns"] = np.where(srtt_us > 0, 1000 * srtt_us, UNSETTLED)
    windows["pacing_bps"] = 8.0 * pacing if paced else 0.0
    windows = windows[windows["time_ns"] <= end_ns]
    return windows[np.argsort(windows["time_ns"], kind="stable")]


BACKEND = Emulate()
