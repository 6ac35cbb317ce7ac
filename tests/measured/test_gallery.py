"""The gallery of measured links: their contents, and the commands that make them."""

import re
import shutil
import subprocess
import sys
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest
from in_process import tmt

from tmt import Scenario
from tmt.core.channels.gilbert_elliott import GilbertElliott
from tmt.core.channels.snr.tables import read_error_rates, read_signal_series
from tmt.core.provenance import file_sha256
from tmt.io import read_phy

GALLERY = Path(__file__).resolve().parents[2] / "traces" / "measured"
README = (GALLERY / "README.md").read_text(encoding="utf-8")
BIN = Path(sys.executable).parent
SOURCES = (
    "mobileinsight_lte/lte_ul_pusch_harq.csv",
    "leocc_starlink/bw_example.txt.gz",
    "leocc_starlink/delay_example.txt",
    "mahimahi_cellular/ATT-LTE-driving-2016.down",
    "mahimahi_cellular/ATT-LTE-driving-2016.up",
    "formats/ucc5g_example.csv.gz",
    "formats/gnss_cn0_drive/mtv_f9k_cn0.csv.gz",
)
TRACES = {path.name: path for path in GALLERY.rglob("*.parquet")}


def commands() -> list[list[str]]:
    block = re.search(r"```sh\n(.*?)```", README, re.DOTALL)
    assert block
    return [line.split() for line in block[1].replace("\\\n", " ").splitlines()]


def test_gallery__is_small_and_says_of_every_file_where_it_comes_from() -> None:
    files = [path for path in GALLERY.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 2_000_000
    for path in files:
        if path.suffix in (".parquet", ".csv"):
            assert path.name in README or path.name.replace(".up.", ".") in README.replace(".down.", ".")
    assert all((GALLERY / link).is_file() for link in re.findall(r"\]\(((?!\.\.)[^)]+)\)", README))


@pytest.mark.parametrize(
    ("name", "slots", "erased", "rate_bps"),
    [
        # 1,193 attempts less two of size 0, 69 of them repeated: counts of the data's README.
        ("lte-uplink.parquet", 1191, 69, None),
        # 48.75, 4.56 and 1.91 Mbit/s: rates of the data's README.
        ("starlink.parquet", 487_652, 0, 48.75e6),
        # 45.88 Mbit/s: mean of DL_bitrate in the rows of these 300 s.
        ("nr-phone.parquet", 1_147_117, 0, 45.88e6),
        ("att-lte-driving.down.parquet", 45_604, 0, 4.56e6),
        ("att-lte-driving.up.parquet", 19_101, 0, 1.91e6),
    ],
)
def test_traces__hold_what_was_counted(name: str, slots: int, erased: int, rate_bps: float | None) -> None:
    trace = read_phy(TRACES[name])
    assert (len(trace), int((trace.decode_time_ns == 0).sum())) == (slots, erased)
    assert trace.metadata["packing"] == "packed"
    if rate_bps is not None:
        assert 12_000 * slots / (trace.tx_time_ns[-1] / 1e9) == pytest.approx(rate_bps, rel=0.002)


def test_lte_uplink__keeps_the_measured_sizes() -> None:
    sizes = read_phy(TRACES["lte-uplink.parquet"]).size_bytes
    assert sizes.mean() == pytest.approx(113, abs=1)


def test_starlink__keeps_the_measured_delays() -> None:
    """7 to 68 ms, 10.7 ms in the mean over time: figures of the data's README."""
    trace = read_phy(TRACES["starlink.parquet"])
    delay_ms = trace.decode_time_ns / 1e6
    assert (delay_ms.min(), delay_ms.max()) == (7, pytest.approx(68, abs=10))
    assert np.interp(np.arange(120), trace.tx_time_ns / 1e9, delay_ms).mean() == pytest.approx(10.7, abs=0.5)


def test_starlink_losses__are_those_that_probes_counted(measured_data: Path) -> None:
    """Own count of the probes' file: share of time and mean burst, in slots of both lines."""
    file = measured_data / "lens_starlink" / "LEO_downlink_loss-000001-12h.txt"
    if not file.is_file():
        pytest.skip(f"no probes at {file}")
    lost = file.read_text().split()
    bursts = [len(list(run)) for value, run in groupby(lost) if value == "1"]
    assert (len(lost), sum(bursts), len(bursts), max(bursts)) == (10_000, 33, 28, 3)
    scenario = Scenario.read(GALLERY.parents[1] / "scenarios" / "measured-starlink-losses.toml")
    channels = [one.channel for one in scenario.trace if isinstance(one.channel, GilbertElliott)]
    burst_s = 0.01 * sum(bursts) / len(bursts)
    for rate, share, channel in zip(
        (4062, 4062, 12_500, 12_500), (0.0033, 262 / 18_147) * 2, channels, strict=True
    ):
        assert 1 / (1 - channel.beta) == pytest.approx(burst_s * rate, rel=0.01)
        assert 1 / (1 - channel.alpha) == pytest.approx(burst_s * rate * (1 - share) / share, rel=0.025)


def test_gnss_drive__erases_what_its_attenuation_and_code_say() -> None:
    """A slot-by-slot expectation from the two files beside it; 1.6 million slots."""
    trace = read_phy(TRACES["gnss-drive.parquet"])
    series = read_signal_series(str(GALLERY / "gnss-attenuation.csv"))
    rates = read_error_rates(str(GALLERY / "code-curve.csv"))
    expected = rates.at(10.0 - series.at(trace.tx_time_ns))
    erased = trace.decode_time_ns == 0
    deviation = float(np.sqrt((expected * (1 - expected)).sum()))
    assert erased.sum() == pytest.approx(expected.sum(), abs=4 * deviation)
    made = trace.metadata["generator"]
    assert made["signal"]["sha256"] == file_sha256(GALLERY / "gnss-attenuation.csv")
    assert made["error_rates"]["sha256"] == file_sha256(GALLERY / "code-curve.csv")


def test_commands__make_the_gallery_from_its_sources(measured_data: Path, tmp_path: Path) -> None:
    for source in SOURCES:
        (tmp_path / Path(source).name).symlink_to(measured_data / source)
    for program in GALLERY.glob("*.py"):
        shutil.copy(program, tmp_path)
    for program, *arguments in commands():
        if program == "tmt":
            assert tmt(*arguments, folder=tmp_path).status == 0
        else:
            subprocess.run([BIN / program, *arguments], cwd=tmp_path, check=True, capture_output=True)
    for name, path in TRACES.items():
        made, kept = read_phy(tmp_path / name), read_phy(path)
        for column in made.columns:
            assert np.array_equal(getattr(made, column.name), getattr(kept, column.name)), (name, column.name)
        for key in ("source", "begin_ns", "length_ns"):
            assert made.metadata.get(key) == kept.metadata.get(key), (name, key)
    for table in GALLERY.glob("*.csv"):
        assert (tmp_path / table.name).read_bytes() == table.read_bytes()
