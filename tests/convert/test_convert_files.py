"""Conversion from file to file: equal to that in memory, in bounded memory, with complete files or none."""

import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from naive import on_link
from naive.on_link import OnLink
from naive.traces import rows_of
from processes import TMT, execute
from waiting import PATIENCE_S

from tmt import Harq, NoScheme, SlidingWindow
from tmt.core.convert import convert
from tmt.core.errors import InputError, OutputError, UsageError
from tmt.core.provenance import file_sha256
from tmt.core.schema import PHY_TRACE
from tmt.core.trace import PhyTrace
from tmt.io import create_trace, read_trace, write_trace
from tmt.io.conversion import Conversion, convert_file, convert_files

SCHEMES = [
    on_link.none(),
    on_link.fec(10, 2, depth=3),
    on_link.arq(500_000),
    on_link.harq(10, 2, 500_000),
    on_link.harq_processes(500_000, 1_000),
    on_link.on_link(SlidingWindow, coding_window=9, repair_interval=4),
    on_link.rlc_over(Harq, 10, 2, rtt_ns=500_000),
]


def trace(n: int, erased: float = 0.1) -> PhyTrace:
    rng = np.random.default_rng(7)
    tx = np.cumsum(rng.integers(900, 1100, n))
    decode = np.where(rng.random(n) < erased, 0, rng.integers(30_000, 40_000, n))
    return PhyTrace(tx, decode, {"kind": "phy", "lldu_bytes": 33})


@pytest.mark.parametrize("scheme", SCHEMES, ids=str)
def test_conversion__keeps_when_the_trace_begins_and_its_length(tmp_path: Path, scheme: OnLink) -> None:
    """A scheme, and the share of one of two users, start and end with the slots that others use, too."""
    phy = trace(3_000)
    phy.metadata.update(begin_ns=3, length_ns=5_000_000)
    write_trace(tmp_path / "phy.parquet", phy)
    convert_file(tmp_path / "phy.parquet", tmp_path / "link.npy", *scheme, 2)
    for made in (convert(phy, *scheme, 2), read_trace(tmp_path / "link.npy")):
        assert (made.metadata["begin_ns"], made.metadata["length_ns"]) == (3, 5_000_000)


@pytest.mark.parametrize("scheme", SCHEMES, ids=str)
@pytest.mark.parametrize("every", [1, 7])
def test_convert_file__equals_convert_in_any_row_groups(tmp_path: Path, scheme: OnLink, every: int) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    phy = trace(3_000)
    expected = rows_of(convert(phy, *scheme, every))
    assert len(expected) > 300
    table = pa.table({"tx_time_ns": phy.tx_time_ns, "decode_time_ns": phy.decode_time_ns})
    for row_group in (3_000, 1_024, 37):
        pq.write_table(table, tmp_path / "phy.parquet", row_group_size=row_group)
        counts = convert_file(tmp_path / "phy.parquet", tmp_path / "link.npy", *scheme, every)
        assert rows_of(read_trace(tmp_path / "link.npy")) == expected
        assert counts.data_rows == len(expected)


@pytest.mark.parametrize("scheme", SCHEMES, ids=str)
def test_convert_file__keeps_sizes_and_packing(tmp_path: Path, scheme: OnLink) -> None:
    phy = trace(3_000)
    sizes = np.random.default_rng(3).integers(1, 20_000, len(phy)).astype(np.uint32)
    phy = PhyTrace(phy.tx_time_ns, phy.decode_time_ns, {"packing": "packed"}, sizes)
    write_trace(tmp_path / "phy.parquet", phy)
    convert_file(tmp_path / "phy.parquet", tmp_path / "link.parquet", *scheme, every=2)
    in_file, in_memory = read_trace(tmp_path / "link.parquet"), convert(phy, *scheme, every=2)
    assert in_file.metadata["packing"] == in_memory.metadata["packing"] == "packed"
    size_of_slot = dict(zip(phy.tx_time_ns.tolist(), sizes.tolist(), strict=True))
    for link in (in_file, in_memory):
        assert link.size_bytes.tolist() == [size_of_slot[sent_ns] for sent_ns in link.tx_time_ns.tolist()]


def test_convert__keeps_every_nth_slot_from_the_first_on() -> None:
    phy = PhyTrace(np.arange(10), np.arange(1, 11))
    assert convert(phy, NoScheme(), every=4).tx_time_ns.tolist() == [0, 4, 8]
    with pytest.raises(UsageError, match="every is 0"):
        convert(phy, NoScheme(), every=0)


def test_convert_file__says_in_the_link_trace_how_it_was_made(tmp_path: Path) -> None:
    phy_path, link_path = tmp_path / "phy.parquet", tmp_path / "link.parquet"
    write_trace(phy_path, trace(100))
    convert_file(phy_path, link_path, *on_link.arq(500_000, max_transmissions=3), every=2)
    made = read_trace(link_path).metadata
    assert (made["kind"], made["lldu_bytes"], made["every"]) == ("link", 33, 2)
    assert made["scheme"] == {
        "name": "arq",
        "rtt_ns": 500_000,
        "max_transmissions": 3,
        "detection_delay_ns": 0,
    }
    assert made["source"] == {"name": "phy.parquet", "sha256": file_sha256(phy_path)}


