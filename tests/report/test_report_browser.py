"""The page in a browser: real results, hostile names, a desktop's and a phone's window, a keyboard."""

import csv
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.ns2

MARKS = "#compare-view .role-mark [aria-label]"


def _rows(page: Page, table: str) -> int:
    return int(page.locator(f"#{table} .count").inner_text().split(maxsplit=1)[0])


def _choose(page: Page, label: str, option: str) -> None:
    """Choose an option of the list that has this label."""
    chooser = page.locator("#controls .chooser").filter(has_text=re.compile(f"^{label}"))
    chooser.locator("select").select_option(option)


def _chip(page: Page, label: str) -> Locator:
    """Return the check box of a TCP variant or a scheme."""
    return page.locator("#controls .chip").filter(has_text=label).locator("input")


def _after(page: Page, view: str, action: Callable[[], Any]) -> None:
    """Act, and wait until the chart of a view is drawn anew."""
    plot = f"document.querySelector('#{view} .plot').dataset.drawn"
    before = page.evaluate(plot)
    action()
    page.wait_for_function(f"{plot} !== '{before}'")


def _reset(page: Page) -> None:
    _after(page, "compare-view", page.get_by_role("button", name="Reset").click)


def _download(page: Page, place: str, button: str, path: Path) -> str:
    with page.expect_download() as download:
        page.locator(place).get_by_role("button", name=button).first.click()
    download.value.save_as(path)
    return path.read_text(encoding="utf-8")


def _done(folder: Path) -> pd.DataFrame:
    rows = pd.read_parquet(folder / "results.parquet")
    return rows[rows["status"] == "done"]


@pytest.mark.parametrize(
    ("name", "width", "ground"), [("window", 1280, "rgb(255, 255, 255)"), ("phone", 390, "rgb(20, 24, 28)")]
)
def test_page__opens_in_every_window_without_a_problem_or_a_request(
    name: str, width: int, ground: str, request: pytest.FixtureRequest
) -> None:
    page: Page = request.getfixturevalue(name)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator(".plot svg").count() >= 6
    places = "[...document.querySelectorAll('.plot, .scroll')]"
    cut_off = page.evaluate(
        f"{places}.filter((n) => n.scrollWidth > n.clientWidth + 1).map((n) => n.ariaLabel)"
    )
    assert width < 600 or cut_off == []
    background = page.evaluate("getComputedStyle(document.querySelector('.plot svg')).backgroundColor")
    assert background == ground


def test_chooser__takes_at_most_80_of_900_pixels(window: Page) -> None:
    box = window.locator("#chooser").bounding_box()
    assert box["height"] <= 80


def test_page__shows_hostile_names_as_text(window: Page) -> None:
    assert window.locator("script").count() == 3
    assert window.locator("img, h1 b, main i").count() == 0
    assert "<script>alert('mark')</script>" in window.locator("h1").inner_text()
    assert "<b>Nobody</b>" in window.locator("#paper-table").inner_text()


def test_chips__filter_charts_and_tables(window: Page, campaign_folder: Path) -> None:
    runs, page = _done(campaign_folder), window
    assert _rows(page, "runs-table") == len(runs) == 24
    assert page.locator(MARKS).count() == 4, "two variants over two schemes at one point"
    _after(page, "compare-view", _chip(page, "CUBIC").uncheck)
    assert page.locator(MARKS).count() == 2
    assert _rows(page, "runs-table") == (runs["tcp"] == "newreno").sum()
    assert "CUBIC" not in page.locator("#compare-view svg").inner_html()
    _after(page, "compare-view", _chip(page, "New Reno").uncheck)
    assert "Nothing to draw" in page.locator("#compare-view").inner_text()
    _reset(page)
    assert page.locator(MARKS).count() == 4


