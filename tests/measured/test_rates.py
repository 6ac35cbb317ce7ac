"""Rate series: opportunities of a rate, losses and delays of intervals, and the files of data sets."""

import csv
import gzip
import itertools
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.measured.imports import import_trace, written
from tmt.core.errors import InputError, UsageError
from tmt.importers.iperf import Iperf3
from tmt.importers.rate_series import RateSeries
from tmt.importers.rates import RateTable, read_history

S, MS = 10**9, 10**6


def series(*intervals: tuple[float, float]) -> RateSeries:
    duration, rate = zip(*intervals, strict=True)
    return RateSeries(np.array(duration) * S, np.array(rate, np.float64))


def twin(intervals: list[tuple[int, int]], lldu_bytes: int) -> list[int]:
    """Exact: a row begins when the bits before it have passed; only rows that are complete count."""
    times, bits, start = [], Fraction(0), 0
    for duration, rate in intervals:
        held = Fraction(rate * duration)
        while len(times) * 8 * lldu_bytes < bits + held:
            into = (len(times) * 8 * lldu_bytes - bits) / rate
            times.append(int((start + into) * S))
        bits, start = bits + held, start + duration
    return times[: int(bits / (8 * lldu_bytes))]


def test_opportunities__of_whole_rows_are_evenly_spaced() -> None:
    """By hand: 48 kbit/s are four rows of 1500 bytes a second, 24 kbit/s are two."""
    times = series((1, 48_000), (1, 0), (1, 24_000)).opportunities_ns(1500)
    assert (times / MS).tolist() == [0, 250, 500, 750, 2000, 2500]


