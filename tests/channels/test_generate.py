"""PHY traces from channels: exact times, any cut, over a trace, and refusals of the command."""

import shlex
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from in_process import tmt

from tmt import Bernoulli, ErrorFree, GilbertElliott, Lms
from tmt.core.errors import InputError, UsageError
from tmt.core.generate import Line
from tmt.core.trace import LinkTrace, PhyTrace
from tmt.io import generation as made_in, read_phy, write_trace
from tmt.io.generation import generate, overlay

ROOT = Path(__file__).resolve().parents[2]
MS = 1_000_000


def test_line__does_not_drift_at_a_rate_that_no_nanosecond_divides() -> None:
    # 33 bytes at 263 kbit/s: slot i at floor(i * 264e9 / 263000) ns, by exact arithmetic.
    line = Line.at_rate(263_000, 33, 36 * MS)
    for first in (0, 1, 10**6, 3 * 10**9):
        exact = [(first + i) * 264 * 10**9 // 263_000 for i in range(5)]
        assert line.tx_times_ns(first, 5).tolist() == exact


@pytest.mark.parametrize(("duration_ns", "slots"), [(1, 1), (999, 1), (1000, 1), (1001, 2), (3000, 3)])
def test_line__sends_the_slots_before_its_end(duration_ns: int, slots: int) -> None:
    assert Line(Fraction(1000), 1).slots_within(duration_ns) == slots


def test_generate__does_not_depend_on_the_chunk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    line, channel = Line.at_rate(263_000, 33, 36 * MS), GilbertElliott(0.9, 0.5)
    for chunk in (7, 1000):
        monkeypatch.setattr(made_in, "CHUNK_SLOTS", chunk)
        generate(tmp_path / f"{chunk}.parquet", channel, line, duration_ns=10**8, seed=3)
    small, large = (read_phy(tmp_path / f"{chunk}.parquet") for chunk in (7, 1000))
    assert len(small) == 100
    assert np.array_equal(small.tx_time_ns, large.tx_time_ns)
    assert np.array_equal(small.decode_time_ns, large.decode_time_ns)


def test_generate__says_in_the_file_how_it_was_made(tmp_path: Path) -> None:
    path = tmp_path / "phy.parquet"
    line = Line(Fraction(MS), 5 * MS)
    generate(path, Bernoulli(0.25), line, duration_ns=10**9, seed=9, lldu_bytes=33)
    metadata = read_phy(path).metadata
    assert metadata["generator"] == {"channel": "bernoulli", "probability": 0.25}
    assert (metadata["seed"], metadata["lldu_bytes"]) == (9, 33)


def test_overlay__keeps_erased_what_was_erased(tmp_path: Path) -> None:
    tx_time_ns = np.arange(2000, dtype=np.int64) ** 2
    decode_time_ns = np.where(np.arange(2000) % 3 == 0, 0, np.arange(2000)).astype(np.int64)
    write_trace(tmp_path / "in.parquet", PhyTrace(tx_time_ns, decode_time_ns, {"lldu_bytes": 33}))
    assert overlay(tmp_path / "in.parquet", tmp_path / "out.parquet", Bernoulli(0.4), seed=2) == 2000
    result = read_phy(tmp_path / "out.parquet")
    erased = Bernoulli(0.4).erasures(2).next(2000)
    assert np.array_equal(result.tx_time_ns, tx_time_ns)
    assert np.array_equal(result.decode_time_ns, np.where(erased, 0, decode_time_ns))
    assert result.metadata["lldu_bytes"] == 33
    assert result.metadata["source"]["name"] == "in.parquet"


def test_overlay__of_the_error_free_channel_changes_no_row(tmp_path: Path) -> None:
    before = PhyTrace(np.array([3, 8, 9]), np.array([4, 0, 1]))
    write_trace(tmp_path / "in.csv", before)
    overlay(tmp_path / "in.csv", tmp_path / "out.csv", ErrorFree(), seed=1)
    assert (tmp_path / "out.csv").read_bytes() == (tmp_path / "in.csv").read_bytes()


def test_generate__writes_the_same_slots_with_es_n0(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    line = Line.at_rate(263_000, 33, 36 * MS)
    channel = Lms(es_n0_db=3.0, interleaver_depth=0)
    generate(tmp_path / "without.parquet", channel, line, duration_ns=2 * 10**9, seed=3)
    monkeypatch.setattr(made_in, "CHUNK_SLOTS", 777)
    generate(tmp_path / "with.parquet", channel, line, duration_ns=2 * 10**9, seed=3, with_es_n0=True)
    without, found = (read_phy(tmp_path / f"{name}.parquet") for name in ("without", "with"))
    assert without.es_n0_mdb is None
    assert np.array_equal(without.decode_time_ns, found.decode_time_ns)
    # Without interleaver a code word sees one gain: that of the path at its time.
    gain = channel.path(3).next_block()[0]
    assert found.es_n0_mdb[0] == pytest.approx(1000 * (3 + 20 * np.log10(abs(gain))), abs=200)
    assert found.es_n0_mdb[found.decode_time_ns == 0].mean() < found.es_n0_mdb.mean() - 1000


def test_overlay__keeps_or_takes_es_n0(tmp_path: Path) -> None:
    measured = PhyTrace(np.arange(50) * MS, np.full(50, MS), es_n0_mdb=np.arange(50, dtype=np.int32))
    write_trace(tmp_path / "a.parquet", measured)
    overlay(tmp_path / "a.parquet", tmp_path / "b.parquet", Bernoulli(0.5), seed=1)
    assert read_phy(tmp_path / "b.parquet").es_n0_mdb.tolist() == list(range(50))
    channel = Lms(es_n0_db=3.0)
    with pytest.raises(InputError, match=r"a\.parquet: it has the column es_n0_mdb already"):
        overlay(tmp_path / "a.parquet", tmp_path / "c.parquet", channel, seed=1, with_es_n0=True)
    with pytest.raises(UsageError, match="bernoulli knows no Es/N0 of a slot; these channels do: lms"):
        overlay(tmp_path / "a.parquet", tmp_path / "c.parquet", Bernoulli(0.5), seed=1, with_es_n0=True)
    assert not (tmp_path / "c.parquet").exists()


def test_overlay__refuses_a_link_trace(tmp_path: Path) -> None:
    one = np.array([1])
    write_trace(tmp_path / "link.csv", LinkTrace(one, one, one == 1, one.astype(np.uint8)))
    with pytest.raises(InputError, match=r"link\.csv"):
        overlay(tmp_path / "link.csv", tmp_path / "out.csv", ErrorFree(), seed=1)
    assert not (tmp_path / "out.csv").exists()


def test_generate_command__takes_options_of_version_0_2_and_says_todays(tmp_path: Path) -> None:
    line = "--duration 1 --lldu-bytes 33"
    old = f"--channel lms --es-n0-db 5 --set speed_kmh=30 {line} --rate-bps 1e6 --share 2"
    new = f"--channel lms --es-n0-db 5 --speed-kmh 30 {line} --rate 1000000 --every 2"
    made = tmt("generate", *old.split(), "old.csv", folder=tmp_path)
    assert (made.status, made.out) == (0, "")
    assert made.err.splitlines() == [
        "warning: --rate-bps is called --rate now",
        "warning: --share is called --every now",
        "warning: --set NAME=VALUE is written as --NAME VALUE now",
    ]
    assert tmt("generate", *new.split(), "new.csv", folder=tmp_path) == (0, "", "")
    assert (tmp_path / "old.csv").read_bytes() == (tmp_path / "new.csv").read_bytes()


def test_sample_trace__is_what_the_command_in_its_datasheet_makes(tmp_path: Path) -> None:
    datasheet = (ROOT / "traces" / "README.md").read_text().replace("\\\n", " ")
    commands = [line.strip() for line in datasheet.splitlines() if line.startswith("    tmt generate")]
    assert commands
    for line in commands:
        *arguments, target = shlex.split(line)[2:]
        made = tmp_path / Path(target).name
        assert tmt("generate", *arguments, made.name, folder=tmp_path) == (0, "", "")
        ours, shipped = read_phy(made), read_phy(ROOT / target)
        assert np.array_equal(ours.tx_time_ns, shipped.tx_time_ns)
        assert np.array_equal(ours.decode_time_ns, shipped.decode_time_ns)
        assert (ROOT / target).stat().st_size < 300_000
