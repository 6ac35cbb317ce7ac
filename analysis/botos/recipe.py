"""The recipe: runs to figures, to what the paper says of them, and to a page."""

from __future__ import annotations

import shutil
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from analysis.botos import figures, losses, runs
from analysis.botos.statements import Throughputs, judge
from analysis.kept_runs import script_runs
from tmt.io.atomic import staged

PAGE = "fectcp-wlan.md"
PICTURES = {
    "fectcp-figure1": "Distance between lost packets, and how often two are lost in a row",
    "fectcp-figure3": "Throughput over segment loss, 20 ms",
    "fectcp-figure4": "Throughput over segment loss, 100 ms",
    "fectcp-figure5": "FECTCP, and New Reno from 60 s on",
    "fectcp-figure6": "FECTCP, and UDP from 60 s on",
}
FURTHER = {"fectcp-further": "Later TCP, and clusters that span packets"}
SHOWN_LOSSES = (0.0, 0.1)
DOCS = Path(__file__).resolve().parents[2] / "docs"


def main(folder: Path) -> str:
    """Run what is missing, write figures and page into `folder`, and return how many statements hold."""
    images = folder / "images"
    images.mkdir(parents=True, exist_ok=True)
    kept = script_runs(runs.SCRIPT, folder / "wlan-runs.jsonl")
    points = [*runs.figure_points(), *runs.round_trip_points(), *runs.further_points()]
    measured = runs.measure(points, kept)
    pairs = [("fectcp", "newreno"), ("fectcp", "cubic"), ("fectcp", "udp"), ("newreno", "newreno")]
    sharing = [runs.Sharing(*pair, loss) for pair in pairs for loss in runs.SHARED_LOSSES]
    shared = runs.measure_sharing(sharing, kept)

    losses.draw(images / "fectcp-figure1.png")
    for delay_s, number in zip(runs.DELAYS_S, (3, 4), strict=True):
        figures.draw_throughput(delay_s, number, measured, images / f"fectcp-figure{number}.png")
    for second, number in (("newreno", 5), ("udp", 6)):
        figures.draw_sharing(second, SHOWN_LOSSES, number, shared, images / f"fectcp-figure{number}.png")
    figures.draw_further(measured, images / "fectcp-further.png")

    statements = judge(measured, shared)
    held = sum(statement.holds for statement in statements)
    # The page is Markdown, which needs no escaping.
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent), undefined=StrictUndefined, keep_trailing_newline=True
    )
    page = environment.get_template("page.md.j2").render(
        runs=(len(measured) + len(shared)) * runs.SEEDS,
        seeds=runs.SEEDS,
        statements=statements,
        held=held,
        pictures=PICTURES.items(),
        further=FURTHER.items(),
        limits=list(losses.limits()),
        shared=shared,
        settled=(runs.SETTLED_S, runs.UNTIL_S),
        rate=Throughputs(measured),
        label=figures.label,
        variants=("fectcp", *runs.VARIANTS),
        shown_losses=runs.LOSSES[6:12],
    )
    with staged(folder / PAGE) as part:
        part.write_text(page, encoding="utf-8")
    return f"{held} of {len(statements)} statements of the paper hold ({folder / PAGE})"


def keep_in_docs(folder: Path) -> None:
    """Copy page and figures to where the documentation has them."""
    shutil.copyfile(folder / PAGE, DOCS / PAGE)
    for name in (*PICTURES, *FURTHER):
        shutil.copyfile(folder / "images" / f"{name}.png", DOCS / "images" / f"{name}.png")
