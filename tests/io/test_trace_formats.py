"""Rules for every trace format, in a loop over the registry."""

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from tmt.core.errors import InputError, UsageError
from tmt.core.schema import LINK_TRACE, PHY_TRACE
from tmt.core.trace import LinkTrace, PhyTrace, Trace
from tmt.io import (
    create_trace,
    endings,
    format_of,
    formats,
    open_trace,
    read_phy,
    read_trace,
    write_trace,
)
from tmt.io.files import head_of

LATEST_NS = 2**62


def phy_trace(slots: int, seed: int = 1) -> PhyTrace:
    rng = np.random.default_rng(seed)
    decode = np.where(rng.random(slots) < 0.2, 0, rng.integers(1, 10**9, slots))
    return PhyTrace(np.cumsum(rng.integers(1, 3_000_000, slots)), decode)


def link_trace(rows: int, seed: int = 1) -> LinkTrace:
    rng = np.random.default_rng(seed)
    delivered = rng.random(rows) < 0.8
    settled = delivered | (rng.random(rows) < 0.5)
    return LinkTrace(
        np.cumsum(rng.integers(1, 3_000_000, rows)),
        np.where(settled, rng.integers(0, 10**9, rows), -1),
        delivered,
        rng.integers(1, 256, rows).astype(np.uint8),
    )


def assert_same_rows(found: Trace, expected: Trace) -> None:
    assert found.table is expected.table
    for column in expected.table.columns:
        values = getattr(found, column.name)
        assert values.dtype == column.dtype
        np.testing.assert_array_equal(values, getattr(expected, column.name))


def rows_or_refusal(path: Path) -> int | str:
    """Rows of a trace, or one line that says why it is none; anything else is not caught."""
    try:
        return len(read_trace(path))
    except InputError as error:
        (line,) = str(error).splitlines()
        return line


TRACES = pytest.mark.parametrize("trace", [phy_trace(50), link_trace(50)], ids=["phy", "link"])
EVERY_ENDING = pytest.mark.parametrize("ending", endings())


@EVERY_ENDING
@TRACES
def test_format__gives_back_what_was_written(ending: str, trace: Trace, tmp_path: Path) -> None:
    path = tmp_path / f"trace{ending}"
    write_trace(path, trace)
    assert_same_rows(read_trace(path), trace)
    assert_same_rows(read_trace(path, trace.table), trace)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


@EVERY_ENDING
@TRACES
def test_format__recognises_its_own_files_and_no_others(ending: str, trace: Trace, tmp_path: Path) -> None:
    path = tmp_path / f"trace{ending}"
    write_trace(path, trace)
    assert [known for known in formats() if known.sniff(head_of(str(path)))] == [format_of(str(path))]


@EVERY_ENDING
@TRACES
def test_format__refuses_a_trace_of_the_other_kind(ending: str, trace: Trace, tmp_path: Path) -> None:
    path = tmp_path / f"trace{ending}"
    write_trace(path, trace)
    wanted = LINK_TRACE if trace.table is PHY_TRACE else PHY_TRACE
    with pytest.raises(InputError, match=f"its rows are of kind {trace.table.kind}; a {wanted.kind} trace"):
        read_trace(path, wanted)


@EVERY_ENDING
def test_format__does_not_depend_on_how_rows_come(ending: str, tmp_path: Path) -> None:
    trace = link_trace(100)
    write_trace(tmp_path / f"whole{ending}", trace)
    with create_trace(tmp_path / f"pieces{ending}", LINK_TRACE, {}) as writer:
        for start, end in [(0, 1), (1, 1), (1, 64), (64, 100)]:
            writer.write(LinkTrace(*(getattr(trace, name)[start:end] for name in LINK_TRACE.names)))
    assert_same_rows(read_trace(tmp_path / f"pieces{ending}"), trace)
    if not ending.endswith(".gz"):  # deflate may cut its blocks otherwise
        assert (tmp_path / f"whole{ending}").read_bytes() == (tmp_path / f"pieces{ending}").read_bytes()


