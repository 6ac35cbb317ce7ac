"""Rate series in any table: units, losses, delays, holes, lengths of rows, and rows that cannot be."""

from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.measured.imports import import_trace
from tmt.core.errors import InputError, UsageError
from tmt.core.trace import Trace

S, MS = 10**9, 10**6


def imported(folder: Path, text: str, name: str = "rates.csv", **options: Any) -> Trace:
    (folder / name).write_text(text)
    return import_trace("table", folder / name, **options)


@pytest.mark.parametrize(
    ("unit", "value"),
    [
        ("bit/s", "48000"),
        ("kbit/s", "48"),
        ("Mbit/s", "0.048"),
        ("Gbit/s", "4.8e-5"),
        ("byte/s", "6000"),
        ("kbyte/s", "6"),
        ("Mbyte/s", ".006"),
    ],
)
def test_rate__has_its_unit(unit: str, value: str, tmp_path: Path) -> None:
    """By hand: 48 kbit/s are four rows of 1500 bytes a second."""
    trace = imported(tmp_path, f"t,r\n10,{value}\n11,{value}\n", time="t", rate=f"r:{unit}")
    assert (trace.tx_time_ns / MS).tolist() == [250 * row for row in range(8)]
    assert trace.metadata["length_ns"] == 2 * S
    assert (trace.metadata["lldu_bytes"], trace.metadata["packing"]) == (1500, "packed")


def test_rate__of_two_columns_without_a_header_is_that_of_abr_research(tmp_path: Path) -> None:
    """Time in s and Mbit/s, irregular: the exact sum of the bits, 12,000 to a row."""
    rows = [("0.0", "2.521"), ("0.81", "2.762"), ("1.28", "0.863"), ("4.15", "2.8"), ("4.58", "1.4")]
    trace = imported(tmp_path, "".join(f"{t}\t{r}\n" for t, r in rows), time="1", rate="2:Mbit/s")
    times = [Fraction(t) for t, _ in rows]
    steps = [after - before for before, after in pairwise(times)]
    lasting = [*steps, (sorted(steps)[1] + sorted(steps)[2]) / 2]
    bits = sum(step * 10**6 * Fraction(r) for step, (_, r) in zip(lasting, rows, strict=True))
    assert len(trace) == bits // 12_000
    assert trace.metadata["length_ns"] == sum(lasting) * S
    assert trace.table.kind == "link"


def test_loss_and_delay__may_stand_beside_the_rate(tmp_path: Path) -> None:
    """A share of 100 % or 0 % leaves nothing to chance; a value that is missing is that of the row before."""
    text = "t,r,bler,d\n0,12,0,40\n1,12,100,\n2,12,-,60\n3,12,0,70\n"
    options: dict[str, Any] = {"time": "t", "rate": "r:kbit/s", "loss": "bler:percent", "delay": "d:ms"}
    link = imported(tmp_path, text, **options)
    assert link.delivered.tolist() == [True, False, False, True]
    assert (link.delay_ns / MS).tolist() == [40, 40, 60, 70]
    assert "1 row has no bler: that of the row before holds" in link.metadata["notes"]
    assert not any("drawn" in note for note in link.metadata["notes"])
    phy = imported(tmp_path, text, as_="phy", **options)
    assert (phy.decode_time_ns / MS).tolist() == [40, 0, 0, 70]


def test_loss__over_a_line_erases_slots_of_a_constant_rate(tmp_path: Path) -> None:
    """A block error rate over time: 10,000 slots at 0.25; four standard deviations are 0.017."""
    trace = imported(
        tmp_path, "t,bler\n0,0\n10,0.25\n20,1\n", time="t", loss="bler", line=12e6, as_="phy", seed=3
    )
    lost = (trace.decode_time_ns == 0).reshape(3, 10_000)
    assert lost[0].sum() == 0
    assert lost[1].mean() == pytest.approx(0.25, abs=0.018)
    assert lost[2].all()


REGULAR = "t,r\n0,12000\n0.5,12000\n1,240000\n51,24000\n51.5,24000\n"


def test_hole__of_a_regular_log_is_removed_with_a_note(tmp_path: Path) -> None:
    """By hand: 0.5, 0.5, 10 and two times 1 row in half a second each."""
    trace = imported(tmp_path, REGULAR, time="t", rate="r")
    assert len(trace) == 13
    assert trace.metadata["length_ns"] == 2.5 * S
    assert trace.metadata["notes"][1:] == [
        "the last row lasts 0.5 s, the usual time from row to row",
        "1 hole without a measurement, 49.5 s in all, is left out",
    ]


def test_hole__is_an_outage_on_request_whatever_the_rate_is(tmp_path: Path) -> None:
    trace = imported(tmp_path, REGULAR, time="t", rate="r", holes="outage")
    assert (len(trace), trace.metadata["length_ns"]) == (13, 52 * S)
    assert (trace.tx_time_ns[-2:] / S).tolist() == [51, 51.5]
    assert "1 hole without a measurement, 49.5 s in all, counts as outage" in trace.metadata["notes"]
    line = imported(tmp_path, REGULAR, time="t", rate="r", holes="outage", line=12_000)
    at_s = line.tx_time_ns / S
    assert line.delivered.tolist() == [at < 1.5 or at >= 51 for at in at_s.tolist()]


