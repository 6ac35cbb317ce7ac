"""Files that no program writes by intention: each ends in one line and status 2, without filling memory."""

import gzip
import json
import os
import struct
from pathlib import Path

import numpy as np
import pytest
from in_process import tmt

from tests.measured.capture_files import pcap, pcapng
from tmt.core.trace import PhyTrace
from tmt.io import files, write_trace


def refused(folder: Path, *words: str) -> str:
    """Return the only line that a command says, which ends with status 2."""
    said = tmt(*words, folder=folder)
    assert (said.status, said.out) == (2, "")
    (line,) = said.err.splitlines()
    assert len(line) < 500
    return line.replace(f"{folder}/", "")


def make(path: Path, kind: str) -> None:
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "folder":
        path.mkdir()


KINDS = {
    "pipe": "this is not a regular file; write its content into a file first",
    "device": "this is not a regular file; write its content into a file first",
    "folder": "is a folder; a file is needed",
    "nothing": "cannot be read: No such file or directory",
}


@pytest.mark.parametrize("prefix", ["", "file://"])
@pytest.mark.parametrize("ending", ["parquet", "csv", "csv.gz", "log"])
@pytest.mark.parametrize("kind", KINDS)
def test_place__that_is_no_file_is_refused(kind: str, ending: str, prefix: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.{ending}"
    make(path, kind)
    name = f"{prefix}{path}"
    commands = [("import", "table", name, "o.npy", "--time", "t"), ("import", "auto", name, "o.npy")]
    if ending != "log":
        commands += [("inspect", name), ("convert", name, "o.npy", "--scheme", "none")]
    for words in commands:
        line = refused(tmp_path, *words)
        assert path.name in line
        assert KINDS[kind] in line


@pytest.mark.parametrize("option", [("pcap", "--sent"), ("mahimahi", "--delays")])
@pytest.mark.parametrize("kind", KINDS)
def test_second_file__is_refused_by_its_name(kind: str, option: tuple[str, str], tmp_path: Path) -> None:
    udp = bytes([0x45, 0]) + struct.pack(">HHHBBH8s", 28, 0, 0, 9, 17, 0, bytes(8)) + bytes(8)
    (tmp_path / "pcap").write_bytes(pcap([(0, udp)]))
    (tmp_path / "mahimahi").write_text("5\n")
    make(tmp_path / "second", kind)
    name, key = option
    line = refused(tmp_path, "import", name, name, "o.npy", key, "second")
    assert line.startswith("second: ")
    assert line.endswith(KINDS[kind])


BLOCK = struct.pack("<2I", 5, 2**31) + bytes(20)


@pytest.mark.parametrize(
    ("words", "content", "line"),
    [
        ("mahimahi a.gz", gzip.compress(b"", mtime=0), "a.gz: the file is empty"),
        ("lte-harq a.gz", gzip.compress(b"\n", mtime=0), "a.gz: there are no rows; a trace has at least one"),
        ("mahimahi a --delays empty", b"5\n", "empty: there are no rows; a trace has at least one"),
        ("pcap a", pcap([])[:24] + struct.pack("<4I", 0, 0, 2**31, 9), "a:byte 40: a packet or block has 2147483648 bytes"),  # noqa: E501
        ("pcap a", pcapng([]) + BLOCK, "a:byte 72: a packet or block has 2147483636 bytes"),
        ("ns3-lte a", b"time\tcellId\tIMSI\tlayer\tsize\trv\tndi\tcorrect\n" + b"".join(
            b"1\t1\t" + user * 20_000 + b"\t0\t9\t0\t1\t1\n" for user in (b"1", b"2")
        ), f"a: there are 2 users; choose one by --user: {'1' * 40}... (1 row), {'2' * 40}... (1 row)"),
        ("table a --time t", b"t,x\n1,1\n2," + b"9" * 200_000 + b"\n", "a:3: this line is longer than 65536 bytes; this is not text"),  # noqa: E501
        ("amarisoft a", b"10:37:38.001 [PHY] UL 1 01 3d 1.9 PUSCH: " + b"1" * 60_000 + b"\n", "a: there are no transmissions in this log"),  # noqa: E501
        ("table a --time t", "t,x\n1,1\n".encode("utf-16"), "a: this is text in UTF-16; UTF-8 is needed"),
    ],
    ids=lambda value: value if isinstance(value, str) else "content",
)  # fmt: skip
def test_content__is_refused(words: str, content: bytes, line: str, tmp_path: Path) -> None:
    name, file, *options = words.split()
    (tmp_path / file).write_bytes(content)
    (tmp_path / "empty").write_text("# no line\n")
    assert refused(tmp_path, "import", name, file, "o.npy", *options) == line
    assert not (tmp_path / "o.npy").exists()


def test_times__beyond_those_of_a_trace_are_refused(tmp_path: Path) -> None:
    """Sent at 0 and at 2^62 ns: downwards the second probe sets out 1 ns later than that after the first."""
    trips = [
        {"lost": False, "timestamps": {"client": {"send": {"monotonic": at}}}}
        | {"delay": {"send": up, "receive": 10**6}}
        for at, up in ((0, 10**6), (2**62, 10**6 + 1))
    ]
    (tmp_path / "a").write_text(json.dumps({"round_trips": trips}))
    (tmp_path / "b").write_text(json.dumps({"round_trips": [trips[1] | {"timestamps": {"client": 1}}]}))
    assert "send.monotonic is missing" in refused(tmp_path, "import", "irtt", "b", "o.npy")
    line = refused(tmp_path, "import", "irtt", "a", "o.npy", "--direction", "down")
    assert line == f"a:row 2: it makes no trace: tx_time_ns is {2**62 + 1}; the most allowed is {2**62}"


def test_content__that_is_read_as_a_whole_has_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MOST_WHOLE_BYTES", 1 << 20)
    (tmp_path / "a.gz").write_bytes(gzip.compress(b'{"round_trips": [' + b"0," * (1 << 19)))
    line = refused(tmp_path, "import", "irtt", "a.gz", "o.npy")
    assert line == "a.gz: its content has more than 1 MiB, and is read as a whole; a part of it is needed"


@pytest.mark.parametrize(
    ("modes", "told"),
    [
        (None, "a.npy: its metadata hold no thresholds of modes, which combining_threshold_db"),
        ({"half_db": [1.0]}, "a.npy: mode is 7; its table of modes ends with 0"),
        ({"half_db": ["1"]}, "a.npy.json: the file is damaged: modes in the metadata"),
        ({"half_db": [float("nan")]}, "a.npy.json: the file is damaged: modes in the metadata"),
        ([1.0], "a.npy.json: the file is damaged: modes in the metadata"),
    ],
)
def test_modes__are_refused_with_the_name_of_the_file(modes: object, told: str, tmp_path: Path) -> None:
    columns = {"es_n0_mdb": np.array([1], np.int32), "mode": np.array([7], np.uint8)}
    metadata = {"kind": "phy"} if modes is None else {"modes": modes}
    write_trace(tmp_path / "a.npy", PhyTrace(np.array([1]), np.array([1]), metadata, **columns))
    line = refused(
        tmp_path, "convert", "a.npy", "o.npy", "--scheme", "harq-processes", "--rtt", "0.01",
        "--combining", "chase", "--combining-threshold-db", "by-mode",
    )  # fmt: skip
    assert line.startswith(told)
