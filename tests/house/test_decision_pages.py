"""The pages that answer in one page: what they say holds in the tables that programs write."""

import re
from pathlib import Path

import pandas as pd
import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


def read_page(name: str) -> str:
    return " ".join((DOCS / name).read_text(encoding="utf-8").split())


@pytest.mark.parametrize("name", ["harq-feedback", "which-transport", "queue-length"])
def test_page__is_short_and_ends_with_a_command(name: str) -> None:
    text = (DOCS / f"{name}.md").read_text(encoding="utf-8")
    words = re.sub(r"\]\([^)]*\)|```.*?```", "", text, flags=re.DOTALL).split()
    assert len(words) < 300
    assert text.count("](images/") == 1
    assert "\n```sh\ntmt " in text[len(text) // 2 :]


def test_feedback__threshold_is_the_number_of_processes_in_slots() -> None:
    assert "slots and decode times of 1 ms, up to N - 1 ms" in read_page("harq-feedback.md")
    rows = re.findall(
        r"^\| [^|]+ \| (\d+) \| \d+ \| ([\d.]+) ±",
        (DOCS / "ntn.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    assert len(rows) == 6
    for processes, threshold_ms in rows:
        assert int(processes) - 1 <= float(threshold_ms) < 1.05 * (int(processes) - 1)


def test_feedback__is_on_over_leo_and_off_over_meo_and_geo() -> None:
    page = read_page("harq-feedback.md")
    assert "no other link layer delivers more" in page
    assert "a sliding window in its place, with or without RLC AM" in page
    assert "RLC AM gives it at least three times the goodput" in page
    flows = pd.read_csv(DOCS / "ntn-flows.csv").query(
        "channel == 'satellite channel' and sender == 'ns-2' and control == 'CUBIC'"
    )
    best = {
        orbit: set(own["link_layer"]) for orbit, own in flows.dropna(subset="goodput_rank").groupby("orbit")
    }
    assert "HARQ, 32 processes" in best["LEO"]
    assert best["MEO"] == best["GEO"] == {"sliding window", "sliding window + RLC AM"}
    goodput = flows.pivot_table(index="orbit", columns="link_layer", values="goodput_kbps")
    assert (goodput["off + RLC AM"] >= 3 * goodput["off, k = 1"]).all()


def test_transport__bbr_where_losses_reach_it_and_neither_where_they_are_repaired() -> None:
    page = read_page("which-transport.md")
    assert (
        "Where losses reach the transport, take BBR. Where a link layer repairs them, CUBIC has the same"
        in page
    )
    assert "Beside CUBIC or BBRv3, BBRv1 takes more than half of every link." in page
    runs = pd.read_csv(DOCS / "variants-beside.csv")
    for link, own in runs[runs["beside"] == "alone"].groupby("link"):
        alone = own.set_index("variant")
        for bbr in ("bbr", "bbr3"):
            if "ARQ" in link:
                assert alone.loc[bbr, "goodput_bps_low"] <= alone.loc["cubic", "goodput_bps_high"]
                assert alone.loc["cubic", "goodput_bps_low"] <= alone.loc[bbr, "goodput_bps_high"]
            elif "lost" in link:
                assert alone.loc[bbr, "goodput_bps_low"] > alone.loc["cubic", "goodput_bps_high"]
    assert (runs.query("variant == 'bbr' and beside != 'alone'")["share_low"] > 0.5).all()
    shares = runs[
        runs["link"].str.contains("ARQ") & (runs["variant"] == "bbr3") & (runs["beside"] == "cubic")
    ]
    assert (shares["share"] < 0.6).all()


def test_queue__in_time_where_the_rate_falls_and_no_aqm_over_geo() -> None:
    page = read_page("queue-length.md")
    assert "a bound in time, with packets dropped at the head: the queue is short again at once" in page
    assert "no CoDel, PIE or DualPI2 with their usual parameters: they cost most of CUBIC's goodput" in page
    assert "1000 packets at 2 Mbit/s are six seconds" in page  # 1000 x 12,000 bits / 2e6 bit/s
    runs = pd.read_csv(DOCS / "bufferbloat.csv")
    heads = runs.query("link == 'rate step' and queue == 'droptail drop=head'")
    assert len(heads) > 4
    assert (heads["recovery_s"] < 0.1).all()
    geo = runs.query("link == 'satellite, ARQ' and variant == 'CUBIC'").set_index("queue")["goodput_bps"]
    assert (geo[["codel", "pie", "dualpi2"]] < geo["droptail"] / 2).all()
