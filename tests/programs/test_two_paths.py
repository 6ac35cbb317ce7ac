"""Two paths at once: what tells the kernel of the second one, the key of a run, and MPTCP over both."""

import json
import re
import shlex
import shutil
from pathlib import Path

import numpy as np
import pytest
from in_process import tmt

from tmt import Experiment, Path as LinkPath, PlainLink, Scenario
from tmt.campaign.plan import expand
from tmt.core.errors import InputError
from tmt.core.schema import PHY_TRACE
from tmt.core.trace import PhyTrace
from tmt.io import create_trace, open_trace
from tmt.run.experiment import ExperimentResult, run
from tmt.run.programs.job import write_job
from tmt.run.setup import set_up
from tmt.spec.programs import Measure, Program, SecondPath
from tmt.spec.sources import sources_of
from tmt.spec.toml import parse

ROOT = Path(__file__).resolve().parents[2]
LTE = ROOT / "traces" / "measured" / "lte-uplink.parquet"
SAMPLE = ROOT / "traces" / "sample.parquet"


def scenario(second: str) -> Scenario:
    head = f'trace = {{ file = "{SAMPLE}" }}\nscheme = {{ name = "none" }}\npath = {{ rtt = 0.1 }}\n'
    return parse(f'{head}[[program]]\nclient = "a"\nroot = "{ROOT}/docs"\n{second}', Path("s.toml")).scenario


def write_phy(file: Path, lost: int = 50, **metadata: object) -> Path:
    """A second of slots of 1500 bytes, each millisecond, of which some at the beginning are erased."""
    decode_ns = np.full(1000, 1_000_000)
    decode_ns[:lost] = 0
    with create_trace(file, PHY_TRACE, {"lldu_bytes": 1500} | metadata) as writer:
        writer.write(PhyTrace(np.arange(1000) * 1_000_000, decode_ns))
    return file


def job(folder: Path, second: SecondPath | None, seed: int = 1) -> tuple[dict[str, str], str]:
    """Return the settings of the second path, and the programs' file."""
    folder.mkdir()
    program = Program(client="true", second=second, duration=20)
    write_job(set_up(Experiment(PlainLink(1e6), LinkPath(rtt=0.5), program, seed=seed)), program, folder)
    lines = (folder / "second.txt").read_text().splitlines() if second else []
    return dict(line.split(" ", 1) for line in lines), (folder / "programs.txt").read_text()


def test_second_file__tells_the_path_only(tmp_path: Path) -> None:
    settings, _ = job(tmp_path / "two", SecondPath(0.05, rate=8e6, queue_packets=40))
    assert settings == {
        "forward_rate_bps": "8000000",
        "return_rate_bps": "8000000",
        "loop": "1",
        "in_order": "1",
        "hold_ns": "0",
        "rtt_ns": "50000000",
        "queue": "droptail drop tail",
        "queue_packets": "40",
        "queue_counts": "all",
        "seed": "1",
    }
    job(tmp_path / "one", None)
    assert not (tmp_path / "one" / "second.txt").exists()


def test_send_buffer__holds_both_paths(tmp_path: Path) -> None:
    def most(folder: str, second: SecondPath | None) -> int:
        _, told = job(tmp_path / folder, second)
        return int(told.partition("tcp_wmem=4096 16384 ")[2].split()[0])

    assert most("two", SecondPath(0.5, rate=1e9)) > most("one", None)


def test_second_file__has_the_link_trace_and_another_piece_for_each_seed(tmp_path: Path) -> None:
    trace = write_phy(tmp_path / "lte.parquet")
    first, again, other = (
        job(tmp_path / name, SecondPath(0.05, str(trace)), seed)[0]
        for name, seed in (("a", 1), ("b", 1), ("c", 2))
    )
    assert first == again
    assert first["forward_offset_ns"] != other["forward_offset_ns"]
    assert 0 <= int(first["forward_offset_ns"]) < 10**9
    # 12 Mbit/s and 51 ms (a slot takes a millisecond to decode) are 51 packets.
    assert (first["return_rate_bps"], first["queue_packets"]) == ("12000000", "51")
    with open_trace(first["forward"]) as reader:
        (rows,) = reader
    assert int(np.count_nonzero(~rows.delivered)) == 50


