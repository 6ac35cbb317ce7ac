"""When a trace begins and how long it is, in every format: kept, checked against its rows, and refused."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from link_traces import sent_once

from tmt import convert_trace
from tmt.core.checks import Checker
from tmt.core.errors import InputError
from tmt.core.extent import Extent
from tmt.core.schema import PHY_TRACE
from tmt.core.trace import PhyTrace
from tmt.io import copy_trace, open_trace, read_phy, read_trace, write_trace

FORMATS = ("parquet", "parquet.gz", "npy", "csv", "csv.gz", "txt", "txt.gz")
EXTENT = {"begin_ns": 1, "length_ns": 200_000_000}


def phy(*times_ns: int, **metadata: Any) -> PhyTrace:
    return PhyTrace(np.array(times_ns), np.full(len(times_ns), 7), metadata)


@pytest.mark.parametrize("ending", FORMATS)
def test_extent__is_kept_by_every_format(ending: str, tmp_path: Path) -> None:
    """One row has an extent, too; without a file beside it, text and CSV still have theirs."""
    path = tmp_path / f"phy.{ending}"
    write_trace(path, phy(5, **EXTENT))
    if ending.startswith(("csv", "txt")):
        (tmp_path / f"phy.{ending}.json").unlink()
    found = read_trace(path).metadata
    assert (found["begin_ns"], found["length_ns"]) == (1, 200_000_000)


def test_extent__is_a_comment_in_the_units_of_the_file(tmp_path: Path) -> None:
    for name in ("phy.csv", "phy.txt"):
        write_trace(tmp_path / name, phy(5, **EXTENT))
    assert (tmp_path / "phy.csv").read_text() == (
        "# begin_ns=1 length_ns=200000000\ntx_time_ns,decode_time_ns\n5,7\n"
    )
    assert (tmp_path / "phy.txt").read_text() == "# begin=0.000000001 length=0.2\n0.000000005 0.000000007\n"


def test_file_without_extent__has_no_comment(tmp_path: Path) -> None:
    for name in ("phy.csv", "phy.txt"):
        write_trace(tmp_path / name, phy(5))
    assert (tmp_path / "phy.csv").read_text() == "tx_time_ns,decode_time_ns\n5,7\n"
    assert (tmp_path / "phy.txt").read_text() == "0.000000005 0.000000007\n"


@pytest.mark.parametrize(
    "text",
    [
        "# begin_ns=0 length_ns=200000000\n0.1 0.02\n",
        "#begin=0 length=0.2\n0.1 0.02\n",
        "# from a sniffer\n# begin=0   length=2e-1\n# for ten packets\n0.1 0.02\n",
        "tx_time decode_time\n# begin=0 length=0.2\n0.1 0.02\n",
        "\ufeff# begin=0 length=0.2\r\n0.1 0.02\r\n",
        "# begin=0 length=0.2\n# begin_ns=0 length_ns=200000000\n0.1 0.02\n",
    ],
)
def test_comment__may_be_typed_by_hand(text: str, tmp_path: Path) -> None:
    (tmp_path / "phy.txt").write_text(text, encoding="utf-8")
    trace = read_phy(tmp_path / "phy.txt")
    assert trace.metadata == {"begin_ns": 0, "length_ns": 200_000_000}
    assert trace.tx_time_ns.tolist() == [100_000_000]


@pytest.mark.parametrize(
    "comment",
    [
        "# begin=0",
        "# length=0.2",
        "# begin=0 length=0",
        "# begin=-1 length=3",
        "# begin=0, length=1",
        "# begin_ns=0.5 length_ns=2",
        "# begin=0 length=1e400",
        f"# begin_ns=5 length_ns={2**62}",
        f"# begin_ns=0 length_ns={'9' * 5000}",
    ],
)
def test_comment__that_is_damaged_is_refused_with_its_line(comment: str, tmp_path: Path) -> None:
    (tmp_path / "phy.txt").write_text(f"# measured\n{comment}\n0.1 0.02\n")
    with pytest.raises(InputError) as refused:
        open_trace(tmp_path / "phy.txt")
    shown = comment if len(comment) <= 80 else comment[:80] + "..."
    assert str(refused.value) == (
        f"{tmp_path / 'phy.txt'}:2: the comment is {shown}; needed is "
        "# begin_ns=0 length_ns=200000000, or in seconds # begin=0 length=0.2"
    )


def test_comment__may_not_contradict_the_file_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "phy.txt"
    write_trace(path, phy(5, **EXTENT))
    path.write_text(path.read_text().replace("=0.2", "=0.3"))
    with pytest.raises(InputError) as refused:
        open_trace(path)
    assert str(refused.value) == (
        f"{path}:1: begin and length of the trace are 1 ns and 300000000 ns here, but "
        "1 ns and 200000000 ns in the metadata beside the file"
    )


@pytest.mark.parametrize(
    ("extent", "told"),
    [
        ({"begin_ns": 6, "length_ns": 9}, "row 1: tx_time_ns is 5; the trace begins at 6"),
        ({"begin_ns": 0, "length_ns": 8}, "row 2: tx_time_ns is 8; the trace ends at 8"),
        ({"begin_ns": 5, "length_ns": 3}, "row 2: tx_time_ns is 8; the trace ends at 8"),
    ],
)
def test_rows_outside__are_refused_by_reader_and_writer(
    extent: dict[str, int], told: str, tmp_path: Path
) -> None:
    path = tmp_path / "phy.npy"
    write_trace(path, phy(5, 8, 9))
    held = {"file_bytes": path.stat().st_size, "tmt": extent}
    (tmp_path / "phy.npy.json").write_text(json.dumps(held))
    with pytest.raises(InputError, match=told):
        read_phy(path)
    with pytest.raises(ValueError, match=told):
        write_trace(tmp_path / "new.parquet", phy(5, 8, 9, **extent))
    with pytest.raises(InputError, match=told):
        convert_trace(phy(5, 8, 9, **extent), "none")
    assert not (tmp_path / "new.parquet").exists()


def test_rows_outside__are_found_behind_the_first_piece() -> None:
    """Pieces of a check have up to 2**15 rows: the row is the 10,001st of the third chunk."""
    checker = Checker(PHY_TRACE, Extent(0, 70_000))
    chunks = [PhyTrace(np.arange(at, at + 30_000), np.ones(30_000, np.int64)) for at in (0, 30_000, 60_000)]
    violations = [checker.check(chunk) for chunk in chunks]
    assert violations[:2] == [None, None]
    assert violations[2] is not None
    assert (violations[2].row, violations[2].key) == (70_000, "after_end")


@pytest.mark.parametrize(
    ("metadata", "key", "value"),
    [
        ({"begin_ns": 0}, "length_ns", "null"),
        ({"length_ns": 5}, "begin_ns", "null"),
        ({"begin_ns": -1, "length_ns": 5}, "begin_ns", "-1"),
        ({"begin_ns": 0, "length_ns": 0}, "length_ns", "0"),
        ({"begin_ns": 0, "length_ns": 2.5}, "length_ns", "2.5"),
        ({"begin_ns": 1, "length_ns": 2**62}, "length_ns", str(2**62)),
    ],
)
def test_metadata__that_is_no_extent_is_refused(
    metadata: dict[str, Any], key: str, value: str, tmp_path: Path
) -> None:
    path = tmp_path / "phy.npy"
    write_trace(path, phy(0, 1))
    held = {"file_bytes": path.stat().st_size, "tmt": metadata}
    (tmp_path / "phy.npy.json").write_text(json.dumps(held))
    with pytest.raises(InputError) as refused:
        open_trace(path)
    assert f": {key} in the metadata under the key tmt is {value}; " in str(refused.value)


@pytest.mark.parametrize("seed", range(20))
def test_copies__from_format_to_format_keep_rows_and_extent(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    begin_ns, before_ns, behind_ns = (int(drawn) for drawn in rng.integers(1, 10**9, 3))
    gaps_ns = rng.integers(1, 10**9, seed % 6).tolist()
    endings = rng.permutation(["parquet", "csv", "npy", "txt"]).tolist()
    times_ns = np.cumsum([begin_ns + before_ns, *gaps_ns])
    extent = {"begin_ns": begin_ns, "length_ns": int(times_ns[-1]) - begin_ns + behind_ns}
    trace = sent_once(times_ns, np.full(len(times_ns), 3))
    trace.metadata.update(extent)
    first, *others = (f"{tmp_path}/link.{ending}" for ending in endings)
    write_trace(first, trace)
    for source, target in zip([first, *others], others, strict=False):
        copy_trace(source, target)
    again = read_trace(others[-1])
    assert {key: again.metadata[key] for key in extent} == extent
    np.testing.assert_array_equal(again.tx_time_ns, times_ns)
