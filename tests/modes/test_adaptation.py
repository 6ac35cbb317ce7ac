"""Adaptation: against the slow twin, by hand, the laws of its rules, and traces from end to end."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from in_process import tmt
from naive import modes as naive
from scipy.stats import norm

from tmt import Adaptation
from tmt.core.modes.adapter import Adapter, fates_and_losses
from tmt.core.modes.kernel import time_ns_of
from tmt.core.trace import PhyTrace
from tmt.io import read_phy

MS = 1_000_000


def slots_of(
    one: Adaptation, time_ns: list[int], es_n0_mdb: list[int], cuts: list[int], seed: int
) -> PhyTrace:
    """Return the slots of samples that arrive in pieces."""
    interval = one.frame_interval_ns if one.table.has_frames else Fraction(MS)
    adapter = Adapter(one, interval, 7, seed)
    times, signal = np.array(time_ns, np.int64), np.array(es_n0_mdb, np.int32)
    pieces = [
        adapter.feed(times[first:last], signal[first:last])
        for first, last in zip([0, *cuts], [*cuts, len(times)], strict=True)
    ]
    columns = {
        column.name: np.concatenate([getattr(piece, column.name) for piece in pieces])
        for column in pieces[0].columns
    }
    return PhyTrace(**columns)


def twin_of(one: Adaptation, time_ns: list[int], es_n0_mdb: list[int], seed: int) -> list[naive.Sent]:
    table, target = one.table, one.target_error_rate
    fates, losses = fates_and_losses(seed)
    levels = (
        []
        if one.report_cqi is None
        else Adaptation(one.report_cqi, resource_blocks=1).table.needed_db(target)
    )
    modes = naive.Modes(
        table.efficiency.tolist(),
        (1000.0 * table.needed_db(target)).tolist(),
        (1000.0 * table.half_db).tolist(),
        (1000.0 * table.width_db).tolist(),
        one.symbols.tolist(),
    )
    rule = naive.Rule(
        one.adapt,
        target,
        1000.0 * one.margin,
        1000.0 * one.step,
        round(1e9 * one.report_delay),
        round(1e9 * one.report_every),
        one.report_loss,
        [1000.0 * level for level in levels],
        one.below == "idle",
    )
    uniform = fates.random(len(time_ns)).tolist()
    lost = losses.random(len(time_ns)).tolist()
    return naive.adapt(modes, rule, time_ns, es_n0_mdb, uniform, lost, one.symbol_rate)


@given(st.integers(0, 2**62), st.integers(1000, 10**10))
def test_time__of_sent_symbols_is_exact(symbols: int, symbol_rate: int) -> None:
    symbols = min(symbols, symbol_rate * (2**62 // 10**9))
    assert time_ns_of(symbols, symbol_rate) == symbols * 10**9 // symbol_rate


@settings(max_examples=120)
@given(
    st.data(),
    st.sampled_from(["dvb-s2", "nr-3", "lte"]),
    st.sampled_from(["ideal", "margin", "olla"]),
    st.sampled_from([None, 1e-3, 0.3]),
    st.sampled_from([0.0, 0.001, 0.0215]),
    st.sampled_from([0.0, 0.004, 0.03]),
    st.sampled_from(["send", "idle"]),
    st.integers(0, 99),
)
def test_kernel__does_as_the_slow_twin(
    data: st.DataObject,
    modes: str,
    adapt: str,
    target: float | None,
    delay: float,
    every: float,
    below: str,
    seed: int,
) -> None:
    rate = {"symbol_rate": 2_000_003} if modes == "dvb-s2" else {"resource_blocks": 3}
    one = Adaptation(
        modes,
        adapt=adapt,
        target=target,
        margin=data.draw(st.sampled_from([0.0, 1.5, -2.0])),
        step=data.draw(st.sampled_from([0.1, 3.0])),
        report_delay=delay,
        report_every=every,
        report_loss=data.draw(st.sampled_from([0.0, 0.5])),
        report_cqi=data.draw(st.sampled_from([None, "nr-cqi-3"])),
        below=below,
        pilots=data.draw(st.booleans()),
        **rate,
    )
    numbers = np.random.default_rng(seed)
    n = data.draw(st.integers(1, 150))
    interval = one.frame_interval_ns if one.table.has_frames else Fraction(MS)
    time_ns = [int(sample * interval) for sample in range(n)]
    walk = np.cumsum(numbers.normal(0, data.draw(st.sampled_from([30, 400])), n))
    es_n0_mdb = (numbers.integers(-8_000, 16_000) + walk).astype(int).tolist()
    cuts = sorted(data.draw(st.lists(st.integers(0, n), max_size=3)))
    found = slots_of(one, time_ns, es_n0_mdb, cuts, seed)
    expected = twin_of(one, time_ns, es_n0_mdb, seed)
    assert found.tx_time_ns.tolist() == [slot.begin_ns for slot in expected]
    assert found.mode is not None
    assert found.mode.tolist() == [slot.mode for slot in expected]
    decode_ns = [0 if slot.erased else slot.end_ns - slot.begin_ns + 7 for slot in expected]
    assert found.decode_time_ns.tolist() == decode_ns
    assert found.es_n0_mdb is not None
    assert found.es_n0_mdb.tolist() == [slot.es_n0_mdb for slot in expected]
    assert found.size_bytes is not None
    assert found.size_bytes.tolist() == [one.size_bytes[slot.mode] for slot in expected]


def test_late_report__by_hand() -> None:
    """Two modes, from 0 and 10 dB; the signal rises to 20 dB after 3 slots; reports take 4 ms.

    Until the first report arrives, in slot 4, the sender uses the lowest mode; the next news comes in slot 7.
    """
    one = Adaptation("nr-1", resource_blocks=10, report_delay=0.004)
    lowest, highest = 0, 28
    signal = [0] * 3 + [30_000] * 7
    found = slots_of(one, [MS * slot for slot in range(10)], signal, [], 1)
    assert found.mode is not None
    at_0_db = int(np.flatnonzero(one.table.needed_db(0.1) <= 0.0)[-1])
    assert found.mode.tolist() == [lowest] * 4 + [at_0_db] * 3 + [highest] * 3


def test_report__is_made_at_multiples_of_its_interval() -> None:
    """Every 3 ms and without delay: slots 0, 3, 6; what the signal does between them is not seen."""
    one = Adaptation("nr-1", resource_blocks=10, report_every=0.003)
    found = slots_of(
        one, [MS * slot for slot in range(7)], [30_000, -9000, -9000, -9000, 30_000, 30_000, 30_000], [], 1
    )
    assert found.mode is not None
    assert found.mode.tolist() == [28, 28, 28, 0, 0, 0, 28]


def test_lost_reports__leave_the_lowest_mode() -> None:
    one = Adaptation("nr-1", resource_blocks=10, report_loss=1.0)
    found = slots_of(one, [MS * slot for slot in range(50)], [20_000] * 50, [], 1)
    assert found.mode is not None
    assert (found.mode == 0).all()


def test_quantised_report__is_the_cqi() -> None:
    """At each CQI's own need the mode of equal efficiency is chosen: MCS 27 of table 2 has that of CQI 15."""
    cqi, nr = Adaptation("nr-cqi-2", resource_blocks=1).table, Adaptation("nr-2", resource_blocks=1)
    need_db = cqi.needed_db(0.1)
    signal = np.ceil(1000.0 * need_db + 40.0).astype(int).tolist()  # above it, below the next one
    found = slots_of(replace(nr, report_cqi="nr-cqi-2"), [MS * slot for slot in range(15)], signal, [], 1)
    assert found.mode is not None
    chosen = nr.table.efficiency[found.mode]
    in_table = np.isin(np.round(cqi.efficiency, 3), np.round(nr.table.efficiency, 3))
    np.testing.assert_allclose(chosen[in_table], cqi.efficiency[in_table], atol=1e-3)
    assert (chosen[1:] <= cqi.efficiency[1:] + 1e-3).all()


