"""Unmodified programs in the kernel: same bytes each time, figures beside theirs, campaigns, faults."""

import json
import re
import shlex
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from in_process import tmt
from processes import execute
from scenario_parts import LOSSY_TRACE

from tests.linux.schedules import check_fates, write_lossy_trace
from tests.ns2.conftest import Datagrams
from tmt import Experiment, Path as LinkPath, PlainLink, TraceLink, Traffic
from tmt.core.errors import InputError
from tmt.core.trace import PhyTrace
from tmt.io import write_trace
from tmt.run import RunError
from tmt.run.experiment import ExperimentResult, run
from tmt.spec.experiment import Link
from tmt.spec.programs import Measure, Program

pytestmark = pytest.mark.usefixtures("kernel")

REPLAY = ("replay", "--rate", "5e6", "--rtt", "0.1")
ROOT = Path(__file__).resolve().parents[2]
MADE_ROOT = ROOT / "scenarios" / "out" / "programs.tar"
SERVER = """\
import socket
with socket.create_server(("", 80)) as listener, listener.accept()[0] as peer:
    peer.recv(4096)
    peer.sendall(b"HTTP/1.0 200 OK\\r\\nContent-Length: {size}\\r\\n\\r\\n" + bytes({size}))
"""
BURSTS = """
import random, socket, time
random.seed(7)
with socket.socket(type=socket.SOCK_DGRAM) as sender:
    for burst in range(60):
        for _ in range(random.randint(1, 40)):
            sender.sendto(bytes(random.randint(1, 1400)), ("10.0.0.2", 9))
        time.sleep(random.choice([0, 0.02, 0.2]))
"""


def carry_out(folder: Path, link: Link | None = None, seed: int = 1, **settings: Any) -> ExperimentResult:
    program = Program(**{"client": "true", "duration": 20} | settings)
    path = LinkPath(rtt=0.1, queue_packets=100)
    return run(Experiment(link or PlainLink(5e6), path, program, seed=seed), folder)


def download(folder: Path, size: int) -> Program:
    """A server that writes header and page at once, and curl, which says when it was connected and done."""
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    server = folder / "server.py"
    server.write_text(SERVER.format(size=size))
    return Program(
        server="exec python3 $FILES/server.py",
        ready="tcp:80",
        client="curl -s -o /dev/null -w '%{json}' http://server",
        files=str(server),
        duration=60,
        measure=tuple(Measure(f"{name}_s", json=f"time_{name}") for name in ("connect", "total")),
    )


@pytest.mark.parametrize(
    ("rate", "rtt", "size"),
    [
        *((5e6, 0.1, 2_000_000), (20e6, 0.1, 2_000_000), (20e6, 0.04, 2_000_000)),
        *((50e6, 0.02, 2_000_000), (2e6, 0.5, 10_000_000)),
    ],
)
def test_download__agrees_with_curl_and_with_a_flow_of_the_kernel(
    tmp_path: Path, rate: float, rtt: float, size: int
) -> None:
    check_download(download(tmp_path, size), rate, rtt, size, header_bytes=100)


@pytest.mark.parametrize(("rate", "rtt"), [(5e6, 0.1), (20e6, 0.1), (20e6, 0.04), (50e6, 0.02), (2e6, 0.5)])
def test_nginx__agrees_with_curl_and_with_a_flow_of_the_kernel(
    tmp_path: Path, rate: float, rtt: float
) -> None:
    """2 MB from nginx may have a retransmission more or less than the flow, which moves the time by 3 %."""
    if not MADE_ROOT.exists():
        pytest.skip(f"{MADE_ROOT} is not made; docs/programs-compared.md says how")
    size, config = 10_000_000, tmp_path / "nginx.conf"
    config.write_text("daemon off;\nevents {}\nhttp { server { listen 80; root /tmp; } }\n")
    program = replace(
        download(tmp_path, size),
        server=f"head -c {size} /dev/zero > index.html; exec nginx -c $FILES/nginx.conf",
        files=str(config),
        root=str(MADE_ROOT),
    )
    check_download(program, rate, rtt, size, header_bytes=300)


