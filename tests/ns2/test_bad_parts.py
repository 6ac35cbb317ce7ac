"""Wrong arguments of a script to CLIFT's Tcl classes are refused in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.ns2.scripts import run_script

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.ns2

PREFACE = """
add-packet-header Clift CliftWindow
set ns [new Simulator]
set tcp [new Agent/TCP]
set recorder [new Clift/Recorder]
"""
TAP_NEEDS = "Clift/Tap: needs a recorder and received, queue_dropped, or sent with flow and direction"
FECTCP = (
    "set it [new Agent/TCP/Fectcp]; set sink [new Agent/TCPSink/Fectcp]; $ns attach-agent [$ns node] $it; "
    "$ns attach-agent [$ns node] $sink; $ns connect $it $sink; $it set {}; $it advance 1"
)


def refusal(simulator: Path, folder: Path, script: str) -> tuple[int, list[str]]:
    """Run a script; return its exit status and its lines on stderr."""
    (folder / "bad.tcl").write_text(script)
    done = run_script(simulator, "bad.tcl", folder)
    return done.returncode, done.stderr.splitlines()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("new Clift/Proxy $tcp 1 0", "Clift/Proxy: capacity is 1; allowed is 2 or more"),
        ("new Clift/Proxy $tcp 5x 0", "Clift/Proxy: capacity is 5x; allowed is 2 or more"),
        ("new Clift/Proxy $tcp 5 -1", "Clift/Proxy: delay is -1; allowed is a time in seconds, from 0"),
        ("new Clift/Proxy $tcp 5 nan", "Clift/Proxy: delay is nan; allowed is a time in seconds, from 0"),
        ("new Clift/Proxy $tcp 5 soon", "Clift/Proxy: delay is soon; allowed is a time in seconds, from 0"),
        ("new Clift/Proxy $ns 5 0", "Clift/Proxy: _o3 is no TCP sender"),
        ("new Clift/Proxy $tcp", "Clift/Proxy: needs a TCP sender, a capacity and a delay"),
        (
            "[new Clift/Proxy $tcp 5 0] expect all",
            "Clift/Proxy: expect is all; allowed is a number of segments",
        ),
        (
            "new Clift/ProxyPort [new Clift/Proxy $tcp 5 0] sideways",
            "Clift/ProxyPort: needs a proxy and data_in, answers_out, data_out or acks_in",
        ),
        (
            "new Clift/SendWindow $tcp 5",
            "Clift/SendWindow: needs a TCP sender that is attached to a node, and a window of 1 or more",
        ),
        (
            "$ns attach-agent [$ns node] $tcp; [new Clift/SendWindow $tcp 5] offer all",
            "Clift/SendWindow: offer is all; allowed is a number of segments, or -1 (without end)",
        ),
        ("new Clift/RandomLoss 1.5", "Clift/RandomLoss: the probability is 1.5; allowed is 0 to 1"),
        ("new Clift/RandomLoss often", "Clift/RandomLoss: the probability is often; allowed is 0 to 1"),
        ("new Clift/RandomLoss", "Clift/RandomLoss: needs a probability"),
        ("new Clift/Tap $recorder", TAP_NEEDS),
        ("new Clift/Tap $tcp received", "_o10: this is no Clift/Recorder"),
        ("new Clift/Tap $recorder sent 65536 0", "flow is 65536; allowed is 0 to 65535"),
        ("new Clift/Tap $recorder sent 0 2", "direction is 2; allowed is 0 (forward) or 1 (return)"),
        ("new Clift/WindowTap $recorder first", "flow is first; allowed is 0 to 65535"),
        ("[new Queue/Clift] recorder $tcp", "_o10: this is no Clift/Recorder"),
        (
            "[new Queue/Clift] lost-target nobody",
            "Queue/Clift: lost-target is nobody; allowed is an object that takes packets",
        ),
        (
            "[new Queue/Clift/Online] unsettled-target $ns",
            "Queue/Clift/Online: unsettled-target is _o3; allowed is an object that takes packets",
        ),
        (FECTCP.format("alpha_ 1"), "Agent/TCP/Fectcp: alpha_ is 1; allowed is a number between 0 and 1"),
        (
            FECTCP.format("alpha_ nan"),
            "Agent/TCP/Fectcp: alpha_ is nan; allowed is a number from -1e300 to 1e300",
        ),
        (
            FECTCP.format("block_segments_ 0"),
            "Agent/TCP/Fectcp: block_segments_ is 0; allowed is 1 or more",
        ),
    ],
)
def test_bad_parts__are_refused_in_one_line(line: str, message: str, simulator: Path, tmp_path: Path) -> None:
    assert refusal(simulator, tmp_path, PREFACE + line + "\n") == (2, [message])


def test_header__is_asked_for(simulator: Path, tmp_path: Path) -> None:
    script = (
        "remove-all-packet-headers\nadd-packet-header IP TCP Flags\nset ns [new Simulator]\n"
        "new Clift/Proxy [new Agent/TCP] 5 0\n"
    )
    message = "Clift/Proxy: call `add-packet-header CliftWindow` before `new Simulator`"
    assert refusal(simulator, tmp_path, script) == (2, [message])
