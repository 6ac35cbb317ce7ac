"""Runs of datagrams over one link."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.ns2.scripts import run_script
from tmt.core.schema import PACKET_EVENTS
from tmt.core.trace import LinkTrace, PhyTrace
from tmt.io import write_trace

SCRIPT = Path(__file__).with_name("datagrams.tcl")


@dataclass(frozen=True)
class Run:
    """Results of a simulation: exit status, stderr, records, counters, lines of the trace file."""

    status: int
    stderr: str
    packets: npt.NDArray[np.void]
    counters: dict[str, int]
    lines: list[str]

    def fates(self) -> dict[int, tuple[str, int]]:
        """Return fate and time of each packet, by the order in which they were sent."""
        ends = self.packets[self.packets["event"] > 0]
        return {int(r["uid"]): (PACKET_EVENTS[r["event"]], int(r["time_ns"])) for r in ends}


Datagrams = Callable[..., Run]


@pytest.fixture
def send_datagrams(simulator: Path, tmp_path: Path) -> Datagrams:
    """Return a function that sends packets (time in ns, size, perhaps a flow) over a trace.

    Further words are those of the queue, which is the online one where a scheme is among them.
    """

    def send(
        trace: LinkTrace | PhyTrace | Path | None,
        sendings: Iterable[tuple[int, ...]],
        *,
        rate_bps: float = 1e6,
        delay_s: float = 0.01,
        duration_s: float = 1000,
        queue: str | None = None,
        **variables: Any,
    ) -> Run:
        lines = (f"{t / 1e9:.9f} {' '.join(map(str, more))}\n" for t, *more in sendings)
        (tmp_path / "sendings").write_text("".join(lines))
        queue = queue or ("Clift/Online" if "scheme" in variables else "Clift")
        words: list[object] = [word for item in variables.items() for word in item]
        if trace is not None:
            path = trace
            if not isinstance(path, Path):
                path = tmp_path / "trace.npy"
                write_trace(path, trace)
            words += ["load", path]
        done = run_script(
            simulator, SCRIPT, tmp_path, queue, "sendings", rate_bps, delay_s, duration_s, *words
        )
        if done.returncode != 0:
            return Run(done.returncode, done.stderr, np.empty(0), {}, [])
        counters = dict(line.split() for line in done.stdout.splitlines())
        return Run(
            0,
            done.stderr,
            np.load(tmp_path / "packets.npy"),
            {name: int(value) for name, value in counters.items()},
            (tmp_path / "out.tr").read_text().splitlines(),
        )

    return send


@pytest.fixture(scope="session")
def distribution_ns() -> Path:
    """The distribution's ns-2, which knows none of our patches."""
    path = Path("/usr/bin/ns")
    if not path.is_file():
        pytest.fail(f"no {path} to compare with: install Debian's package ns2")
    return path
