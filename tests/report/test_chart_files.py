"""Files of charts: formats, texts that XML does not allow, and a drawing library that ends its process."""

import json
from pathlib import Path

import altair as alt
import pytest

from tmt.show.charts import files
from tmt.show.charts.files import save_chart, save_charts
from tmt.show.charts.parts import picture, source
from tmt.show.charts.style import Spec


def _chart(title: str = "made") -> Spec:
    line = source("rows", "Heading").mark_line().encode(x="x:Q", y="y:Q")
    return picture(line, title, {"rows": [{"x": 1, "y": 2}, {"x": 2, "y": None}]})


@pytest.mark.parametrize(
    ("ending", "begin"),
    [("png", b"\x89PNG"), ("svg", b"<svg"), ("pdf", b"%PDF"), ("html", b"<!DOCTYPE html>"), ("json", b"{")],
)
def test_save__knows_formats_by_the_ending(tmp_path: Path, ending: str, begin: bytes) -> None:
    (path,) = save_chart(_chart(), tmp_path / f"chart.{ending}")
    assert path.read_bytes().lstrip().startswith(begin)


def test_save__writes_the_specification_as_json(tmp_path: Path) -> None:
    (path,) = save_chart(_chart(), tmp_path / "chart.json")
    spec = json.loads(path.read_text())
    alt.Chart.from_dict(spec, validate=True)
    assert spec["datasets"] == {"rows": [{"x": 1, "y": 2}, {"x": 2, "y": None}]}


def test_save__gives_the_same_bytes_again(tmp_path: Path) -> None:
    for ending in ("png", "svg"):
        first, second = save_chart(_chart(), tmp_path / f"a.{ending}", tmp_path / f"b.{ending}")
        (third,) = save_chart(_chart(), tmp_path / f"c.{ending}")
        assert first.read_bytes() == second.read_bytes() == third.read_bytes()


def test_picture__replaces_characters_that_xml_does_not_allow(tmp_path: Path) -> None:
    """vl-convert ends its process by SIGABRT where a text holds such a character."""
    chart = _chart("a\x0bb\x00c\x1bd\ud800e\ufffef\tg\U0001f600")
    assert chart["description"] == "a\ufffdb\ufffdc\ufffdd\ufffde\ufffdf\tg\U0001f600"
    assert save_chart(chart, tmp_path / "chart.svg") == [tmp_path / "chart.svg"]


def test_save__loses_only_the_chart_whose_drawing_ends_the_process(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    crash = _chart() | {"description": "b", "title": "control \x0b"}
    charts = [
        (_chart(), [tmp_path / "a.svg"]),
        (crash, [tmp_path / "b.svg"]),
        (_chart(), [tmp_path / "c.svg"]),
    ]
    assert [path.name for path in save_charts(charts)] == ["a.svg", "c.svg"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.svg", "c.svg"]
    said = capfd.readouterr().err
    assert said == f"warning: {tmp_path / 'b.svg'}: the chart cannot be drawn: the drawing library failed\n"


def test_save__says_why_a_chart_cannot_be_drawn(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert save_chart({"mark": "nonsense"}, tmp_path / "a.svg") == []
    said = capfd.readouterr().err
    assert said.startswith(f"warning: {tmp_path / 'a.svg'}: the chart cannot be drawn: ")
    assert said.count("\n") == 1


def test_save__without_a_process_costs_the_chart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(files.sys, "executable", str(tmp_path / "no-python"))
    assert save_chart(_chart(), tmp_path / "a.svg") == []
    assert "the chart cannot be drawn: " in capfd.readouterr().err
