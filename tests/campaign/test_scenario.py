"""A scenario file is read correctly, or refused in one line that names place, key, value and choice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from naive import on_link
from tmt.campaign.domain_objects import scheme_of
from tmt.campaign.scenario import load

from tmt.core.errors import InputError
from tmt.core.schemes.harq_processes import HarqProcesses
from tmt.core.schemes.registry import ALL_SCHEMES
from tmt.core.schemes.sliding_window import SlidingWindow

ROOT = Path(__file__).resolve().parents[2]

GOOD = """\
title = "A test"
[grid]
tcp = ["newreno", "cubic"]
seeds = 3
[[trace]]
file = "phy.parquet"
every = [1, 10]
[[trace]]
channel = "gilbert-elliott"
alpha = [0.99, 0.9]
beta = 0.5
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
[link]
rtt = 0.5
[[traffic]]
duration = 20
"""


def _load(folder: Path, text: str) -> str:
    (folder / "s.toml").write_text(text)
    with pytest.raises(InputError) as refused:
        load(folder / "s.toml")
    return str(refused.value).removeprefix(f"{folder}/")


def test_load__expands_lists_into_points(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(GOOD)
    scenario = load(tmp_path / "s.toml")
    assert scenario.grid.tcp == ("newreno", "cubic")
    assert scenario.grid.seeds == (1, 2, 3)
    assert [trace.every for trace in scenario.traces] == [1, 10, 1, 1]
    assert [trace.alpha for trace in scenario.traces[2:]] == [0.99, 0.9]
    assert [scheme_of(section, 500_000_000) for section in scenario.schemes][1:] == [
        on_link.harq(10, repair, 500_000_000, detection_delay_ns=1_000_000) for repair in (2, 5)
    ]
    assert scenario.resolve("phy.parquet") == tmp_path / "phy.parquet"


@pytest.mark.parametrize("path", sorted((ROOT / "scenarios").glob("*.toml")), ids=lambda path: path.name)
def test_load__accepts_every_scenario_of_ours(path: Path) -> None:
    assert load(path).traces


TCP_CHOICE = "'newreno', 'westwood', 'hybla', 'cubic', 'compound', 'bbr', 'bbr3', 'fectcp', 'bic'"

REFUSALS = {
    "unknown key": ("seeds = 3", "sedes = 3", "4: key grid.sedes: is not known; allowed: tcp, seeds, "),
    "published values that are not there": (
        'title = "A test"',
        'published = "none.csv"',
        "1: key published: 'none.csv' is no file; allowed: a CSV file, relative to the scenario's folder",
    ),
    "unknown table": (
        "[link]",
        "[lonk]",
        "22: key lonk: is not known; allowed: title, description, published, ",
    ),
    "unknown key of a scheme": (
        'name = "arq"',
        'name = "arq"\ndata = 3',
        "17: key scheme[0].data: is not known; allowed: name, online, max_transmissions, detection_delay",
    ),
    "unknown key of a channel": (
        "beta = 0.5",
        "beta = 0.5\ngamma = 1",
        "12: key trace[1].gamma: is not known; allowed: channel, over, rate, ",
    ),
    "unknown variant": (
        '"cubic"',
        '"cubik"',
        f'3: key grid.tcp[1]: value "cubik" is not allowed; allowed: {TCP_CHOICE}',
    ),
    "variant that the stack does not have": (
        '"cubic"',
        '"vegas"',
        "3: key grid.tcp: 'vegas' does not exist with stack 'modern'; allowed: traffic with stack = 'linux'",
    ),
    "unknown stack": (
        "duration = 20",
        'duration = 20\nstack = "2020"',
        '26: key traffic[0].stack: value "2020" is not allowed; '
        "allowed: '2009', '2009-as-shipped', 'modern' or 'linux'",
    ),
    "unknown code": (
        "duration = 20",
        'duration = 20\ncode = "raptor"',
        "26: key traffic[0].code: code is 'raptor'; it must be one of raptorq, lt, or a share from 0% to "
        "100%",
    ),
    "block that is too large": (
        "duration = 20",
        "duration = 20\nblock_segments = 20000",
        "26: key traffic[0].block_segments: value 20000 is not allowed; allowed: less than or equal to 10000",
    ),
    "code without anybody who codes": (
        "duration = 20",
        'duration = 20\ncode = "5%"',
        "26: key traffic.code: '5%' means nothing without FECTCP; allowed: tcp = ['fectcp']",
    ),
    "unknown scheme": (
        '"arq"',
        '"arx"',
        "16: key scheme[0].name: 'arx' is not allowed; allowed: none, fec, arq, harq, ",
    ),
    "unknown channel": (
        '"gilbert-elliott"',
        '"gilbert"',
        "9: key trace[1].channel: 'gilbert' is not allowed; allowed: error-free, bernoulli, gilbert-elliott",
    ),
    "scheme that converts nothing": (
        'name = "arq"',
        'name = "go-back-n"\nwindow_frames = 10',
        "16: key scheme[0].name: name is 'go-back-n', a scheme that converts no traces; it needs ",
    ),
    "repetition before the report": (
        'name = "arq"',
        'name = "go-back-n"\nonline = true\nwindow_frames = 10\nrepeat_after = 0.4',
        "15: key scheme: repeat_after_ns is 400000000; it must be 0, or at least the feedback delay",
    ),
    "proxy without a wired hop": (
        "rtt = 0.5",
        "rtt = 0.5\nproxy = true",
        "24: key link.proxy: true is not allowed; allowed: a table [wired], at whose end the proxy stands",
    ),
    "parameters of no proxy": (
        "[link]",
        "[proxy]\ndelay = 0.1\n[link]",
        "22: key proxy: means nothing without a proxy; allowed: proxy = true in [link]",
    ),
    "proxy of a flow that it cannot split": (
        "rtt = 0.5",
        'rtt = 0.5\nproxy = true\n[wired]\nrate = 1e7\ndelay = 0\n[proxy]\ntcp = "fectcp"',
        "24: key link.proxy: true is not allowed; allowed: TCP: a proxy cannot split FECTCP",
    ),
    "proxy whose stack lacks the variant": (
        "rtt = 0.5",
        'rtt = 0.5\nproxy = true\n[wired]\nrate = 1e7\ndelay = 0\n[proxy]\ntcp = "bbr"\nstack = "2009"',
        "29: key proxy.tcp: 'bbr' does not exist with stack '2009'; allowed: newreno, westwood, ",
    ),
    "buffer of nothing": (
        "rtt = 0.5",
        "rtt = 0.5\nproxy = true\n[wired]\nrate = 1e7\ndelay = 0\n[proxy]\nbuffer_packets = [4, 1]",
        "29: key proxy.buffer_packets[1]: value 1 is not allowed; allowed: ",
    ),
    "loss beyond certainty": (
        "rtt = 0.5",
        "rtt = 0.5\n[wired]\nrate = 1e7\ndelay = 0\nloss = 1.5",
        "27: key wired.loss: value 1.5 is not allowed; allowed: ",
    ),
    "no seeds": (
        "seeds = 3",
        "seeds = 0",
        "4: key grid.seeds: value 0 is not allowed; allowed: the number of seeds, from 1 to 1000000, or ",
    ),
    "more seeds than there are": (
        "duration = 20",
        "duration = 20\nseeds = 1000001",
        "26: key traffic[0].seeds: value 1000001 is not allowed; allowed: less than or equal to 1000000",
    ),
    "no variant": (
        'tcp = ["newreno", "cubic"]',
        "tcp = []",
        "3: key grid.tcp: value [] is not allowed; allowed: a list with at least one value",
    ),
    "seed twice": (
        "seeds = 3",
        "seeds = [4, 4]",
        "4: key grid.seeds: 4 is listed twice; allowed: each value once",
    ),
    "variant twice": (
        'tcp = ["newreno", "cubic"]',
        'tcp = ["cubic", "newreno", "cubic"]',
        "3: key grid.tcp: 'cubic' is listed twice; allowed: each value once",
    ),
    "value twice in a list": (
        "every = [1, 10]",
        "every = [1, 10, 1]",
        "7: key trace[0].every: 1 is listed twice; allowed: each value once",
    ),
    "value twice in another notation": (
        "rtt = 0.5",
        "rtt = [1, 0.5, 1.0]",
        "23: key link.rtt: 1.0 is listed twice; allowed: each value once",
    ),
    "table twice": (
        'name = "arq"',
        'name = "arq"\n[[scheme]]\nname = "arq"\nonline = false',
        "17: key scheme[1]: says again what scheme[0] says; allowed: each point of the grid once",
    ),
    "table that repeats a point of another": (
        'name = "arq"',
        'name = "harq"\ndata = 10\nrepair = 5\ndetection_delay = 0.001',
        "20: key scheme[1]: says again what scheme[0] says; allowed: each point of the grid once",
    ),
    "file without a name": (
        'file = "phy.parquet"',
        'file = ""',
        '6: key trace[0].file: value "" is not allowed; allowed: text that is not empty',
    ),
    "records of no seed": (
        "seeds = 3",
        "seeds = 3\nrecords = [4]",
        "5: key grid.records: 4 is not allowed; allowed: seeds",
    ),
    "no list": (
        "seeds = 3",
        "seeds = 3\nrecords = 1",
        "5: key grid.records: value 1 is not allowed; allowed: a list",
    ),
    "missing key": ("rtt = 0.5", "", "22: key link.rtt: is missing; allowed: a number"),
    "missing table": (
        "[[traffic]]\nduration = 20",
        "",
        " key traffic: is missing; allowed: one or more tables",
    ),
    "negative time": (
        "rtt = 0.5",
        "rtt = -1",
        "23: key link.rtt: value -1 is not allowed; allowed: greater than or equal to 0",
    ),
    "bad member of a list": (
        "rtt = 0.5",
        "rtt = [0.5, -1]",
        "23: key link.rtt[1]: value -1 is not allowed; ",
    ),
    "empty list": (
        "rtt = 0.5",
        "rtt = []",
        "23: key link.rtt: [] is not allowed; allowed: a value, or a list",
    ),
    "text for a number": (
        "data = 10",
        'data = "10"',
        '19: key scheme[1].data: value "10" is not allowed; allowed: integer',
    ),
    "impossible parameter": ("data = 10", "data = 0", "19: key scheme[1].data: data is 0; it must be "),
    "impossible channel": (
        "beta = 0.5",
        "beta = 1.5",
        "11: key trace[1].beta: beta is 1.5; it must be within [0, 1]",
    ),
    "file and channel": (
        "beta = 0.5",
        'beta = 0.5\nfile = "x"',
        "9: key trace[1].channel: cannot stand beside file; ",
    ),
    "channel on nothing": (
        "length = 60",
        "",
        "8: key trace[1]: length is missing, which a channel needs unless ",
    ),
    "start behind the trace": (
        "length = 60",
        "length = 60\noffset = 60",
        "15: key trace[1].offset: offset is 60; it must be less than length, 60",
    ),
    "rate over a trace": (
        "length = 60",
        'over = "x"',
        "12: key trace[1].rate: rate is given, which means nothing",
    ),
    "hold out of order": (
        "rtt = 0.5",
        "rtt = 0.5\nin_order = false\nhold = 1",
        "25: key link.hold: 1.0 means nothing ",
    ),
    "start after the end": (
        "duration = 20",
        "duration = 20\nstart_spread = 20",
        "26: key traffic.start_spread: 20.0 is not allowed; allowed: less than 20.0",
    ),
    "return rate of a trace": (
        "rtt = 0.5",
        'rtt = 0.5\nreturn_link = "protected"\nreturn_rate = 1e6',
        "25: key link.return_rate: 1000000.0 means nothing for a return link that is protected",
    ),
    "label of no key": (
        "beta = 0.5",
        'beta = 0.5\nlabel = "gamma {gamma}"',
        "12: key trace[1].label: label names {gamma}, which has no value in this table",
    ),
    "no TOML": ("rtt = 0.5", "rtt = ", "23: is no TOML: Invalid value"),
}


def test_load__refuses_values_that_are_nested_without_end(tmp_path: Path) -> None:
    (tmp_path / "deep.toml").write_text(f"title = {'[' * 5000}{']' * 5000}\n")
    with pytest.raises(InputError, match=r"deep\.toml: is no scenario: its values are nested too deeply"):
        load(tmp_path / "deep.toml")


@pytest.mark.parametrize(("good", "bad", "message"), REFUSALS.values(), ids=REFUSALS)
def test_load__refuses_in_one_line(tmp_path: Path, good: str, bad: str, message: str) -> None:
    assert good in GOOD
    text = _load(tmp_path, GOOD.replace(good, bad, 1))
    assert text.startswith(f"s.toml:{message}")
    assert "\n" not in text


def test_load__refuses_what_is_no_file_of_text(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"absent\.toml: cannot be read: No such file"):
        load(tmp_path / "absent.toml")
    (tmp_path / "s.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match=r"s\.toml: is no text in UTF-8"):
        load(tmp_path / "s.toml")


def test_load__refuses_delayed_acknowledgements_of_fectcp(tmp_path: Path) -> None:
    text = GOOD.replace('"cubic"', '"fectcp"').replace("duration = 20", "duration = 20\ndelayed_acks = true")
    refusal = _load(tmp_path, text)
    assert "26: key traffic.delayed_acks: true is not allowed; allowed: TCP, not FECTCP" in refusal


def test_load__says_how_many_runs_a_grid_has_before_it_makes_them(tmp_path: Path) -> None:
    many = GOOD.replace("seeds = 3", "seeds = 1000000000")
    (tmp_path / "s.toml").write_text(many)
    # 2 variants, 10^9 seeds, 2 + 2 traces, 1 + 2 schemes, 1 link, 1 kind of traffic.
    reason = r"key grid: has up to 24,000,000,000 runs; allowed: up to 1,000,000; a higher limit is max_runs"
    with pytest.raises(InputError, match=reason):
        load(tmp_path / "s.toml")
    (tmp_path / "s.toml").write_text(GOOD.replace("seeds = 3", "seeds = 3\nmax_runs = 71"))
    with pytest.raises(InputError, match="has up to 72 runs; allowed: up to 71"):
        load(tmp_path / "s.toml")
    (tmp_path / "s.toml").write_text(GOOD.replace("seeds = 3", "seeds = 3\nmax_runs = 72"))
    assert load(tmp_path / "s.toml").grid.max_runs == 72
    lists = ", ".join(str(number / 1000) for number in range(1, 2000))
    (tmp_path / "s.toml").write_text(GOOD.replace("rtt = 0.5", f"rtt = [{lists}]\nqueue_packets = [{lists}]"))
    with pytest.raises(InputError, match="has up to 287,712,072 runs"):
        load(tmp_path / "s.toml")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("seeds = " + "9" * 5000, "a number in it has thousands of digits"),
        ("seeds = 1e999", "key grid.seeds: value inf is not allowed"),
        ("seeds = 3\ntimeout = 1e999", "key grid.timeout: value inf is not allowed"),
        ("seeds = 3\ntimeout = nan", "key grid.timeout: value nan is not allowed"),
        ("seeds = 3\ntimeout = " + "9" * 400, "key grid.timeout: value 9+ is not allowed"),
        ("seeds = " + "{a = " * 400 + "1" + "}" * 400, "nested too deeply"),
        ("seeds = 3\nmax_runs = 'many'", 'key grid.max_runs: value "many" is not allowed'),
    ],
)
def test_load__refuses_values_beyond_reason_in_one_line(line: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(GOOD.replace("seeds = 3", line))
    with pytest.raises(InputError, match=reason) as caught:
        load(tmp_path / "s.toml")
    assert "\n" not in str(caught.value)


def test_load__takes_no_other_file_for_published_values(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("root:x:0:0\n")
    (tmp_path / "values.csv").write_text("column,tcp,scheme,value,error,source\n")
    for name in (str(tmp_path / "values.csv"), "secret", "/etc/passwd"):
        (tmp_path / "s.toml").write_text(f'published = "{name}"\n{GOOD}')
        with pytest.raises(InputError, match=r"key published: .* (is no file|holds no published values)"):
            load(tmp_path / "s.toml")
    (tmp_path / "s.toml").write_text(f'published = "values.csv"\n{GOOD}')
    assert load(tmp_path / "s.toml").published == tmp_path / "values.csv"


def test_load__reads_the_schemes_of_today(tmp_path: Path) -> None:
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
name = "rlc-over-harq-processes"
status_prohibit = 0.6
"""
    (tmp_path / "s.toml").write_text(GOOD.replace("[link]", f"{schemes}[link]"))
    found = [scheme_of(section, 5) for section in load(tmp_path / "s.toml").schemes][3:]
    assert found == [
        on_link.harq_processes(5, 8, retransmission="synchronous", missed_feedback=0.01),
        on_link.harq_processes(5, 32, retransmission="synchronous", missed_feedback=0.01),
        on_link.harq_processes(5, combining="incremental", combining_threshold_db=-2.0),
        on_link.harq_processes(5, combining="incremental", combining_threshold_db=1.5),
        SlidingWindow(20, 5),
        on_link.rlc_over(HarqProcesses, rtt_ns=5, status_prohibit_ns=600_000_000),
    ]


@pytest.mark.parametrize("name", ["rlc", "rlc-over-arq", "rlc-over-harq-processes"])
def test_load__runs_rlc_online(name: str, tmp_path: Path) -> None:
    keys = f'name = "{name}"\nonline = true\nstatus_prohibit = 0.6'
    (tmp_path / "s.toml").write_text(GOOD.replace('name = "arq"', keys))
    section = load(tmp_path / "s.toml").schemes[0]
    assert section.online
    parameters: dict[str, Any] = {"rtt_ns": 5, "status_prohibit_ns": 600_000_000}
    assert scheme_of(section, 5) == ALL_SCHEMES[name](**parameters)


def test_load__refuses_parameters_that_a_scheme_online_does_not_have(tmp_path: Path) -> None:
    scheme = 'name = "harq-processes"\nonline = [false, true]\nfeedback_seed = 2'
    said = _load(tmp_path, GOOD.replace('name = "arq"', scheme))
    assert "feedback_seed is 2; harq-processes online knows only 0: the seed of the run draws" in said
