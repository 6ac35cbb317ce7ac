"""Programs that test the simulator's core, with sanitizers in `make soak`."""

import fcntl
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from processes import execute

from tests.ns2.aqm_twins.twin import Fate, Limits, Packet

SOURCE = Path(__file__).resolve().parents[2] / "clift-ns2"
SANITIZE = os.environ.get("CLIFT_SANITIZE", "OFF")
BUILD = SOURCE / ("build-tests" if SANITIZE == "OFF" else "build-sanitized-tests")
OPTIONS = ("CLIFT_TESTS=ON", "CLIFT_SIMULATOR=OFF", f"CLIFT_SANITIZE={SANITIZE}")


def built(program: str) -> Path:
    """Return a program of `clift-ns2/tests`, made anew if its sources have changed."""
    BUILD.mkdir(exist_ok=True)
    steps = (
        ("cmake", "-S", SOURCE, "-B", BUILD, "-G", "Ninja", *(f"-D{option}" for option in OPTIONS)),
        ("cmake", "--build", BUILD, "--parallel", "2", "--target", program),
    )
    # One worker builds at a time.
    with (BUILD / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for step in steps:
            result = execute(*step)
            assert result.returncode == 0, f"{result.args}\n{result.stdout}{result.stderr}"
    return BUILD / program


def in_emulated_link(packets: Sequence[Packet], **settings: Any) -> subprocess.CompletedProcess[str]:
    """Send packets over the link of emulator and kernel, on a clock of its own, with their settings."""
    lines = "".join(f"{p.time_ns} {p.size} {p.flow} {p.ecn}\n" for p in packets)
    words = [str(word) for item in settings.items() for word in item]
    return execute(built("aqm_replay"), *words, input=lines)


def emulated_fates(
    packets: Sequence[Packet], name: str, parameters: dict[str, Any], limits: Limits, **settings: Any
) -> dict[int, tuple[str, int]]:
    """Return event and time of each packet, by its number."""
    queue = {
        "queue": " ".join([name, *(str(word) for item in parameters.items() for word in item)]),
        "queue_packets": limits.packets,
        "queue_bytes": limits.size,
        "queue_time_ns": limits.time_ns,
    }
    result = in_emulated_link(packets, **queue, **settings)
    assert result.returncode == 0, result.stderr
    fates = [(int(n), event, int(time)) for n, event, time in map(str.split, result.stdout.splitlines())]
    assert len(fates) == len({number for number, _, _ in fates})
    return by_number(fates)


def by_number(fates: Sequence[Fate]) -> dict[int, tuple[str, int]]:
    return {number: (event, time_ns) for number, event, time_ns in fates}
