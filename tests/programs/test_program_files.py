"""Files of a run of programs: the job, roots, and what a run leaves behind, with figures by hand."""

import json
import runpy
import tarfile
from pathlib import Path

import numpy as np
import pytest

from tmt import Experiment, Path as LinkPath, PlainLink
from tmt.core.errors import InputError, SimulatorError
from tmt.core.schema import PACKET_RECORDS
from tmt.run import RunError
from tmt.run.programs.figures import figures, read_flows, second_share
from tmt.run.programs.job import write_job
from tmt.run.programs.outcome import check_ends, read_ends, read_measures
from tmt.run.programs.roots import content_hash, root_folder
from tmt.run.setup import set_up
from tmt.spec.programs import Measure, Program

MS = 1_000_000
SENT, RECEIVED, LOST = 0, 1, 2
PACKETS = (
    # time in ms, event, direction, flow, sequence, size, transmission, delay in ms
    (90, SENT, 1, 0, 0, 60, 1, 0),
    (95, RECEIVED, 1, 0, 0, 60, 1, 5),
    (100, SENT, 0, 0, 0, 60, 1, 0),
    (150, RECEIVED, 0, 0, 0, 60, 1, 50),
    (160, SENT, 1, 0, 1, 152, 1, 0),
    (165, RECEIVED, 1, 0, 1, 152, 1, 5),
    (200, SENT, 0, 0, 1, 1500, 1, 0),
    (210, SENT, 0, 0, 2, 1500, 1, 0),
    (220, SENT, 0, 0, 3, 1500, 1, 0),
    (225, LOST, 0, 0, 3, 1500, 1, 0),
    (230, SENT, 0, 0, 4, 552, 1, 0),
    (235, SENT, 0, 1, 0, 1228, 0, 0),
    (250, RECEIVED, 0, 0, 1, 1500, 1, 50),
    (260, RECEIVED, 0, 0, 2, 1500, 1, 50),
    (280, RECEIVED, 0, 0, 4, 552, 1, 50),
    (285, SENT, 1, 0, 3, 52, 0, 0),
    (290, RECEIVED, 0, 1, 0, 1228, 0, 55),
    (500, SENT, 0, 0, 3, 1500, 2, 0),
    (600, RECEIVED, 0, 0, 3, 1500, 2, 100),
)
FLOWS = "0\ttcp\t4\t8000\t40000\t52\t0\n1\tudp\t6\t443\t40001\t48\t1\n2\ticmp\t6\t0\t0\t40\t0\n"


def test_job__names_root_ports_bounds_and_commands_on_one_line_each(tmp_path: Path) -> None:
    (tmp_path / "page").write_text("words")
    program = Program(
        server="serve\n\\n",
        client=["cat $FILES/page", "true"],
        ready="udp:443",
        files=str(tmp_path / "page"),
        environment="A=b c",
        tcp="bbr",
        ecn="classic",
        sysctls="net.ipv4.tcp_sack=0",
    )
    (tmp_path / "run").mkdir()
    write_job(set_up(Experiment(PlainLink(5e6), LinkPath(rtt=0.1), program)), program, tmp_path / "run")
    lines = (tmp_path / "run" / "programs.txt").read_text().splitlines()
    assert lines[:2] == ["root /", f"files {tmp_path}/run/files"]
    assert "sysctl net.ipv4.tcp_congestion_control=bbr" in lines
    assert "sysctl net.ipv4.tcp_ecn=1" in lines
    begin = lines.index("sysctl net.ipv4.tcp_sack=0")
    assert lines[begin + 1 :] == [
        *("ready udp:443", "processor_s 300", "output_bytes 16777216"),
        *("program server", "end near", "command serve\\n\\\\n", "env A=b c"),
        *("program client", "end far", "command cat $FILES/page", "env A=b c"),
        *("program client2", "end far", "command true", "env A=b c"),
    ]
    assert (tmp_path / "run" / "files" / "page").read_text() == "words"
    assert "flow " not in (tmp_path / "run" / "settings.txt").read_text()


