"""The channel of a measured signal: series, tables of error rates, and the resulting erasures."""

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from in_process import tmt

from tmt import Snr
from tmt.core.channels.snr.tables import read_error_rates, read_signal_series
from tmt.core.errors import InputError
from tmt.io import read_phy

S = 10**9
AFF3CT = """[metadata]
command=aff3ct -C LDPC
[trace]
# Parameters :
#  Es/N0 | Eb/N0 |      FRA |      BER |      FER ||  SIM_THR |    ET/RT
#   (dB) |  (dB) |          |          |          ||   (Mb/s) | (hhmmss)
    1.00 |  2.30 |      107 | 1.05e-02 | 1.00e+00 ||     2.23 | 00h00'00
    2.00 |  3.30 |      107 | 5.83e-03 | 1.00e-02 ||     2.23 | 00h00'00 x
# End of the simulation.
"""
SIONNA = """EbNo [dB] |        BER |       BLER |  bit errors |    num bits | block errors |    status
---------------------------------------------------------------------------------------------
      0.0 | 1.2451e-01 | 1.0000e+00 |      127500 |     1024000 |         1000 | reached target
      1.0 | 0.0000e+00 | 0.0000e+00 |           0 |     1024000 |            0 | no errors
"""


def written(folder: Path, text: str, name: str) -> str:
    (folder / name).write_text(text, newline="")
    return str(folder / name)


def test_series__is_linear_between_samples_and_begins_anew(tmp_path: Path) -> None:
    """By hand, in OpenSAND's form, with a DOS end, a comment and a blank last line."""
    series = read_signal_series(written(tmp_path, "# rain\r\n10 0\r\n20 5\r\n30 1\r\n\r\n", "a.txt"))
    times = np.array([0, 5, 10, 15, 20, 25, 200 * 20 + 5]) * S
    assert series.at(times).tolist() == [0, 2.5, 5, 3, 0, 2.5, 2.5]
    assert series.attenuation is None
    single = read_signal_series(written(tmp_path, "7 3\n", "b.txt"))
    assert single.at(np.array([0, 5])).tolist() == [3, 3]


@pytest.mark.parametrize(("header", "attenuation"), [("time_s,attenuation_db", True), ("t;Es/N0", False)])
def test_series__header_says_what_the_values_are(header: str, attenuation: bool, tmp_path: Path) -> None:
    series = read_signal_series(written(tmp_path, f"{header}\n0,1.5\n1,2\n", "a.csv"))
    assert (series.attenuation, series.value_db.tolist()) == (attenuation, [1.5, 2])


def test_error_rates__of_aff3ct_are_log_linear_between_points(tmp_path: Path) -> None:
    """By hand: half way from 1 at 1 dB to 0.01 at 2 dB lies 0.1; outside the table its ends hold."""
    rates = read_error_rates(written(tmp_path, AFF3CT, "a.txt"))
    assert rates.axis == "Es/N0"
    np.testing.assert_allclose(rates.at(np.array([-5, 1, 1.5, 2, 9])), [1, 1, 0.1, 0.01, 0.01])


def test_error_rates__of_sionna_hold_until_a_point_without_errors(tmp_path: Path) -> None:
    rates = read_error_rates(written(tmp_path, SIONNA, "a.txt"))
    assert rates.axis == "Eb/N0"
    assert rates.at(np.array([-1, 0, 0.99, 1, 5])).tolist() == [1, 1, 1, 0, 0]


def test_error_rates__of_a_plain_table(tmp_path: Path) -> None:
    rates = read_error_rates(written(tmp_path, "es_n0_db;bler\r\n-2;0.9\r\n3;0.001\r\n\r\n", "a.csv"))
    assert (rates.signal_db.tolist(), rates.error_rate.tolist()) == ([-2, 3], [0.9, 0.001])


def test_error_rates__of_a_dvb_s2_code_are_those_of_the_file(measured_data: Path) -> None:
    """Points as the file prints them: Es/N0, not Eb/N0, and FER, not BER."""
    rates = read_error_rates(str(measured_data / "formats" / "aff3ct_dvbs2.txt"))
    assert (len(rates.signal_db), rates.axis) == (13, "Es/N0")
    np.testing.assert_allclose(rates.at(np.array([0.95, 1.65, 2.15])), [1, 4.82e-2, 9.24e-5], rtol=1e-9)


