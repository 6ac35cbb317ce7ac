"""Runs of programs: the job that the kernel gets, figures from packets, measures, and faults as one line."""

import json
import tarfile
from pathlib import Path
from typing import Any

import pytest
from in_process import tmt

from tmt import Experiment, Path as LinkPath, PlainLink
from tmt.run import RunError
from tmt.run.experiment import ExperimentResult, run
from tmt.run.programs.roots import content_hash, root_folder
from tmt.spec.programs import Measure, Program

pytestmark = pytest.mark.usefixtures("machine")


REPLAY = ("replay", "--rate", "5e6", "--rtt", "0.1")


def carry_out(folder: Path | None = None, **settings: Any) -> ExperimentResult:
    """Run programs over 5 Mbit/s."""
    program = Program(**{"client": "true"} | settings)
    return run(Experiment(PlainLink(5e6), LinkPath(rtt=0.1), program), folder)


def test_job__names_root_ports_bounds_and_commands_on_one_line_each(tmp_path: Path) -> None:
    (tmp_path / "page").write_text("words")
    carry_out(
        tmp_path / "run",
        server="serve\n\\n",
        client=["cat $FILES/page", "true"],
        ready="udp:443",
        files=str(tmp_path / "page"),
        environment="A=b c",
        tcp="bbr",
        ecn="classic",
        sysctls="net.ipv4.tcp_sack=0",
    )
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
    assert (tmp_path / "run" / "out" / "client.stdout").read_text() == "words"
    assert "flow " not in (tmp_path / "run" / "settings.txt").read_text()
    assert not (tmp_path / "run" / "files").exists()


def test_figures__are_those_of_the_packets_by_hand() -> None:
    row = carry_out().row
    # Segments 1 to 3 of 1500 bytes and one of 552 with headers of 52, from the SYN at 0.1 s to 0.6 s.
    assert row["goodput_bytes"] == 3 * 1448 + 500
    assert row["goodput_bps"] == pytest.approx(8 * 4844 / 0.5)
    # A request of 152 bytes, from the SYN at 0.09 s to 0.165 s.
    assert row["return_goodput_bps"] == pytest.approx(8 * 100 / 0.075)
    # All that arrived: SYN, four segments, a datagram.
    assert row["received_bps"] == pytest.approx(8 * (60 + 3 * 1500 + 552 + 1228) / 0.5)
    assert (row["delay_min_s"], row["delay_median_s"], row["delay_p95_s"]) == (0.05, 0.05, 0.1)
    assert (row["segments_sent"], row["retransmissions"]) == (6, 1)
    assert (row["forward_link_lost"], row["flows"], row["completion_s"]) == (1, 2, pytest.approx(1.4))
    tcp, udp = json.loads(str(row["flow_figures"]))
    assert (tcp["protocol"], tcp["server_port"], tcp["forward_lost"]) == ("tcp", 8000, 1)
    assert (udp["protocol"], udp["ip_version"], udp["forward_bytes"], udp["goodput_bps"]) == (
        "udp",
        6,
        1228,
        None,
    )
    assert (tcp["return_bytes"], tcp["forward_retransmissions"]) == (60 + 152 + 52, 1)