@pytest.mark.usefixtures("kernel")
def test_key__follows_the_second_path_but_no_name(tmp_path: Path) -> None:
    same, copy = write_phy(tmp_path / "a.parquet"), write_phy(tmp_path / "b.npy")
    lossy = write_phy(tmp_path / "c.parquet", lost=51)
    packed = write_phy(tmp_path / "d.parquet", packing="packed")

    def key(second: str) -> str:
        return expand(scenario(second))[0].key

    first = key(f'second = {{ trace = "{same}", rtt = 0.05 }}')
    assert key(f'second = {{ trace = "{copy}", rtt = 0.05 }}') == first
    others = [
        key(""),
        key("second = { rate = 1e6, rtt = 0.05 }"),
        *(key(f'second = {{ trace = "{one}", rtt = 0.05 }}') for one in (lossy, packed)),
        key(f'second = {{ trace = "{same}", rtt = 0.06 }}'),
        key(f'second = {{ trace = "{same}", rtt = 0.05, queue_packets = 9 }}'),
        key(f'second = {{ trace = "{same}", rtt = 0.05, lldu_bytes = 1000 }}'),
    ]
    assert len({first, *others}) == 1 + len(others)
    write_phy(same, lost=52)
    assert key(f'second = {{ trace = "{same}", rtt = 0.05 }}') not in {first, *others}


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nowhere.parquet", "cannot be read: No such file or directory"),
        ("words.csv", "its ending stands for CSV, its content is text"),
        ("unsized.csv", "does not say how large its LLDUs are; give lldu_bytes beside it"),
        ("one.csv", "a link trace of one row has no rate; at least two rows are needed"),
    ],
)
def test_trace__that_cannot_be_used_is_named(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "words.csv").write_text("no trace\n")
    (tmp_path / "unsized.csv").write_text("tx_time_ns,decode_time_ns\n0,1\n10000000,1\n")
    (tmp_path / "one.csv").write_text("tx_time_ns,decode_time_ns\n0,1\n")
    with pytest.raises(InputError) as refused:
        expand(scenario(f'second = {{ trace = "{tmp_path}/{name}", rtt = 0.05 }}'))
    assert str(refused.value).startswith(f"{tmp_path}/{name}: ")
    assert said in str(refused.value)


def test_trace__that_cannot_be_used_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        job(tmp_path / "run", SecondPath(0.05, trace=f"{tmp_path}/nowhere.parquet"))
    assert list((tmp_path / "run").iterdir()) == []


def test_sources__are_those_of_the_second_trace_too() -> None:
    alone, two = (sources_of(scenario(one)) for one in ("", f'second = {{ trace = "{LTE}", rtt = 0.05 }}'))
    assert set(two.keys) > set(alone.keys)


def test_title__of_two_paths_tells_the_second() -> None:
    one = Program(client=("a",), second=SecondPath(0.05, rate=1e6))
    assert one.title == "a second=rtt 0.05, rate 1000000"


PAGE = 1_000_000
SERVER = f"head -c {PAGE} /dev/zero > page; exec python3 -m http.server 8000"
CLIENT = "curl -s -o $OUT/page -w '%{json}' http://server:8000/page"


def download(folder: Path, second: SecondPath | None, seed: int = 1) -> ExperimentResult:
    """A page over 2 Mbit/s at an RTT of 0.1 s, and over the second path."""
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    measure = Measure("total_s", json="time_total")
    program = Program(
        client=CLIENT, server=SERVER, ready="tcp:8000", second=second, duration=60, measure=measure
    )
    result = run(Experiment(PlainLink(2e6), LinkPath(rtt=0.1), program, seed=seed), folder)
    assert (folder / "out" / "files" / "page").stat().st_size == PAGE
    return result