def test_figures__are_those_of_the_packets_by_hand(tmp_path: Path) -> None:
    (tmp_path / "flows.txt").write_text(FLOWS)
    packets = np.zeros(len(PACKETS), PACKET_RECORDS.dtype)
    for uid, (time, event, direction, flow, sequence, size, transmission, delay) in enumerate(PACKETS):
        delay_ns = delay * MS if event == RECEIVED else -1
        packets[uid] = (time * MS, event, direction, flow, sequence, size, transmission, uid, delay_ns)
    flows = read_flows(tmp_path)
    found = figures(packets, flows)
    # Segments 1 to 3 of 1500 bytes and one of 552 with headers of 52, from the SYN at 0.1 s to 0.6 s.
    assert found["goodput_bytes"] == 3 * 1448 + 500
    assert found["goodput_bps"] == pytest.approx(8 * 4844 / 0.5)
    # A request of 152 bytes, from the SYN at 0.09 s to 0.165 s.
    assert found["return_goodput_bps"] == pytest.approx(8 * 100 / 0.075)
    # All that arrived: SYN, four segments, a datagram.
    assert found["received_bps"] == pytest.approx(8 * (60 + 3 * 1500 + 552 + 1228) / 0.5)
    assert [found[f"delay_{name}_s"] for name in ("min", "median", "p95")] == [0.05, 0.05, 0.1]
    assert (found["segments_sent"], found["retransmissions"], found["flows"]) == (6, 1, 2)
    tcp, udp = json.loads(str(found["flow_figures"]))
    assert (tcp["protocol"], tcp["server_port"], tcp["forward_lost"]) == ("tcp", 8000, 1)
    assert (tcp["return_bytes"], tcp["forward_retransmissions"]) == (60 + 152 + 52, 1)
    assert (udp["protocol"], udp["ip_version"], udp["forward_bytes"]) == ("udp", 6, 1228)
    assert udp["goodput_bps"] is None
    assert (tcp["path"], udp["path"]) == (0, 1)
    assert second_share(packets, flows) == pytest.approx(1228 / (60 + 3 * 1500 + 552 + 1228))
    assert second_share(packets[:2], flows) is None


@pytest.mark.parametrize(
    "text", [FLOWS[2:], FLOWS.replace("40000", "x"), FLOWS.replace("\t0\n", "\n"), "0\ttcp\t4\n"]
)
def test_flows__that_no_kernel_writes_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "flows.txt").write_text(text)
    with pytest.raises(SimulatorError, match=r"flows.txt: (is damaged or cut short|its flows are not)"):
        read_flows(tmp_path)


def read(
    folder: Path, ended: str, measure: Measure | tuple[()] = (), **outputs: str
) -> dict[str, float | None]:
    """Read the measures of a client that ended so (status, signal, reason) and wrote `outputs`."""
    program = Program(client="true", measure=measure)
    (folder / "ended.txt").write_text(f"client\t100\t1500\t{ended.replace(' ', chr(9))}\t9\t9\n")
    (folder / "out" / "files").mkdir(parents=True)
    for name, text in outputs.items():
        (folder / "out" / ("files/found" if name == "found" else f"client.{name}")).write_text(text)
    ends = read_ends(folder, program)
    check_ends(ends, program, folder)
    return read_measures(ends, program, folder)


@pytest.mark.parametrize(
    ("ended", "output", "text", "measure", "value"),
    [
        ("0 0 exited", "stdout", "took 1.5 s\ntook 2.5e0 s\n", Measure("t_s", pattern=r"took (\S+)"), 2.5),
        ("0 0 exited", "stderr", "7\n", Measure("n", output="stderr", pattern=r"\d"), 7),
        ("0 0 exited", "stdout", '{"e": {"r": [1, "2e6"]}}', Measure("r", json="e.r.1", scale=8), 16e6),
        ("0 0 exited", "stdout", 'words\n{"a": 1}\n{"a": 2}\n\n', Measure("a", json="a"), 2),
        ("0 0 exited", "found", "[[3]]", Measure("f", output="found", json="0.0"), 3),
        ("3 0 exited", "stdout", "", Measure("status"), 3),
        ("-1 15 duration", "stdout", "", Measure("t_s", pattern="x"), None),
    ],
)
def test_measure__is_the_last_number_that_is_said(
    tmp_path: Path, ended: str, output: str, text: str, measure: Measure, value: float | None
) -> None:
    assert read(tmp_path, ended, measure, **{output: text}) == {measure.column: value}


