"""Runs whose digests are in the repository: every machine, compiler and folder gives the same bytes."""

import hashlib
import json
import re
import subprocess
import tarfile
from pathlib import Path

import pytest
from processes import execute

import tmt
from tmt import Experiment, Path as LinkPath, TraceLink, Traffic
from tmt.core.errors import SimulatorError
from tmt.run import load_backend
from tmt.run.experiment import run
from tmt.run.records import COUNTERS, PACKETS, WINDOWS
from tmt.spec.programs import PROGRAMS, Program

ROOT = Path(__file__).resolve().parents[2]
PHY = ROOT / "traces" / "measured" / "mahimahi" / "att-lte-driving.down.parquet"
RECORD = Path(__file__).with_name("same_bytes.json")
PATH = LinkPath(rtt=0.1, queue_packets=50)
FILES = (PACKETS, WINDOWS, COUNTERS, "ended.txt", "flows.txt")


def digest(*contents: bytes) -> str:
    return hashlib.sha256(b"".join(contents)).hexdigest()


def own_root(folder: Path) -> str:
    """Return a root with one file, the shell, which is server and client."""
    shell, root = folder / "sh", folder / "root.tar"
    options = ("-static", "-nostdlib", "-nostartfiles", "-O1", "-fno-stack-protector", "-fno-builtin")
    subprocess.run(
        ["gcc", *options, "-o", str(shell), str(Path(__file__).with_name("same_bytes.c"))], check=True
    )
    with tarfile.open(root, "w") as archive:
        archive.add(shell, "bin/sh")
    return str(root)


def traffic_of(name: str, folder: Path) -> Traffic:
    if name == PROGRAMS:
        return Program(
            server="serve", ready="tcp:80", client="fetch", root=own_root(folder), duration=20, tcp="cubic"
        )
    stacks = {"ns2": "modern", "linux": "linux", "quic": "quic"}
    return Traffic("cubic", stacks[name], transfer_bytes=400_000, duration=20)


def release_of(name: str) -> str:
    """Return the version of Linux that a backend's program is, or nothing."""
    if name not in ("linux", PROGRAMS):
        return ""
    said = execute(load_backend(name).program(), "--version").stdout
    found = re.search(r"\d+\.\d+\.\d+", said)
    return found[0] if found else said


def bytes_of(folder: Path) -> str:
    """Return the digest of what a run has left: records, counters, and what its programs said."""
    files = [*(folder / name for name in FILES), *sorted(folder.glob("out/*.std*"))]
    return digest(*(path.read_bytes() for path in files if path.is_file()))


@pytest.mark.parametrize("name", ["ns2", "linux", PROGRAMS, "quic"])
def test_run__has_the_bytes_on_record(name: str, tmp_path: Path) -> None:
    """Only another version of Linux may give others; then both versions are told."""
    recorded = json.loads(RECORD.read_text())
    link, folder = tmp_path / "link.npy", tmp_path / "run"
    tmt.write_trace(link, tmt.convert_trace(str(PHY), "arq", rtt=0.1))
    try:
        run(Experiment(TraceLink(str(link)), PATH, traffic_of(name, tmp_path), seed=7), folder)
        release = release_of(name)
    except SimulatorError as error:
        pytest.skip(f"{error}")
    found = {"link": digest(link.read_bytes()), name: {"bytes": bytes_of(folder), "release": release}}
    expected = {key: recorded[key] for key in found}
    if found != expected and release != expected[name]["release"]:
        pytest.skip(f"other bytes than on record: {found}, {expected}")
    assert found == expected
