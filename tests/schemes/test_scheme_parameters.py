"""Parameters of schemes: refusals and names; the pictures of worked examples in `docs/schemes.md`."""

import importlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tmt import Arq, Fec, GoBackN, Harq, HarqProcesses, Hybrid, NoScheme, Refused, Rlc, SlidingWindow, Tetrys
from tmt.core.converter import Counts
from tmt.core.schemes import SCHEMES


def test_all_wrong_parameters__are_named_at_once() -> None:
    with pytest.raises(Refused) as refused:
        Fec(data=0, repair=-1, depth=2)
    assert [one.place for one in refused.value.problems] == [("data",), ("repair",)]


def test_values__are_printed_as_they_are_written_and_compared_by_what_they_say() -> None:
    scheme = Rlc(below=Harq(10, 2), reassembly=0.1 + 0.2)
    assert repr(scheme) == "Rlc(below=Harq(data=10, repair=2), reassembly=0.3)"
    assert eval(repr(scheme)) == scheme
    assert len({scheme, Rlc(below=Harq(10, 2), reassembly=0.3), Rlc()}) == 2


def test_go_back_n__cannot_repeat_before_the_feedback() -> None:
    scheme = GoBackN(window_frames=1, detection_delay=0.4, repeat_after=0.8, online=True)
    assert list(scheme.on_link(0.5)) == [("repeat_after", "at least the feedback delay, 0.9 s")]
    assert not list(scheme.on_link(0.4))


def test_labels__are_those_of_the_papers() -> None:
    schemes = {
        "none": NoScheme(),
        "FEC(10/12)": Fec(10, 2),
        "FEC(10/12) x 8": Fec(10, 2, depth=8),
        "ARQ": Arq(),
        "ARQ(max 3)": Arq(max_transmissions=3),
        "HARQ(38/51)": Harq(38, 13),
        "HARQ-processes(16)": HarqProcesses(),
        "HARQ-processes(off x 2)": HarqProcesses(repetitions=2),
        "Sliding-window(32, 1 per 8)": SlidingWindow(32, 8),
        "Tetrys(256, 1 per 16)": Tetrys(256, 16),
        "RLC(AM)": Rlc(),
        "RLC-over-ARQ(UM)": Rlc(Arq(), mode="unacknowledged"),
        "RLC-over-HARQ-processes(32, AM)": Rlc(HarqProcesses(processes=32)),
        "RLC-over-Tetrys(256, 1 per 16, AM)": Rlc(Tetrys(256, 16)),
        "Hybrid(10/11, persistency 3)": Hybrid(10, 1, persistency=3, online=True),
        "GBN(10)": GoBackN(window_frames=10, online=True),
        "GBN(10, persistency 2)": GoBackN(persistency=2, window_frames=10, online=True),
    }
    assert [scheme.label for scheme in schemes.values()] == list(schemes)
    assert Rlc(HarqProcesses()).full_name == "rlc-over-harq-processes"


def test_registry__knows_every_scheme_by_its_name() -> None:
    converting = {name for name, kind in SCHEMES.items() if kind.converts}
    assert SCHEMES.keys() - converting == {"hybrid", "go-back-n"}
    assert all(kind.name == name for name, kind in SCHEMES.items())


def test_counts__stop_a_conversion_that_lost_a_slot_or_a_row() -> None:
    good = {"slots": 12, "data_rows": 8, "repair_slots": 3, "retransmission_slots": 0, "dropped_tail": 1}
    Counts(**good, delivered=5, lost=2, unsettled=1).check()
    with pytest.raises(AssertionError, match="lost count"):
        Counts(**good, delivered=5, lost=2, unsettled=0).check()
    with pytest.raises(AssertionError, match="lost count"):
        Counts(**{**good, "repair_slots": 4}, delivered=5, lost=2, unsettled=1).check()


DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The program that draws them."""
    monkeypatch.syspath_prepend(DOCS.with_name("tools"))
    return importlib.import_module("scheme_ladders")


@pytest.mark.jit
def test_ladders__are_what_the_schemes_do(tool: Any) -> None:
    page = (DOCS / "schemes.md").read_text(encoding="utf-8")
    for name, ladder in tool.LADDERS.items():
        tool.check(ladder)
        assert f"](images/{name}.png)" in page
        assert (DOCS / "images" / f"{name}.png").is_file()


def test_ladders__that_contradict_their_scheme_are_refused(tool: Any, tmp_path: Path) -> None:
    ladder = tool.LADDERS["scheme-rlc"]
    later = replace(ladder, rtt=25)
    with pytest.raises(AssertionError, match=r"RLC\(AM\) delivers at \[1, 61, 61, 61, 61, 61\]"):
        tool.check(later)
    tool.draw(ladder, tmp_path / "ladder.png")
    assert (tmp_path / "ladder.png").read_bytes().startswith(b"\x89PNG")