@pytest.mark.parametrize(
    ("command", "measure", "value"),
    [
        ("echo took 1.5 s; echo took 2.5e0 s", Measure("t_s", pattern=r"took (\S+)"), 2.5),
        ("echo 7 >&2", Measure("n", output="stderr", pattern=r"\d"), 7),
        ('echo \'{"end": {"rates": [1, "2e6"]}}\'', Measure("r", json="end.rates.1", scale=8), 16e6),
        ("echo words; echo '{\"a\": 1}'; echo '{\"a\": 2}'; echo", Measure("a", json="a"), 2),
        ("echo '[[3]]' > $OUT/found.json", Measure("f", output="found.json", json="0.0"), 3),
        ("exit 3", Measure("status"), 3),
    ],
)
def test_measure__is_the_last_number_that_is_said(command: str, measure: Measure, value: float) -> None:
    found = json.loads(str(carry_out(client=command, measure=measure).row["measures"]))
    assert {name: one["value"] for name, one in found.items()} == {measure.column: value}


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        ({"client": "nosuchprogram"}, "client: exit status 127: a command is not there"),
        ({"client": "exit 4"}, "client: exit status 4"),
        ({"client": ["true", "kill -SEGV $$"]}, "client2: killed by SIGSEGV"),
        ({"client": "end memory"}, "client: was ended for want of memory (268435456 bytes, memory_bytes)"),
        ({"client": "end output"}, "client: filled $OUT, which holds 16777216 bytes (output_bytes)"),
        (
            {"client": "end unready", "server": "x", "ready": "tcp:80", "duration": 9},
            "client: was never started: no server opened tcp:80 within 9 s of simulated time",
        ),
        (
            {"client": "end processor"},
            "client: was ended: the programs had taken 300 s of processor time (processor_time); one that "
            "computes without a pause stops simulated time",
        ),
        ({"client": "refuse"}, "the kernel: the host forbids ptrace, which processes need"),
        (
            {"client": "echo a", "measure": Measure("t_s", pattern="b")},
            "client: measure t_s: 'b' matches nothing in stdout",
        ),
        (
            {"client": "echo a", "measure": Measure("t", json="b")},
            "client: measure t: there is no JSON in stdout",
        ),
        (
            {"client": "echo '{\"b\": {}}'", "measure": Measure("t", json="b")},
            "client: measure t: b is {}, which is no number",
        ),
        (
            {"client": "echo {}", "measure": Measure("t", json="b.c")},
            "client: measure t: there is no b.c in the JSON of stdout",
        ),
        (
            {"client": "true", "measure": Measure("t", output="found", json="b")},
            "client: measure t: found was not written",
        ),
    ],
)
def test_fault__is_one_line_with_command_and_last_words(settings: dict[str, Any], line: str) -> None:
    with pytest.raises(RunError) as failed:
        carry_out(**settings)
    assert str(failed.value).splitlines()[0] == line


def test_program__that_ran_until_the_duration_leaves_its_measure_empty() -> None:
    row = carry_out(client="end duration", measure=Measure("t_s", pattern="x")).row
    assert json.loads(str(row["measures"]))["t_s"]["value"] is None
    assert row["completion_s"] is None


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
    said = tmt(
        "replay", "--rate", "5e6", "--rtt", "0.1", "--client", "true", "--root", "words", folder=tmp_path
    )
    assert said.err == "words: is neither a folder nor a tar file: file could not be opened successfully\n"


def test_replay__takes_commands_with_commas_and_prints_what_they_say(tmp_path: Path) -> None:
    words = [
        "replay",
        "--rate",
        "5e6",
        "--rtt",
        "0.1",
        "--server",
        "a,b",
        "--client",
        "echo 'took 1.5 s, and more'",
    ]
    measure = "column=took_s,pattern=took (.*) s,unit=s,better=less"
    said = tmt(*words, "--measure", measure, "--client", "true", folder=tmp_path)
    assert (said.status, said.err) == (0, "")
    lines = [line.split() for line in said.out.splitlines()]
    assert ["took_s", "1.5", "s"] in lines
    assert ["client2", "0.1", "1.5", "0", "exited", "0", "0"] in lines


def test_replay__without_the_kernel_says_how_to_build_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLIFT_PROGRAMS", str(tmp_path / "nothing"))
    said = tmt(*REPLAY, "--client", "true", folder=tmp_path)
    assert said.status != 0
    assert said.err == f"{tmp_path}/nothing: CLIFT_PROGRAMS names no program\n"


def test_replay__needs_a_client_and_refuses_what_flows_have(tmp_path: Path) -> None:
    said = tmt(*REPLAY, "--server", "x", folder=tmp_path)
    assert said == (2, "", "--client: is missing; needed is a list, each text\n")
    said = tmt(*REPLAY, "--client", "x", "--flows", "2", folder=tmp_path)
    line = "--flows: 2 has no meaning for programs; allowed: none: the programs make their flows\n"
    assert said == (2, "", line)
    said = tmt(*REPLAY, "--client", "x", "--window-packets", "20", folder=tmp_path)
    assert said.err == "window_packets is given: programs have none; receive_buffer_bytes bounds it\n"


def test_campaign__has_measures_with_intervals_and_is_kept(tmp_path: Path) -> None:
    sample = Path(__file__).resolve().parents[2] / "traces" / "sample.parquet"
    (tmp_path / "s.toml").write_text(
        f"""
seeds = 3
trace = {{ file = "{sample}" }}
scheme = {{ name = "none" }}
path = {{ rtt = 0.5 }}

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
