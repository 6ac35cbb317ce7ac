"""Wrong command lines of `tmt emulate`: one line, exit status 2, and no packet is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from in_process import tmt

from tmt.core.errors import UsageError
from tmt.run.emulate import Emulation
from tmt.spec.experiment import PlainLink

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--rtt", "0.5", "--", "true"], ["LINK", "--forward-rate"]),
        (["link.parquet", "--rtt", "0.5"], ["COMMAND", "--"]),
        (["link.parquet", "--rtt", "0.5", "--"], ["COMMAND", "--"]),
        (["link.parquet", "--", "true"], ["--rtt"]),
        (["missing.parquet", "--rtt", "0.5", "--", "true"], ["missing.parquet", "No such file"]),
        (["a.npy", "--forward-rate", "1e6", "--rtt", "0.5", "--", "true"], ["LINK", "exclude"]),
        (["--forward-rate", "1e6", "--forward-offset", "3", "--rtt", "0.5", "--", "true"], ["LINK"]),
        (["--forward-rate", "1e6", "--return-offset", "3", "--rtt", "0.5", "--", "true"], ["--return"]),
        (["--forward-rate", "1e6", "--rtt", "0.5", "--mtu", "67", "--", "true"], ["mtu_bytes", "67", "68"]),
        (["--forward-rate", "1e6", "--rtt", "0.5", "--sysctl", "kernel.x=1", "--", "true"], ["kernel.x=1"]),
        (
            ["--forward-rate", "1e6", "--rtt", "0.5", "--any-order", "--hold", "1", "--", "true"],
            ["hold time", "in order"],
        ),
        (["--forward-rate", "1e6", "--rtt", "0.5", "--keep", ".", "--", "true"], ["is not empty"]),
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
        ({"command": ()}, "command is empty"),
        ({"rtt_ns": -1}, "rtt is -1"),
        ({"queue_packets": 0}, "queue_packets is 0"),
        ({"sysctls": ("net.core.rmem_max",)}, "must be net.NAME=VALUE"),
    ],
)
def test_emulation__refuses_what_is_not_allowed(given: dict[str, object], words: str) -> None:
    good = {"command": ("true",), "forward": PlainLink(1e6), "rtt_ns": 0}
    with pytest.raises(UsageError, match=words):
        Emulation(**(good | given))
