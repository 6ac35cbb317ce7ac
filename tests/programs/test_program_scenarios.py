"""Scenarios with programs: what they refuse, the grid, and what decides the key of a run."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tmt import Scenario
from tmt.campaign.plan import expand
from tmt.core.errors import InputError
from tmt.spec.programs import Measure, Program, SecondPath
from tmt.spec.toml import files_of, parse
from tmt.spec.toml_text import relative_to, text_of

SAMPLE = Path(__file__).resolve().parents[2] / "traces" / "sample.parquet"
HEAD = f"""\
trace = {{ file = "{SAMPLE}" }}
scheme = {{ name = "none" }}
path = {{ rtt = 0.1 }}
seeds = 2

[[program]]
"""
BLOCKS = (Path(__file__).parent / "refusals.txt").read_text().split("\n\n")[1:]
CASES = [block.splitlines() for block in BLOCKS]


def scenario(text: str) -> Scenario:
    return parse(HEAD + text, Path("/folder/s.toml")).scenario


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_table__is_refused_with_place_value_and_choice(case: list[str]) -> None:
    _, table, *lines = case
    with pytest.raises(InputError) as refused:
        parse(HEAD + table.replace("\\n", "\n"), Path("s.toml"))
    assert str(refused.value).splitlines() == lines


def test_scenario__without_traffic_and_programs_is_refused() -> None:
    with pytest.raises(InputError, match=r"s.toml: key traffic: is missing; allowed: one or more tables"):
        parse(HEAD.replace("[[program]]", ""), Path("s.toml"))


def test_lists__are_several_programs_and_lists_of_lists_are_points() -> None:
    several = scenario('client = ["a", "b"]')
    assert several.program == (Program(client=("a", "b")),)
    points = scenario('client = [["a"], ["b"]]\ntcp = ["cubic", "bbr"]')
    assert [(one.client, one.tcp) for one in points.program] == [
        (("a",), "cubic"),
        (("a",), "bbr"),
        (("b",), "cubic"),
        (("b",), "bbr"),
    ]
    assert points.size == 8  # and two seeds


def test_lists__are_not_counted_as_points() -> None:
    """Two durations and two seeds are four runs, however many commands, ports and measures there are."""
    grid = (
        'client = ["a", "b"]\nserver = ["c", "d"]\nready = ["tcp:1", "tcp:2"]\nduration = [1, 2]\n'
        'measure = [{ column = "a", json = "b" }, { column = "c", json = "d" }]'
    )
    assert parse(f"max_runs = 4\n{HEAD}{grid}", Path("s.toml")).scenario.size == 4
    with pytest.raises(InputError, match="has up to 4 runs; allowed: up to 3 runs"):
        parse(f"max_runs = 3\n{HEAD}{grid}", Path("s.toml"))


def test_file__that_was_written_reads_as_the_same_programs() -> None:
    asked = scenario(
        'client = "a"\nfiles = ["page", "../up"]\nroot = "web.tar"\n'
        'second = { trace = "lte.parquet", rtt = 0.05 }\n'
        'measure = [{ column = "a", json = "b.0" }]'
    )
    assert asked.program[0].files == ("/folder/page", "/up")
    assert asked.program[0].second == SecondPath(0.05, "/folder/lte.parquet")
    assert asked.program[0].measure == (Measure("a", json="b.0"),)
    assert "/folder/lte.parquet" in files_of(asked)
    written = text_of(asked, relative_to(Path("/folder")))
    assert parse(written, Path("/folder/s.toml")).scenario == asked


def test_names__of_programs_count_from_two() -> None:
    program = Program(client=("a", "b"), server=("c", "d", "e"))
    assert list(program.commands) == ["server", "server2", "server3", "client", "client2"]


@pytest.mark.usefixtures("kernel")
def test_key__follows_commands_and_contents_but_no_label_and_no_place(tmp_path: Path) -> None:
    for place, text in (("one", "same"), ("two", "same"), ("three", "other")):
        (tmp_path / place).mkdir()
        (tmp_path / place / "page").write_text(text)

    def key(table: str) -> str:
        return expand(scenario(table))[0].key

    first = key(f'client = "a"\nfiles = "{tmp_path}/one/page"')
    assert key(f'client = "a"\nfiles = "{tmp_path}/two/page"\nlabel = "web"') == first
    others = [
        key(f'client = "a"\nfiles = "{tmp_path}/three/page"'),
        key(f'client = "b"\nfiles = "{tmp_path}/one/page"'),
        key(f'client = "a"\nfiles = "{tmp_path}/one/page"\nenvironment = "A=1"'),
        key(f'client = "a"\nfiles = "{tmp_path}/one/page"\nroot = "{tmp_path}/one"'),
        key(f'client = "a"\nfiles = "{tmp_path}/one/page"\nroot = "{tmp_path}/three"'),
    ]
    assert len({first, *others}) == 6


def test_key__follows_the_content_of_the_hosts_files(kernel: Path) -> None:
    if kernel.is_relative_to("/tmp"):
        pytest.skip(f"{kernel} lies below /tmp, which is empty for programs")
    with TemporaryDirectory(dir=kernel.parent) as folder:
        library = Path(folder) / "library"
        library.write_text("old")
        table = f'client = "cat {library}"'
        first = expand(scenario(table))[0].key
        assert expand(scenario(table))[0].key == first
        library.write_text("new one")
        assert expand(scenario(table))[0].key != first


@pytest.mark.usefixtures("kernel")
def test_file__that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere: cannot be read: No such file or directory"):
        expand(scenario(f'client = "a"\nfiles = "{tmp_path}/nowhere"'))
