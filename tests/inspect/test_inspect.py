"""Summaries of traces: hand arithmetic, any pieces, and the counts of the conversions."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import pytest
from click.testing import CliRunner
from naive import on_link
from naive.on_link import OnLink

from tmt import Arq, Fec, GilbertElliott, NoScheme
from tmt.cli.inspect_command import command
from tmt.core.convert import convert
from tmt.core.errors import UsageError
from tmt.core.generate import Line
from tmt.core.measure.link import summarise
from tmt.core.schemes.scheme import Scheme
from tmt.core.trace import LinkTrace, PhyTrace, Trace
from tmt.io import open_trace, read_phy, read_trace, write_trace
from tmt.io.conversion import convert_file
from tmt.io.generation import generate

MS = 1_000_000
S = 1_000_000_000

# Slots at 1, 2, 3, 4, 6, 7 s; erased: 2, 3 and 7 s. Bursts of 2 and 1 slots, gaps of 1 and 2; the outage from
# 2 s lasts until the next decoded slot, at 4 s.
PHY = PhyTrace(
    np.array([1, 2, 3, 4, 6, 7]) * S, np.array([20, 0, 0, 40, 30, 0]) * MS, {"kind": "phy", "lldu_bytes": 100}
)

# Five LLDUs: delivered after 10 and 30 ms and (third transmission) 1050 ms, given up after 50 ms, unsettled.
LINK = LinkTrace(
    np.array([1, 2, 3, 4, 5]) * S,
    np.array([10 * MS, 50 * MS, 1050 * MS, 30 * MS, -1]),
    np.array([True, False, True, True, False]),
    np.array([1, 2, 3, 1, 1], np.uint8),
    {"kind": "link", "scheme": {"name": "arq", "rtt_ns": 500 * MS}},
)


def _pieces(trace: Trace, rows: int) -> Iterator[Trace]:
    for start in range(0, len(trace), rows):
        columns = {column.name: getattr(trace, column.name)[start : start + rows] for column in trace.columns}
        yield type(trace)(**columns)


def test_phy_summary__by_hand() -> None:
    summary = summarise([PHY], PHY.metadata)
    assert summary.to_json() == {
        "kind": "phy",
        "rows": 6,
        "start_s": 1.0,
        "duration_s": 6.0,
        "per_s": pytest.approx(5 / 6),
        "interval_s": pytest.approx(
            {"count": 5, "mean": 1.2, "minimum": 1, "p50": 1, "p90": 2, "p99": 2, "maximum": 2}
        ),
        # 5 intervals of 800 bits in 6 s; half of the slots are decoded.
        "bit_rates": pytest.approx({"lldu_bytes": 100, "all_bps": 4000 / 6, "good_bps": 2000 / 6}),
        # Six rows are too few for more than one bin, which ends one mean interval, 1.2 s, after the last row.
        "rate_over_time": {
            "unit": "bit/s",
            "start_s": 1.0,
            "width_s": pytest.approx(7.2),
            "offered": pytest.approx([6 * 800 / 7.2]),
            "good": pytest.approx([3 * 800 / 7.2]),
        },
        "longest_pause": {"start_s": 4.0, "duration_s": 2.0},
        "pauses": [
            {"least_s": 1.0, "number": 5, "share_of_time": 1.0},
            {"least_s": 2.0, "number": 1, "share_of_time": pytest.approx(1 / 3)},
        ],
        "bursts": {
            "count": 2,
            "mean": 1.5,
            "minimum": 1,
            "p50": 1,
            "p90": 2,
            "p99": 2,
            "maximum": 2,
            "lengths": {1: 1, 2: 1},
        },
        "gaps": {
            "count": 2,
            "mean": 1.5,
            "minimum": 1,
            "p50": 1,
            "p90": 2,
            "p99": 2,
            "maximum": 2,
            "lengths": {1: 1, 2: 1},
        },
        "longest_outage": {"start_s": 2.0, "duration_s": 2.0, "rows": 2},
        "erased": 3,
        "erasure_rate": 0.5,
        "decode_time_s": pytest.approx(
            {
                "count": 3,
                "mean": 0.03,
                "minimum": 0.02,
                "p50": 0.03,
                "p90": 0.04,
                "p99": 0.04,
                "maximum": 0.04,
            }
        ),
    }


@pytest.mark.parametrize("rows", [1, 4, 6])
def test_es_n0__by_hand(rows: int) -> None:
    # -3, 0, 0, 1.5, 9 and 9 dB: mean 2.75; at most 0 dB: half of the slots. Slots a second apart are alone
    # in their bins, and most bins have no slot.
    signal = replace(PHY, es_n0_mdb=np.array([-3000, 0, 0, 1500, 9000, 9000], np.int32))
    summary = summarise(_pieces(signal, rows), {})
    found = summary.es_n0_db
    assert (found.count, found.mean, found.minimum, found.p50, found.maximum) == (6, 2.75, -3, 0, 9)
    values, share = summary.signal_levels.share_at_most()
    assert (values.tolist(), share.tolist()) == ([-3, 0, 1.5, 9], [1 / 6, 0.5, 4 / 6, 1])
    over_time = summary.to_json()["es_n0_over_time"]
    assert [mean for mean in over_time["mean_db"] if mean is not None] == [-3, 0, 0, 1.5, 9, 9]
    assert over_time["start_s"] == 1
    assert "es_n0_db" not in summarise([PHY], {}).to_json()


def test_es_n0__has_the_mean_of_the_bins_of_a_long_trace() -> None:
    # 4096 slots 1 ns apart: 1024 bins of four; the mean of 4 i to 4 i + 3 is 4 i + 1.5.
    slots = PhyTrace(np.arange(4096), np.ones(4096, np.int64), es_n0_mdb=np.arange(4096, dtype=np.int32))
    summary = summarise(_pieces(slots, 1000), {})
    _, mean_db = summary.timeline.mean_es_n0_db()
    np.testing.assert_allclose(mean_db, (4 * np.arange(1024) + 1.5) / 1000, rtol=1e-12)


def test_inspect_command__shows_es_n0(tmp_path: Path) -> None:
    write_trace(tmp_path / "phy.csv", replace(PHY, es_n0_mdb=np.full(6, 2500, np.int32)))
    done = CliRunner().invoke(command, [str(tmp_path / "phy.csv"), "--plot", str(tmp_path / "phy.svg")])
    assert done.exit_code == 0
    row = next(line for line in done.stdout.splitlines() if "Es/N0, dB" in line)
    assert row.split()[2:] == ["6", *["2.5"] * 6]
    assert (tmp_path / "phy.svg").stat().st_size > 0


def test_link_summary__by_hand() -> None:
    summary = summarise([LINK], LINK.metadata)
    assert (summary.delivered, summary.lost, summary.unsettled) == (3, 1, 1)
    assert summary.loss_rate == 1 / 4
    assert summary.delay_s.mean == pytest.approx((0.01 + 1.05 + 0.03) / 3)
    assert summary.loss_delay_s.mean == pytest.approx(0.05)
    assert summary.mean_transmissions == pytest.approx(8 / 5)
    assert summary.persistency == 2
    # In an arq trace every slot carries a first or a repeated transmission: 8 of them for 3 delivered.
    assert summary.efficiency == pytest.approx(3 / 8)
    assert summary.recovery_delay_s == pytest.approx(0.25 + 1.09 / 3)
    assert summary.pattern.burst_lengths == {1: 1}
    assert summary.pattern.gap_lengths == {1: 1, 3: 1}
    assert summary.bit_rates is None


def test_link_summary__takes_the_rtt_that_is_given() -> None:
    summary = summarise([LINK], LINK.metadata, rtt_ns=20 * MS)
    assert summary.recovery_delay_s == pytest.approx(0.01 + 1.09 / 3)


@pytest.mark.parametrize("scheme", [{"name": "fec"}, {}, {"name": "somebody's"}])
def test_link_summary__of_a_scheme_told_in_part_does_not_count_slots(scheme: dict[str, Any]) -> None:
    summary = summarise([LINK], {"scheme": scheme})
    assert summary.slots_used is None


def test_link_summary__counts_bytes_where_rows_have_sizes() -> None:
    # Sent: 100 + 2 * 200 + 3 * 300 + 400 + 500 bytes; delivered: 100 + 300 + 400.
    trace = replace(LINK, size_bytes=np.array([100, 200, 300, 400, 500], np.uint32), metadata={})
    for metadata, efficiency in (
        ({"importer": "table", "slots": 8}, 800 / 2300),
        ({"scheme": {"name": "arq"}, "slots": 8}, None),
        ({}, None),
    ):
        summary = summarise([trace], metadata)
        assert summary.efficiency == (None if efficiency is None else pytest.approx(efficiency))
        assert summary.bit_rates.good_bps / summary.bit_rates.all_bps == pytest.approx(800 / 1500)


def test_link_summary__without_metadata_leaves_open_what_it_cannot_know() -> None:
    summary = summarise([LINK], {})
    assert (summary.efficiency, summary.recovery_delay_s, summary.slots_used) == (None, None, None)


@pytest.mark.parametrize("trace", [PHY, LINK], ids=["phy", "link"])
@pytest.mark.parametrize("rows", [1, 2, 5])
def test_summary__does_not_depend_on_the_cut(trace: Trace, rows: int) -> None:
    whole = summarise([trace], trace.metadata)
    cut = summarise(_pieces(trace, rows), trace.metadata)
    assert cut.to_json() == whole.to_json()
    assert np.array_equal(cut.timeline.slots, whole.timeline.slots)


def test_summary__of_one_row_has_no_rate() -> None:
    summary = summarise([PhyTrace(np.array([5]), np.array([0]))], {}, lldu_bytes=33)
    assert (summary.times.per_s, summary.bit_rates, summary.times.duration_s) == (None, None, 0.0)
    json.dumps(summary.to_json(), allow_nan=False)


def test_summary__of_nothing_is_refused() -> None:
    with pytest.raises(UsageError, match="without rows"):
        summarise([], {})


@pytest.mark.parametrize("scheme", [NoScheme(), Fec(10, 2, 3), Arq(), Arq(max_transmissions=2)], ids=str)
def test_efficiency__agrees_with_the_conversion(scheme: Scheme, tmp_path: Path) -> None:
    phy, link = tmp_path / "phy.parquet", tmp_path / "link.parquet"
    line = Line.at_rate(263_000, 33, 36 * MS)
    generate(phy, GilbertElliott(0.9, 0.5), line, duration_ns=2 * S, seed=4)
    counts = convert_file(phy, link, scheme, 0.02)
    with open_trace(link) as reader:
        summary = summarise(reader, reader.metadata)
    assert (summary.delivered, summary.lost, summary.unsettled) == (
        counts.delivered,
        counts.lost,
        counts.unsettled,
    )
    assert summary.efficiency == pytest.approx(counts.efficiency, rel=1e-12)


@pytest.mark.parametrize(
    ("scheme", "slots", "efficiency"),
    [
        # Bytes by hand. The slot of 400 bytes retransmits the LLDU of 20 bytes; the slot of 50 stays erased.
        (
            on_link.arq(rtt_ns=20),
            [(0, 4, 100), (10, 0, 20), (20, 4, 300), (30, 4, 400), (40, 0, 50)],
            420 / 870,
        ),
        # Blocks of 2 + 1: the third slot is repair, the last two are a tail that carries nothing.
        (on_link.OnLink(Fec(2, 1)), [(0, 1, 1), (1, 1, 2), (2, 1, 3), (3, 1, 4), (4, 1, 5)], 3 / 6),
        # A block of 1 + 0, erased: requested at 10, repaired by the slot of 7 bytes; the slot of 5 is new.
        (on_link.harq(data=1, repair=0, extra=0, rtt_ns=10), [(0, 0, 9), (5, 2, 5), (20, 2, 7)], 14 / 21),
        (on_link.OnLink(NoScheme()), [(0, 0, 9), (5, 2, 5), (20, 2, 7)], 12 / 21),
    ],
    ids=lambda case: str(case) if isinstance(case, on_link.OnLink) else None,
)
@pytest.mark.parametrize("ending", [".parquet", ".npy", ".csv.gz"])
def test_efficiency__of_rows_with_sizes_is_of_bytes(
    scheme: OnLink, slots: list[tuple[int, int, int]], efficiency: float, ending: str, tmp_path: Path
) -> None:
    phy, link = tmp_path / "phy.parquet", tmp_path / f"link{ending}"
    tx, decode, sizes = (np.array(column) for column in zip(*slots, strict=True))
    write_trace(phy, PhyTrace(tx, decode, size_bytes=sizes.astype(np.uint32)))
    convert_file(phy, link, *scheme)
    for found in (read_trace(link), convert(read_phy(phy), *scheme)):
        summary = summarise([found], found.metadata)
        assert summary.efficiency == pytest.approx(efficiency, rel=1e-15)


@pytest.mark.parametrize("trace", [PHY, LINK], ids=["phy", "link"])
@pytest.mark.usefixtures("own_drawing_processes")
def test_inspect_command__prints_tables_json_and_a_picture(trace: Trace, tmp_path: Path) -> None:
    path, pictures = tmp_path / "trace.parquet", [tmp_path / "a.svg", tmp_path / "b.svg"]
    write_trace(path, trace)
    for picture in pictures:
        result = CliRunner().invoke(command, [str(path), "--plot", str(picture), "--rtt", "0.5"])
        assert result.exception is None
        assert f"{trace.table.kind}" in result.output.lower()
        assert "longest outage" in result.output
    # The same drawing gives the same bytes, and its words stay words.
    assert pictures[0].read_bytes() == pictures[1].read_bytes()
    assert "at least as long" in pictures[0].read_text()
    result = CliRunner().invoke(command, [str(path), "--json"])
    assert json.loads(result.output)["kind"] == trace.table.kind


def test_inspect_command__draws_the_numbers_of_the_summary(tmp_path: Path) -> None:
    # Eight slots of 1500 bytes, 1 s apart: bursts of 1 and 2 slots, gaps of 3, 1 and 1.
    decode_time_ns = np.array([MS, MS, MS, 0, MS, 0, 0, MS])
    metadata = {"kind": "phy", "lldu_bytes": 1500}
    write_trace(tmp_path / "phy.parquet", PhyTrace(np.arange(8) * S, decode_time_ns, metadata))
    arguments = [str(tmp_path / "phy.parquet"), "--plot", str(tmp_path / "phy.json")]
    assert CliRunner().invoke(command, arguments).exception is None
    chart = json.loads((tmp_path / "phy.json").read_text())
    alt.Chart.from_dict(chart, validate=True)
    rows = chart["datasets"]
    assert chart["title"]["text"] == "phy.parquet: 8 slots in 7 s"
    assert rows["bursts"] == [{"value": 1, "share": 1.0}, {"value": 2, "share": 0.5}]
    assert rows["gaps"] == [{"value": 1, "share": 1.0}, {"value": 3, "share": 1 / 3}]
    # One bin for 16 rows or more: 8 slots in 8 s offer 12 kbit/s, of which five eighths are decoded.
    assert rows["rate"] == [{"time": time, "offered": 12.0, "good": 7.5} for time in (0.0, 8.0)]
    erased = [row["percent"] for row in rows["bad"] if row["percent"] is not None]
    assert erased == [0, 0, 0, 0, 0, 0, 100, 100, 0, 0, 100, 100, 100, 100, 0, 0]


def test_inspect_command__says_when_by_a_clock_that_shows_the_time_of_day(tmp_path: Path) -> None:
    start = 1_763_700_000 * S + 125 * MS
    write_trace(tmp_path / "phy.csv", PhyTrace(start + np.array([0, 1, 2]) * 250 * MS, np.array([MS, 0, MS])))
    said = " ".join(
        CliRunner().invoke(command, [str(tmp_path / "phy.csv")], env={"COLUMNS": "120"}).output.split()
    )
    assert "first row to last, from 1763700000.125 s on" in said
    assert "1 rows from 1763700000.375 s on, until the next good one" in said


def test_inspect_command__draws_a_trace_without_losses(tmp_path: Path) -> None:
    path, picture = tmp_path / "phy.csv", tmp_path / "phy.png"
    write_trace(path, PhyTrace(np.array([1, 2]), np.array([3, 3])))
    result = CliRunner().invoke(command, [str(path), "--plot", str(picture)])
    assert result.exception is None
    assert f"{path} holds no losses: only full queues drop packets" in result.stderr
    assert picture.read_bytes().startswith(b"\x89PNG")
    write_trace(path, PhyTrace(np.array([1, 2]), np.array([3, 0])))
    assert CliRunner().invoke(command, [str(path)]).stderr == ""


def test_inspect_command__shows_the_longest_pause_of_a_capacity_trace(tmp_path: Path) -> None:
    """A link without losses that stops for 11.6 s, as mahimahi's trace of Verizon's EVDO does."""
    tx_time_ns = np.concatenate((np.arange(0, 30 * S, 10 * MS), np.arange(41_600 * MS, 60 * S, 10 * MS)))
    path, picture = tmp_path / "phy.parquet", tmp_path / "phy.svg"
    write_trace(path, PhyTrace(tx_time_ns, np.full(len(tx_time_ns), MS), {"kind": "phy", "lldu_bytes": 1500}))
    result = CliRunner().invoke(command, [str(path), "--plot", str(picture)], env={"COLUMNS": "120"})
    said = " ".join(result.output.split())
    # From the last row before it, at 29.99 s; its share is that of the 59.99 s from first row to last.
    assert "longest pause 11.61 s outage: no opportunity from 29.99 s on" in said
    assert "10000 ms 1 19.4 %" in said
    drawn = picture.read_text()
    assert "longest pause: 11.6 s" in drawn
    assert "Rate (kbit/s)" in drawn
    assert "Bursts" not in drawn
    summary = json.loads(CliRunner().invoke(command, [str(path), "--json"]).stdout)
    assert summary["longest_pause"] == {"start_s": 29.99, "duration_s": 11.61}
    assert min(summary["rate_over_time"]["offered"]) == 0.0
    assert max(summary["rate_over_time"]["offered"]) == pytest.approx(1.2e6, rel=0.1)
