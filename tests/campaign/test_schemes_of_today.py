"""A scenario with HARQ processes, a sliding-window code and RLC, from `tmt run` to the report."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from in_process import tmt

pytestmark = pytest.mark.ns2

SCHEMES = """
[[scheme]]
name = "harq-processes"
repetitions = 2
[[scheme]]
name = "sliding-window"
coding_window = 20
repair_interval = 5
[[scheme]]
name = "rlc"
mode = "unacknowledged"
[[scheme]]
name = "rlc"
below = { name = "harq-processes", processes = 32 }
status_prohibit = 0.15
"""


def test_run_and_report__of_the_schemes_of_today(tmp_path: Path, phy: Path) -> None:
    (tmp_path / "today.toml").write_text(
        f"""
seeds = 2
[[trace]]
file = "{phy}"
{SCHEMES}
[path]
rtt = 0.1
[[traffic]]
tcp = "cubic"
duration = 2
"""
    )
    done = tmt("run", "today.toml", folder=tmp_path)
    assert (done.status, done.err) == (0, "")
    assert "8 runs done, 0 failed, 0 open" in done.out
    rows = pd.read_parquet(tmp_path / "out" / "today" / "results.parquet")
    assert (rows["goodput_bytes"] > 0).all()

    # A slot holds a packet of 1500 bytes, of which the headers of TCP and IP take 52. Repeated, two slots
    # carry one LLDU, which arrives unless both are erased. Of six slots of the code, five carry source LLDUs;
    # RLC delivers an LLDU in each slot that is not erased.
    slots = pd.read_parquet(phy)
    decoded = slots["decode_time_ns"].to_numpy() > 0
    span_s = (slots["tx_time_ns"].iloc[-1] - slots["tx_time_ns"].iloc[0]) / 1e9
    pairs = np.any([decoded[0 : len(decoded) // 2 * 2 : 2], decoded[1::2]], axis=0)
    units = {
        "HARQ-processes(off x 2)": pairs.sum(),
        "Sliding-window(20, 1 per 5)": len(decoded) * 5 / 6,
        "RLC(UM)": decoded.sum(),
        "RLC-over-HARQ-processes(32, AM)": decoded.sum(),
    }
    expected = {name: 8 * 1448 * number / span_s for name, number in units.items()}
    assert rows.groupby("scheme")["capacity_bps"].first().to_dict() == pytest.approx(expected, rel=1e-2)

    assert tmt("report", "out/today", folder=tmp_path).status == 0
    page = (tmp_path / "out" / "today" / "report" / "report.html").read_text()
    assert all(name in page for name in units)
