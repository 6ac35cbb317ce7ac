"""The queue of a path: its disciplines as files, options and the programs of the backends know them."""

import re
import subprocess
from pathlib import Path

import pytest

from tmt.core.declaration import declared
from tmt.core.errors import InputError
from tmt.run.link_files import queue_settings
from tmt.spec.experiment import Experiment, PlainLink
from tmt.spec.path import Path as LinkPath
from tmt.spec.queue import DISCIPLINES, CoDel, Discipline, DropTail, DualPi2, KernelQdisc
from tmt.spec.scenario import Scenario
from tmt.spec.settings import columns_of

EMULATOR = Path(__file__).resolve().parents[2] / "clift-ns2" / "build" / "clift-emulate"

SCENARIO = """
[trace]
file = "trace.parquet"

[scheme]
name = "none"

[path]
rtt = 0.1
queue_bytes = [30000, "none"]
queue = [{ name = ["codel", "fq-codel"], target = [0.005, 0.02] }, { name = "droptail", drop = "head" }]

[traffic]
tcp = "cubic"
"""


def test_scenario__has_disciplines_and_limits_as_axes(tmp_path: Path) -> None:
    file = tmp_path / "scenario.toml"
    file.write_text(SCENARIO)
    scenario = Scenario.read(file)
    assert [(path.queue_bytes, path.queue.label) for path in scenario.path] == [
        (limit, label)
        for limit in (30_000, None)
        for label in ("codel", "codel target=0.02", "fq-codel", "fq-codel target=0.02", "droptail drop=head")
    ]
    scenario.write(tmp_path / "again.toml")
    assert Scenario.read(tmp_path / "again.toml") == scenario


def test_scenario__takes_a_bare_name_for_a_table(tmp_path: Path) -> None:
    file = tmp_path / "scenario.toml"
    queue = re.search(r"queue = \[.*", SCENARIO)
    assert queue is not None
    for text, labels in (
        ('["droptail", { name = "codel" }, "pie"]', ["droptail", "codel", "pie"]),
        ('"codel"', ["codel"]),
    ):
        file.write_text(SCENARIO.replace(queue[0], f"queue = {text}").replace('[30000, "none"]', "30000"))
        assert [path.queue.label for path in Scenario.read(file).path] == labels
    file.write_text(SCENARIO.replace(queue[0], 'queue = ["droptail", "coddle"]'))
    with pytest.raises(InputError, match=r"queue\[1\]: 'coddle' is .*; allowed: droptail, codel, fq"):
        Scenario.read(file)


def test_queue__is_told_to_programs_in_words_and_columns() -> None:
    path = LinkPath(0.1, queue=CoDel(target=0.0075), queue_bytes=9000, queue_time=0.25)
    assert queue_settings(path) == {
        "queue": "codel target 0.0075 interval 0.1 mtu_bytes 1500",
        "queue_bytes": 9000,
        "queue_time_ns": 250_000_000,
        "queue_counts": "all",
    }
    row = columns_of(Experiment(PlainLink(1e6), path))
    assert {name: value for name, value in row.items() if name.startswith("queue")} == {
        "queue": "codel target=0.0075",
        "queue_packets": None,
        "queue_bytes": 9000,
        "queue_time_s": 0.25,
        "queue_counts": "all",
    }


def complaint_of(words: str) -> str:
    """Return what the emulator says about a queue; of a good one it reads the next, unknown key."""
    done = subprocess.run(
        [EMULATOR, "queue", words, "nothing", "1", "--", "true"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    return done.stderr


@pytest.mark.ns2
@pytest.mark.parametrize("kind", [kind for kind in DISCIPLINES.values() if kind is not KernelQdisc])
def test_discipline__has_the_parameters_bounds_and_defaults_of_the_core(kind: type[Discipline]) -> None:
    if not EMULATOR.is_file():
        pytest.skip("the emulator is not built")
    unknown = complaint_of(f"{kind.name} nothing 1")
    assert sorted(unknown.split("there are ")[1].strip().split(", ")) == sorted(declared(kind))
    for name, field in declared(kind).items():
        if field.choices:
            for choice in field.choices:
                assert "nothing is not a setting" in complaint_of(f"{kind.name} {name} {choice}")
            continue
        least, most = field.param.least, field.param.most
        for value in (least, most):
            assert "nothing is not a setting" in complaint_of(f"{kind.name} {name} {value:.12g}"), name
        for value in (least - (1 if field.kind is int else 1e-7), most * 1.001 + (field.kind is int)):
            beyond = int(value) if field.kind is int else value
            assert f"{kind.name}: {name} is" in complaint_of(f"{kind.name} {name} {beyond:.12g}"), name


def test_discipline__has_a_label_of_what_is_unusual() -> None:
    assert [one.label for one in (DropTail(), DualPi2(scheduler="ts-fifo"))] == [
        "droptail",
        "dualpi2 scheduler=ts-fifo",
    ]
