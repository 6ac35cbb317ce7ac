"""The page in a browser: real results, hostile names, a desktop's and a phone's window, a keyboard."""

from __future__ import annotations

import csv
import json
import time
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from browser import Browser

pytestmark = pytest.mark.ns2

DESKTOP, PHONE = 1200, 390


def _rows(browser: Browser, place: str) -> int:
    text: str = browser.run(f"document.querySelector('#{place} .count').textContent")
    return int(text.split(maxsplit=1)[0])


def _choose(browser: Browser, label: str, option: str) -> None:
    """Choose an option of the list that is labelled so, as a reader does."""
    browser.run(
        f"""(() => {{
          const labels = [...document.querySelectorAll('label')];
          const label = labels.find((l) => l.textContent.startsWith({json.dumps(label)}));
          const list = label.querySelector('select');
          list.value = [...list.options].find((o) => o.textContent === {json.dumps(option)}).value;
          list.dispatchEvent(new Event('change'));
        }})()"""
    )


def _click(browser: Browser, place: str, text: str) -> None:
    browser.run(
        f"[...document.querySelectorAll('{place} button, {place} .chip')]"
        f".find((b) => b.textContent.includes({json.dumps(text)})).click()"
    )


def _download(browser: Browser, folder: Path, place: str, text: str) -> Path:
    """Click a button and return the file that the browser saves."""
    browser.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
    _click(browser, place, text)
    end = time.monotonic() + 20
    while not (done := [p for p in folder.iterdir() if p.suffix in {".csv", ".svg"}]):
        assert time.monotonic() < end, "nothing was downloaded"
        time.sleep(0.05)
    return done[0]


def _done(folder: Path) -> pd.DataFrame:
    rows = pd.read_parquet(folder / "results.parquet")
    return rows[rows["status"] == "done"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [DESKTOP, PHONE])
def test_page__opens_without_a_problem_or_a_request(
    browser: Browser, page: Path, width: int, scheme: str
) -> None:
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.call("Emulation.setEmulatedMedia", features=features)
    browser.open(page, width=width)
    assert browser.problems == []
    assert browser.requests == [page.as_uri()]
    assert browser.run("document.documentElement.scrollWidth") <= width
    assert browser.run("document.querySelectorAll('svg.chart').length") >= 5


def test_page__shows_hostile_names_as_text(browser: Browser, page: Path) -> None:
    browser.open(page)
    assert browser.run("document.querySelectorAll('script').length") == 2
    assert browser.run("document.querySelectorAll('img, h1 b, main i').length") == 0
    assert "<script>alert('mark')</script>" in browser.run("document.querySelector('h1').textContent")
    assert "<b>Nobody</b>" in browser.run("document.querySelector('#paper-table').textContent")
    assert browser.problems == []


def test_chips__choose_what_pictures_and_tables_show(
    browser: Browser, page: Path, campaign_folder: Path
) -> None:
    runs = _done(campaign_folder)
    browser.open(page)
    assert _rows(browser, "runs-table") == len(runs) == 24
    marks = browser.run("document.querySelectorAll('#compare-view .mark').length")
    assert marks == 4  # two variants over two schemes at one point
    _click(browser, "#controls", "CUBIC")
    assert browser.run("document.querySelectorAll('#compare-view .mark').length") == 2
    assert _rows(browser, "runs-table") == (runs["tcp"] == "newreno").sum()
    assert "CUBIC" not in browser.run("document.querySelector('#compare-view svg').textContent")
    _click(browser, "#controls", "New Reno")
    assert "Nothing to draw" in browser.run("document.querySelector('#compare-view').textContent")
    _click(browser, "#controls", "Reset")
    assert browser.run("document.querySelectorAll('#compare-view .mark').length") == 4
    assert browser.problems == []


def test_grid_point__moves_the_pictures_and_survives_in_the_address(browser: Browser, page: Path) -> None:
    browser.open(page)
    caption = "document.querySelector('#compare-view figcaption').textContent"
    assert "probability 0.01" in browser.run(caption)
    _choose(browser, "probability", "0.05")
    assert "probability 0.05" in browser.run(caption)
    _choose(browser, "Measure", "TCP retransmissions")
    fragment = browser.run("location.hash")
    browser.open(page, fragment=fragment)
    assert "TCP retransmissions with probability 0.05" in browser.run(caption)
    assert browser.problems == []


def test_numbers__are_those_of_the_results(
    browser: Browser, page: Path, campaign_folder: Path, tmp_path: Path
) -> None:
    browser.open(page)
    _choose(browser, "probability", "0.05")
    saved = _download(browser, tmp_path, "#compare-view", "Data (CSV)")
    shown: dict[Any, float] = {}
    with saved.open(newline="") as file:
        for row in csv.DictReader(file):
            unit = next(name for name in row if name.startswith("Goodput"))
            scale = 1000 if "kbit" in unit else 1_000_000
            shown[row["TCP"], row["scheme"]] = float(row[unit]) * scale
    runs = _done(campaign_folder)
    means = runs[runs["trace"].str.contains("loss 5")].groupby(["tcp", "scheme"])["goodput_bps"].mean()
    names = {"newreno": "New Reno", "cubic": "CUBIC"}
    expected = {(names[tcp], scheme): value for (tcp, scheme), value in means.items()}
    assert shown == pytest.approx(expected, rel=1e-4)  # the page carries five digits


