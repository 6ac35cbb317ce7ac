"""A small real campaign with names that no page should trust, its report, and a browser to open it in."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright
from waiting import PATIENCE_S

from tmt import read_results, run_scenario

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"]

HOSTILE = """</script><script>alert('mark')</script><img src=x onerror=alert(2)> "quoted" & co"""

SCENARIO = """
title = '''Small & <b>hostile</b> {hostile}'''
description = "Two variants over two schemes; <i>its text is text</i>."

published = "published.csv"
seeds = {seeds}
records = [1]
timeout = {timeout}

[[trace]]
channel = {{ name = "bernoulli", probability = 0.01 }}
rate = 1e6
length = 12
lldu_bytes = 500
label = '''{hostile} loss 1 %'''

[[trace]]
channel = {{ name = "bernoulli", probability = 0.05 }}
rate = 1e6
length = 12
lldu_bytes = 500
label = '''{hostile} loss 5 %'''

[[scheme]]
name = "none"

[[scheme]]
name = "arq"

[path]
rtt = {rtt}
queue_packets = 20
window_packets = 40

[[traffic]]
tcp = ["newreno", "cubic"]
duration = {duration}
"""

PUBLISHED = """column,tcp,scheme,probability,value,error,source
goodput_bps,cubic,ARQ,0.05,700000,20000,"<b>Nobody</b> 2000, figure 1"
goodput_bps,newreno,ARQ,0.05,900000,10000,=1+1 of Nobody 1999
goodput_bps,cubic,HARQ(10/12),0.05,700000,20000,a scheme that was not run
"""


@pytest.fixture(scope="session")
def campaign_folder(simulator: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results of 24 runs of ns-2 that went well and of 8 that had no time to."""
    assert simulator
    base = tmp_path_factory.mktemp("campaign")
    (base / "published.csv").write_text(PUBLISHED)
    # A long run cannot end before a busy machine looks at its time.
    for name, seeds, rtt, duration, timeout in (("hasty", 1, 0.2, 10_000, 0.001), ("good", 3, 0.1, 6, 60)):
        scenario = base / f"{name}.toml"
        values = {"seeds": seeds, "rtt": rtt, "duration": duration, "timeout": timeout}
        scenario.write_text(SCENARIO.format(hostile=HOSTILE, **values))
        run_scenario(scenario, base / "results", jobs=2)
    return base / "results"


@pytest.fixture(scope="session")
def page(campaign_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The campaign's page."""
    from tmt.show.page.report_page import write_report

    results = read_results(campaign_folder)
    return next(iter(write_report(results, tmp_path_factory.mktemp("report"), figures=False)))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium, driven by Playwright."""
    executable = shutil.which("chromium")
    if executable is None:
        pytest.fail("no Chromium: run `make test-packages`")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=executable, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture
def opened(browser: Browser, page: Path) -> Iterator[Callable[..., Page]]:
    """Give a function that opens the report in a window; problems and requests fail the test at its end."""
    with _windows(browser, page) as show:
        yield show


@pytest.fixture(scope="module")
def window(browser: Browser, page: Path) -> Iterator[Page]:
    """A window with the report for all tests, as opening takes seconds; they leave its choices alone."""
    with _windows(browser, page) as show:
        yield show()


@pytest.fixture(scope="module")
def phone(browser: Browser, page: Path) -> Iterator[Page]:
    """The same in a narrow and dark window."""
    with _windows(browser, page) as show:
        yield show(width=390, scheme="dark")


@contextmanager
def _windows(browser: Browser, page: Path) -> Iterator[Callable[..., Page]]:
    contexts: list[BrowserContext] = []
    problems: list[str] = []
    requests: list[str] = []

    def show(fragment: str = "", *, width: int = 1280, scheme: Literal["light", "dark"] = "light") -> Page:
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        contexts.append(context)
        context.set_default_timeout(1000 * PATIENCE_S)
        tab = context.new_page()
        tab.on("console", lambda message: problems.append(message.text))
        tab.on("pageerror", lambda error: problems.append(str(error)))
        tab.on("dialog", lambda dialog: (problems.append(dialog.message), dialog.dismiss()))
        tab.on("request", lambda request: requests.append(request.url))
        tab.goto(page.as_uri() + fragment)
        tab.wait_for_function("[...document.querySelectorAll('.plot')].every((p) => p.dataset.drawn)")
        return tab

    yield show
    for context in contexts:
        context.close()
    assert problems == []
    assert [url for url in requests if not url.startswith((page.as_uri(), "blob:", "data:"))] == []
