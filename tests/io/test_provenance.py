"""Metadata about a file's making are the same when the file is made again."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from tmt import __version__
from tmt.core import provenance
from tmt.core.errors import InputError
from tmt.core.schema import PHY_TRACE
from tmt.core.trace import PhyTrace
from tmt.io import endings, read_phy, write_trace

SHA256_OF_ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
"""From FIPS 180-4's example of one block."""


def test_record__says_what_made_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["/usr/bin/tmt", "generate", "phy.parquet"])
    record = provenance.record("phy", lldu_bytes=33, seed=1)
    assert record == {
        "kind": "phy",
        "format_version": 1,
        "program": f"tmt {__version__}",
        "argv": ["generate", "phy.parquet"],
        "lldu_bytes": 33,
        "seed": 1,
    }
    assert json.loads(json.dumps(record)) == record


def test_source__is_known_by_its_content(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"abc")
    assert provenance.source(tmp_path / "a.txt") == {"name": "a.txt", "sha256": SHA256_OF_ABC}
    assert provenance.source((tmp_path / "a.txt").as_uri()) == {"name": "a.txt", "sha256": SHA256_OF_ABC}
    (tmp_path / "a.gz").write_bytes(b"abc")  # no compressed content is looked for behind the name
    assert provenance.file_sha256((tmp_path / "a.gz").as_uri()) == SHA256_OF_ABC
    with pytest.raises(FileNotFoundError):
        provenance.file_sha256(tmp_path / "none")


@pytest.mark.parametrize("ending", endings())
def test_every_format__hands_metadata_back(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"phy{ending}"
    write_trace(path, PhyTrace(np.array([1]), np.array([1]), {"kind": "phy"}))
    assert read_phy(path).metadata == {"kind": "phy"}
    write_trace(path, PhyTrace(np.array([1]), np.array([1])))
    assert read_phy(path).metadata == {}
    assert list(tmp_path.iterdir()) == [path]


def test_metadata_beside_a_trace__of_another_size_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "phy.npy"
    write_trace(path, PhyTrace(np.array([1]), np.array([1]), {"lldu_bytes": 33}))
    np.save(path, np.array([(1, 1), (2, 1)], PHY_TRACE.dtype))
    with pytest.raises(InputError, match=r"phy.npy.json: it describes a file of 208 bytes, but .* has 224;"):
        read_phy(path)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"tmt": 1}', "[" * 100_000, "\0"], ids=range(6))
def test_metadata_beside_a_trace__that_is_damaged_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "phy.txt"
    path.write_text("0 1\n")
    path.with_name("phy.txt.json").write_text(text)
    with pytest.raises(
        InputError, match=r"phy.txt.json: (this is not metadata of .*phy.txt; remove it|the file is empty)$"
    ):
        read_phy(path)


def test_sizes_and_lldu_bytes__are_not_written_together(tmp_path: Path) -> None:
    trace = PhyTrace(np.array([1]), np.array([1]), {"lldu_bytes": 33}, np.array([33], np.uint32))
    with pytest.raises(ValueError, match="both the column size_bytes and lldu_bytes"):
        write_trace(tmp_path / "phy.npy", trace)
    assert not list(tmp_path.iterdir())


def test_hash_of_a_file_that_cannot_be_read__names_the_file() -> None:
    with pytest.raises(OSError, match="Input/output error") as error:
        provenance.file_sha256("/proc/self/mem")
    assert error.value.filename == "/proc/self/mem"
