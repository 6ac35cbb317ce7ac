"""The page is one file without dependencies, with any names in it."""

import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from result_rows import frame, run

from tmt.results.dataset import Failure, Results, find_axes
from tmt.show.page.campaign_page import fit
from tmt.show.page.page import embedded_json
from tmt.show.page.report_page import render

MEGABYTE = 1_000_000


class _Outline(HTMLParser):
    """Notes the elements of a page, and the addresses that it names."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in {"src", "href", "action", "data"}]


def _page(runs: list[dict[str, object]], **more: object) -> str:
    results = Results("made", "", frame(runs), **more)
    return render(results, results.cells)


@settings(max_examples=60)
@given(st.text() | st.sampled_from(["</script>", "<!--<script>", "]]>", "\u2028", "&lt;"]))
def test_embedded_json__cannot_end_its_element_and_keeps_the_text(text: str) -> None:
    written = embedded_json({"name": text})
    assert not re.search("[<>&\u2028\u2029]", written)
    assert json.loads(written)["name"] == text


def test_page__names_no_address_outside_itself() -> None:
    outline = _Outline()
    outline.feed(_page([run(seed=seed) for seed in (1, 2)]))
    assert outline.addresses
    assert [a for a in outline.addresses if not a.startswith(("#", "data:,"))] == []
    assert "link" not in outline.elements or outline.elements.count("link") == 1


def test_page__has_the_same_elements_whatever_the_names() -> None:
    def elements(mark: str) -> list[str]:
        outline = _Outline()
        failure = Failure(f"run {mark}", f"failed {mark}", f"ns {mark}", f"said {mark}")
        runs = [run(tcp=f"{mark}tcp", scheme=f"{mark}s", trace=f"t{mark}", seed=seed) for seed in (1, 2)]
        outline.feed(_page(runs, failures=(failure,), scenario_text=f"title = {mark}"))
        return outline.elements

    assert elements("</pre></script><script>alert(1)</script>'\"<img src=x>") == elements("plain")


def test_page__of_many_runs_stays_under_6_megabytes_and_says_what_it_leaves_out() -> None:
    # 30,000 runs in 60 cells, as of a large campaign.
    runs = [
        run(
            tcp=tcp,
            scheme=scheme,
            seed=seed,
            goodput_bps=1e6 + seed,
            delay_p95_s=0.5 + seed / 1e6,
            segments_sent=seed,
        )
        for tcp in ("newreno", "westwood", "hybla", "cubic", "compound")
        for scheme in ("none", "ARQ", "FEC(10/12)")
        for seed in range(1, 2001)
    ]
    page = _page(runs)
    assert len(page.encode()) < 6 * MEGABYTE
    found = re.search(r"The table of runs shows the first (\d+) of 30000 runs", page)
    rows = json.loads(page.split('id="data">')[1].split("</script>")[0])["tables"]["runs"]["rows"]
    assert (found is None) == (len(rows) == 30_000)


def test_page__opens_on_todays_stack() -> None:
    runs = frame([run(stack=stack, seed=seed) for stack in ("2009", "linux", "modern") for seed in (1, 2)])
    results = Results("made", "", runs, find_axes(runs))
    page = render(results, results.cells)
    data = json.loads(page.split('id="data">')[1].split("</script>")[0])
    (axis,) = data["axes"]
    assert axis["values"][data["points"][data["opens"]][0]] == "modern"


def test_page__of_failed_runs_only_tells_about_them() -> None:
    runs = frame([run()]).iloc[:0]
    results = Results("made", "", runs, failures=(Failure("cubic, ARQ", "timed out", "ns x", "said y"),))
    page = render(results, results.cells)
    assert "timed out" in page
    assert 'id="compare"' not in page


@pytest.mark.parametrize("seeds", [1, 4])
def test_page__says_whether_chance_can_be_told(seeds: int) -> None:
    runs = [
        run(tcp=tcp, seed=seed, goodput_bps=1e6 * gain + 1000 * seed)
        for seed in range(1, seeds + 1)
        for tcp, gain in (("cubic", 2), ("newreno", 1))
    ]
    page = _page(runs)
    assert ("in a single run" in page) == (seeds == 1)
    assert ("CUBIC over ARQ delivers most: 2" in page) == (seeds > 0)


def test_page__tells_how_many_seeds_a_wished_precision_needs() -> None:
    # Goodputs 900, 1000, 1100: deviation 10 % of the mean. t(0.975, 17) * 10 / sqrt(18) = 2.110 * 2.357
    # = 4.97 %, and one seed fewer gives 2.120 * 2.425 = 5.14 %.
    page = _page([run(seed=seed, goodput_bps=1e5 * (8 + seed)) for seed in (1, 2, 3)])
    assert "to within 50 kbit/s (5 % of the largest), about 18 seeds would be needed; there are 3." in page
    sure = _page([run(seed=seed, goodput_bps=1e6 + 1000 * seed) for seed in (1, 2, 3)])
    assert "seeds would be needed" not in sure


@pytest.mark.parametrize(("tcps", "ratio", "said"), [(2, 0.0, True), (1, 0.0, False), (2, 0.01, False)])
def test_page__warns_of_variants_compared_over_a_link_without_losses(
    tcps: int, ratio: float, said: bool
) -> None:
    page = _page([run(tcp=tcp, lldu_loss_ratio=ratio) for tcp in ("cubic", "bbr")[:tcps]])
    assert ("holds no losses: only full queues drop packets" in page) == said


def test_page__tells_of_acks_that_fill_the_return_link() -> None:
    full = _page([run(return_ack_load=0.97, return_queue_dropped=1200), run(seed=2, return_ack_load=0.5)])
    assert "Acknowledgements fill the return link of" in full
    assert "in some runs: they take 97 % of it, and its queue dropped 1,200 of them." in full
    assert "acknowledgements fill" not in _page([run(return_ack_load=0.5, return_queue_dropped=0)])


def test_settings__of_many_parameters_open_on_demand() -> None:
    parameters = json.dumps({f"parameter_{i}": i for i in range(40)})
    page = _page([run(seed=seed, trace_parameters=parameters) for seed in (1, 2)])
    cell = page.split(">trace_parameters</th>")[1].split("</tr>")[0]
    shown, opened = cell.split("<details")
    assert "parameter_0" in shown
    assert "parameter_39" not in shown
    assert "parameter_39" in opened


@pytest.mark.parametrize(
    ("parameters", "shown"),
    [
        (['{"file": "a, b.csv", "every": 1}'], "file a, b.csv, every 1"),
        (['{"data": 10, "loss": null}', "{}"], "data 10, loss not set; none"),
    ],
)
def test_settings__show_json_objects_by_their_members(parameters: list[str], shown: str) -> None:
    page = _page([run(seed=seed, trace_parameters=text) for seed, text in enumerate(parameters)])
    cell = page.split(">trace_parameters</th>")[1].split("</tr>")[0]
    assert f">{shown}</td>" in cell


def _data(points: int) -> dict[str, Any]:
    cells = [[point, [1.5] * 100, [1.5] * 30] for point in range(points)]
    return {
        "points": [[point] for point in range(points)],
        "rows": {
            "compare": {"names": ["point", "seeds", "mean"], "rows": cells},
            "timeline": {"names": ["point", "value"], "rows": [[points - 1, [1.5] * 2000]]},
        },
        "tables": {"differences": {"rows": [["x" * 100]] * 100, "keys": [[0]] * 100}},
    }


def _size(data: dict[str, Any]) -> int:
    return len(json.dumps(data, separators=(",", ":")))


def test_fit__leaves_a_page_that_fits_as_it_is() -> None:
    data = _data(10)
    assert fit(data, _size(data)) == []
    assert data == _data(10)


def test_fit__removes_single_values_differences_courses_and_points_in_this_order() -> None:
    whole = _size(_data(100))
    single, differences, courses = 100 * 399, 100 * 104, 2000 * 4

    first = _data(100)
    assert len(fit(first, whole - 1000)) == 1
    assert first["tables"]["differences"]["rows"]

    second = _data(100)
    assert len(fit(second, whole - single - 1000)) == 2
    assert second["rows"]["timeline"]["rows"]

    third = _data(100)
    assert len(fit(third, whole - single - differences - 1000)) == 3
    assert third["rows"]["timeline"]["rows"] == []
    assert len(third["points"]) == 100

    fourth = _data(100)
    most = whole - single - differences - courses - 3000
    warnings = fit(fourth, most)
    kept = len(fourth["points"])
    assert f"the first {kept} of 100 points" in warnings[-1]
    assert 50 < kept < 100
    assert {row[0] for row in fourth["rows"]["compare"]["rows"]} == set(range(kept))
    assert _size(fourth) <= most
