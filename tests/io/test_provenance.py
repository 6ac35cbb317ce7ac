"""How a file was made, in words that stay the same when it is made again."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tmt import __version__, provenance
from tmt.io import keeps_metadata, read_phy, write_trace
from tmt.io.registry import ENDINGS
from tmt.trace import PhyTrace

if TYPE_CHECKING:
    from pathlib import Path

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
    with pytest.raises(FileNotFoundError):
        provenance.file_sha256(tmp_path / "none")


@pytest.mark.parametrize("ending", ENDINGS)
def test_keeps_metadata__of_formats_that_hand_it_back(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"phy{ending}"
    write_trace(path, PhyTrace(np.array([1]), np.array([1]), {"kind": "phy"}))
    assert (read_phy(path).metadata == {"kind": "phy"}) == keeps_metadata(path)