@pytest.mark.parametrize(
    ("ended", "measure", "stdout", "line"),
    [
        ("4 0 exited", (), "", "exit status 4"),
        ("126 0 exited", (), "", "exit status 126: cannot be executed"),
        ("-1 11 exited", (), "", "killed by SIGSEGV"),
        ("-1 9 memory", (), "", "was ended for want of memory (268435456 bytes, memory_bytes)"),
        ("-1 0 absent", (), "", "was never started: the root has no /bin/sh"),
        ("0 0 exited", Measure("t", pattern="b"), "a", "measure t: 'b' matches nothing in stdout"),
        ("0 0 exited", Measure("t", json="b"), "a", "measure t: there is no JSON in stdout"),
        ("0 0 exited", Measure("t", json="b"), '{"b": {}}', "measure t: b is {}, which is no number"),
        ("0 0 exited", Measure("t", json="b.c"), "{}", "measure t: there is no b.c in the JSON of stdout"),
        ("0 0 exited", Measure("t", output="x", json="b"), "", "measure t: x was not written"),
    ],
)
def test_fault__is_one_line(tmp_path: Path, ended: str, measure: Measure, stdout: str, line: str) -> None:
    with pytest.raises(RunError) as failed:
        read(tmp_path, ended, measure, stdout=stdout)
    assert str(failed.value).splitlines()[0] == f"client: {line}"


@pytest.mark.parametrize("ended", ["0 exited", "0 x exited", "0 0 exited\nclient2\t0\t0\t0\t0\texited"])
def test_ends__that_no_kernel_writes_are_refused(tmp_path: Path, ended: str) -> None:
    with pytest.raises(SimulatorError, match=r"ended.txt: (is damaged or cut short|does not tell the ends)"):
        read(tmp_path, ended)


def test_root__of_a_tar_file_is_unpacked_once_and_known_by_its_content(tmp_path: Path) -> None:
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc" / "motd").write_text("hello")
    for name in ("one.tar", "two.tar"):
        with tarfile.open(tmp_path / name, "w") as archive:
            archive.add(tmp_path / "etc", "etc")
    first, second = (root_folder(str(tmp_path / name)) for name in ("one.tar", "two.tar"))
    assert first == second
    assert (first / "etc" / "motd").read_text() == "hello"
    before = content_hash(str(tmp_path / "etc"))
    (tmp_path / "etc" / "motd").chmod(0o755)
    assert content_hash(str(tmp_path / "etc")) != before


def test_root__that_is_no_tar_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "words").write_text("words")
    with pytest.raises(InputError, match=r"words: is neither a folder nor a tar file: "):
        root_folder(str(tmp_path / "words"))


@pytest.mark.parametrize(
    ("buffer_s", "last", "quality"),
    [
        (4, 3, 0),  # the reservoir
        (16, 0, 4),  # reservoir and cushion
        # Between 4 and 16 s the rate grows from 0.3 to 2 Mbit/s; at 10 s it is 1.15 Mbit/s, above 1.0.
        (10, 0, 2),
        (10, 2, 2),
        (10, 3, 3),  # not yet down to the next lower rate, 1.0
        (10, 4, 3),  # below the next lower rate, 1.5: the least rate above 1.15
    ],
)
def test_player_of_ours__chooses_the_quality_by_its_buffer(buffer_s: float, last: int, quality: int) -> None:
    player = runpy.run_path(str(Path(__file__).resolve().parents[2] / "scenarios" / "programs" / "video.py"))
    assert player["wanted"](buffer_s, last) == quality