def test_gap__says_what_a_hole_is(tmp_path: Path) -> None:
    """240 kbit/s for 50 s are 1000 rows; a series of irregular steps has no holes of its own.

    The usual time is the median of the steps that are no holes: 2.5 s of 1 s and 4 s.
    """
    assert len(imported(tmp_path, REGULAR, time="t", rate="r", gap=50)) == 1 + 1000 + 2
    steps = "t,r\n0,12000\n1,12000\n5,12000\n50,12000\n"
    assert imported(tmp_path, steps, time="t", rate="r").metadata["length_ns"] == 54 * S
    assert imported(tmp_path, steps, time="t", rate="r", gap=4).metadata["length_ns"] == 10 * S

    three = "t,r\n0,12000\n1,12000\n9,12000\n"
    trace = imported(tmp_path, three, time="t", rate="r", gap=5)
    assert (len(trace), trace.metadata["length_ns"]) == (3, 3 * S)
    with pytest.raises(UsageError, match=r"--gap is 0\.5; rows are 1 s apart, or more"):
        imported(tmp_path, three, time="t", rate="r", gap=0.5)


def test_end__is_a_column_of_its_own(tmp_path: Path) -> None:
    """By hand: 1, 0 and 2 rows; midnight passes within the second interval, and nothing is known for 1 s."""
    text = "a,b,r\n23:59:57,23:59:58,12000\n23:59:58,00:00:00,0\n00:00:01,00:00:02,24000\n"
    options: dict[str, Any] = {"time": "a:clock", "end": "b:clock", "rate": "r"}
    trace = imported(tmp_path, text, holes="outage", **options)
    assert (trace.tx_time_ns / S).tolist() == [0, 4, 4.5]
    assert trace.metadata["length_ns"] == 5 * S
    assert imported(tmp_path, text, **options).metadata["length_ns"] == 4 * S


def test_bytes__of_an_interval_are_its_rate(tmp_path: Path) -> None:
    """Logs of 3G by Riiser (2013) count bytes since the row before: 1500, 3000 and 4500 in 1, 0.5 and 1.5 s.

    The first row lasts the median of 0.5 s and 1.5 s; two rows of one time add up.
    """
    text = "10 1500\n10.5 3000\n12 1500\n12 3000\n"
    since = imported(tmp_path, text, time="1", end="1", rate="2:bytes")
    assert (since.tx_time_ns / MS).tolist() == [0, 1000, 1250, 1500, 2000, 2500]
    assert since.metadata["length_ns"] == 3 * S
    assert "the first row lasts 1 s, the usual time from row to row" in since.metadata["notes"]
    until = imported(tmp_path, text, time="1", rate="2:bytes")
    assert (until.tx_time_ns / MS).round(3).tolist() == [0, 500, 1250, 2000, 2333.333, 2666.667]


def test_dates__may_be_split_over_two_columns(tmp_path: Path) -> None:
    text = "day,hour,r\n28.02.2026,23:59:59,12000\n01.03.2026,00:00:01,0\n01.03.2026,00:00:03,12000\n"
    trace = imported(tmp_path, text, time="day+hour:date", rate="r")
    assert (trace.tx_time_ns / S).tolist() == [0, 1, 4, 5]
    printed = "Sat Feb 28 23:59:59 UTC 2026 12000\nSun Mar 1 00:00:00 UTC 2026 12000\n"
    by_date = imported(tmp_path, printed, time="1+2+3+4+5+6:date", rate="7")
    assert (by_date.tx_time_ns / S).tolist() == [0, 1]
    with pytest.raises(InputError, match=r"2026-02-28, a date without a time of day; .*DATE\+TIME:iso"):
        imported(tmp_path, "d,h,r\n2026-02-28,23:59:59,1\n", time="d:iso", rate="r")


def test_rows__that_cannot_be_are_dropped_on_request_with_a_count(tmp_path: Path) -> None:
    text = "t,r\n0,12\n1,-1\n2,12\nx,12\n3,12\n4,12\n"
    with pytest.raises(InputError, match=r":3: r is -1; a number from 0 to 1e\+12 is needed"):
        imported(tmp_path, text, time="t", rate="r:kbit/s")
    trace = imported(tmp_path, text, time="t", rate="r:kbit/s", invalid="drop")
    assert len(trace) == 5
    assert trace.metadata["notes"][1].startswith("2 rows are dropped, the first being line 3: r is -1; ")


def test_rates__known_by_their_columns_have_the_same_options(tmp_path: Path) -> None:
    (tmp_path / "own.csv").write_text(REGULAR.replace("t,r", "time_s,rate_bps") + "52,-1\n")
    trace = import_trace("rates", tmp_path / "own.csv", holes="outage", invalid="drop")
    assert (len(trace), trace.metadata["length_ns"]) == (13, 52 * S)


@pytest.mark.parametrize("comma", ["0,5;1,5\n1,5;2,5\n", '"0,5","1,5"\n"1,5","2,5"\n', "0,5 1,5\n1,5 2,5\n"])
def test_decimal_commas__need_an_option(comma: str, tmp_path: Path) -> None:
    """By hand: 1.5 kbit/s for a second and 2.5 kbit/s for another are 4000 bits."""
    trace = imported(tmp_path, comma, time="1", rate="2:kbit/s", decimal="comma", lldu_bytes=25)
    assert len(trace) == 20
    if ";" in comma:
        with pytest.raises(InputError, match=r"1 is 0,5 \(numbers with a comma need --decimal comma\)"):
            imported(tmp_path, comma, time="1", rate="2:kbit/s")


def test_rates__of_a_5g_telephone_are_those_of_its_preset(measured_data: Path) -> None:
    path = measured_data / "formats" / "ucc5g_example.csv.gz"
    table = import_trace("table", path, time="Timestamp:date", rate="UL_bitrate:kbit/s")
    preset = import_trace("rates", path, direction="up")
    np.testing.assert_array_equal(table.tx_time_ns, preset.tx_time_ns)
    assert table.metadata["length_ns"] == preset.metadata["length_ns"]
