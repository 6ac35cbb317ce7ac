"""What Agent/TCP/Modern and Agent/TCP/Fectcp have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.ns2.scripts import output_of

if TYPE_CHECKING:
    from pathlib import Path

SCRIPT = """
set ns [new Simulator]
set from [$ns node]
set to [$ns node]
$ns duplex-link $from $to 12e6 0.05 DropTail
set tcp [new Agent/TCP/KIND]
$tcp set timestamps_ true
set sink [new Agent/TCPSink/KIND]
$ns attach-agent $from $tcp
$ns attach-agent $to $sink
$ns connect $tcp $sink
$ns at 0 "$tcp advance 1000"
$ns at 0.12 "$ns detach-agent $from $tcp; delete $tcp"
$ns at 60 "puts {at its end}; exit 0"
$ns run
"""


@pytest.mark.parametrize("kind", ["Modern", "Fectcp"])
def test_deleted_agent__takes_its_timer_along(kind: str, simulator: Path, tmp_path: Path) -> None:
    (tmp_path / "script.tcl").write_text(SCRIPT.replace("KIND", kind))
    assert output_of(simulator, "script.tcl", tmp_path) == "at its end\n"