def check_download(program: Program, rate: float, rtt: float, size: int, header_bytes: int) -> None:
    """Compare figures of a download with curl's own, and with those of a flow without programs."""
    path, link = LinkPath(rtt=rtt), PlainLink(rate)
    row = run(Experiment(link, path, program)).row
    said = {name: one["value"] for name, one in json.loads(str(row["measures"])).items()}
    (flow,) = json.loads(str(row["flow_figures"]))
    assert size < flow["goodput_bytes"] < size + header_bytes
    # A SYN of 60 bytes and its answer take a round trip.
    assert said["connect_s"] == pytest.approx(rtt + 2 * 60 * 8 / rate, rel=0.01)
    assert said["total_s"] == pytest.approx(flow["end_s"] - flow["start_s"], rel=0.01)
    alone = run(Experiment(link, path, Traffic(tcp="cubic", stack="linux", transfer_bytes=size))).row
    assert row["goodput_bps"] == pytest.approx(alone["goodput_bps"], rel=0.02)


@pytest.mark.parametrize("in_order", [False, True])
def test_datagrams__have_ns2_s_fates(lossy_trace: Path, in_order: bool, send_datagrams: Datagrams) -> None:
    program = Program(server=f"python3 -c '{BURSTS}'", client="sleep 20", duration=30)
    path = LinkPath(rtt=0.5, queue_packets=30, loop=True, in_order=in_order)
    result = run(Experiment(TraceLink(str(lossy_trace)), path, program))
    assert result.row["forward_link_lost"] > 0 < result.row["forward_queue_dropped"]  # type: ignore[operator]
    check_fates(result, lossy_trace, in_order, send_datagrams)


def test_run__repeats_to_the_byte_in_another_folder(tmp_path: Path) -> None:
    trace = TraceLink(str(write_lossy_trace(tmp_path)))
    folders = [tmp_path / name for name in ("a", "another folder")]
    asked = Experiment(trace, LinkPath(rtt=0.1), download(tmp_path, 300_000))
    first, again = (run(asked, folder) for folder in folders)
    assert np.array_equal(first.packets, again.packets)
    one, other = ((folder / "out" / "client.stdout").read_bytes() for folder in folders)
    assert one == other != b""


def test_seed__is_the_programs_and_of_their_random_numbers(tmp_path: Path) -> None:
    command = "echo $SEED; head -c 8 /dev/urandom | od -An -tx1"
    texts = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        carry_out(tmp_path / name, seed=seed, client=command)
        texts.append((tmp_path / name / "out" / "client.stdout").read_text().split(maxsplit=1))
    assert texts[0] == texts[1]
    assert (texts[0][0], texts[2][0]) == ("1", "2")
    assert texts[0][1] != texts[2][1]


def test_files__come_in_and_out_and_the_host_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "page").write_text("words")
    command = "cat $FILES/page > $OUT/copy; echo more > /etc/motd; echo more > $FILES/page; cat /etc/motd"
    before = Path("/etc/motd").read_bytes() if Path("/etc/motd").exists() else None
    carry_out(tmp_path / "run", client=f"{command} || true", files=str(tmp_path / "page"))
    assert (tmp_path / "run" / "out" / "files" / "copy").read_text() == "words"
    assert not (tmp_path / "run" / "files").exists()
    assert (tmp_path / "page").read_text() == "words"
    assert (Path("/etc/motd").read_bytes() if Path("/etc/motd").exists() else None) == before


def test_run__that_cannot_begin_leaves_no_copies(tmp_path: Path) -> None:
    (tmp_path / "page").write_text("words")
    page = str(tmp_path / "page")
    with pytest.raises(InputError, match="is neither a folder nor a tar file"):
        carry_out(tmp_path / "run", files=page, root=page)
    assert not (tmp_path / "run" / "files").exists()


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        (
            {"client": "./myquic"},
            "client: exit status 127: a command is not there; programs start in /tmp, `files` are in $FILES",
        ),
        ({"client": ["true", "kill -SEGV $$"]}, "client2: killed by SIGSEGV"),
        (
            {"server": "sleep 100", "ready": "tcp:80", "duration": 5},
            "client: was never started: no server opened tcp:80 within 5 s of simulated time",
        ),
        (
            {"client": "while :; do :; done", "processor_time": 2},
            "client: was ended: the programs had taken 2 s of processor time (processor_time); one that "
            "computes without a pause stops simulated time",
        ),
        (
            {"client": "yes > $OUT/big", "output_bytes": 100_000},
            "client: filled $OUT, which holds 100000 bytes (output_bytes)",
        ),
    ],
)
def test_fault__is_told_in_one_line(tmp_path: Path, settings: dict[str, Any], line: str) -> None:
    with pytest.raises(RunError) as failed:
        carry_out(tmp_path / "run", **settings)
    assert str(failed.value).splitlines()[0] == line


