"""A scenario file is read correctly, or refused with a line for each fault: place, key, value and choice."""

from pathlib import Path

import pytest
from answers import cases, replaced

from tmt import (
    Arq,
    Flow,
    GilbertElliott,
    Harq,
    HarqProcesses,
    Path as LinkPath,
    Rlc,
    Scenario,
    SlidingWindow,
    Trace,
    Traffic,
)
from tmt.campaign.campaign import planned
from tmt.core.errors import InputError
from tmt.spec.hints import respelled
from tmt.spec.toml import read

HERE = Path(__file__).parent
USERS = "--max-runs of tmt run"

GOOD = """\
title = "A test"
seeds = 3
[[trace]]
file = "phy.parquet"
every = [1, 10]
[[trace]]
channel = { name = "gilbert-elliott", alpha = [0.99, 0.9], beta = 0.5 }
rate = 263e3
lldu_bytes = 33
length = 60
[[scheme]]
name = "arq"
[[scheme]]
name = "harq"
data = 10
repair = [2, 5]
detection_delay = 0.001
[path]
rtt = 0.5
[[traffic]]
tcp = ["newreno", "cubic"]
duration = 20
"""


def written(folder: Path, text: str) -> Scenario:
    (folder / "s.toml").write_text(text)
    return Scenario.read(folder / "s.toml")


def refusal(folder: Path, text: str) -> str:
    with pytest.raises(InputError) as refused:
        written(folder, text)
    return str(refused.value).replace(f"{folder}/", "")


def test_read__expands_lists_into_points(tmp_path: Path) -> None:
    channel = {"rate": 263e3, "lldu_bytes": 33, "length": 60}
    assert written(tmp_path, GOOD) == Scenario(
        title="A test",
        seeds=3,
        trace=(
            *(Trace(tmp_path / "phy.parquet", every=every) for every in (1, 10)),
            *(Trace(channel=GilbertElliott(alpha, 0.5), **channel) for alpha in (0.99, 0.9)),
        ),
        scheme=(Arq(), *(Harq(10, repair, detection_delay=0.001) for repair in (2, 5))),
        path=LinkPath(rtt=0.5),
        traffic=tuple(Traffic(tcp, duration=20) for tcp in ("newreno", "cubic")),
    )


@cases(__file__, "refusals.txt")
def test_read__refuses_with_place_value_and_choice(tmp_path: Path, case: list[str]) -> None:
    _, change, *lines = case
    assert refusal(tmp_path, replaced(GOOD, change)).splitlines() == lines


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (f"timeout = [1, {'9' * 400}]", "2: key timeout[1]: 99999999"),
        (f"seeds = {'9' * 5000}", " is not a scenario: a number in it has thousands of digits"),
        (f"seeds = {'{a = ' * 400}1{'}' * 400}", " is not a scenario: its values are nested too deeply"),
        (f"seeds = {'[' * 5000}{']' * 5000}", " is not a scenario: its values are nested too deeply"),
    ],
    ids=["time", "number", "tables", "lists"],
)
def test_read__refuses_values_beyond_reason(tmp_path: Path, line: str, reason: str) -> None:
    assert refusal(tmp_path, GOOD.replace("seeds = 3", line)).startswith(f"s.toml:{reason}")


def test_read__says_all_that_is_wrong_a_line_each(tmp_path: Path) -> None:
    text = GOOD.replace("data = 10", "data = 0").replace("length = 60", 'file = "x"').replace("rtt", "rrt")
    text = text.replace("beta = 0.5", "beta = 5")
    lines = refusal(tmp_path, text).splitlines()
    assert [line.partition(": is")[0].partition(" is ")[0] for line in lines] == [
        "s.toml:7: key trace[1].channel.beta: 5",
        "s.toml:15: key scheme[1].data: 0",
        "s.toml:19: key path.rrt",
    ]


def test_read__says_of_an_empty_file_that_it_is_empty(tmp_path: Path) -> None:
    assert (
        refusal(tmp_path, "# nothing yet\n") == "s.toml: is empty; `tmt new` writes a scenario to start from"
    )


@pytest.mark.parametrize(
    ("text", "unit", "written"),
    [
        ("540 ms", "s", "0.54"),
        ("0,540", "s", "0.540"),
        ("25us", "s", "2.5e-05"),
        ("10M", "bit/s", "10e6"),
        ("800kbps", "bit/s", "800e3"),
        ("0,5", "", "0.5"),
        ("1,000", "s", ""),  # one or a thousand
        ("10M", "s", ""),
        ("40 packets", "", ""),
    ],
)
def test_respelled__writes_a_number_in_its_unit(text: str, unit: str, written: str) -> None:
    assert respelled(text, f"a number from 0 to 1 {unit}".strip()) == written


