"""`tmt new` writes scenario files that `tmt run` takes, and refuses in one line what makes none."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from in_process import Said, tmt
from tmt.campaign.domain_objects import scheme_of
from tmt.campaign.scenario import load

from tmt.core.schemes.registry import SCHEMES as ALL
from tmt.core.schemes.rlc import RlcLayer
from tmt.core.trace import LinkTrace
from tmt.io import write_trace

SAMPLE = Path(__file__).resolve().parents[2] / "traces" / "sample.parquet"


def new(folder: Path, *arguments: str) -> Said:
    return tmt("new", *arguments, folder=folder)


def test_new__writes_a_scenario_that_run_takes(tmp_path: Path) -> None:
    shutil.copy(SAMPLE, tmp_path / "phy.parquet")
    (tmp_path / "studies").mkdir()
    options = (
        "--trace",
        "phy.parquet",
        "--tcp",
        "cubic,hybla",
        "--scheme",
        "none,fec,arq,harq",
        "--stack",
        "2009",
    )
    made = new(tmp_path, "studies/mine.toml", *options, "--rtt", "0.05", "--seeds", "3", "--duration", "7.5")
    assert (made.status, made.err) == (0, "")
    scenario = load(tmp_path / "studies" / "mine.toml")
    assert scenario.grid.tcp == ("cubic", "hybla")
    assert [scheme.name for scheme in scenario.schemes] == ["none", "fec", "arq", "harq"]
    said = tmt("run", "studies/mine.toml", "--dry-run", folder=tmp_path).out
    assert "24 runs" in said


def test_new__knows_every_scheme_that_converts(tmp_path: Path) -> None:
    made = new(tmp_path, "all.toml", "--scheme", ",".join(ALL), "--rtt", "0.025")
    assert (made.status, made.err) == (0, "")
    schemes = [scheme_of(section, 25_000_000) for section in load(tmp_path / "all.toml").schemes]
    assert [scheme.name for scheme in schemes] == list(ALL)
    layers = [scheme for scheme in schemes if isinstance(scheme, RlcLayer)]
    assert len(layers) == 7
    assert {scheme.status_prohibit_ns for scheme in layers} == {30_000_000}


def test_new__takes_spaces_after_commas_and_quotes_names(tmp_path: Path) -> None:
    shutil.copy(SAMPLE, tmp_path / 'a "b".parquet')
    made = new(
        tmp_path, "mine.toml", "--trace", 'a "b".parquet', "--tcp", "cubic, bbr", "--scheme", "none, arq"
    )
    assert (made.status, made.err) == (0, "")
    scenario = load(tmp_path / "mine.toml")
    assert scenario.grid.tcp == ("cubic", "bbr")
    assert [scheme.name for scheme in scenario.schemes] == ["none", "arq"]


def test_new__refuses_a_link_trace(tmp_path: Path) -> None:
    link = LinkTrace(
        np.arange(1, 4) * 1_000_000, np.full(3, 5_000_000), np.full(3, True), np.ones(3, np.uint8)
    )
    write_trace(tmp_path / "link.npy", link)
    refused = new(tmp_path, "mine.toml", "--trace", "link.npy")
    assert refused.status == 2
    assert refused.err.startswith("link.npy: its rows are of kind link; a phy trace is needed")


def test_new__keeps_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text("mine")
    refused = new(tmp_path, "mine.toml")
    assert (refused.status, refused.err) == (
        2,
        "mine.toml: this file is there already; name another one\n",
    )
    assert (tmp_path / "mine.toml").read_text() == "mine"


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--tcp", "cubix", 'mine.toml:6: key grid.tcp[0]: value "cubix" is not allowed'),
        ("--scheme", "arq,farq", "--scheme is 'farq'; it must be one of none, fec, arq, harq"),
        ("--stack", "2010", 'value "2010" is not allowed'),
        ("--seeds", "0", "value 0 is not allowed"),
        ("--rtt", "-1", "value -1 is not allowed"),
        ("--trace", "gone.parquet", "gone.parquet: cannot be read: No such file"),
    ],
)
def test_new__refuses_what_makes_no_scenario(option: str, value: str, words: str, tmp_path: Path) -> None:
    refused = new(tmp_path, "mine.toml", f"{option}={value}")
    assert refused.status == 2
    assert words in refused.err
    assert refused.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