def test_dummy_frames__fill_the_time_in_which_nothing_can_be_sent() -> None:
    """3330 symbols each (EN 302 307-1): 36 slots of 90 and a header. QPSK 1/4 is sent again afterwards."""
    one = Adaptation("dvb-s2", symbol_rate=1_000_000, adapt="ideal", below="idle")
    signal = [-1000] * 6 + [-30_000] * 5 + [-1000] * 20
    time_ns = [int(sample * one.frame_interval_ns) for sample in range(len(signal))]
    found = slots_of(one, time_ns, signal, [], 1)
    distances = np.diff(found.tx_time_ns)
    pauses = distances[distances != 32_490_000]
    assert len(pauses) == 1
    assert (pauses[0] - 32_490_000) % 3_330_000 == 0
    assert pauses[0] > 32_490_000


def test_ideal_choice__carries_the_integral_of_the_table_over_the_signals_law() -> None:
    """Normal in dB: each mode carries its bytes where the signal lies between its need and the next one's."""
    mean_db, deviation_db, n = 9.0, 5.0, 400_000
    one = Adaptation("nr-2", resource_blocks=20, adapt="ideal")
    signal = np.rint(1000 * np.random.default_rng(5).normal(mean_db, deviation_db, n)).astype(int)
    found = slots_of(one, list(range(0, n * MS, MS)), signal.tolist(), [], 3)
    need_db, size = one.table.needed_db(0.1), one.size_bytes  # 28 modes, rising in both
    reached = norm.sf(need_db, mean_db, deviation_db)
    expected = size[0] + np.dot(np.diff(size), reached[1:])  # below the lowest need the lowest mode is sent
    spread = np.sqrt(np.dot(np.diff(np.append(0, size)) ** 2, reached) / n) + 1e-9
    assert found.size_bytes is not None
    assert found.size_bytes.mean() == pytest.approx(expected, abs=max(6 * spread, 0.002 * expected))