def test_program__that_waits_ends_with_the_duration(tmp_path: Path) -> None:
    result = carry_out(tmp_path / "run", client=["cat; read word; sleep 1000", "true"])
    first, second = json.loads(str(result.row["ends"]))
    assert (first["end"], first["end_s"]) == ("duration", pytest.approx(20))
    assert (second["end"], second["status"]) == ("exited", 0)
    assert result.row["completion_s"] is None


def test_page__shows_what_its_command_prints(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "programs.md").read_text(encoding="utf-8")
    command, shown = re.findall(r"```sh\n(tmt replay .*?)```\n\n```text\n(.*?)```", page, re.DOTALL)[0]
    said = tmt(*shlex.split(command.replace("\\\n", " "))[1:], folder=tmp_path)
    assert said.status == 0, said.err
    printed = [" ".join(line.split()) for line in said.out.splitlines()]
    assert [line for line in shown.splitlines() if line and " ".join(line.split()) not in printed] == []


def test_replay__takes_commands_with_commas_and_prints_what_they_say(tmp_path: Path) -> None:
    clients = ("--client", "sleep 1; echo 'took 1.5 s, and more'", "--client", "true")
    measure = "column=took_s,pattern=took (.*) s,unit=s,better=less"
    said = tmt(*REPLAY, "--server", "echo a,b", *clients, "--measure", measure, folder=tmp_path)
    assert (said.status, said.err) == (0, "")
    lines = [line.split() for line in said.out.splitlines()]
    assert ["took_s", "1.5", "s"] in lines
    ends = {line[0]: line[3:] for line in lines if len(line) == 7}
    # `a,b` and `took 1.5 s, and more`, each with the end of its line.
    assert ends["server"] == ["0", "exited", "4", "0"]
    assert ends["client"] == ["0", "exited", "21", "0"]
    assert ends["client2"] == ["0", "exited", "0", "0"]


def test_replay__without_kernel_or_ptrace_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forbid = (sys.executable, ROOT / "tests" / "linux" / "forbid_call.py", "101")
    command = (*forbid, sys.executable, Path(sys.executable).with_name("tmt"))
    done = execute(*command, *REPLAY, "--client", "true", cwd=tmp_path)
    assert done.returncode != 0
    assert "the host does not let this program trace its processes: " in done.stderr
    monkeypatch.setenv("CLIFT_PROGRAMS", str(tmp_path / "nothing"))
    said = tmt(*REPLAY, "--client", "true", folder=tmp_path)
    assert said.status != 0
    assert said.err == f"{tmp_path}/nothing: CLIFT_PROGRAMS names no program\n"


def test_replay__says_which_trace_is_of_which_kind(tmp_path: Path) -> None:
    times_ns = np.arange(24) * 1_000_000
    write_trace(tmp_path / "phy.parquet", PhyTrace(times_ns, np.full(24, 5_000_000), {"lldu_bytes": 1500}))
    line = (
        "phy.parquet: its rows are of kind phy; a link trace is needed; beside programs, TRACE and --return "
        "are link traces (`tmt convert PHY LINK --scheme none` makes one), --second-trace is a PHY trace\n"
    )
    said = tmt("replay", "phy.parquet", "--rtt", "1", "--client", "true", folder=tmp_path)
    assert said == (2, "", line)


def test_replay__of_programs_has_no_window_of_a_flow(tmp_path: Path) -> None:
    said = tmt(*REPLAY, "--client", "x", "--window-packets", "20", folder=tmp_path)
    assert said.err == "window_packets is given: programs have none; receive_buffer_bytes bounds it\n"


def test_campaign__has_measures_with_intervals_and_is_kept(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(
        f"""
seeds = 3
scheme = {{ name = "none" }}
path = {{ rtt = 0.5 }}

{LOSSY_TRACE}
[[program]]
tcp = ["cubic", "bbr"]
client = "echo $SEED"
duration = 20
measure = [{{ column = "t_s", pattern = "[0-9]+", unit = "s", better = "less" }}]

[[program]]
client = "exit 9"
label = "bad"
duration = 20
"""
    )
    said = tmt("run", "s.toml", "--jobs", "1", "--quiet", folder=tmp_path)
    assert said.status == 1
    assert said.err.startswith("3 of 9 runs failed")
    summary = tmt("run", "s.toml", "--jobs", "1", folder=tmp_path)
    assert "exit status 9" in summary.out
    lines = [" ".join(line.split()) for line in summary.out.splitlines()]
    # SEED is 1, 2 and 3: the mean is 2, and half of the interval t(0.975, 2) / sqrt(3) = 4.303 / 1.732.
    assert "none 2.0 ±2.5 2.0 ±2.5" in lines