def test_read__refuses_what_is_no_file_of_text(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"absent\.toml: cannot be read: No such file"):
        read(tmp_path / "absent.toml")
    with pytest.raises(InputError, match="this is a folder; name a scenario file"):
        read(tmp_path)
    (tmp_path / "s.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match=r"s\.toml: is not text in UTF-8"):
        read(tmp_path / "s.toml")


def test_read__says_how_many_runs_a_grid_has_before_it_makes_them(tmp_path: Path) -> None:
    # 2 variants, 10^9 seeds, 2 + 2 traces, 1 + 2 schemes, 1 path, 1 kind of traffic.
    said = "s.toml: has up to 24,000,000,000 runs; allowed: up to 100,000 runs; a higher limit is "
    said += USERS
    assert refusal(tmp_path, GOOD.replace("seeds = 3", "seeds = 1000000000")) == said
    said = refusal(tmp_path, GOOD.replace("seeds = 3", "seeds = 3\nmax_runs = 71"))
    assert "has up to 72 runs; allowed: up to 71 runs; a higher limit is max_runs" in said
    assert written(tmp_path, GOOD.replace("seeds = 3", "seeds = 3\nmax_runs = 72")).size == 72
    allowed = f"s.toml: has up to 120,000 runs; allowed: up to 100,000 runs; a higher limit is {USERS}"
    strangers = GOOD.replace("seeds = 3", "seeds = 5000\nmax_runs = 1000000000")
    assert refusal(tmp_path, strangers) == allowed
    assert Scenario.read(tmp_path / "s.toml", max_runs=120_000).size == 120_000
    with pytest.raises(InputError, match=f"up to 119,999 runs; a higher limit is {USERS}"):
        Scenario.read(tmp_path / "s.toml", max_runs=119_999)
    written(tmp_path, GOOD)
    assert Scenario.read(tmp_path / "s.toml", max_runs=72) == Scenario.read(tmp_path / "s.toml")
    lists = ", ".join(str(number / 1000) for number in range(1, 2000))
    many = GOOD.replace("rtt = 0.5", f"rtt = [{lists}]\nqueue_packets = [{lists}]")
    assert "has up to 287,712,072 runs" in refusal(tmp_path, many)


def test_plan__takes_no_other_file_for_published_values(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("root:x:0:0\n")
    for name in ("none.csv", "secret", "/etc/passwd", ".", "a" * 300):
        (tmp_path / "s.toml").write_text(f'published = "{name}"\n{GOOD}')
        document = read(tmp_path / "s.toml")
        with pytest.raises(InputError, match=r"toml:1: key published: .* (is not a file|holds no published)"):
            planned(document)


def test_read__takes_schemes_above_others(tmp_path: Path) -> None:
    schemes = """
[[scheme]]
name = "harq-processes"
processes = [8, 32]
retransmission = "synchronous"
missed_feedback = 0.01
[[scheme]]
name = "harq-processes"
combining = "incremental"
combining_threshold_db = [-2, 1.5]
[[scheme]]
name = "sliding-window"
coding_window = 20
repair_interval = 5
[[scheme]]
name = "rlc"
below = [{ name = "harq-processes" }, { name = "arq", max_transmissions = [2, "none"] }]
status_prohibit = 0.6
online = true
"""
    assert written(tmp_path, GOOD.replace("[path]", f"{schemes}[path]")).scheme[3:] == (
        *(HarqProcesses(n, retransmission="synchronous", missed_feedback=0.01) for n in (8, 32)),
        *(HarqProcesses(combining="incremental", combining_threshold_db=db) for db in (-2, 1.5)),
        SlidingWindow(20, 5),
        *(Rlc(below, status_prohibit=0.6, online=True) for below in (HarqProcesses(), Arq(2), Arq())),
    )


GROUPS = """
[[traffic]]
duration = 30
[[traffic.flow]]
tcp = "newreno"
count = [1, 2]
[[traffic.flow]]
tcp = ["cubic", "bbr"]
start = [5, 10, 15]
[[traffic]]
duration = 40
flow = [[{ tcp = "bbr" }], [{ tcp = "bbr" }, { tcp = "bbr3" }]]
"""


def test_read__takes_lists_in_groups_of_flows_as_axes(tmp_path: Path) -> None:
    scenario = written(tmp_path, GOOD + GROUPS)
    assert scenario.traffic[2:] == (
        *(
            Traffic(duration=30, flow=(Flow("newreno", count), Flow(tcp, start=start)))
            for count in (1, 2)
            for tcp in ("cubic", "bbr")
            for start in (5, 10, 15)
        ),
        Traffic(duration=40, flow=(Flow("bbr"),)),
        Traffic(duration=40, flow=(Flow("bbr"), Flow("bbr3"))),
    )


def test_limit__counts_the_sets_of_groups(tmp_path: Path) -> None:
    # Traces, schemes, kinds of traffic (two of GOOD, 2 x 6, and the two sets of groups), and seeds.
    runs = 4 * 3 * (2 + 12 + 2) * 3
    text = (GOOD + GROUPS).replace("seeds = 3", "seeds = 3\nmax_runs = {}")
    assert written(tmp_path, text.replace("{}", f"{runs}")).size == runs
    assert f"has up to {runs} runs" in refusal(tmp_path, text.replace("{}", f"{runs - 1}"))