def test_opportunities__carry_what_is_left_of_a_row() -> None:
    """18 kbit/s: one and a half rows a second, so the second row ends in the next second."""
    times = series((1, 18_000), (1, 18_000)).opportunities_ns(1500)
    assert (times // MS).tolist() == [0, 666, 1333]


@pytest.mark.parametrize("seed", range(5))
def test_opportunities__agree_with_an_exact_twin(seed: int) -> None:
    source = np.random.default_rng(seed)
    intervals = [
        (int(d), int(r))
        for d, r in zip(source.integers(1, 4, 12), source.integers(0, 10**6, 12), strict=True)
    ]
    times = series(*intervals).opportunities_ns(700)
    np.testing.assert_allclose(times, twin(intervals, 700), atol=2)


def test_opportunities__have_a_limit() -> None:
    with pytest.raises(UsageError, match=r"--lldu-bytes 1 gives 125,000,000,000 rows; up to 50,000,000 are"):
        series((1000, 1e9)).opportunities_ns(1)


def test_opportunities__before_a_time_are_limited_alone() -> None:
    """By hand: 12 Mbit/s are a row of 1500 bytes each ms; the last interval has 83 million of them."""
    long = series((10, 12e6), (1000, 1e12))
    times = long.opportunities_ns(1500, until_ns=10 * S)
    assert times[times < 10 * S].tolist() == [ms * MS for ms in range(10_000)]
    with pytest.raises(UsageError, match=r" gives 83,333,343,333 rows;.* or an earlier --until, gives fewer"):
        long.opportunities_ns(1500)
    with pytest.raises(UsageError, match=r" gives 83,343,334 rows; up to 50,000,000 are allowed"):
        long.opportunities_ns(1500, until_ns=11 * S)


def test_until__leaves_the_rows_before_it_as_they_are(tmp_path: Path) -> None:
    text = "time_s,rate_bps,loss\n0,12000000,0.5\n1,1000,0.5\n2,1000000000000,0.5\n1002,1,0\n"
    path, short = written(tmp_path, text), written(tmp_path, text.replace("1002", "3"), "short.csv")
    limited = import_trace("rates", path, lldu_bytes=15_000, until=2, gap=2000)
    whole = import_trace("rates", short, lldu_bytes=15_000, until=2)
    assert len(limited) == 101
    assert np.array_equal(limited.tx_time_ns, whole.tx_time_ns)
    assert np.array_equal(limited.delivered, whole.delivered)


def test_losses__are_drawn_in_each_interval_with_the_seed(tmp_path: Path) -> None:
    text = "time_s,rate_bps,loss,delay_ms\n0,12000000,0,30\n10,12000000,0.1,40\n20,12000000,1,50\n"
    path = written(tmp_path, text)
    link, again, other = (RateTable(seed=seed).read(path).trace for seed in (1, 1, 2))
    lost = ~link.delivered
    assert len(link) == 30_000
    assert lost[:10_000].sum() == 0
    # 10,000 rows at 0.1: standard deviation of the share 0.003; four of them are allowed.
    assert lost[10_000:20_000].mean() == pytest.approx(0.1, abs=0.012)
    assert lost[20_000:].all()
    assert (np.unique(link.delay_ns) / MS).tolist() == [30, 40, 50]
    assert np.array_equal(link.delivered, again.delivered)
    assert not np.array_equal(link.delivered, other.delivered)
    phy = RateTable(as_="phy").read(path).trace
    assert np.array_equal(phy.decode_time_ns == 0, lost)


def test_rates__of_one_s_own_columns_may_have_any_separator(tmp_path: Path) -> None:
    for separator in ",;\t":
        text = (
            separator.join(["rate_bps", "time_s"])
            + "\r\n# comment\r\n"
            + separator.join(["24000", "0"])
            + "\r\n\r\n"
        )
        assert len(RateTable().read(written(tmp_path, text)).trace) == 2


def test_rates__leave_out_a_cut_line_and_cut_out_gaps(tmp_path: Path) -> None:
    """Ten seconds of Starlink on the Road's form with a gap of a minute, cut within the last line."""
    text = (
        "timestamp_start,timestamp_end,upload,download\n"
        "2024-01-11 10:06:39,2024-01-11 10:06:40,12000,24000\n"
        "2024-01-11 10:07:40,2024-01-11 10:07:41,,24000\n"
        "2024-01-11 10:07:41,2024-01-11 10:07:42,12000,24000\n2024-"
    )
    path = written(tmp_path, text)
    up, down = RateTable(direction="up").rates(path), RateTable(direction="down").rates(path)
    assert (up.duration_ns / S).tolist() == [1, 1]
    assert up.notes[1:] == (
        "the last line is cut short and left out",
        "1 row without upload is left out",
        "1 hole without a measurement, 61.0 s in all, is left out",
    )
    assert (down.rate_bps.tolist(), len(down.duration_ns)) == ([24000.0] * 3, 3)


def test_rates__of_a_5g_telephone_last_until_the_next_line(measured_data: Path) -> None:
    """A twin by the clock: the mean of a second's lines holds until the next second that has one."""
    from datetime import datetime

    path = measured_data / "formats" / "ucc5g_example.csv.gz"
    seconds: dict[int, list[float]] = {}
    with gzip.open(path, "rt") as file:
        for row in csv.DictReader(file):
            stamp = datetime.strptime(row["Timestamp"] + "+0000", "%Y.%m.%d_%H.%M.%S%z").timestamp()
            seconds.setdefault(int(stamp), []).append(1000 * float(row["DL_bitrate"]))
    starts = sorted(seconds)
    lasting = [after - before for before, after in itertools.pairwise(starts)]
    assert max(lasting) == 3
    means = [float(np.mean(seconds[start])) for start in starts]
    bits = float(np.dot(means, [*lasting, 1]))
    whole = RateTable(direction="down").rates(str(path))
    assert float((whole.rate_bps * whole.duration_ns / S).sum()) == pytest.approx(bits)
    assert whole.duration_ns.sum() == (starts[-1] + 1 - starts[0]) * S
    assert len(whole.opportunities_ns(15_000)) == pytest.approx(bits / 120_000, abs=1)


def test_rates__of_a_telephone_end_at_a_gap(tmp_path: Path) -> None:
    """A line holds until the next one within 3 s; before a gap it holds for the usual time, a second."""
    seconds = (0, 1, 2, 10, 11)
    lines = [f"2019.11.28_09.00.{second:02},1,{1 + second}\n" for second in seconds]
    found = RateTable(direction="down").rates(
        written(tmp_path, "Timestamp,UL_bitrate,DL_bitrate\n" + "".join(lines))
    )
    assert (found.duration_ns / S).tolist() == [1, 1, 1, 1, 1]
    assert found.rate_bps.tolist() == [1000, 2000, 3000, 11_000, 12_000]


def test_rates__of_a_dish_are_unrolled_from_the_oldest_value(measured_data: Path) -> None:
    path = measured_data / "formats" / "starlink_get_history.json.gz"
    history = json.loads(gzip.decompress(path.read_bytes()))["dishGetHistory"]
    oldest = int(history["current"]) % 900
    found = read_history(str(path), "down")
    assert found.loss[0] == pytest.approx(history["popPingDropRate"][oldest])
    assert found.rate_bps[-1] == pytest.approx(history["downlinkThroughputBps"][oldest - 1])
    assert found.loss.mean() == pytest.approx(np.mean(history["popPingDropRate"]))


def test_rates__of_a_dish_that_has_just_started_are_few(tmp_path: Path) -> None:
    """Two values are there. All pings of a second may be lost; one way takes half of a round trip."""
    rings = {
        "uplinkThroughputBps": [1, 0.5, 7],
        "popPingLatencyMs": [40, 50, 7],
        "popPingDropRate": [0, 1, 7],
    }
    history = {"dishGetHistory": {"current": "2", **rings}}
    found = read_history(written(tmp_path, json.dumps(history)), "up")
    assert (found.rate_bps.tolist(), found.loss.tolist()) == ([1, 0.5], [0, 1])
    assert found.delay_ns.tolist() == [20 * MS, 25 * MS]


@pytest.mark.parametrize("current", ["", "-1", "9" * 5000])
def test_rates__of_a_dish_with_a_wrong_count_are_refused(tmp_path: Path, current: str) -> None:
    rings = {key: [1] for key in ("uplinkThroughputBps", "popPingLatencyMs", "popPingDropRate")}
    path = written(tmp_path, json.dumps({"dishGetHistory": {"current": current, **rings}}))
    with pytest.raises(InputError, match="current is missing or wrong"):
        read_history(path, "up")


def iperf(*sums: dict[str, Any], reverse: bool = True, key: str = "sum") -> str:
    start = {"test_start": {"reverse": int(reverse)}}
    return json.dumps({"start": start, "intervals": [{key: held} for held in sums]})


def second(number: int, rate: float, **more: Any) -> dict[str, Any]:
    return {
        "start": number + 3e-5 * number,
        "end": number + 1 + 2e-5,
        "bits_per_second": rate,
        "sender": False,
        **more,
    }


def test_iperf3__adds_lost_datagrams_to_the_rate_at_the_receiver(tmp_path: Path) -> None:
    path = written(
        tmp_path, iperf(second(0, 5e6, omitted=True, lost_percent=0), second(1, 9e6, lost_percent=10))
    )
    found = Iperf3().rates(path)
    assert (found.rate_bps.tolist(), found.loss.tolist()) == ([pytest.approx(1e7)], [pytest.approx(0.1)])
    assert found.notes[1] == (
        "lost datagrams are added to the rate at the receiver: 10.0 Mbit/s in place of 9.0 Mbit/s; if a "
        "queue overflowed, the rate of the link is the latter"
    )


def test_iperf3__is_read_as_iperf_3_12_prints_it(tmp_path: Path) -> None:
    """Sums of ``iperf3 -c 127.0.0.1 -u -R -b 5M -l 1200 -J``: 521 packets in each second."""
    printed = [(0, 1.000059, 5001304.88, 521), (1.000059, 2.000042, 5001684.97, 521)]
    sums = [
        {"start": start, "end": end, "seconds": end - start, "bits_per_second": rate, "jitter_ms": 0.0129}
        | {"lost_packets": 0, "packets": packets, "lost_percent": 0, "omitted": False, "sender": False}
        for start, end, rate, packets in printed
    ]
    measurement = Iperf3(lldu_bytes=1200).read(written(tmp_path, iperf(*sums)))
    assert len(measurement.trace) == pytest.approx(2 * 521, abs=1)


def test_iperf3__without_a_word_on_the_sender_takes_uploads_for_what_was_sent(tmp_path: Path) -> None:
    """Older versions do not print it; iperf3 reports the client's side, which sends unless -R is given."""
    for reverse, note in ((False, "these are rates at the sender"), (True, "lost datagrams are added")):
        held = {name: value for name, value in second(0, 9e6, lost_percent=10).items() if name != "sender"}
        found = Iperf3().rates(written(tmp_path, iperf(held, reverse=reverse)))
        assert found.notes[1].startswith(note)


def test_iperf3__joins_intervals_whose_ends_are_rounded(tmp_path: Path) -> None:
    found = Iperf3(direction="down").rates(
        written(tmp_path, iperf(second(0, 1e6), second(1, 2e6), second(2, 3e6)))
    )
    assert found.duration_ns.sum() == pytest.approx(3 * S, abs=MS)
    assert not any("cut out" in note for note in found.notes)
