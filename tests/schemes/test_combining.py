"""Soft combining: by hand, laws of fading channels, what combining may not do, refusals."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from in_process import tmt
from naive import on_link
from naive.on_link import OnLink
from naive.traces import phy_trace, rows_of, slots
from scipy.special import gammainc

from tmt import HarqProcesses
from tmt.core.convert import convert
from tmt.core.errors import InputError
from tmt.core.trace import PhyTrace
from tmt.io import write_trace

MS = 1_000_000
COMBININGS = ["none", "chase", "incremental"]


def scheme(combining: str, threshold_db: float = 3.0, **parameters: object) -> OnLink:
    threshold = None if combining == "none" else threshold_db
    return on_link.harq_processes(combining=combining, combining_threshold_db=threshold, **parameters)


@pytest.mark.parametrize(
    ("combining", "expected"),
    [
        ("none", [(0, 7, False, 3)]),
        ("chase", [(0, 7, True, 3)]),
        ("incremental", [(0, 4, True, 2), (6, -1, False, 1)]),
    ],
)
@pytest.mark.parametrize("retransmission", ["asynchronous", "synchronous"])
def test_combining__by_hand(combining: str, expected: list[tuple[object, ...]], retransmission: str) -> None:
    # One process; feedback after 2 + 1: attempts in slots 0, 3 and 6, each erased, at -1 dB, an SNR of 0.794.
    # The threshold of 3 dB is an SNR of 1.995, or 1.583 bit. Chase: 1.589 after two attempts, 2.383 after
    # three, delivered at 6 + 1. Incremental: 2 x 0.843 = 1.687 bit after two, delivered at 3 + 1.
    converter = scheme(
        combining,
        rtt_ns=2,
        processes=1,
        max_transmissions=3,
        retransmission=retransmission,
        detection_delay_ns=1,
    ).converter()
    rows = rows_of(converter.feed(phy_trace(list(range(7)), [0] * 7, es_n0_mdb=[-1000] * 7)))
    assert rows + rows_of(converter.finish()) == expected


@pytest.mark.parametrize(("combining", "delivered"), [("none", 0), ("chase", 1), ("incremental", 2)])
def test_repetitions__are_combined_by_hand(combining: str, delivered: int) -> None:
    # k = 2, threshold 3 dB: -1 dB twice suffices for incremental redundancy only, 0 dB twice for both, -9 dB
    # twice (SNR 0.252, 0.342 bit) for neither. The slot at -20 dB that is decoded stays decoded.
    converter = scheme(combining, rtt_ns=0, repetitions=2, detection_delay_ns=5).converter()
    es_n0_mdb = [-1000, -1000, 0, 0, -9000, -9000, -20_000, -20_000]
    rows = rows_of(converter.feed(phy_trace(list(range(8)), [0] * 7 + [4], es_n0_mdb=es_n0_mdb)))
    assert [row.delivered for row in rows] == [delivered >= 2, delivered >= 1, False, True]
    assert [row.delay_ns for row in rows] == [6, 6, 6, 5]


@pytest.mark.parametrize("retransmission", ["asynchronous", "synchronous"])
def test_first_transmission__has_the_outcome_of_its_slot(retransmission: str) -> None:
    # At 20 dB, far above the threshold, and erased: only a retransmission is combined.
    converter = scheme(
        "chase", rtt_ns=0, max_transmissions=1, retransmission=retransmission, detection_delay_ns=1
    ).converter()
    rows = rows_of(converter.feed(phy_trace([0], [0], es_n0_mdb=[20_000])))
    assert rows == [(0, 1, False, 1)]


@settings(max_examples=150)
@given(slots(), st.integers(1, 5), st.sampled_from([-6.0, 0.0, 5.0]), st.integers(0, 99))
def test_combining__loses_nothing_that_plain_outcomes_deliver(
    trace: tuple[list[int], list[int]], k: int, threshold_db: float, seed: int
) -> None:
    """With repetitions every combining has the same slots; (1 + a)(1 + b) is at least 1 + a + b."""
    tx, decode = trace
    es_n0_mdb = np.random.default_rng(seed).integers(-12_000, 8_000, len(tx)).tolist()
    delivered = []
    for combining in COMBININGS:
        converter = scheme(combining, threshold_db, rtt_ns=0, repetitions=k).converter()
        rows = rows_of(converter.feed(phy_trace(tx, decode, es_n0_mdb=es_n0_mdb)))
        delivered.append([row.delivered for row in rows + rows_of(converter.finish())])
    none, chase, incremental = delivered
    assert all(a <= b <= c for a, b, c in zip(none, chase, incremental, strict=True))


MODES = {"half_db": [0.0, 6.0]}
"""Thresholds of two modes: an SNR of 1 and 3.981, or 1 and 2.316 bit."""


@pytest.mark.parametrize(
    ("combining", "modes", "decode", "expected"),
    [
        # Mode 1 at 3 dB, an SNR of 1.995 or 1.583 bit: twice is 3.990 or 3.165 bit, enough for both.
        ("chase", [1, 1], [0, 0], True),
        ("incremental", [1, 1], [0, 0], True),
        # Mode 0 would be decoded by the sum even if the retransmission's slot has mode 1.
        ("chase", [0, 1], [0, 0], True),
        # The retransmission's slot decodes mode 1, hence mode 0, too.
        ("none", [0, 1], [0, 4], True),
        ("chase", [0, 1], [0, 4], True),
    ],
)
@pytest.mark.parametrize("retransmission", ["asynchronous", "synchronous"])
def test_combining_by_mode__by_hand(
    combining: str, modes: list[int], decode: list[int], expected: bool, retransmission: str
) -> None:
    signal = phy_trace([0, 3], decode, es_n0_mdb=[3000, 3000])
    trace = replace(signal, mode=np.array(modes, np.uint8), metadata={"modes": MODES})
    threshold = None if combining == "none" else "by-mode"
    parameters = {"processes": 1, "retransmission": retransmission, "max_transmissions": 2, "slot_time": 3e-9}
    if retransmission == "asynchronous":
        del parameters["slot_time"]
    one = HarqProcesses(combining=combining, combining_threshold_db=threshold, **parameters)
    assert rows_of(convert(trace, one, 0.0))[0].delivered is expected


@pytest.mark.parametrize(
    ("second_mode", "es_n0_mdb", "delivered"),
    [(0, 2900, False), (1, 2900, True), (0, 3010, True)],
)
@pytest.mark.parametrize("form", ["asynchronous", "synchronous", "repetitions"])
def test_slot_of_another_mode__decides_only_for_modes_that_need_less(
    second_mode: int, es_n0_mdb: int, delivered: bool, form: str
) -> None:
    """An LLDU of mode 1 needs an SNR of 3.981, and has twice 1.950 at 2.9 dB or 2.000 at 3.01 dB.

    Its second slot is decoded. That is for itself only if the slot's mode needs as much.
    """
    signal = phy_trace([0, 3], [0, 4], es_n0_mdb=[es_n0_mdb] * 2)
    trace = replace(signal, mode=np.array([1, second_mode], np.uint8), metadata={"modes": MODES})
    own = {"repetitions": 2} if form == "repetitions" else {"retransmission": form, "processes": 1}
    one = HarqProcesses(max_transmissions=2, combining="chase", combining_threshold_db="by-mode", **own)
    [row, *_] = rows_of(convert(trace, one, 0.0))
    assert (row.delivered, row.delay_ns) == (delivered, 7)


def test_thresholds_by_mode__need_a_table_and_modes() -> None:
    one = HarqProcesses(combining="chase", combining_threshold_db="by-mode")
    plain = phy_trace([0], [0], es_n0_mdb=[0])
    with pytest.raises(InputError, match="there is no column mode, which combining_threshold_db"):
        convert(plain, one, 0.0)
    with pytest.raises(InputError, match="its metadata hold no thresholds of modes"):
        convert(replace(plain, mode=np.zeros(1, np.uint8)), one, 0.0)
    with pytest.raises(InputError, match="mode is 2; its table of modes ends with 1"):
        convert(replace(plain, mode=np.array([2], np.uint8), metadata={"modes": MODES}), one, 0.0)


CONTRACT = Path(__file__).resolve().parents[2] / "traces" / "contract" / "combining.tsv"


def test_combining__decides_as_the_contract_says() -> None:
    """Erased transmissions, some as near to the threshold as numbers can tell; C++ reads the same file."""
    header, *lines = CONTRACT.read_text(encoding="utf-8").splitlines()
    assert header == "combining\tcombining_threshold_db\tdecoded\tes_n0_mdb"
    assert len(lines) == 600
    decided = []
    for line in lines:
        combining, threshold_db, decoded, values = line.split("\t")
        es_n0_mdb = [int(value) for value in values.split()]
        sent = len(es_n0_mdb)
        converter = scheme(combining, float(threshold_db), rtt_ns=0, repetitions=sent).converter()
        [row] = rows_of(converter.feed(phy_trace(list(range(sent)), [0] * sent, es_n0_mdb=es_n0_mdb)))
        assert row.delivered == (decoded == "1"), line
        decided.append(row.delivered)
    assert 200 < sum(decided) < 400


def rayleigh(slots_: int, mean_db: float, threshold_db: float, seed: int) -> PhyTrace:
    """Return slots of independent exponential SNR; each is decoded alone from the threshold on."""
    snr = np.random.default_rng(seed).exponential(10 ** (mean_db / 10), slots_)
    es_n0_mdb = np.clip(np.rint(1e4 * np.log10(snr)), -100_000, 100_000).astype(np.int32)
    tx_time_ns = np.arange(slots_) * MS
    return PhyTrace(tx_time_ns, np.where(es_n0_mdb >= 1000 * threshold_db, MS, 0), es_n0_mdb=es_n0_mdb)


def chase_outage(attempts: int, mean: float, threshold: float) -> float:
    """Return the probability that a sum of exponential SNRs, a Gamma variable, is below the threshold."""
    return float(gammainc(attempts, threshold / mean))


def incremental_outage(attempts: int, mean: float, threshold: float) -> float:
    """Return the probability that the mutual information of the attempts is too little, by convolution.

    The law of log2(1 + SNR) lies in 20,000 cells up to the threshold, each in its middle.
    """
    from scipy.signal import fftconvolve

    edges = np.linspace(0, math.log2(1 + threshold), 20_001)
    cells = -np.diff(np.exp(-(2**edges - 1) / mean))
    law = np.ones(1)
    for _ in range(attempts):
        law = fftconvolve(law, cells)[: len(cells)]
    # The cells' middles add up to (number + attempts / 2) cells; those below the threshold are the outage.
    return float(law[: len(cells) - attempts // 2].sum())


@pytest.mark.jit
@pytest.mark.parametrize("attempts", [1, 2, 3, 4])
@pytest.mark.parametrize(
    ("combining", "outage"), [("chase", chase_outage), ("incremental", incremental_outage)]
)
def test_outage__is_the_law_of_the_fading_channel(combining: str, outage: object, attempts: int) -> None:
    """400,000 slots of Rayleigh fading, mean 0 dB and threshold 3 dB: within four standard errors."""
    phy = rayleigh(400_000, 0, 3, seed=attempts)
    link = convert(phy, *scheme(combining, rtt_ns=3 * MS, max_transmissions=attempts, detection_delay_ns=MS))
    settled = link.delay_ns >= 0
    lost = float(1 - link.delivered[settled].mean())
    expected = outage(attempts, 1.0, 10**0.3)
    assert abs(lost - expected) < 4 * math.sqrt(expected * (1 - expected) / settled.sum())


@pytest.mark.jit
def test_transmissions__follow_from_the_outages() -> None:
    """The mean is 1 plus the outages after one, two and three attempts; four standard errors are 0.007."""
    phy = rayleigh(400_000, 0, 3, seed=9)
    link = convert(phy, *scheme("chase", rtt_ns=3 * MS, max_transmissions=4, detection_delay_ns=MS))
    expected = 1 + sum(chase_outage(sent, 1.0, 10**0.3) for sent in (1, 2, 3))
    assert link.transmissions[link.delay_ns >= 0].mean() == pytest.approx(expected, abs=0.007)


def test_trace_without_es_n0__is_refused_in_memory() -> None:
    for chosen in (scheme("chase", rtt_ns=0), scheme("incremental", rtt_ns=0, repetitions=2)):
        with pytest.raises(InputError, match="phy trace: there is no column es_n0_mdb"):
            convert(phy_trace([0], [1]), *chosen)


def test_file_without_es_n0__is_named_among_several(tmp_path: Path) -> None:
    write_trace(tmp_path / "a.csv", phy_trace([0, 1], [0, 1], es_n0_mdb=[0, 0]))
    write_trace(tmp_path / "b.csv", phy_trace([0, 1], [0, 1]))
    chosen = ["--scheme", "harq-processes", "--rtt", 1, "--combining", "chase"]
    needed = [*chosen, "--combining-threshold-db", "-2.5"]
    said = tmt("convert", "a.csv", "b.csv", "--output", "links", *needed, folder=tmp_path)
    assert said.status == 2
    assert said.err.splitlines() == [
        "b.csv: there is no column es_n0_mdb, which harq-processes with soft combining needs; "
        "`tmt generate --with-es-n0` and `tmt import table --es-n0` write it"
    ]
    assert not (tmp_path / "links" / "b-harq-processes.npy").exists()
    assert tmt("convert", "a.csv", "a.npy", *needed, folder=tmp_path).status == 0
    beyond = tmt("convert", "a.csv", "c.npy", *chosen, "--combining-threshold-db", 101, folder=tmp_path)
    assert (beyond.status, len(beyond.err.splitlines())) == (2, 1)


def test_rlc__works_above_combining() -> None:
    above = on_link.rlc_over(
        HarqProcesses,
        rtt_ns=0,
        max_transmissions=2,
        combining="chase",
        combining_threshold_db=3.0,
        reassembly_ns=9,
    )
    # Two attempts at 0 dB are one at 3.01 dB: no segment needs a retransmission by RLC.
    link = convert(phy_trace(list(range(40)), [0] * 40, es_n0_mdb=[0] * 40), *above)
    assert link.delivered[:10].all()
    assert link.metadata["scheme"]["below"]["combining"] == "chase"
    with pytest.raises(InputError, match="there is no column es_n0_mdb"):
        convert(phy_trace([0], [1]), *above)