def test_choice__moves_the_charts_and_stays_in_the_address(opened: Callable[..., Page], window: Page) -> None:
    page = window
    caption = page.locator("#compare-view figcaption")
    assert "probability 0.01" in caption.inner_text()
    _choose(page, "probability", "0.05")
    _choose(page, "Group by", "TCP variant")
    _after(page, "compare-view", lambda: _choose(page, "Measure", "Retransmissions"))
    again = opened(page.evaluate("location.hash"))
    _reset(page)
    text = again.locator("#compare-view figcaption").inner_text()
    assert re.match(r"Retransmissions \(%\) with probability 0.05", text)
    labels = again.locator("#compare-view svg .role-axis text").all_text_contents()
    assert "ARQ" in labels
    assert "CUBIC" not in labels, "schemes are inside variants now"


def test_numbers__are_the_results_beside_letters_and_published_values(
    window: Page, campaign_folder: Path, tmp_path: Path
) -> None:
    page = window
    _after(page, "compare-view", lambda: _choose(page, "probability", "0.05"))
    text = _download(page, "#compare-view", "Data (CSV)", tmp_path / "compare.csv")
    shown: dict[Any, float] = {}
    for row in csv.DictReader(text.splitlines()):
        unit = next(name for name in row if name.startswith("Goodput"))
        shown[row["TCP"], row["scheme"]] = float(row[unit]) * (1000 if "kbit" in unit else 1_000_000)
    runs = _done(campaign_folder)
    means = runs[runs["trace"].str.contains("loss 5")].groupby(["tcp", "scheme"])["goodput_bps"].mean()
    names = {"newreno": "New Reno", "cubic": "CUBIC"}
    expected = {(names[tcp], scheme): value for (tcp, scheme), value in means.items()}
    assert shown == pytest.approx(expected, rel=1e-4)  # the page carries five digits
    told = [mark.get_attribute("aria-label") or "" for mark in page.locator(MARKS).all()]
    (beside,) = [text for text in told if "Nobody</b>" in text]
    assert beside.startswith("CUBIC, ARQ\nGoodput")
    assert beside.endswith("<b>Nobody</b> 2000, figure 1: 700")
    texts = page.locator("#compare-view svg text").all_text_contents()
    assert {"a", "b", "ab"} & set(texts)
    _reset(page)


def test_charts__are_saved_as_whole_svgs(window: Page, tmp_path: Path) -> None:
    for view in ("compare", "sweep", "trade", "delay", "distribution", "timeline", "channel"):
        drawing = _download(window, f"#{view}-view", "Picture (SVG)", tmp_path / f"{view}.svg")
        assert drawing.startswith("<svg"), view
        assert "var(" not in drawing, view
        assert drawing.count("<text") > 5, view


def test_csv__keeps_text_from_being_a_formula(window: Page, tmp_path: Path) -> None:
    text = _download(window, "#paper-table", "Download", tmp_path / "paper.csv")
    sources = [row["Source"] for row in csv.DictReader(text.splitlines())]
    assert sources == ["<b>Nobody</b> 2000, figure 1", "'=1+1 of Nobody 1999"]
    assert re.search(r",-\d", text), "a negative deviation stays a number"


def test_table__sorts_filters_and_widens(window: Page) -> None:
    table = window.locator("#runs-table table")
    heads = table.locator("thead tr:first-child th:visible").all_inner_texts()
    assert [head.split()[0] for head in heads][:5] == ["tcp", "scheme", "probability", "seed", "goodput_bps"]
    column = 4
    head = table.locator("thead tr:first-child th").nth(column)

    def values() -> list[float]:
        return [float(text) for text in table.locator(f"tbody td:nth-child({column + 1})").all_inner_texts()]

    head.get_by_role("button").click()
    ascending = values()
    assert ascending == sorted(ascending)
    assert head.get_attribute("aria-sort") == "ascending"
    head.get_by_role("button").click()
    assert values() == sorted(ascending, reverse=True)
    field = window.get_by_label("Filter goodput_bps")
    limit = ascending[9]
    for query, expected in ((f">{limit}", 14), (f"<= {limit}", 10), ("no such text", 0), ("", 24)):
        field.fill(query)
        assert _rows(window, "runs-table") == expected, query
    window.locator("#runs-table").get_by_role("button", name="All columns").click()
    assert table.locator("thead tr:first-child th:visible").count() > len(heads)


