"""The congestion controls of `Agent/TCP/Modern` against published response functions, and on a GEO path.

``python -m analysis.tcp.congestion_controls [FOLDER]`` makes the tables of docs/congestion-controls.md.
"""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import TYPE_CHECKING

from analysis.by_hand import start
from analysis.kept_runs import run_script, script_runs
from analysis.tcp.response_functions import independent_losses, published
from tmt.io.atomic import staged

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from analysis.kept_runs import KeptRuns, Result, Settings

SCRIPT = Path(__file__).with_suffix(".tcl")
CONTROLS = ("reno", "cubic", "westwood", "hybla", "compound", "bbr", "bbr3")
PACKET_BITS = 12_000


def simulate(case: Settings) -> Result:
    """Run ns-2 once with the settings of congestion_controls.tcl; return what it prints."""
    return run_script(SCRIPT, case)


def goodput_bps(case: Settings, found: Result, flow: int = 0) -> float:
    """Packets acknowledged in order after `warm_s`, headers included, in bit/s."""
    span_s = float(case["duration_s"]) - float(case.get("warm_s", 0))
    return found[f"acked_{flow}"] * PACKET_BITS / span_s


def mean_window(case: Settings, found: Result) -> float:
    """Packets in an RTT that never waits, from the goodput."""
    return goodput_bps(case, found) / PACKET_BITS * float(case["rtt_s"])