@settings(max_examples=25)
@given(cuts=st.lists(st.integers(0, 9), min_size=1, max_size=12), seed=st.integers(0, 2**64))
def test_erasures__in_pieces(cuts: list[int], seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("snr")
    channel = Snr(written(folder, "0 0\n30 3\n", "s.txt"), written(folder, AFF3CT, "t.txt"), 3.0)
    times = np.arange(100, 100 + sum(cuts)) * S
    whole = channel.realisation(seed).erased(times)
    pieces = channel.realisation(seed)
    found = [pieces.erased(piece) for piece in np.split(times, np.cumsum(cuts)[:-1])]
    assert np.array_equal(np.concatenate(found), whole)


def test_erasures__follow_the_error_rate_of_each_moment(tmp_path: Path) -> None:
    """By hand: Es/N0 of 5 dB less an attenuation from 3 to 4 dB runs from 2 to 1 dB, so 0.01 to 1.

    Of 100,000 slots near half of the way (0.1 there) the share has a standard deviation of 0.001.
    """
    channel = Snr(
        written(tmp_path, "t attenuation\n0 3\n1000 4\n", "s.txt"), written(tmp_path, AFF3CT, "t.txt"), 5.0
    )
    times = np.linspace(0, 999.999 * S, 1_000_000).astype(np.int64) + 77 * S
    erased = channel.realisation(3).erased(times).reshape(10, -1).mean(axis=1)
    levels = 10 ** (-2 + 2 * (np.arange(1_000_000) + 0.5) / 1_000_000)
    np.testing.assert_allclose(erased, levels.reshape(10, -1).mean(axis=1), atol=0.006)


def test_channel__refuses_a_series_that_contradicts_the_option(tmp_path: Path) -> None:
    table = written(tmp_path, AFF3CT, "t.txt")
    for header, es_n0_db, reason in (
        ("t attenuation_db", None, "its header names an attenuation: --es-n0-db is missing"),
        ("t es_n0_db", 5.0, "its header names no attenuation: --es-n0-db has no meaning"),
    ):
        series = written(tmp_path, f"{header}\n0 1\n", "s.txt")
        with pytest.raises(InputError, match=re.escape(f"{series}: {reason}")):
            Snr(series, table, es_n0_db).realisation(1)


def test_command__records_what_made_the_trace(tmp_path: Path) -> None:
    written(tmp_path, "0 1.5\n10 1.5\n", "s.txt")
    written(tmp_path, AFF3CT, "t.txt")
    line = ["--slot-interval", "0.001", "--lldu-bytes", "100", "--duration", "20"]
    snr = ["generate", "--channel", "snr", "--signal", "s.txt"]
    assert tmt(*snr, "--error-rates", "t.txt", *line, "p.parquet", folder=tmp_path).status == 0
    trace = read_phy(tmp_path / "p.parquet")
    made = trace.metadata["generator"]
    assert (made["channel"], made["signal"]["name"], made["axis"]) == ("snr", "s.txt", "Es/N0")
    # 20,000 slots at 0.1: standard deviation of the share 0.0021; four of them are allowed.
    assert (trace.decode_time_ns == 0).mean() == pytest.approx(0.1, abs=0.0085)
    missing = tmt(*snr, "q.parquet", folder=tmp_path)
    assert (missing.status, missing.err) == (
        2,
        "--error-rates: is missing; snr needs a table of error rates, or --modes\n",
    )


def test_command__writes_the_es_n0_of_each_slot(tmp_path: Path) -> None:
    """By hand: 5 dB less an attenuation that rises by 1 dB a second, from 3 dB."""
    written(tmp_path, "t attenuation\n0 3\n10 13\n", "s.txt")
    written(tmp_path, AFF3CT, "t.txt")
    snr = ["generate", "--channel", "snr", "--signal", "s.txt", "--error-rates", "t.txt", "--es-n0-db", "5"]
    line = ["--slot-interval", "0.25", "--duration", "1.1"]
    for name in ("p.parquet", "p.csv", "p.txt.gz", "p.npy"):
        assert tmt(*snr, *line, "--with-es-n0", name, folder=tmp_path).status == 0
        trace = read_phy(tmp_path / name)
        assert trace.es_n0_mdb.tolist() == [2000, 1750, 1500, 1250, 1000]
    assert tmt(*snr, *line, "plain.npy", folder=tmp_path).status == 0
    plain = read_phy(tmp_path / "plain.npy")
    assert plain.es_n0_mdb is None
    assert plain.decode_time_ns.tolist() == trace.decode_time_ns.tolist()


def test_command__refuses_error_rates_over_another_axis(tmp_path: Path) -> None:
    written(tmp_path, "0 1\n", "s.txt")
    written(tmp_path, SIONNA, "t.txt")
    words = "generate --channel snr --signal s.txt --error-rates t.txt --duration 1 --with-es-n0 p.csv"
    said = tmt(*words.split(), folder=tmp_path)
    reason = "its rates are over Eb/N0, so that no Es/N0 is known; rates over Es/N0 are needed"
    assert (said.status, said.err) == (2, f"t.txt: {reason}\n")
    assert not (tmp_path / "p.csv").exists()


@pytest.mark.parametrize("missing", ["signal", "error-rates"])
@pytest.mark.parametrize("line", [("--duration", "1"), ("--over", "phy.txt")])
def test_generate__names_a_missing_file(missing: str, line: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "phy.txt").write_text("0 1\n1 1\n")
    written(tmp_path, "0 0\n30 3\n", "signal.txt")
    written(tmp_path, AFF3CT, "error-rates.txt")
    (tmp_path / f"{missing}.txt").unlink()
    words = ("--signal", "signal.txt", "--error-rates", "error-rates.txt", *line, "out.parquet")
    result = tmt("generate", "--channel", "snr", *words, folder=tmp_path)
    assert (result.status, result.err) == (2, f"{missing}.txt: cannot be read: No such file or directory\n")


EVEN = [f"{second},12" for second in range(20)]


@pytest.mark.parametrize(
    ("lines", "notes"),
    [
        (EVEN, []),
        (["time_s,es_n0_db", *EVEN], []),
        (["t;Eb/N0 (dB)", *EVEN], [": its header says Eb/N0 (dB); the values are read as Es/N0"]),
        (
            [*EVEN, "90,12"],
            [
                ": no sample from 19 s on for 71 s; values between samples are interpolated: if the signal "
                "was lost, add samples that say so"
            ],
        ),
        (["0,12", "1,9", "30,12", "45,12"], []),
        (["0,12", "5,9"], [" lasts 5 s; the signal then starts again"]),
        (["0,12"], []),
    ],
)
def test_generate__notes_what_a_signal_probably_is_not(
    lines: list[str], notes: list[str], tmp_path: Path
) -> None:
    """Of an even series a hole is noted; an uneven one has a sample for each change."""
    written(tmp_path, "\n".join(lines), "s.csv")
    said = tmt(
        *("generate", "--channel", "snr", "--signal", "s.csv", "--modes", "dvb-s2", "--symbol-rate", "1e4"),
        *("--duration", "10", "--report-delay", "0.3", "p.npy"),
        folder=tmp_path,
    )
    assert (said.status, said.err.splitlines()) == (0, [f"note: s.csv{note}" for note in notes])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "t,es_n0\n2026-07-14T13:00:00Z,12\n",
            "2: this time is a date; seconds are needed: tmt",
        ),
        ("2026-07-14 13:00:00 12\n", "1: this time is a date; seconds are needed: tmt"),
        ("t,es_n0\n1,NaN\n", "2: NaN is not a finite number of dB; leave out lines without one"),
        ("time_ms,es_n0_db\n0,1\n", "1: the header says time_ms; seconds are needed"),
        ("t [min];SNR\n0;1\n", "1: the header says t [min]; seconds are needed"),
        ("t;cn0_dbhz\n0;1\n", "1: the header says cn0_dbhz; Es/N0 in dB is needed"),
        ("t;C/N0 (dB-Hz)\n0;1\n", "1: the header says C/N0 (dB-Hz); Es/N0 in dB is needed"),
    ],
)
def test_series__of_another_kind_says_what_is_needed(text: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=re.escape(f"a.csv:{reason}")):
        read_signal_series(written(tmp_path, text, "a.csv"))