def test_keyboard__reaches_marks_and_chips(opened: Callable[..., Page]) -> None:
    page = opened()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the results"
    page.locator("#compare-view .plot").focus()
    tip = page.locator("#tip")
    page.keyboard.press("ArrowRight")
    first = tip.inner_text()
    assert first.startswith("New Reno, none")
    page.keyboard.press("ArrowRight")
    assert tip.inner_text() != first
    page.keyboard.press("Escape")
    assert tip.is_hidden()
    _chip(page, "CUBIC").focus()
    page.keyboard.press(" ")
    assert not _chip(page, "CUBIC").is_checked()


def test_pointer__shows_what_a_mark_says(window: Page) -> None:
    mark = window.locator(MARKS).first
    mark.scroll_into_view_if_needed()
    mark.hover()
    tip = window.locator("#tip")
    tip.wait_for()
    assert tip.inner_text() == mark.get_attribute("aria-label")


def test_controls__have_names_for_assistive_technology(window: Page) -> None:
    for role in ("button", "checkbox", "combobox", "searchbox", "link", "table", "region"):
        everything = window.get_by_role(role)
        named = window.get_by_role(role, name=re.compile(r"\S"))
        assert everything.count() == named.count() > 0, role
    levels = window.evaluate("[...document.querySelectorAll('h1, h2, h3')].map((h) => h.tagName)")
    assert levels[0] == "H1"
    assert levels.count("H1") == 1
    assert window.evaluate("document.documentElement.lang") == "en"


def test_courses__lie_over_each_other(window: Page, campaign_folder: Path) -> None:
    kept, page = _done(campaign_folder)["records"].notna().sum(), window
    view = page.locator("#timeline-view")
    view.get_by_text("Choose runs").click()
    boxes = view.get_by_role("checkbox")
    assert boxes.count() == kept == 8
    assert view.get_by_role("checkbox", checked=True).count() == 2
    text = " ".join(view.locator("svg text").all_text_contents())
    panels = ("Offered capacity", "Queue length", "Congestion window", "round-trip time", "One-way delay")
    assert all(panel in text for panel in panels)
    unchosen = view.get_by_role("checkbox", checked=False).first
    _after(page, "timeline-view", unchosen.check)
    assert view.locator("svg .role-legend-label text, svg .role-legend-label").count() >= 3
    assert page.locator("#distribution-view svg").count() == 1
    channel = " ".join(page.locator("#channel-view svg text").all_text_contents())
    assert "slots erased" in channel


def test_failures__stand_with_command_line_and_last_output(window: Page) -> None:
    failures = window.locator(".failure").all_inner_texts()
    assert len(failures) == 8
    assert all("timed out" in text for text in failures)


def test_settings__fit_on_a_phone(phone: Page) -> None:
    """A row has the whole width, and none of its texts needs more than a quarter of the window."""
    frames = phone.locator("#setup .scroll")
    for frame in frames.all():
        assert frame.evaluate("e => e.scrollWidth <= e.clientWidth")
    heights = phone.locator("#setup tbody tr").evaluate_all("rows => rows.map((row) => row.offsetHeight)")
    assert len(heights) > 20
    assert max(heights) <= 900 / 4
    assert phone.locator("#setup tr", has_text="forward_sha256").locator("summary").count() == 1


def test_courses__keep_the_size_of_their_text_on_a_phone(phone: Page) -> None:
    """A drawing that is wider than its place would be made smaller, text and all."""
    for name in ("timeline", "channel"):
        plot = phone.locator(f"#{name}-view .plot")
        assert plot.evaluate("e => e.querySelector('svg').getAttribute('width') <= e.clientWidth"), name