def markdown(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table."""
    heads = list(heads)
    lines = [heads, ["---"] * len(heads), *map(list, rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def mean_sd(values: Sequence[float], digits: int = 0) -> str:
    """Return mean and standard deviation as text, the latter only where there is one."""
    spread = statistics.stdev(values)
    mean = f"{statistics.mean(values):.{digits}f}"
    return f"{mean} ({spread:.{digits}f})" if spread >= 0.5 * 10**-digits else mean


def geo(runs: KeptRuns, seeds: int = 10, duration_s: float = 300) -> str:
    """Goodput on a GEO path of 2 Mbit/s, 500 ms and a queue of 500 packets, in kbit/s."""
    losses = (0, 0.001, 0.005, 0.01)
    cases: list[Settings] = [
        {"control": control, "loss": loss, "seed": seed, "rtt_s": 0.5, "duration_s": duration_s}
        for control in CONTROLS
        for loss in losses
        for seed in range(1, seeds + 1)
    ]
    found = runs(cases, "geo")
    rows = []
    for control in CONTROLS:
        cells = []
        for loss in losses:
            kbps = [
                goodput_bps(case, result) / 1e3
                for case, result in zip(cases, found, strict=True)
                if case["control"] == control and case["loss"] == loss
            ]
            cells.append(mean_sd(kbps))
        rows.append([control, *cells])
    return markdown(["control", *(f"loss {loss:g}" for loss in losses)], rows)


RESPONSES: tuple[tuple[str, float, float, float], ...] = (
    # control, RTT, loss, seconds
    *(("reno", 0.1, loss, 1000) for loss in (1e-2, 1e-3, 1e-4)),
    *(("cubic", 0.1, loss, 1000) for loss in (1e-2, 1e-3, 1e-4)),
    ("cubic", 0.5, 1e-3, 2000),
    *(("hybla", rtt_s, 1e-3, 300) for rtt_s in (0.025, 0.1)),
    *(("hybla", rtt_s, 1e-4, 200) for rtt_s in (0.1, 0.5)),
    *(("compound", 0.1, loss, 500) for loss in (1e-3, 1e-4)),
)


def responses(runs: KeptRuns, seeds: int = 5) -> str:
    """Mean windows on a path that never queues: published, by the law under independent losses, in ns-2."""
    cases: list[Settings] = [
        {
            "control": control,
            "rtt_s": rtt_s,
            "loss": loss,
            "seed": seed,
            "rate_bps": 1e10,
            "queue_packets": 1_000_000,
            "window_packets": 100_000,
            "warm_s": duration_s / 10,
            "duration_s": duration_s,
        }
        for control, rtt_s, loss, duration_s in RESPONSES
        for seed in range(1, seeds + 1)
    ]
    found = runs(cases, "responses")
    rows = []
    for i, (control, rtt_s, loss, _) in enumerate(RESPONSES):
        part = slice(i * seeds, (i + 1) * seeds)
        windows = [mean_window(case, result) for case, result in zip(cases[part], found[part], strict=True)]
        model = independent_losses(control, loss, rtt_s)
        digits = 0 if model > 100 else 1
        rows.append(
            [
                control,
                f"{rtt_s * 1e3:.0f} ms",
                f"{loss:g}",
                f"{published(control, loss, rtt_s):.{digits}f}",
                f"{model:.{digits}f}",
                mean_sd(windows, digits),
                f"{statistics.mean(windows) / model:.2f}",
            ]
        )
    return markdown(["control", "RTT", "loss", "published", "its law", "ns-2 (sd)", "ns-2 / law"], rows)


LOSS_RATES = (0, 0.001, 0.01, 0.015, 0.02, 0.03, 0.05, 0.1, 0.15, 0.2, 0.25)


def losses(runs: KeptRuns, seeds: int = 3) -> str:
    """Share that BBR uses of what a path of 100 Mbit/s and 100 ms carries and the losses leave."""
    cases: list[Settings] = [
        {
            "control": control,
            "loss": loss,
            "seed": seed,
            "rate_bps": 1e8,
            "rtt_s": 0.1,
            "queue_packets": 833,
            "warm_s": 5,
            "duration_s": 35,
        }
        for control in ("bbr", "bbr3", "cubic")
        for loss in LOSS_RATES
        for seed in range(1, seeds + 1)
    ]
    found = runs(cases, "losses")
    rows = []
    for control in ("bbr", "bbr3", "cubic"):
        cells = [control]
        for loss in LOSS_RATES:
            shares = [
                goodput_bps(case, result) / (1e8 * (1 - loss))
                for case, result in zip(cases, found, strict=True)
                if case["control"] == control and case["loss"] == loss
            ]
            cells.append(f"{statistics.mean(shares):.2f}")
        rows.append(cells)
    return markdown(["control", *(f"{loss:.1%}" for loss in LOSS_RATES)], rows)


def sharing(runs: KeptRuns, seeds: int = 3) -> str:
    """Two like flows, 10 Mbit/s, 100 ms, a queue of one and of three BDP: Jain's index, use, mean queue."""
    bdp = 1e7 * 0.1 / PACKET_BITS
    depths = (1, 3)
    cases: list[Settings] = [
        {
            "control": control,
            "seed": seed,
            "flows": 2,
            "stagger_s": 5,
            "rate_bps": 1e7,
            "rtt_s": 0.1,
            "queue_packets": round(depth * bdp),
            "warm_s": 60,
            "duration_s": 360,
        }
        for control in CONTROLS
        for depth in depths
        for seed in range(1, seeds + 1)
    ]
    found = runs(cases, "sharing")
    rows = []
    for i, control in enumerate(CONTROLS):
        cells = [control]
        for j in range(len(depths)):
            part = slice((i * len(depths) + j) * seeds, (i * len(depths) + j + 1) * seeds)
            indices, uses, queues = [], [], []
            for case, result in zip(cases[part], found[part], strict=True):
                rates = [goodput_bps(case, result, flow) for flow in (0, 1)]
                indices.append(sum(rates) ** 2 / (2 * sum(rate**2 for rate in rates)))
                uses.append(sum(rates) / 1e7)
                queues.append(result["mean_queue"] / bdp)
            cells += [f"{statistics.mean(values):.2f}" for values in (indices, uses, queues)]
        rows.append(cells)
    heads = [f"{name}, {depth} BDP" for depth in depths for name in ("Jain", "use", "queue / BDP")]
    return markdown(["control", *heads], rows)


WINDOWS = (2, 10, 100, 1000, 20_000)


def windows(runs: KeptRuns) -> str:
    """Goodput on the GEO path without losses for advertised windows from 2 to 20,000 packets, in kbit/s."""
    cases: list[Settings] = [
        {"control": control, "window_packets": window, "rtt_s": 0.5, "duration_s": 300}
        for control in CONTROLS
        for window in WINDOWS
    ]
    found = runs(cases, "windows")
    kbps = [f"{goodput_bps(case, result) / 1e3:.0f}" for case, result in zip(cases, found, strict=True)]
    rows = [[control, *kbps[i * len(WINDOWS) :][: len(WINDOWS)]] for i, control in enumerate(CONTROLS)]
    return markdown(["control", *(f"window {window:,}" for window in WINDOWS)], rows)


TABLES = {"geo": geo, "responses": responses, "losses": losses, "sharing": sharing, "windows": windows}


def main(folder: Path) -> str:
    """Run what is missing, and return all tables, which go into `folder`, too."""
    folder.mkdir(parents=True, exist_ok=True)
    runs = script_runs(SCRIPT, folder / "congestion-controls.jsonl")
    made = [f"## {name}: {(of.__doc__ or '').strip()}\n\n{of(runs)}\n" for name, of in TABLES.items()]
    text = "\n".join(made)
    with staged(folder / "congestion-controls.md") as part:
        part.write_text(text)
    return text


if __name__ == "__main__":
    start(main)
