"""`tmt report`: its files and its refusals, also beside results that cannot be written."""

import shutil
from pathlib import Path

import pytest
from in_process import tmt
from machine import disk, make_read_only


@pytest.mark.ns2
def test_report__writes_page_and_figures_the_same_to_the_byte(campaign_folder: Path, tmp_path: Path) -> None:
    written = []
    for name in ("one", "two"):
        said = tmt("report", campaign_folder, "--output", name, folder=tmp_path)
        warning = "warning: Published values are left out: no finished run has scheme 'HARQ(10/12)'.\n"
        assert (said.status, said.err) == (0, warning)
        assert said.out.splitlines()[0] == f"{name}/report.html"
        written.append({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()})
    assert written[0] == written[1]
    endings = sorted(name.rsplit(".", 1)[1] for name in written[0])
    assert endings.count("pdf") == endings.count("svg") >= 3
    assert endings.count("html") == 1
    assert written[0]["goodput-by-scheme-probability-0-01.pdf"].startswith(b"%PDF")


@pytest.mark.ns2
def test_report__without_figures_writes_the_page_alone(campaign_folder: Path, tmp_path: Path) -> None:
    assert tmt("report", campaign_folder, "--output", ".", "--no-figures", folder=tmp_path).status == 0
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_report__refuses_a_folder_without_a_campaign(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    refused = tmt("report", ".", folder=tmp_path)
    assert refused.status == 2
    assert "holds no campaign" in refused.err
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_report__refuses_a_folder_that_does_not_exist(tmp_path: Path) -> None:
    refused = tmt("report", "none", folder=tmp_path)
    assert refused.status == 2
    assert "does not exist" in refused.err


@pytest.mark.ns2
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("tcp,scheme,value\n", "published.csv:1: column column is missing"),
        (
            "column,tcp,scheme,value,error,source\ngoodput_bps,cubic,ARQ,much,0,x\n",
            "published.csv:2: value 'much'",
        ),
    ],
)
def test_report__names_the_bad_line(campaign_folder: Path, tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "published.csv").write_text(text)
    words = (campaign_folder, "--published", "published.csv", "--output", "out")
    refused = tmt("report", *words, folder=tmp_path)
    assert refused.status == 2
    assert refused.err.startswith(reason)
    assert not (tmp_path / "out").exists()


@pytest.mark.ns2
def test_report__of_a_read_only_folder_goes_to_the_current_one(campaign_folder: Path, tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    with disk(tmp_path / "disk") as folder:
        shutil.copytree(campaign_folder, folder / "results")
        make_read_only(folder)
        result = tmt("report", folder / "results", "--no-figures", folder=here)
    assert (result.status, result.out) == (0, "report/report.html\n"), result.err
    assert (here / "report" / "report.html").stat().st_size > 100_000