@pytest.mark.parametrize(("target", "step"), [(0.1, 0.1), (0.1, 1.0), (0.01, 0.5)])
def test_olla__holds_the_target_in_the_long_run(target: float, step: float) -> None:
    """The offset stays bounded: ups and downs cancel, and the error rate is the target but for its range / n.

    An inner loop with a bias of 3 dB, and reports that are 5 ms old, would miss it by far.
    """
    n = 300_000
    one = Adaptation(
        "nr-2", resource_blocks=20, adapt="olla", target=target, step=step, margin=-3.0, report_delay=0.005
    )
    numbers = np.random.default_rng(2)
    signal = (12_000 + 3000 * np.sin(np.arange(n) / 400) + numbers.normal(0, 800, n)).astype(int)
    found = slots_of(one, list(range(0, n * MS, MS)), signal.tolist(), [], 3)
    erased = float((found.decode_time_ns == 0).mean())
    assert erased == pytest.approx(target, abs=20.0 / step / n + 0.03 * target)
    without = slots_of(replace(one, adapt="margin"), list(range(0, n * MS, MS)), signal.tolist(), [], 3)
    assert (without.decode_time_ns == 0).mean() > 3 * target


def test_olla__recovers_after_an_outage() -> None:
    """In 5 s at -30 dB each slot of the lowest mode is lost, and none of them lowers the offset."""
    one = Adaptation("nr-1", resource_blocks=20, adapt="olla", step=1.0)
    signal = [15_000] * 2000 + [-30_000] * 5000 + [15_000] * 500
    found = slots_of(one, [MS * slot for slot in range(len(signal))], signal, [], 3)
    assert found.mode is not None
    assert found.mode[-400:].mean() == pytest.approx(found.mode[1000:2000].mean(), abs=1.5)


