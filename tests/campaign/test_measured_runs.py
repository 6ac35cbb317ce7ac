"""Campaigns over measured traces: sizes per row, packing, a return trace of their own, and their starts."""

from pathlib import Path

import numpy as np
import pytest
from scenario_parts import runs_of

from tmt import run_scenario
from tmt.campaign.runs import ReplayRun
from tmt.core.errors import InputError
from tmt.core.trace import PhyTrace
from tmt.io import write_trace
from tmt.results.over_time import run_over_time
from tmt.results.reading import read_results
from tmt.spec.stacks import HEADER_BYTES

MS = 1_000_000

SCENARIO = """
seeds = 2
records = [1]
[[trace]]
file = "down.parquet"
packing = ["padded", "packed"]
[[scheme]]
name = "none"
[[path]]
rtt = 0.02
return_link = "unprotected"
return_trace = "up.parquet"
[[traffic]]
tcp = ["cubic"]
duration = 8
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A pair of measured traces: down 300 rows of 1000, 1200 and 800 bytes in turn, up rows of 100 bytes."""
    time_ns, decode_ns = np.arange(300) * 10 * MS, np.full(300, MS)
    sizes = np.resize(np.array([1000, 1200, 800], np.uint32), 300)
    down = PhyTrace(time_ns, decode_ns, {"kind": "phy", "importer": "table", "packing": "packed"}, sizes)
    up = PhyTrace(time_ns, decode_ns, {"kind": "phy", "importer": "table", "lldu_bytes": 100})
    write_trace(tmp_path / "down.parquet", down)
    write_trace(tmp_path / "up.parquet", up)
    return tmp_path


def _runs(folder: Path, *changes: tuple[str, str]) -> list[ReplayRun]:
    text = SCENARIO
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    (folder / "s.toml").write_text(text)
    return runs_of(folder / "s.toml", "build 1", "sources")


def test_expand__starts_measured_traces_at_their_beginning(folder: Path) -> None:
    assert {(run.start, run.return_start) for run in _runs(folder)} == {(0, 0)}
    later = _runs(folder, ("[[scheme]]", "offset = 1\n[[scheme]]"))
    assert {(run.start, run.return_start) for run in later} == {(10**9, 10**9)}


def test_expand__draws_one_start_for_both_measured_traces(folder: Path) -> None:
    drawn = _runs(folder, ("[[scheme]]", 'offset = "drawn"\n[[scheme]]'))
    assert all(run.start == run.return_start for run in drawn)
    assert len({run.start for run in drawn}) == 2
    stopping = ("rtt = 0.02", "rtt = 0.02\nloop = false")
    assert _runs(folder, stopping, ("[[scheme]]", 'offset = "drawn"\n[[scheme]]'))[0].start == 0


def test_expand__has_the_content_of_the_return_trace_in_the_key(folder: Path) -> None:
    before = [run.key for run in _runs(folder)]
    (folder / "up.parquet").rename(folder / "other.parquet")
    renamed = _runs(folder, ("up.parquet", "other.parquet"))
    assert [run.key for run in renamed] == before
    other = PhyTrace(np.arange(300) * 10 * MS, np.full(300, MS), {"kind": "phy", "lldu_bytes": 101})
    write_trace(folder / "larger.parquet", other)
    larger = _runs(folder, ("up.parquet", "larger.parquet"))
    assert not {run.key for run in larger} & set(before)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            'return_link = "unprotected"\n',
            "",
            "has no meaning for a return link that is plain; "
            'allowed: return_link = "unprotected" or "protected"',
        ),
        ('"up.parquet"', '"absent.parquet"', "absent.parquet: cannot be read"),
        ('"up.parquet"', '"up.txt"', "s.toml:12: key path[0].return_trace: is missing: "),
        ('"up.parquet"', '""', "key path[0].return_trace: '' is not allowed; allowed: text that is"),
        ('"up.parquet"', "7", "key path[0].return_trace: 7 is not allowed; allowed: text, or "),
        (
            "[[scheme]]",
            'offset = "random"\n[[scheme]]',
            "s.toml:7: key trace[0].offset: 'random' is not allowed; allowed: a number from 0 to ",
        ),
        ("[[scheme]]", "offset = -1\n[[scheme]]", "s.toml:7: key trace[0].offset: -1 is not allowed; "),
    ],
)
def test_scenario__refuses_return_traces_and_starts(folder: Path, old: str, new: str, message: str) -> None:
    write_trace(folder / "up.txt", PhyTrace(np.arange(9) * MS, np.full(9, MS)))
    with pytest.raises(InputError) as refused:
        _runs(folder, (old, new))
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.ns2
def test_run__counts_sizes_packing_and_the_return_trace(folder: Path, simulator: Path) -> None:
    assert simulator
    (folder / "s.toml").write_text(SCENARIO)
    run_scenario(folder / "s.toml", folder / "out", jobs=1)
    results = read_results(folder / "out")
    assert [axis.column for axis in results.axes] == ["forward_packing"]
    runs = results.runs
    assert len(runs) == 4
    assert set(runs["return_link"]) == {"unprotected, up.parquet"}
    assert runs["forward_lldu_bytes"].isna().all()
    assert set(runs["return_lldu_bytes"]) == {100}
    # Any two neighbouring rows carry a packet of 1500 bytes: 150 packets if padded. Packed, 300,000 bytes are
    # 200 packets. The last of each leaves with the last row, 2.99 s after the first row.
    for packing, packets in (("padded", 150), ("packed", 200)):
        of_kind = runs[runs["forward_packing"] == packing]
        capacity_bps = 8 * (1500 - HEADER_BYTES) * packets / 2.99
        assert of_kind["capacity_bps"].tolist() == pytest.approx([capacity_bps] * 2)
        # The rate of the rows over whole periods of 3 s, in IP bytes.
        assert of_kind["forward_rate_bps"].tolist() == pytest.approx([8 * 1500 * packets / 3.0] * 2)
        assert (of_kind["goodput_bps"] > 0.85 * capacity_bps).all()
        assert (of_kind["goodput_bps"] <= 1.01 * capacity_bps).all()
    # 8 s from the beginning of a trace of 3 s: it starts again at 3 and 6 s. Nothing is drawn by the seed.
    assert set(runs["forward_offset_s"]) == {0.0}
    use = "every run starts at the beginning; it repeats 2 times in a run"
    assert ("trace down.parquet", use) in results.notes
    assert [warning for warning in results.warnings if warning.startswith("All seeds gave the same results")]
    # The course counts the bytes of the rows.
    records = results.records[0]
    series = {one.panel: one for one in run_over_time(records, results.runs.iloc[records.row])}
    assert series["capacity"].value.mean() == pytest.approx(800e3, rel=0.02)
    assert series["queue"].value.max() == results.runs.iloc[records.row]["queue_packets"]
