"""Bounds on results: exit status, lines, JUnit XML, and refusals."""

from pathlib import Path
from xml.etree import ElementTree

import pytest
from in_process import tmt
from scenario_parts import LOSSY_TRACE

from tmt.core.errors import InputError
from tmt.spec.toml import parse

HEAD = f"""\
title = "links"
seeds = 2
scheme = {{ name = ["none", "arq"] }}
path = {{ rtt = 0.5 }}

{LOSSY_TRACE}
[[program]]
label = "web"
client = "echo $SEED"
duration = 20
measure = [{{ column = "said", pattern = "[0-9]+" }}]

[[program]]
label = "other"
client = "true"
duration = 20

"""


def expectation(column: str, bounds: str) -> str:
    return f'[[expect]]\ncolumn = "{column}"\n{bounds}\n'


@pytest.mark.usefixtures("kernel")
def test_results__within_bounds_end_well_and_beyond_them_with_status_1(tmp_path: Path) -> None:
    # SEED is 1 and 2, its mean 1.5; echo and true take no time but that of readings of the clock.
    good = expectation("said", "least = 1.5\nmost = 1.5") + expectation("completion_s", "most = 0.01")
    (tmp_path / "s.toml").write_text(HEAD + good)
    said = tmt("run", "s.toml", "--jobs", "1", folder=tmp_path)
    assert said.status == 0
    # The first bound is on two cells, whose programs say the number; the second one on all four.
    assert "all 6 results are as expected" in said.out
    (tmp_path / "s.toml").write_text(
        HEAD + expectation("said", "most = 1") + expectation("timeouts", "most = 0")
    )
    said = tmt("run", "s.toml", "--jobs", "1", "--quiet", "--junit", "r.xml", folder=tmp_path)
    assert said.status == 1
    lines = said.err.splitlines()
    place = "cubic over none, program web"
    assert lines[0] == f"not as expected: said of {place}: 1.5 (mean of 2 runs); at most 1 is expected"
    # A column without a value keeps no bound.
    assert f"not as expected: timeouts of {place}: no value (mean of 0 runs); at most 0 is expected" in lines
    suite = ElementTree.parse(tmp_path / "r.xml").getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("6", "6", "0")
    assert {case.get("classname") for case in suite} == {"said", "timeouts"}


@pytest.mark.usefixtures("kernel")
def test_place__names_the_only_program_and_each_trace_once(tmp_path: Path) -> None:
    """A program is not called by the kernel's TCP; a file has no `channel n/a` beside its name."""
    for number in (1, 2):
        (tmp_path / f"{number}.csv").write_text(f"tx_time_ns,decode_time_ns\n0,1\n{number}000000,1\n")
    file = '[[trace]]\nfile = ["1.csv", "2.csv"]\nlldu_bytes = 1500\n'
    one = HEAD.partition('[[program]]\nlabel = "other"')[0].replace("seeds = 2", "seeds = 1")
    (tmp_path / "s.toml").write_text(one + file + expectation("said", "most = 0"))
    said = tmt("run", "s.toml", "--jobs", "1", folder=tmp_path)
    assert "not as expected: said of web over none, trace 1.csv: 1 (mean of 1 run); at most 0" in said.out
    assert "said, trace 2.csv\n" in said.out
    assert "receiving application; one seed. Capacity:" in " ".join(said.out.split())


@pytest.mark.usefixtures("kernel")
def test_run__that_failed_is_an_error_of_the_suite(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(HEAD.replace('"true"', '"exit 3"'))
    said = tmt("run", "s.toml", "--jobs", "1", "--quiet", "--junit", "r.xml", folder=tmp_path)
    assert said.status == 1
    suite = ElementTree.parse(tmp_path / "r.xml").getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("4", "0", "4")
    assert "exit status 3" in str(suite[0][0].text)


@pytest.mark.parametrize(
    ("column", "bounds", "line"),
    [
        ("sayd", "most = 1", "'sayd' is not allowed; did you mean said?; allowed: said, duration_s, "),
        ("said", "", "expect[0].least: is missing; allowed: least, most or both"),
        (
            "said",
            "least = 2\nmost = 1",
            "expect[0].least: 2 does not go with the rest; allowed: up to most, 1",
        ),
    ],
)
def test_bound__that_has_no_meaning_is_refused(column: str, bounds: str, line: str) -> None:
    with pytest.raises(InputError) as refused:
        parse(HEAD + expectation(column, bounds), Path("s.toml"))
    assert line in str(refused.value)
