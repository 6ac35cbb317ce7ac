"""`tmt convert`: options, output and refusals."""

from pathlib import Path

import numpy as np
import pytest
from in_process import tmt

from tmt.core.trace import PhyTrace
from tmt.io import read_trace, write_trace


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    decode = np.full(24, 5_000_000)
    decode[[2, 13]] = 0
    write_trace(tmp_path / "phy.parquet", PhyTrace(np.arange(24) * 1_000_000, decode))
    return tmp_path


def test_convert__prints_what_became_of_slots_and_rows(folder: Path) -> None:
    # Slots 2 and 13 are erased; their reports, 8 ms later, take slots 10 and 21: 22 rows, all delivered.
    result = tmt("convert", "phy.parquet", "link.npy", "--scheme", "arq", "--rtt", "0.008", folder=folder)
    assert result.status == 0, result.err
    assert result.out == (
        "link.npy: ARQ: 24 slots = 22 data + 2 retransmissions; "
        "22 rows = 22 delivered + 0 lost + 0 unsettled; efficiency 0.9167\n"
    )
    assert read_trace(folder / "link.npy").transmissions.tolist().count(2) == 2


def test_convert__takes_several_traces_and_schemes(folder: Path) -> None:
    (folder / "phy.parquet").rename(folder / "a.parquet")
    write_trace(folder / "b.parquet", PhyTrace(np.arange(30), np.ones(30, np.int64)))
    arguments = "a.parquet b.parquet -o links --rtt 1 --scheme none --scheme fec --data 2 --repair 1"
    result = tmt("convert", *arguments.split(), folder=folder)
    assert result.status == 0, result.err
    links = ["a-fec.npy", "a-none.npy", "b-fec.npy", "b-none.npy"]
    files = sorted([*links, *(f"{link}.json" for link in links)])
    assert sorted(path.name for path in (folder / "links").iterdir()) == files
    assert len(result.out.splitlines()) == 4
    assert len(read_trace(folder / "links" / "b-fec.npy")) == 20


def test_convert__takes_rlc_above_a_scheme(folder: Path) -> None:
    rlc = "phy.parquet link.npy --rtt 0.008 --mode unacknowledged --scheme rlc"
    below = "--below fec --below-data 2 --below-repair 1"
    result = tmt("convert", *rlc.split(), *below.split(), folder=folder)
    assert result.status == 0, result.err
    assert result.out.startswith("link.npy: RLC-over-FEC(2/3, UM): 24 slots = 16 data + 8 repair; ")
    assert read_trace(folder / "link.npy").metadata["scheme"]["below"]["data"] == 2


def test_convert__takes_options_of_version_0_2_and_says_todays(folder: Path) -> None:
    old = "phy.parquet --out-dir links --rtt 0.008 --rlc-mode unacknowledged"
    result = tmt("convert", *old.split(), "--scheme", "rlc-over-fec", "--data=2", "--repair=1", folder=folder)
    assert result.status == 0
    assert (folder / "links" / "phy-rlc-over-fec.npy").is_file()
    assert result.err.splitlines() == [
        "warning: --out-dir is called --output now",
        "warning: this is written as phy.parquet --output links --rtt 0.008 --mode unacknowledged "
        "--scheme rlc --below fec --below-data 2 --below-repair 1 now",
    ]
