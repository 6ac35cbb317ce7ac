"""The page of two campaigns: its numbers, names that no page should trust, and a browser."""

import json
import re
from pathlib import Path
from typing import Any, Literal

import pytest
import vl_convert
from playwright.sync_api import Browser
from result_rows import frame, run

from tmt.results.comparison import PairedCampaigns, compare
from tmt.results.reading import results_of
from tmt.show.charts.campaign import Members, compare as compare_chart
from tmt.show.charts.parts import filled
from tmt.show.charts.style import configuration, scheme_styles, tcp_styles
from tmt.show.page.comparison_page import render

HOSTILE = "</script><img src=x onerror=alert(1)>"


def _comparison() -> PairedCampaigns:
    def campaign(stack: str, gain: float) -> Any:
        rows = [
            run(
                tcp=tcp,
                scheme=scheme,
                rtt_s=rtt,
                stack=stack,
                seed=seed,
                goodput_bps=1e5 * (seed + 1) + gain * (seed + (scheme == "ARQ")),
                delay_p95_s=0.5 + 0.1 * seed,
                status="done",
                experiment="e",
            )
            for tcp in ("newreno", "cubic")
            for scheme in ("ARQ", f"own {HOSTILE}")
            for rtt in (0.1, 0.5)
            for seed in (1, 2, 3)
        ]
        return results_of(frame(rows), f"made {HOSTILE}")

    return compare(campaign("2009", 0), campaign(f"modern {HOSTILE}", 1e4), ("a", f"b {HOSTILE}"))


def test_page__holds_every_difference_and_shows_names_as_text() -> None:
    page = render(_comparison())
    assert "<img src=x" not in page
    data = json.loads(
        re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[0]
    )
    table = data["tables"]["differences"]
    assert len(table["rows"]) == 2 * 2 * 2 * 2  # variants, schemes, round trips, measures
    goodput = next(row for row in table["rows"] if row[:2] == ["Goodput", "New Reno"])
    # Seeds gain 20, 30, 40 kbit/s: mean 30; their deviation is 10, t(0.975, 2) = 4.303, so +-24.84.
    assert goodput[3:8] == pytest.approx([300, 330, 30, 5.159, 54.841], abs=0.001)
    assert "Settings that differ in pairs" in page


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_page__opens_in_every_window_without_a_problem(
    browser: Browser, tmp_path: Path, width: int, scheme: Literal["light", "dark"]
) -> None:
    (tmp_path / "page.html").write_text(render(_comparison()))
    problems: list[str] = []
    with browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme) as context:
        tab = context.new_page()
        tab.on("console", lambda message: problems.append(message.text))
        tab.on("pageerror", lambda error: problems.append(str(error)))
        tab.goto((tmp_path / "page.html").as_uri())
        tab.wait_for_function("[...document.querySelectorAll('.plot')].every((p) => p.dataset.drawn)")
        assert problems == []
        assert tab.locator(".plot svg").count() == 3
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        marks = tab.locator("#compare-view .role-mark [aria-label]")
        assert marks.first.get_attribute("aria-label") == (
            "New Reno, ARQ\nGoodput (kbit/s): 30\n95 % interval [5.159, 54.84]\n3 runs"
        )


def test_axis__holds_the_single_pairs_beyond_the_interval() -> None:
    tcps, schemes = Members("tcp", tcp_styles(["cubic"])), Members("scheme", scheme_styles(["ARQ"], ["arq"]))
    row = {"tcp": "CUBIC", "scheme": "ARQ", "mean": 1.0, "low": -10.0, "high": 12.0, "runs": 2, "paper": None}
    row |= {"capacity": None, "tcp_letters": "", "scheme_letters": "", "seeds": [-104.0, 106.0]}
    spec = filled(compare_chart(tcps, schemes, zero=True), [row], configuration(tcps.styles))
    drawing = vl_convert.vegalite_to_svg(spec)
    (axis,) = re.findall(r'role-axis-domain"[^>]*><line [^>]*x2="(\d+)" y2="0"', drawing)
    dots = re.findall(r'transform="translate\(([-.\d]+),[-.\d]+\)" d="M1.581', drawing)
    assert len(dots) == 2
    assert all(0 <= float(dot) <= int(axis) for dot in dots), (dots, axis)
