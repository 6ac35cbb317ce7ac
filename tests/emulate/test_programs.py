"""Programs behind the link: exit status, signals, traffic, and no remaining processes."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from processes import TMT, execute
from waiting import PATIENCE_S, until

from tmt import Path as LinkPath, PlainLink
from tmt.core.errors import EmulatorError
from tmt.run.emulate.emulation import Emulation
from tmt.run.emulate.emulator import run

pytestmark = pytest.mark.usefixtures("emulator")

BASIC = ["--rate", "1e7", "--rtt", "0.02"]

LISTEN = f"exec {sys.executable} -m http.server 8000 > /dev/null"

SERVER = """
import hashlib, socket
with socket.create_server(("::", 5000), family=socket.AF_INET6, dualstack_ipv6=True) as server:
    for _ in range(2):
        connection, _ = server.accept()
        with connection:
            digest = hashlib.sha256()
            while block := connection.recv(65536):
                digest.update(block)
            connection.sendall(digest.hexdigest().encode())
"""
CLIENT = """
import hashlib, random, socket
for receiver in ("10.0.0.2", "fd00::2"):
    data = random.Random(3).randbytes(200_000)
    with socket.create_connection((receiver, 5000)) as connection:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        answer = connection.makefile().read()
        assert answer == hashlib.sha256(data).hexdigest(), answer
        print(connection.getsockname()[0], "good")
