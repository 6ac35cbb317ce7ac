"""Tables of modes: figures of the standards by hand, capacity by quadrature, files of one's own, refusals."""

import math
from pathlib import Path

import numpy as np
import pytest

from tmt import Adaptation
from tmt.core.errors import InputError
from tmt.core.modes.table import read_table, shipped

# EN 302 307-1, table 13: spectral efficiency and ideal Es/N0 (dB) of FECFRAMEs of 64800 bits.
DVB_S2 = """
QPSK 1/4 0.490243 -2.35, QPSK 1/3 0.656448 -1.24, QPSK 2/5 0.789412 -0.30, QPSK 1/2 0.988858 1.00,
QPSK 3/5 1.188304 2.23, QPSK 2/3 1.322253 3.10, QPSK 3/4 1.487473 4.03, QPSK 4/5 1.587196 4.68,
QPSK 5/6 1.654663 5.18, QPSK 8/9 1.766451 6.20, QPSK 9/10 1.788612 6.42, 8PSK 3/5 1.779991 5.50,
8PSK 2/3 1.980636 6.62, 8PSK 3/4 2.228124 7.91, 8PSK 5/6 2.478562 9.35, 8PSK 8/9 2.646012 10.69,
8PSK 9/10 2.679207 10.98, 16APSK 2/3 2.637201 8.97, 16APSK 3/4 2.966728 10.21, 16APSK 4/5 3.165623 11.03,
16APSK 5/6 3.300184 11.61, 16APSK 8/9 3.523143 12.89, 16APSK 9/10 3.567342 13.13, 32APSK 3/4 3.703295 12.73,
32APSK 4/5 3.951571 13.64, 32APSK 5/6 4.119540 14.28, 32APSK 8/9 4.397854 15.69, 32APSK 9/10 4.453027 16.05
"""


def test_dvb_s2__has_the_28_modes_of_the_standard() -> None:
    expected = [line.split() for line in DVB_S2.replace("\n", " ").split(",")]
    table = read_table("dvb-s2")
    assert list(table.names) == [f"{modulation} {rate}" for modulation, rate, *_ in expected]
    np.testing.assert_allclose(table.efficiency, [float(one[2]) for one in expected], atol=1e-6)
    np.testing.assert_allclose(table.needed_db(1e-5), [float(one[3]) for one in expected], atol=1e-9)


OPENSAND = """
QPSK 1/4 0.490 -2.35, QPSK 1/3 0.656 -1.24, QPSK 2/5 0.789 -0.30, QPSK 1/2 0.988 1.00, QPSK 3/5 1.188 2.23,
QPSK 2/3 1.322 3.10, QPSK 3/4 1.487 4.03, QPSK 4/5 1.587 4.68, QPSK 5/6 1.655 5.18, QPSK 8/9 1.767 6.20,
QPSK 9/10 1.789 6.42, 8PSK 3/5 1.780 5.50, 8PSK 2/3 1.981 6.62, 8PSK 3/4 2.228 7.91, 8PSK 5/6 2.479 9.35,
8PSK 8/9 2.646 10.69, 8PSK 9/10 2.679 10.98, 16APSK 2/3 2.637 8.97, 16APSK 3/4 2.967 10.21,
16APSK 4/5 3.166 11.03, 16APSK 5/6 3.300 11.61, 16APSK 8/9 3.523 12.89, 16APSK 9/10 3.567 13.13,
32APSK 3/4 3.703 12.73, 32APSK 4/5 3.952 13.64, 32APSK 5/6 4.120 14.28, 32APSK 8/9 4.398 15.69,
32APSK 9/10 4.453 16.05
"""
"""Efficiency and required Es/N0 (dB): `opensand-deploy/src/backend/backend.py` of CNES/opensand, 9fff1c0f."""


def test_dvb_s2__has_the_thresholds_of_opensand() -> None:
    """Its Es/N0 are ours to the last of their two digits; some of its efficiencies are cut, not rounded."""
    table = read_table("dvb-s2")
    expected = [one.split() for one in OPENSAND.replace("\n", " ").split(",")]
    assert list(table.names) == [f"{modulation} {rate}" for modulation, rate, *_ in expected]
    np.testing.assert_allclose(table.efficiency, [float(one[2]) for one in expected], atol=1e-3)
    np.testing.assert_allclose(table.needed_db(1e-5), [float(one[3]) for one in expected], atol=0.005)


def test_dvb_frames__by_hand() -> None:
    """QPSK 1/2: 360 slots of 90 symbols and a header, 32208 - 80 bits; pilots: 22 blocks of 36 symbols."""
    one = Adaptation("dvb-s2", symbol_rate=1_000_000, encapsulation="none")
    assert (one.symbols[3], one.size_bytes[3]) == (32_490, 4016)
    piloted = Adaptation("dvb-s2", symbol_rate=1_000_000, pilots=True)
    assert piloted.symbols[3] == 32_490 + 22 * 36
    # GSE: 14 bytes for the packet that the end cuts, 4 for each of the two whole packets of 1500 bytes.
    assert piloted.size_bytes[3] == 4016 - 14 - 2 * 4
    assert one.frame_interval_ns == 13_050_000  # 32APSK: 144 slots


def test_dvb_efficiency__is_bits_of_a_bbframe_per_symbol_of_its_frame() -> None:
    """EN 302 307-2 states 2.788445 with pilots for 16APSK 13/18: 46528 bits, 90 + 16200 + 11 * 36 symbols."""
    for name in ("dvb-s2", "dvb-s2x"):
        table, one = read_table(name), Adaptation(name, symbol_rate=1_000_000, encapsulation="none")
        assert table.information_bits is not None
        np.testing.assert_allclose(table.efficiency, (table.information_bits - 80) / one.symbols, atol=1e-6)
    mode = read_table("dvb-s2x").names.index("16APSK 13/18")
    piloted = Adaptation("dvb-s2x", symbol_rate=1_000_000, pilots=True, encapsulation="none")
    assert 8 * piloted.size_bytes[mode] / piloted.symbols[mode] == pytest.approx(2.788445, abs=1e-6)
    assert len(read_table("dvb-s2x").names) == 28 + 39