def test_generate__writes_modes_and_inspect_shows_them(tmp_path: Path) -> None:
    (tmp_path / "s.txt").write_text("0 2\n10 22\n20 2\n")
    words = "generate --channel snr --signal s.txt --modes nr-2 --resource-blocks 25 --adapt ideal"
    assert tmt(*words.split(), "--duration", "20", "p.parquet", folder=tmp_path).status == 0
    trace = read_phy(tmp_path / "p.parquet")
    assert trace.mode is not None
    assert trace.metadata["modes"]["table"] == "nr-2"
    assert trace.metadata["packing"] == "packed"
    assert len(trace) == 20_000
    shown = json.loads(tmt("inspect", "--json", "p.parquet", folder=tmp_path).out)
    used = {one["mode"]: one["slots"] for one in shown["modes"]["used"]}
    assert used == {mode: int((trace.mode == mode).sum()) for mode in np.unique(trace.mode).tolist()}
    # What an ideal choice loses is its erased slots' bytes.
    assert trace.size_bytes is not None
    lost = trace.size_bytes[trace.decode_time_ns == 0].sum() / trace.size_bytes.sum()
    assert shown["modes"]["wasted"] == pytest.approx(lost, abs=1e-9)
    # Ideal and above the need of the lowest mode: bits sent per symbol are the mean efficiency of the slots.
    table = Adaptation("nr-2", resource_blocks=25).table
    assert shown["modes"]["efficiency"] == pytest.approx(table.efficiency[trace.mode].mean(), rel=1e-9)
    assert sum(shown["modes"]["over_time"]["mean"]) / len(shown["modes"]["over_time"]["mean"]) > 0
    text = tmt("inspect", "p.parquet", folder=tmp_path).out
    assert "256QAM 711/1024" in text
    assert "wasted" in text


@pytest.mark.parametrize(("target", "is_noted"), [("0.1", False), ("0.001", True)])
def test_error_rate_of_olla__is_noted_far_above_its_target(
    target: str, is_noted: bool, tmp_path: Path
) -> None:
    """Fading at 3 km/h with reports of 0.3 s ago: one error in ten can be held, one in a thousand cannot."""
    words = "--channel lms --es-n0-db 12 --speed-kmh 3 --interleaver-depth 0 --duration 60 --modes dvb-s2"
    words += " --symbol-rate 1000000 --adapt olla --report-delay 0.3 --report-every 0.1"
    told = tmt("generate", *words.split(), "--target", target, "p.parquet", folder=tmp_path)
    said = f", the target {target}: the channel changes faster than reports arrive; a larger --margin or a"
    assert (told.err.startswith("note: the error rate is 0."), said in told.err) == (is_noted, is_noted)


@pytest.mark.parametrize(
    ("margin", "step", "said"),
    [
        (
            "-3",
            "0.1",
            "0.001: until NACKs of 0.1 dB have lowered the offset; a larger --step",
        ),
        ("3", "0.1", "0.001: ACKs raise the offset by 1 dB in 10000 slots; a larger --step does it sooner"),
        ("3", "1", ""),
    ],
)
def test_offset_of_olla__is_noted_if_it_moves_too_slowly(
    margin: str, step: str, said: str, tmp_path: Path
) -> None:
    """Constant signal: what the target needs is 3 dB away. From there on the offset holds the target."""
    (tmp_path / "s.txt").write_text("0 12\n100 12\n")
    words = "--channel snr --signal s.txt --modes nr-2 --resource-blocks 20 --adapt olla --target 0.001"
    words += f" --duration 10 --step {step}"
    told = tmt("generate", *words.split(), f"--margin={margin}", "p.parquet", folder=tmp_path)
    assert told.status == 0
    assert said in told.err
    assert bool(told.err) == bool(said)