def test_picture__is_saved_as_an_svg_that_stands_alone(browser: Browser, page: Path, tmp_path: Path) -> None:
    browser.open(page)
    saved = _download(browser, tmp_path, "#compare-view", "Picture (SVG)")
    drawing = saved.read_text()
    assert drawing.startswith("<svg")
    assert "var(" not in drawing
    browser.open(saved)
    assert browser.run("document.querySelectorAll('text').length") > 10
    assert browser.problems == []


def test_table__sorts_and_filters(browser: Browser, page: Path) -> None:
    browser.open(page)
    table = "document.querySelector('#runs-table table')"
    browser.run(
        """(() => {
          const heads = [...document.querySelectorAll('#runs-table thead tr:first-child button')];
          window.column = heads.findIndex((h) => h.textContent.startsWith('goodput_bps'));
          heads[window.column].click();
        })()"""
    )
    values = f"[...{table}.tBodies[0].rows].map((r) => Number(r.cells[window.column].textContent))"
    ascending = browser.run(values)
    assert ascending == sorted(ascending)
    assert browser.run(f"{table}.tHead.rows[0].cells[window.column].getAttribute('aria-sort')") == "ascending"
    browser.run(f"{table}.tHead.rows[0].cells[window.column].querySelector('button').click()")
    assert browser.run(values) == sorted(ascending, reverse=True)
    limit = ascending[9]
    for query, expected in ((f">{limit}", 14), (f"<= {limit}", 10), ("no such text", 0), ("", 24)):
        browser.run(
            f"""(() => {{
              const field = {table}.tHead.rows[1].cells[window.column].querySelector('input');
              field.value = {json.dumps(query)};
              field.dispatchEvent(new Event('input'));
            }})()"""
        )
        assert _rows(browser, "runs-table") == expected, query
    assert browser.problems == []


def test_keyboard__reaches_marks_and_chips(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.press("Tab")
    assert browser.run("document.activeElement.textContent") == "Skip to the results"
    browser.run("document.querySelector('#compare-view svg').focus()")
    browser.press("ArrowRight")
    assert browser.run("document.querySelector('#tip').hidden") is False
    first = browser.run("document.querySelector('#tip').textContent")
    browser.press("ArrowRight")
    assert browser.run("document.querySelector('#tip').textContent") != first
    browser.press("Escape")
    assert browser.run("document.querySelector('#tip').hidden") is True
    browser.run("document.querySelector('.chip input').focus()")
    browser.press(" ")
    assert browser.run("document.querySelector('.chip input').checked") is False


def test_controls__have_names_for_those_who_do_not_see_them(browser: Browser, page: Path) -> None:
    browser.open(page)
    nodes = browser.call("Accessibility.getFullAXTree")["nodes"]
    wanted = {"button", "checkbox", "combobox", "searchbox", "link", "img", "table", "region"}
    found = [node for node in nodes if node.get("role", {}).get("value") in wanted and not node["ignored"]]
    assert len(found) > 40
    nameless = [node["role"]["value"] for node in found if not node.get("name", {}).get("value", "").strip()]
    assert nameless == []
    levels = browser.run("[...document.querySelectorAll('h1, h2, h3')].map((h) => h.tagName)")
    assert levels[0] == "H1"
    assert levels.count("H1") == 1
    assert browser.run("document.documentElement.lang") == "en"


def test_timelines__show_the_runs_that_kept_their_records(
    browser: Browser, page: Path, campaign_folder: Path
) -> None:
    kept = _done(campaign_folder)["records"].notna().sum()
    browser.open(page)
    assert browser.run("document.querySelectorAll('#timeline-view option').length") == kept == 8
    caption = "document.querySelector('#timeline-view figcaption').textContent"
    first = browser.run(caption)
    browser.run(
        "(() => { const list = document.querySelector('#timeline-view select');"
        " list.value = (Number(list.value) + 1) % 8; list.dispatchEvent(new Event('change')); })()"
    )
    assert browser.run(caption) != first
    assert browser.run("document.querySelectorAll('#timeline-view svg path').length") >= 4
    assert browser.run("document.querySelectorAll('#distribution-view svg').length") == 1
    assert browser.problems == []


def test_failures__stand_with_command_line_and_last_output(browser: Browser, page: Path) -> None:
    browser.open(page)
    failures = browser.run("[...document.querySelectorAll('.failure')].map((f) => f.textContent)")
    assert len(failures) == 24
    assert all("timed out" in text for text in failures)
