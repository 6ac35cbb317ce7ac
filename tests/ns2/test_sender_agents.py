"""Tests that Agent/TCP/Modern and Agent/TCP/Fectcp share."""

from pathlib import Path

import pytest

from tests.ns2.scripts import output_of, run_script

SCRIPT = Path(__file__).with_name("sender_agents.tcl").read_text()


@pytest.mark.parametrize("kind", ["Modern", "Fectcp"])
def test_deleted_agent__takes_its_timer_along(kind: str, simulator: Path, tmp_path: Path) -> None:
    (tmp_path / "script.tcl").write_text(SCRIPT.replace("KIND", kind))
    assert output_of(simulator, "script.tcl", tmp_path) == "at its end\n"


@pytest.mark.parametrize("kind", ["Modern", "Fectcp"])
@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("", "there is no simulator; make one first: set ns [new Simulator]"),
        ("set ns [new Simulator]", "is not attached to a node; call `$ns attach-agent NODE AGENT` first"),
        (
            "set ns [new Simulator]; set node [$ns node]; set ready 1",
            "is not connected; call `$ns connect AGENT SINK` first",
        ),
    ],
)
def test_agent__that_cannot_send_says_what_is_missing(
    kind: str, script: str, reason: str, simulator: Path, tmp_path: Path
) -> None:
    lines = [script, f"set tcp [new Agent/TCP/{kind}]"]
    if "ready" in script:
        lines.append("$ns attach-agent $node $tcp")
    (tmp_path / "script.tcl").write_text("\n".join([*lines, "$tcp advance 1"]) + "\n")
    done = run_script(simulator, "script.tcl", tmp_path)
    assert (done.returncode, done.stderr) == (2, f"Agent/TCP/{kind}: {reason}\n")


ANY_NUMBER = "allowed is a number from -1e300 to 1e300"


@pytest.mark.parametrize("kind", ["Modern", "Fectcp"])
@pytest.mark.parametrize(
    ("setting", "reason"),
    [
        *((f"$tcp set window_ {value}", ANY_NUMBER) for value in ("nan", "-inf", "1e400", "-1e400")),
        ("$tcp set window_ 1e18", "allowed is a number from 0 to 1e+15"),
        ("Agent/TCP set window_ 1e400", ANY_NUMBER),
        ("Agent/TCP/KIND set minrto_ 1e400", ANY_NUMBER),
        ("$tcp set rtxcur_init_ 1e400ms", ANY_NUMBER),
        ("$tcp set cwnd_ 1e400", ANY_NUMBER),
        ("$tcp set tcpTick_ 0", "allowed is a number from 1e-05 to 1000000"),
        ("$tcp set packetSize_ 2147483647", "allowed is a number from 1 to 1000000000"),
        ("$tcp set tcpip_base_hdr_size_ -1", "allowed is a number from 0 to 1000000"),
        ("$tcp set srtt_init_ 2147483647", "allowed is a number from 0 to "),
        ("$tcp set T_SRTT_BITS -1", "allowed is a number from 0 to 4"),
    ],
)
def test_value__that_would_end_in_a_signal_is_refused_by_name(
    kind: str, setting: str, reason: str, simulator: Path, tmp_path: Path
) -> None:
    setting = setting.replace("KIND", kind)
    lines = SCRIPT.replace("KIND", kind).splitlines()
    lines.insert(
        next(n for n, line in enumerate(lines) if "new Agent" in line) + ("$tcp" in setting), setting
    )
    (tmp_path / "script.tcl").write_text("\n".join(lines) + "\n")
    done = run_script(simulator, "script.tcl", tmp_path)
    _, _, name, value = setting.split()
    assert done.returncode == 2
    shown = "1e+18" if value == "1e18" else value
    assert done.stderr.startswith(f"Agent/TCP/{kind}: {name} is {shown}; {reason}")
    assert done.stderr.count("\n") == 1


def test_fectcp__refuses_packets_that_are_no_acknowledgements(simulator: Path, tmp_path: Path) -> None:
    script = SCRIPT.replace("KIND", "Fectcp").replace("$ns connect $tcp $sink", "$ns connect $tcp $tcp")
    (tmp_path / "script.tcl").write_text(script)
    done = run_script(simulator, "script.tcl", tmp_path)
    reason = "gets a packet that is not an acknowledgement; connect it to an Agent/TCPSink/Fectcp"
    assert (done.returncode, done.stderr) == (2, f"Agent/TCP/Fectcp: {reason}\n")
