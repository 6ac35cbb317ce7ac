"""The real command runs a campaign over paths with and without a proxy, with online schemes."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from in_process import tmt

pytestmark = [pytest.mark.ns2, pytest.mark.usefixtures("simulator")]

SCENARIO = """
seeds = 2
[[trace]]
file = "{phy}"
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
[[traffic]]
tcp = "newreno"
duration = 3
delayed_acks = true
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
