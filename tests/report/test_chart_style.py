"""TCP variants and schemes have styles that readers can distinguish; charts are saved whole or not at all."""

import json
from pathlib import Path

import altair as alt
import pytest

from tmt.core.schemes import SCHEMES
from tmt.show.charts import files, style
from tmt.show.charts.files import save_chart, save_charts
from tmt.show.charts.parts import picture, source
from tmt.show.charts.style import (
    SCHEME_STYLES,
    TCP_STYLES,
    MemberStyle,
    Spec,
    looks_of,
    scheme_styles,
    tcp_styles,
)
from tmt.spec.stacks import VARIANTS

OKABE_ITO = {style.BLUE, style.VERMILLION, style.GREEN, style.PURPLE, style.ORANGE, style.SKY, style.MUTED}


@pytest.mark.parametrize(
    "styles",
    [
        tcp_styles(["newreno", "westwood", "hybla", "cubic", "compound"]),
        tcp_styles(["bbr", "newreno", "vegas", "cubic"]),
        scheme_styles(
            ["none", "FEC(10/12)", "ARQ", "HARQ(10/12)", "HARQ(10/15)", "HARQ(50/52)"],
            ["none", "fec", "arq", "harq", "harq", "harq"],
        ),
        scheme_styles(["ARQ", "ARQ(max 3)", "own"], ["arq", "arq", ""]),
    ],
)
def test_styles__differ_in_marker_and_are_safe_for_the_colour_blind(styles: list[MemberStyle]) -> None:
    assert len({one.marker for one in styles}) == len({one.colour for one in styles}) == len(styles)
    assert {one.colour for one in styles} <= OKABE_ITO


def test_styles__do_not_depend_on_the_other_members() -> None:
    (alone,) = tcp_styles(["cubic"])
    assert alone == tcp_styles(["bbr", "cubic", "newreno"])[1]
    assert (alone.label, alone.colour) == ("CUBIC", style.TCP_STYLES["cubic"].colour)


def test_dark_colour__is_the_colour_mixed_with_white() -> None:
    # 0.72 of blue #0072b2 and 0.28 of white: 71.4, 153.5, 199.6.
    assert tcp_styles(["cubic"])[0].dark_colour == "#4799c8"


def test_styles__cover_every_tcp_variant_and_scheme() -> None:
    assert set(TCP_STYLES) == set(VARIANTS)
    assert set(SCHEME_STYLES) >= set(SCHEMES)


def test_styles__tell_apart_in_colour_and_in_grey() -> None:
    variants, schemes = TCP_STYLES.values(), SCHEME_STYLES.values()
    for marks in (
        [one.colour for one in list(variants)[:8]],
        [(one.colour, one.marker) for one in variants],
        [one.marker for one in list(variants)[:15]],
        [one.label for one in variants],
        [one.colour for one in list(schemes)[:6]],
        [(one.colour, one.marker) for one in schemes],
        [SCHEME_STYLES[name].marker for name in SCHEMES],
        [(one.colour, one.dash) for one in schemes],
    ):
        assert len(set(marks)) == len(marks)


def test_looks__of_others_stay_where_a_new_member_comes_first() -> None:
    own = {"arq": ("red", "o", "-"), "fec": ("green", "s", ":")}
    alone, joined = looks_of(own, own), looks_of(["new", "arq", "newer", "fec"], own)
    assert alone == own
    assert {name: joined[name] for name in own} == own
    assert not {joined[name][1] for name in ("new", "newer")} & {"o", "s"}
    assert len(set(joined.values())) == 4


def test_looks__of_shipped_schemes_are_those_of_the_published_figures() -> None:
    """Blue diamonds for HARQ, red triangles for ARQ: docs/images/quickstart.png and the papers' figures."""
    looks = {name: (one.colour, one.marker) for name, one in SCHEME_STYLES.items()}
    assert (looks["harq"], looks["arq"]) == (("#0072B2", "D"), ("#D55E00", "^"))


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


@pytest.mark.usefixtures("own_drawing_processes")
def test_save__gives_the_same_bytes_again(tmp_path: Path) -> None:
    for names in (("a.png", "b.png", "a.svg", "b.svg"), ("c.png", "c.svg")):
        save_chart(_chart(), *(tmp_path / name for name in names))
    for ending in ("png", "svg"):
        first, second, third = ((tmp_path / f"{name}.{ending}").read_bytes() for name in "abc")
        assert first == second == third


def test_picture__replaces_characters_that_xml_does_not_allow(tmp_path: Path) -> None:
    """vl-convert ends its process by SIGABRT where a text holds such a character."""
    chart = _chart("a\x0bb\x00c\x1bd\ud800e\ufffef\tg\U0001f600")
    assert chart["description"] == "a\ufffdb\ufffdc\ufffdd\ufffde\ufffdf\tg\U0001f600"
    assert save_chart(chart, tmp_path / "chart.svg") == [tmp_path / "chart.svg"]


def test_save__loses_only_the_chart_that_crashes(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
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


@pytest.mark.usefixtures("own_drawing_processes")
def test_save__without_a_process_costs_the_chart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(files.sys, "executable", str(tmp_path / "no-python"))
    assert save_chart(_chart(), tmp_path / "a.svg") == []
    assert "the chart cannot be drawn: " in capfd.readouterr().err
