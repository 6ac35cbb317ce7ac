"""Wrong command lines of `tmt emulate`: one line, exit status 2, and no packet is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from in_process import tmt

from tmt.core.errors import UsageError
from tmt.run.emulate.emulation import Emulation
from tmt.spec.experiment import PlainLink
from tmt.spec.path import Path as LinkPath, Wired

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--rtt", "0.5", "--", "true"], ["--rate: is missing", "TRACE"]),
        (["link.parquet", "--rtt", "0.5"], ["COMMAND", "--"]),
        (["link.parquet", "--rtt", "0.5", "--"], ["COMMAND", "--"]),
        (["link.parquet", "--", "true"], ["--rtt: is missing"]),
        (["missing.parquet", "--rtt", "0.5", "--", "true"], ["missing.parquet", "No such file"]),
        (["a.npy", "--rate", "1e6", "--rtt", "0.5", "--", "true"], ["--rate: 1000000", "none with TRACE"]),
        (["--rate", "1e6", "--offset", "3", "--rtt", "0.5", "--", "true"], ["--offset: 3 needs a trace"]),
        (["--rate", "1e6", "--return-offset", "3", "--rtt", "0.5", "--", "true"], ["--return-offset: 3"]),
        (["--rate", "1e6", "--rtt", "0.5", "--mtu-bytes", "67", "--", "true"], ["--mtu-bytes: 67", "68"]),
        (
            ["--rate", "1e6", "--rtt", "0.5", "--sysctl", "kernel.x=1", "--", "true"],
            ["--sysctl", "kernel.x=1"],
        ),
        (["--rate", "1e6", "--rtt", "0.5", "--wired-rate", "1e6", "--", "true"], ["No such option"]),
        (
            ["--rate", "1e6", "--rtt", "0.5", "--no-in-order", "--hold", "1", "--", "true"],
            ["--hold: 1", "without delivery in order"],
        ),
        (["--rate", "1e6", "--rtt", "0.5", "-o", ".", "--", "true"], ["is not empty"]),
    ],
)
def test_bad_arguments__are_refused_by_name_with_status_2(
    arguments: list[str], words: list[str], tmp_path: Path
) -> None:
    (tmp_path / "something").touch()
    result = tmt("emulate", *arguments, folder=tmp_path)
    assert result.status == 2
    assert all(word in result.err for word in words), result.err
    assert "Traceback" not in result.err
    assert [path.name for path in tmp_path.iterdir()] == ["something"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"command": ()}, "command: .* a list with at least one value"),
        ({"mtu_bytes": 67}, "mtu_bytes: 67 is not allowed"),
        ({"path": LinkPath(rtt=0, wired=Wired(1e6))}, "path.wired: .* an emulation has none"),
        ({"sysctls": ("net.core.rmem_max",)}, r"sysctls\[0\]: .* allowed: net.NAME=VALUE"),
    ],
)
def test_emulation__refuses_what_is_not_allowed(given: dict[str, Any], words: str) -> None:
    good: dict[str, Any] = {"command": ("true",), "forward": PlainLink(1e6), "path": LinkPath(rtt=0)}
    with pytest.raises(UsageError, match=words):
        Emulation(**(good | given))