def took_s(result: ExperimentResult) -> float:
    return float(json.loads(str(result.row["measures"]))["total_s"]["value"])


@pytest.mark.usefixtures("kernel")
def test_download__over_two_paths_is_faster_than_over_either_and_repeats_to_the_byte(tmp_path: Path) -> None:
    trace = write_phy(tmp_path / "lte.parquet", lost=0, lldu_bytes=375)  # 3 Mbit/s
    second = SecondPath(0.05, str(trace))
    alone, both, again = (
        download(tmp_path / name, one) for name, one in (("a", None), ("b", second), ("c", second))
    )
    # 8 Mbit in segments of 1448 of 1500 bytes take 2.76 s over 3 Mbit/s, and at least 1.66 s over 5 Mbit/s.
    assert 1.66 < took_s(both) < 2.6 < took_s(alone)
    assert alone.row["second_share"] is None
    assert 0.4 < float(str(both.row["second_share"])) < 0.75
    flows = json.loads(str(both.row["flow_figures"]))
    assert sorted((one["path"], one["protocol"]) for one in flows) == [(0, "tcp"), (1, "tcp")]
    assert np.array_equal(both.packets, again.packets)
    assert both.row | {"wall_time_s": 0, "command": ""} == again.row | {"wall_time_s": 0, "command": ""}


@pytest.mark.usefixtures("kernel")
def test_download__goes_on_over_the_first_path_where_the_second_loses_everything(tmp_path: Path) -> None:
    trace = write_phy(tmp_path / "dead.parquet", lost=1000)
    alone, both = (
        download(tmp_path / name, one) for name, one in (("a", None), ("b", SecondPath(0.05, str(trace))))
    )
    assert both.row["second_share"] == 0
    assert took_s(both) == pytest.approx(took_s(alone), rel=0.1)
    assert int(str(both.row["forward_link_lost"])) > 0


@pytest.mark.usefixtures("kernel")
def test_seed__begins_at_another_piece_of_the_second_trace(tmp_path: Path) -> None:
    trace = write_phy(tmp_path / "lte.parquet")
    rows = [download(tmp_path / str(seed), SecondPath(0.05, str(trace)), seed).row for seed in (1, 2)]
    assert rows[0]["forward_link_lost"] != rows[1]["forward_link_lost"]


@pytest.mark.usefixtures("kernel")
def test_page__says_how_long_its_download_takes(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "programs.md").read_text(encoding="utf-8").partition("## Two paths")[2]
    (command,) = re.findall(r"```sh\n(tmt replay .*?)```", page, re.DOTALL)
    both, alone = re.findall(r"takes ([\d.]+) s, over the first path alone ([\d.]+) s", page)[0]
    words = shlex.split(command.replace("\\\n", " "))[1:]
    at = words.index("--second-rate")
    for said, given in ((both, words), (alone, words[:at] + words[at + 4 :])):
        done = tmt(*given, "--json", folder=tmp_path)
        assert done.status == 0, done.err
        took = json.loads(json.loads(done.out)["measures"])["download_s"]["value"]
        assert took == pytest.approx(float(said), abs=0.2)


@pytest.mark.usefixtures("kernel")
def test_headline__names_the_second_path_of_long_commands(tmp_path: Path) -> None:
    links = ("--rate", "2e6", "--rtt", "0.5", "--second-rate", "4e6", "--second-rtt", "0.05")
    said = tmt("replay", *links, "--client", f"true {'x ' * 40}", folder=tmp_path)
    headline = " ".join(said.out.split()).partition(" Transfer")[0]
    assert " ... over a link, 2 Mbit/s, RTT 0.5 s, " in headline
    assert headline.endswith("; second path: 4 Mbit/s, RTT 0.05 s")