"""


Start = Callable[..., tuple[subprocess.Popen[str], str]]
"""The function that the fixture `running` returns."""


def emulation(*command: str, **given: object) -> Emulation:
    return Emulation(command=command, forward=PlainLink(1e7), path=LinkPath(0.02), **given)


def tmt(*arguments: str, **settings: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [TMT, "emulate", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
        **settings,
    )


def test_tcp__comes_through_whole_and_no_packet_is_larger_than_the_mtu(tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(f"print('at your service')\n{SERVER}")
    (tmp_path / "client.py").write_text(CLIENT)
    server = f"{sys.executable} {tmp_path / 'server.py'}"
    result = tmt(
        *BASIC, "--mtu", "1300", "--keep", str(tmp_path / "kept"), "--server", server,
        "--", sys.executable, str(tmp_path / "client.py"),
    )  # fmt: skip
    assert (result.returncode, result.stdout) == (0, "10.0.0.1 good\nfd00::1 good\n"), result.stderr
    assert "tmt emulate: " in result.stderr
    assert "at your service" in result.stderr, "standard output is the command's alone"

    import pyarrow.parquet as pq

    row = json.loads((tmp_path / "kept" / "result.json").read_text())
    packets = pq.read_table(tmp_path / "kept" / "packets.parquet").to_pandas()
    assert (row["command_status"], row["server_status"], row["flows"]) == (0, 0, 2)
    assert packets["size_bytes"].max() == 1300
    # 200,000 bytes in segments of 1300 - 52 bytes over IPv4 and 1300 - 72 over IPv6.
    segments = (
        packets[(packets["direction"] == 0) & (packets["event"] == 0)].groupby("flow")["sequence"].max()
    )
    assert segments.tolist() == [161, 163]


@pytest.mark.parametrize(
    ("command", "status"),
    [
        (["true"], 0),
        (["sh", "-c", "exit 7"], 7),
        (["sh", "-c", "kill -9 $$"], 128 + 9),
        (["no-such-program"], 127),
        (["/etc/passwd"], 126),
    ],
)
def test_exit_status__is_the_command_s(command: list[str], status: int) -> None:
    result = tmt(*BASIC, "--quiet", "--", *command)
    assert result.returncode == status
    assert "Traceback" not in result.stderr
    assert (result.stderr == "") == (status < 126 or status > 127)


def test_sysctl__is_set_at_both_ends(tmp_path: Path) -> None:
    show = "cat /proc/sys/net/ipv4/tcp_congestion_control"
    result = run(
        emulation(
            *("sh", "-c", f"{show} > {tmp_path / 'sender'}"),
            server=f"{show} > {tmp_path / 'receiver'}; {LISTEN}",
            sysctls=("net.ipv4.tcp_congestion_control=reno",),
        )
    )
    assert result.status == 0
    assert (tmp_path / "sender").read_text() == (tmp_path / "receiver").read_text() == "reno\n"


def test_server__that_fails_is_told_instead_of_starting_the_command(tmp_path: Path) -> None:
    started = tmp_path / "started"
    with pytest.raises(EmulatorError, match="the server, exit 3, ended with status 3 before it listened"):
        run(emulation("touch", str(started), server="exit 3"))
    assert not started.exists()


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Start]:
    """Starts an emulation of two shell scripts; gives its process and the network namespace of the command.

    The first script has ended by then.
    """
    started: list[subprocess.Popen[str]] = []

    def start(script: str, first: str = ":") -> tuple[subprocess.Popen[str], str]:
        told = tmp_path / "network"
        script = f"{first}; readlink /proc/self/ns/net > {told}.part; mv {told}.part {told}; {script}"
        process = subprocess.Popen(
            [TMT, "emulate", *BASIC, "--server", f"sleep 1000 & {LISTEN}", "--", "sh", "-c", script],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        started.append(process)
        until(told.exists, process)
        return process, told.read_text().strip()

    yield start
    for process in started:
        process.kill()
        process.communicate()


def somebody_is_in(network: str) -> bool:
    """Whether a process is in this network namespace."""
    for link in Path("/proc").glob("[0-9]*/ns/net"):
        try:
            if str(link.readlink()) == network:
                return True
        except OSError:
            continue  # it has just ended
    return False


def child_of(process: subprocess.Popen[str]) -> int:
    return int(Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()[0])


@pytest.mark.parametrize(
    ("victim", "number", "status"),
    [
        ("tmt", signal.SIGKILL, -signal.SIGKILL),
        ("tmt", signal.SIGHUP, 128 + signal.SIGHUP),
        ("tmt", signal.SIGTERM, 128 + signal.SIGTERM),
        ("emulator", signal.SIGKILL, 2),
        ("emulator", signal.SIGTERM, 128 + signal.SIGTERM),
    ],
)
def test_end__leaves_no_process_or_namespace(running: Start, victim: str, number: int, status: int) -> None:
    process, network = running("sleep 1000 & setsid sleep 1000 & sleep 1000")
    assert somebody_is_in(network)
    os.kill(process.pid if victim == "tmt" else child_of(process), number)
    _, stderr = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == status
    assert "Traceback" not in stderr
    until(lambda: not somebody_is_in(network))
    # Nothing keeps an empty namespace either: no file is bound to one.
    assert network not in Path("/proc/self/mountinfo").read_text()


def test_interrupt__is_the_command_s_and_the_summary_follows(running: Start) -> None:
    process, network = running("while :; do sleep 0.1; done", "trap 'echo bye; exit 5' INT")
    os.killpg(process.pid, signal.SIGINT)
    stdout, stderr = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, stdout) == (5, "bye\n")
    assert "packets sent" in stderr
    assert not somebody_is_in(network)


def test_emulation__needs_no_root(emulator: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="tmt-nobody-") as folder:
        Path(folder).chmod(0o777)
        program = shutil.copy(emulator, folder)
        become = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []
        argv = [*become, program, "folder", folder, "--", "cat", "/proc/net/dev"]
        result = execute(*argv, timeout=PATIENCE_S)
        if result.returncode == 2:
            pytest.skip(Path(folder, "failure.txt").read_text().strip())
        assert (result.returncode, result.stderr) == (0, "")
        assert {line.split(":")[0].strip() for line in result.stdout.splitlines()[2:]} == {"lo", "link"}


@pytest.mark.parametrize(
    ("without", "words"),
    [
        ("echo 0 > /proc/sys/user/max_net_namespaces", ["network namespace", "root", "user namespaces"]),
        ("mount -t tmpfs none /dev/net", ["/dev/net/tun: No such file", "TUN"]),
    ],
)
def test_machine__that_does_not_allow_it_is_refused_in_one_line(without: str, words: list[str]) -> None:
    """Takes away what is needed in a user and a mount namespace of the test's own."""
    script = f"{without} && exec {TMT} emulate {' '.join(BASIC)} -- true"
    argv = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script]
    result = execute(*argv, timeout=PATIENCE_S)
    if "unshare:" in result.stderr or "sh:" in result.stderr or "mount:" in result.stderr:
        pytest.skip(f"cannot be taken away here: {result.stderr.strip()}")
    assert result.returncode == 2
    assert result.stderr.count("\n") == 1
    assert all(word in result.stderr for word in words), result.stderr
