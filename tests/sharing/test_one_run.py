"""TCP of the users of a line: one run of all is a run of each, for their links have nothing in common."""

from pathlib import Path

import numpy as np
import pytest

from tests.ns2.scripts import output_of
from tmt import Lms, convert_trace
from tmt.core.generate import Line
from tmt.core.modes import Adaptation
from tmt.core.sharing import ProportionalFair, Sharing
from tmt.io import read_phy, write_trace
from tmt.io.generation import generate

SCRIPT = Path(__file__).with_name("users.tcl")
TCL = Path(__file__).resolve().parents[2] / "clift-ns2" / "tcl"
CONTROLS = ("cubic", "westwood", "reno")
"""Controls without random numbers: draws of BBR depend on the other agents of a run."""
DURATION_S = 20


def by_flow(folder: Path) -> dict[int, tuple[np.ndarray, np.ndarray]]:
    """Return each flow's packets and windows; its packets count from 0."""
    packets, windows = (np.load(folder / f"{name}.npy") for name in ("packets", "windows"))
    found = {}
    for flow in np.unique(packets["flow"]).tolist():
        own = packets[packets["flow"] == flow]
        own["uid"] = np.unique(own["uid"], return_inverse=True)[1]
        found[flow] = own, windows[windows["flow"] == flow]
    return found


@pytest.mark.ns2
def test_one_run_of_all_users__is_a_run_of_each(simulator: Path, tmp_path: Path) -> None:
    """Three users with 5 dB between them, whose slots go to the best: every packet and window is the same."""
    line, how = Line(1_000_000, 5_000_000), Adaptation("nr-1", report_delay=0.008, resource_blocks=10)
    users = []
    for number, control in enumerate(CONTROLS):
        path = tmp_path / f"{number}.parquet"
        generate(
            path,
            Lms(es_n0_db=12, interleaver_depth=0, processing_time=0.001, speed_kmh=3),
            line,
            duration_ns=DURATION_S * 10**9,
            seed=1,
            adaptation=how,
            sharing=Sharing(3, number + 1, ProportionalFair()),
        )
        link = tmp_path / f"{number}.npy"
        write_trace(link, convert_trace(read_phy(path), "none"))
        users.append(f"{number} {link} {control}")
    runs = {"together": users} | {str(number): [user] for number, user in enumerate(users)}
    for name, who in runs.items():
        (tmp_path / name).mkdir()
        output_of(simulator, SCRIPT, tmp_path / name, TCL, DURATION_S, *who)
    together = by_flow(tmp_path / "together")
    assert len(together) == 3
    for flow, (packets, windows) in together.items():
        assert len(packets) > 1000
        alone = by_flow(tmp_path / str(flow))[flow]
        assert np.array_equal(packets, alone[0])
        assert np.array_equal(windows, alone[1])
