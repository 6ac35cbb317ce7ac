"""The real command runs campaigns with proxies, with online schemes, and with the schemes of today."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from in_process import tmt

pytestmark = [pytest.mark.ns2, pytest.mark.usefixtures("simulator")]

SCENARIO = """
seeds = 2
trace = {{ file = "{phy}" }}
traffic = {{ tcp = "newreno", duration = 3, delayed_acks = true }}
[[scheme]]
name = "arq"
online = [false, true]
[[scheme]]
name = "go-back-n"
online = true
window_frames = 4
persistency = 1
[path]
rtt = 0.02
queue_packets = 50
wired = {{ rate = 10e6, delay = 0.01 }}
proxy = ["none", {{ buffer_packets = [8, 40] }}]
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory, phy: Path) -> Path:
    folder = tmp_path_factory.mktemp("split")
    (folder / "split.toml").write_text(SCENARIO.format(phy=phy))
    return folder


def _run(folder: Path, *options: str) -> str:
    done = tmt("run", "split.toml", *options, folder=folder)
    assert (done.status, done.err) == (0, "")
    return done.out


def test_campaign__compares_split_connections_and_online_schemes(results: Path) -> None:
    said = _run(results)
    assert "18 runs done, 0 failed, 0 open" in said
    for words in ("proxy off", "proxy's buffer 8 packets", "GBN(4, persistency 1)", "ARQ online=True"):
        assert words in " ".join(said.split())
    rows = pq.read_table(results / "out" / "split" / "results.parquet").to_pylist()
    assert {(row["proxy"], row["proxy_buffer_packets"], row["proxy_tcp"]) for row in rows} == {
        (False, None, None),
        (True, 8, "newreno"),
        (True, 40, "newreno"),
    }
    assert all(row["delayed_acks"] and row["wired_delay_s"] == 0.01 for row in rows)
    for row in rows:
        is_online = row["scheme"] != "ARQ online=False"
        assert (row["forward_online"] is not None) == is_online
        assert (row["capacity_bps"] is None) == (row["lldu_loss_ratio"] is None) == is_online
        assert json.loads(row["scheme_parameters"]).get("online", False) == is_online
        assert row["proxy"] == (row["proxy_fill_max_packets"] is not None)
        if row["proxy"]:
            assert 0 < row["proxy_fill_max_packets"] <= row["proxy_buffer_packets"]
    # Nothing is run twice, and the summary is JSON that knows no NaN.
    summary = json.loads(_run(results, "--json"), parse_constant=pytest.fail)
    assert (summary["runs"], summary["done"]) == (18, 18)


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
trace = {{ file = "{phy}" }}
path = {{ rtt = 0.1 }}
traffic = {{ tcp = "cubic", duration = 2 }}
{SCHEMES}
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