def test_convert_file__reports_progress_in_slots_of_the_file(tmp_path: Path) -> None:
    write_trace(tmp_path / "phy.npy", trace(1_000))
    done: list[int] = []
    convert_file(tmp_path / "phy.npy", tmp_path / "link.npy", NoScheme(), every=3, progress=done.append)
    assert sum(done) == 1_000


def test_convert_file__reads_and_writes_any_file_system(tmp_path: Path) -> None:
    write_trace(tmp_path / "phy.parquet", trace(200))
    convert_file(f"file://{tmp_path}/phy.parquet", f"file://{tmp_path}/link.parquet", NoScheme())
    assert len(read_trace(tmp_path / "link.parquet")) == 200


def test_convert_file__leaves_nothing_when_the_last_row_group_is_bad(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    tx = np.arange(1_000)
    tx[990] = 5
    table = pa.table({"tx_time_ns": tx, "decode_time_ns": np.ones(1_000, np.int64)})
    pq.write_table(table, tmp_path / "phy.parquet", row_group_size=100)
    with pytest.raises(InputError, match="row 991"):
        convert_file(tmp_path / "phy.parquet", tmp_path / "link.parquet", *on_link.arq(5))
    assert [path.name for path in tmp_path.iterdir()] == ["phy.parquet"]


def test_convert_file__leaves_nothing_when_it_cannot_write(tmp_path: Path) -> None:
    # A limit on the size of files stands in for a full disk: the kernel refuses the write in both cases.
    write_trace(tmp_path / "phy.npy", trace(50_000))
    result = execute(
        TMT,
        "convert",
        "phy.npy",
        "link.npy",
        "--scheme",
        "none",
        cwd=tmp_path,
        preexec_fn=lambda: (
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN),
            resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000)),
        ),
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
    )
    assert result.returncode == OutputError.exit_status
    assert result.stderr == "link.npy: cannot be written: File too large\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["phy.npy", "phy.npy.json"]


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_convert_file__leaves_nothing_when_interrupted(tmp_path: Path, how: signal.Signals) -> None:
    write_trace(tmp_path / "phy.npy", trace(300_000))
    script = (
        "import time; from tmt.io.conversion import convert_file\n"
        "from tmt.core.schemes.none import NoScheme\n"
        "def linger(slots): print('under way', flush=True); time.sleep(10**6)\n"
        "convert_file('phy.npy', 'link.npy', NoScheme(), progress=linger)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout.readline() == "under way\n"
        assert [path for path in tmp_path.iterdir() if path.name.startswith(".part-")]
        process.send_signal(how)
        assert process.wait(PATIENCE_S) != 0
    assert not (tmp_path / "link.npy").exists()
    if how is signal.SIGINT:
        assert sorted(path.name for path in tmp_path.iterdir()) == ["phy.npy", "phy.npy.json"]


def test_convert_files__runs_many_and_stops_at_the_first_error(tmp_path: Path) -> None:
    write_trace(tmp_path / "phy.npy", trace(500))
    conversions = [
        Conversion(f"{tmp_path}/phy.npy", f"{tmp_path}/{number}.npy", *scheme)
        for number, scheme in enumerate(SCHEMES)
    ]
    counts = convert_files(conversions)
    assert [one.slots for one in counts] == [500] * len(SCHEMES)
    for conversion, one in zip(conversions, counts, strict=True):
        assert len(read_trace(conversion.link_path)) == one.data_rows
    missing = Conversion(f"{tmp_path}/none.parquet", f"{tmp_path}/never.npy", NoScheme())
    with pytest.raises(InputError, match=r"none\.parquet: cannot be read"):
        convert_files([missing])
    assert not (tmp_path / "never.npy").exists()


def test_convert_file__memory_does_not_grow_with_the_trace(tmp_path: Path) -> None:
    # Four million slots are 64 MB in and 72 MB out when held whole, above what the same process needs for
    # few.
    peaks = []
    for n in (1 << 19, 1 << 22):
        with create_trace(tmp_path / "phy.parquet", PHY_TRACE, {}) as writer:
            for first in range(0, n, 1 << 18):
                tx = np.arange(first, first + (1 << 18)) * 1_000
                writer.write(PhyTrace(tx, np.where(tx % 7_000 == 0, 0, 30_000)))
        script = (
            "import sys; from tmt.io.conversion import convert_file\n"
            "from tmt.core.schemes.none import NoScheme\n"
            "convert_file(sys.argv[1], sys.argv[2], NoScheme())\n"
            "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
        )
        result = execute(
            sys.executable, "-c", script, tmp_path / "phy.parquet", tmp_path / "link.parquet", check=True
        )
        peaks.append(int(result.stdout) / 1024)
    assert peaks[1] < 320
    assert peaks[1] - peaks[0] < 40