@EVERY_ENDING
def test_format__makes_the_same_bytes_twice(ending: str, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        write_trace(tmp_path / name / f"trace{ending}", phy_trace(50))
    first, second = ((tmp_path / name / f"trace{ending}").read_bytes() for name in ("a", "b"))
    assert first == second


@EVERY_ENDING
def test_format__refuses_an_empty_file(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"trace{ending}"
    path.touch()
    with pytest.raises(InputError, match="the file is empty"):
        open_trace(path)


@EVERY_ENDING
@pytest.mark.parametrize("trace", [phy_trace(8), link_trace(8)], ids=["phy", "link"])
def test_format__refuses_every_truncation(ending: str, trace: Trace, tmp_path: Path) -> None:
    """Text without its last newline, or cut within its last number, cannot be told from a shorter trace."""
    path = tmp_path / f"trace{ending}"
    write_trace(path, trace)
    whole = path.read_bytes()
    plain_text = ending in {".csv", ".txt"}
    for length in {*range(0, len(whole), 4), *range(max(0, len(whole) - 40), len(whole))}:
        path.write_bytes(whole[:length])
        rows = rows_or_refusal(path)
        if isinstance(rows, int):
            assert plain_text, f"{length} of {len(whole)} bytes were accepted"
            assert rows <= len(trace)


@EVERY_ENDING
@TRACES
def test_format__reads_or_refuses_damaged_files(ending: str, trace: Trace, tmp_path: Path) -> None:
    path = tmp_path / f"trace{ending}"
    write_trace(path, trace)
    whole = path.read_bytes()
    rng = np.random.default_rng(7)
    for _ in range(80):  # `make fuzz` looks for more
        damaged = bytearray(whole)
        for _ in range(rng.integers(1, 4)):
            damaged[rng.integers(len(damaged))] = rng.integers(256)
        path.write_bytes(damaged)
        rows_or_refusal(path)


@EVERY_ENDING
def test_format__is_not_written_without_rows(ending: str, tmp_path: Path) -> None:
    with (
        pytest.raises(UsageError, match=r"not written: there are no rows"),
        create_trace(tmp_path / f"trace{ending}", PHY_TRACE, {}),
    ):
        pass
    assert list(tmp_path.iterdir()) == []


@EVERY_ENDING
def test_format__reads_and_writes_a_file_system_uri(ending: str, tmp_path: Path) -> None:
    uri = f"{tmp_path.as_uri()}/trace{ending}"
    write_trace(uri, phy_trace(50))
    assert_same_rows(read_phy(uri), phy_trace(50))
    assert_same_rows(read_phy(tmp_path / f"trace{ending}"), phy_trace(50))
    assert len(list(tmp_path.iterdir())) == 1


times = st.integers(0, LATEST_NS)


@given(data=st.data(), tx=st.lists(times, min_size=1, max_size=20, unique=True))
@settings(max_examples=25)
def test_format__gives_back_any_phy_trace(
    data: st.DataObject, tx: list[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    decode = data.draw(st.lists(times, min_size=len(tx), max_size=len(tx)))
    trace = PhyTrace(np.sort(np.array(tx, np.int64)), np.array(decode, np.int64))
    folder = tmp_path_factory.mktemp("phy")
    for ending in endings():
        write_trace(folder / f"trace{ending}", trace)
        assert_same_rows(read_phy(folder / f"trace{ending}"), trace)


@given(data=st.data(), tx=st.lists(times, min_size=1, max_size=20, unique=True))
@settings(max_examples=25)
def test_format__gives_back_any_link_trace(
    data: st.DataObject, tx: list[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    fate = st.one_of(
        st.tuples(times, st.booleans(), st.integers(1, 255)),
        st.tuples(st.just(-1), st.just(False), st.integers(1, 255)),  # unsettled
    )
    delay, delivered, transmissions = zip(
        *data.draw(st.lists(fate, min_size=len(tx), max_size=len(tx))), strict=True
    )
    trace = LinkTrace(
        np.sort(np.array(tx, np.int64)),
        np.array(delay, np.int64),
        np.array(delivered, np.bool_),
        np.array(transmissions, np.uint8),
    )
    folder = tmp_path_factory.mktemp("link")
    for ending in endings():
        write_trace(folder / f"trace{ending}", trace)
        assert_same_rows(read_trace(folder / f"trace{ending}"), trace)


def test_unknown_ending__is_refused_with_those_that_are_allowed(tmp_path: Path) -> None:
    allowed = r"trace\.dat: its ending .* allowed are \.parquet, .*\.txt\.gz$"
    (tmp_path / "trace.dat").write_text("0 1\n")
    with pytest.raises(InputError, match=allowed):
        read_trace(tmp_path / "trace.dat")
    with pytest.raises(UsageError, match=allowed):
        write_trace(tmp_path / "trace.dat", phy_trace(2))


def test_missing_file__is_refused_in_one_line(tmp_path: Path) -> None:
    for name in ("none.parquet", "none.csv.gz", "none", "folder.txt"):
        (tmp_path / "folder.txt").mkdir(exist_ok=True)
        with pytest.raises(InputError, match=r"(cannot be read: No such file|this is a folder)"):
            read_trace(tmp_path / name)
    with pytest.raises(InputError, match="cannot be read"):
        read_trace("nowhere://bucket/trace.parquet")


@pytest.mark.parametrize("ending", [".npy", ".parquet", ".csv"])
def test_reader__hands_out_arrays_that_kernels_take(ending: str, tmp_path: Path) -> None:
    write_trace(tmp_path / f"trace{ending}", link_trace(50))
    with open_trace(tmp_path / f"trace{ending}") as reader:
        for chunk in reader:
            for name in LINK_TRACE.names:
                array = getattr(chunk, name)
                assert array.flags.c_contiguous
                assert array.flags.writeable
                assert array.flags.aligned


def test_npy_that_is_cut_while_it_is_read__is_refused(tmp_path: Path) -> None:
    path = tmp_path / "phy.npy"
    times_ns = np.arange(100_000, dtype=np.int64)
    write_trace(path, PhyTrace(times_ns, np.ones(100_000, np.int64)))
    with open_trace(path) as reader:
        os.truncate(path, path.stat().st_size - 24)
        with pytest.raises(InputError, match=r"promises 100000 rows, it holds 99998$"):
            list(reader)
