"""Unmodified programs in the kernel: the same bytes each time, their own figures beside ours, and faults."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from in_process import tmt

from tests.linux.schedules import write_lossy_trace
from tmt import Experiment, Path as LinkPath, PlainLink, TraceLink
from tmt.run import RunError
from tmt.run.experiment import ExperimentResult, run
from tmt.spec.experiment import Link
from tmt.spec.programs import Measure, Program

pytestmark = pytest.mark.usefixtures("kernel")

PAGE_BYTES = 300_000
WEB = {
    "server": f"head -c {PAGE_BYTES} /dev/zero > page; exec python3 -m http.server 8000",
    "ready": "tcp:8000",
    "duration": 60,
}
FETCH = """\
import time, urllib.request
began = time.monotonic()
content = urllib.request.urlopen("http://server:8000/page").read()
print("took", time.monotonic() - began, "s for", len(content), "bytes")
"""


def carry_out(folder: Path, link: Link | None = None, seed: int = 1, **settings: Any) -> ExperimentResult:
    program = Program(**{"client": "true", "duration": 20} | settings)
    path = LinkPath(rtt=0.1, queue_packets=100)
    return run(Experiment(link or PlainLink(5e6), path, program, seed=seed), folder)


def fetched(folder: Path, *, times: str = "", **settings: Any) -> ExperimentResult:
    """Fetch a page by Python from Python; `folder` is made, and the program is in it."""
    folder.mkdir()
    (folder / "fetch.py").write_text(FETCH + times)
    measures = (
        Measure("took_s", pattern=r"took (\S+)", unit="s", better="less"),
        Measure("page_bytes", pattern=r"for (\d+) bytes"),
    )
    web = WEB | {"client": "python3 $FILES/fetch.py", "files": str(folder / "fetch.py")}
    return carry_out(folder / "run", measure=measures, **web | settings)


def said(result: ExperimentResult, column: str) -> float:
    return float(json.loads(str(result.row["measures"]))[column]["value"])


def test_download__takes_the_time_that_the_client_says(tmp_path: Path) -> None:
    result = fetched(tmp_path / "a")
    assert said(result, "page_bytes") == PAGE_BYTES
    (flow,) = json.loads(str(result.row["flow_figures"]))
    assert (flow["protocol"], flow["server_port"], flow["ip_version"]) == ("tcp", 8000, 4)
    # The response has a header of some 200 bytes.
    assert PAGE_BYTES < result.row["goodput_bytes"] < PAGE_BYTES + 400  # type: ignore[operator]
    received = result.packets[(result.packets["event"] == 1) & (result.packets["size_bytes"] > 60)]
    sent = result.packets[0]
    # From the client's SYN to the last byte of the page, which the link delivers.
    of_packets = (received["time_ns"][received["direction"] == 0][-1] - sent["time_ns"]) / 1e9
    assert said(result, "took_s") == pytest.approx(of_packets, rel=0.01)


def test_run__repeats_to_the_byte_in_another_folder(tmp_path: Path) -> None:
    trace = TraceLink(str(write_lossy_trace(tmp_path)))
    first, again = (fetched(tmp_path / name, link=trace) for name in ("a", "another folder"))
    assert np.array_equal(first.packets, again.packets)
    for name in ("client.stdout", "server.stderr"):
        texts = [(tmp_path / one / "run" / "out" / name).read_bytes() for one in ("a", "another folder")]
        assert texts[0] == texts[1] != b""
    assert said(first, "took_s") == said(again, "took_s")


def test_seed__is_the_programs_and_of_their_random_numbers(tmp_path: Path) -> None:
    command = "echo $SEED; head -c 8 /dev/urandom | od -An -tx1"
    texts = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        carry_out(tmp_path / name, seed=seed, client=command)
        texts.append((tmp_path / name / "out" / "client.stdout").read_text())
    assert texts[0] == texts[1]
    assert texts[0].split()[0] == "1"
    assert texts[2].split()[0] == "2"
    assert texts[0].split()[1:] != texts[2].split()[1:]


def test_files__come_in_and_out_and_the_host_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "page").write_text("words")
    command = "cat $FILES/page > $OUT/copy; echo more > /etc/motd; echo more > $FILES/page; cat /etc/motd"
    before = Path("/etc/motd").read_bytes() if Path("/etc/motd").exists() else None
    carry_out(tmp_path / "run", client=f"{command} || true", files=str(tmp_path / "page"))
    assert (tmp_path / "run" / "out" / "files" / "copy").read_text() == "words"
    assert (tmp_path / "page").read_text() == "words"
    assert (Path("/etc/motd").read_bytes() if Path("/etc/motd").exists() else None) == before


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        ({"client": "nosuchprogram"}, "client: exit status 127: a command is not there"),
        ({"client": "kill -SEGV $$"}, "client: killed by SIGSEGV"),
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
    page = (Path(__file__).resolve().parents[2] / "docs" / "programs.md").read_text(encoding="utf-8")
    command, shown = re.findall(r"```sh\n(tmt replay .*?)```\n\n```text\n(.*?)```", page, re.DOTALL)[0]
    said = tmt(*shlex.split(command.replace("\\\n", " "))[1:], folder=tmp_path)
    assert said.status == 0, said.err
    printed = [" ".join(line.split()) for line in said.out.splitlines()]
    assert [line for line in shown.splitlines() if line and " ".join(line.split()) not in printed] == []