def capacity(bits: int, snr_db: float) -> float:
    """Return the capacity of bit-interleaved square QAM with Gray mapping, by quadrature over the noise."""
    half = bits // 2
    levels = np.arange(1 << half)
    points = (2.0 * levels - (len(levels) - 1)) * math.sqrt(3.0 / (len(levels) ** 2 - 1))
    label = levels ^ (levels >> 1)
    noise, weight = np.polynomial.hermite_e.hermegauss(60)
    deviation = 10.0 ** (-snr_db / 20.0)
    received = points[:, None] + deviation * noise
    likelihood = np.exp(-((received[:, :, None] - points) ** 2) / (2 * deviation**2))
    lacking = 0.0
    for bit in range(half):
        for level in levels:
            same = ((label >> bit) & 1) == ((label[level] >> bit) & 1)
            ratio = likelihood[level].sum(-1) / likelihood[level][:, same].sum(-1)
            lacking += np.dot(np.log2(ratio), weight) / weight.sum() / len(levels)
    return 2.0 * (half - lacking)


def test_capacity__of_qpsk_at_rate_one_half_is_the_textbook_value() -> None:
    """Eb/N0 of 0.187 dB at rate 1/2, which is Es/N0 with one information bit per symbol."""
    assert capacity(2, 0.187) == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize("name", sorted(set(shipped()) - {"dvb-s2", "dvb-s2x"}))
def test_thresholds_of_3gpp__lie_one_db_above_capacity(name: str) -> None:
    table = read_table(name)
    assert table.bits_per_symbol is not None
    needed_db = table.needed_db(0.1)
    for mode in range(0, len(needed_db), 3):
        reached = capacity(int(table.bits_per_symbol[mode]), needed_db[mode] - 1.0)
        assert reached == pytest.approx(table.efficiency[mode], abs=0.004), table.names[mode]


def test_tables_of_3gpp__have_the_standards_modes() -> None:
    """TS 38.214: first and last rows of tables 5.1.3.1-1 to -3 and 5.2.2.1-2 to -4; TS 36.213, 7.2.3-1."""
    for name, modes, first, last in (
        ("nr-1", 29, 0.2344, 5.5547),
        ("nr-2", 28, 0.2344, 7.4063),
        ("nr-3", 29, 0.0586, 4.5234),
        ("nr-cqi-1", 15, 0.1523, 5.5547),
        ("nr-cqi-2", 15, 0.1523, 7.4063),
        ("nr-cqi-3", 15, 0.0586, 4.5234),
        ("lte", 15, 0.1523, 5.5547),
    ):
        table = read_table(name)
        assert len(table.names) == modes
        assert (table.efficiency[0], table.efficiency[-1]) == (
            pytest.approx(first, abs=1e-4),
            pytest.approx(last, abs=1e-4),
        )


def test_slot__carries_its_efficiency_times_its_elements() -> None:
    """NR table 1, MCS 9: 679 / 1024 * 2 bits; 50 blocks of 144 elements; 1.3262 * 7200 / 8 = 1193.6."""
    assert Adaptation("nr-1", resource_blocks=50).size_bytes[9] == 1193


def test_choices__leave_out_modes_that_need_more_for_less() -> None:
    """By table 13, 8PSK 8/9 and 9/10 need 10.69 and 10.98 dB, 16APSK 3/4 needs 10.21 dB and carries more."""
    table = read_table("dvb-s2")
    names = [table.names[mode] for mode in table.choices(1e-5)]
    assert "8PSK 8/9" not in names
    assert names[-3:] == ["32APSK 5/6", "32APSK 8/9", "32APSK 9/10"]
    assert (np.diff(table.needed_db(1e-5)[table.choices(1e-5)]) > 0).all()


def test_own_table__is_read(tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    path.write_text("# a modem\nmode,name,efficiency,es_n0_db\n0,slow,0.5,-1\n1,fast,2,7.5\n")
    table = read_table(str(path))
    assert table.names == ("slow", "fast")
    np.testing.assert_allclose(table.needed_db(0.1), [-1.0, 7.5])
    assert not table.has_frames


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", ": the file is empty"),
        ("name,efficiency\na,1\n", ":1: there is no column es_n0_db; columns are "),
        ("efficiency,es_n0_db\n", ": it holds no mode; "),
        ("efficiency,es_n0_db\n1,2,3\n", ":2: there are 3 fields; the header names 2"),
        ("efficiency,es_n0_db\n1,high\n", ":2: es_n0_db is 'high'; a number from -100 to 100 is needed"),
        ("efficiency,es_n0_db\n0,1\n", ":2: efficiency is '0'; a number from 0.001 to 16 is needed"),
        (
            "mode,efficiency,es_n0_db\n0,1,2\n3,2,4\n",
            ":3: mode is '3'; modes are numbered from 0 in order, so that this is 1",
        ),
        ("efficiency,es_n0_db\n" + "1,1\n" * 257, ": it holds 257 modes; up to 256 are allowed"),
    ],
)
def test_bad_table__is_refused_in_one_line(text: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(InputError) as refused:
        Adaptation(str(path), resource_blocks=1)
    assert str(refused.value).startswith(f"{path}{reason}")
    assert "\n" not in str(refused.value)
