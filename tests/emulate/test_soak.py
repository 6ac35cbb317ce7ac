"""Emulations that last long, and many of them: memory stays flat, and no file, descriptor or process is left.

`make soak` sets the length of the long one and the number of the others.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from processes import TMT
from waiting import until

from tmt import Path as LinkPath, PlainLink
from tmt.run.emulate import bulk
from tmt.run.emulate.emulation import Emulation, WayOut
from tmt.run.emulate.emulator import run

pytestmark = pytest.mark.usefixtures("emulator")

DURATION_S = float(os.environ.get("TMT_SOAK_EMULATION_S", "3"))
RUNS = int(os.environ.get("TMT_SOAK_EMULATIONS", "5"))

GROWTH_KIB = 32_768
"""Most growth of the memory in the second half; in ten minutes it is less than a byte for each packet."""

GREETING = """
import socket
receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
receiver.connect(("10.0.0.2", 7))
try:
    for _ in range(20):
        receiver.send(b"x" * 1000)
    receiver.recv(1)
except ConnectionRefusedError:
    pass
"""
"""Sends datagrams until one has come back: nobody listens there."""


def _memory_kib(process: int) -> int:
    """Return the resident memory of a process; 0 when it has ended."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return next((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")), 0)


def _descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def _with_environment(text: str) -> list[int]:
    """Return the processes that were started with this text in their environment."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if text.encode() in (process / "environ").read_bytes():
                found.append(int(process.name))
        except OSError:
            continue
    return found


def _named(name: str, processes: list[int]) -> list[int]:
    paths = [(process, Path(f"/proc/{process}/comm")) for process in processes]
    return [process for process, path in paths if path.exists() and path.read_text().strip() == name]


@pytest.mark.timeout(300 + 2 * DURATION_S)
def test_emulation__at_its_highest_rate_keeps_its_memory(tmp_path: Path) -> None:
    """Eight flows over a link that is faster than the emulator: the processor limits them."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    settings = tmp_path / "flows.json"
    settings.write_text(
        f'{{"control": "cubic", "starts_s": {[0] * 8}, "duration_s": {DURATION_S}, "transfer_bytes": null}}'
    )
    words = [
        "emulate",
        "--rate",
        "1e11",
        "--rtt",
        "0.001",
        "--server",
        f"{sys.executable} {bulk.__file__} receive",
    ]
    environment = os.environ | {"TMPDIR": str(temporary)}
    with subprocess.Popen(
        [TMT, *words, "--", sys.executable, bulk.__file__, str(settings)],
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    ) as command:
        emulators = until(lambda: _named("clift-emulate", _with_environment(str(temporary))), command)
        used = []
        while command.poll() is None:
            used.append(sum(map(_memory_kib, [command.pid, *emulators])))
            time.sleep(DURATION_S / 100)
        said = command.stderr.read()
    assert command.returncode == 0, said
    print(said)
    half = -(-len(used) // 2)
    first, second = used[:half], used[-half:]
    print(f"most memory: {max(first)} KiB in the first half, {max(second)} KiB in the second")
    assert max(second) <= max(first) + GROWTH_KIB
    assert list(temporary.iterdir()) == []
    until(lambda: not _with_environment(str(temporary)))


@pytest.mark.timeout(300 + 2 * RUNS)
def test_emulations__one_after_another_leave_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    asked = Emulation(
        command=(sys.executable, "-S", "-E", "-c", GREETING),
        forward=PlainLink(1e9),
        path=LinkPath(0.001),
        ways_out=(WayOut(9000, "127.0.0.1", 1),),
    )
    descriptors, kib = 0, 0
    for number in range(RUNS):
        result = run(asked, record=True)
        assert result.status == 0
        assert set(result.packets["direction"]) == {0, 1}, "a datagram came back"
        assert list((tmp_path / "temporary").iterdir()) == []
        if number == RUNS // 2:
            descriptors, kib = _descriptors(), _memory_kib(os.getpid())
    assert _descriptors() <= descriptors
    found = _memory_kib(os.getpid())
    print(f"memory: {kib} KiB after half of the runs, {found} KiB after all")
    assert found <= kib + GROWTH_KIB
    until(lambda: not [one for one in _with_environment(str(tmp_path)) if one != os.getpid()])
