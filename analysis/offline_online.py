"""How far a scheme that converts a whole trace is from one that works on the packets that come.

The same PHY traces, schemes and TCP flows, once as conversion and `Queue/Clift` (offline) and once as
`Queue/Clift/Online`. Barakat and Al Fawal (2003) work online, Kuhn et al. (2014) offline.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from analysis.by_hand import start
from analysis.kept_runs import KeptRuns
from tmt import __version__
from tmt.backend.ns2.simulator import Simulator
from tmt.channels import GilbertElliott
from tmt.convert import convert_file
from tmt.experiment import Experiment, TraceLink
from tmt.figures.style import LINE_STYLES, MUTED, new_figure, save
from tmt.generate import Line, generate
from tmt.io.atomic import staged
from tmt.metrics.statistics import t_interval
from tmt.schemes import Arq, Fec, Harq
from tmt.units import NS_PER_S, seconds_to_ns

if TYPE_CHECKING:
    from pathlib import Path

    from analysis.kept_runs import Result, Settings
    from tmt.metrics.statistics import Interval
    from tmt.schemes import Scheme

RTTS_S = (0.02, 0.1, 0.5)
TRAFFIC = {"1 packet": 1_448, "10 packets": 14_480, "100 packets": 144_800, "1000 packets": 1_448_000}
"""Payload of a transfer; the label says how many full packets that is."""
ENDLESS = "endless"
SEEDS = 10
CHANNEL = GilbertElliott(alpha=0.99, beta=0.8)
"""4.8 % of the slots erased, in bursts of 5."""
LINE = Line.at_rate(263_000, 33, decode_time_ns=36_000_000)
LENGTH_S = 400
LLDU_BYTES = 33


def schemes(rtt_ns: int) -> dict[str, Scheme]:
    """Return what is compared, by label."""
    found = (Arq(rtt_ns=rtt_ns), Fec(data=10, repair=2), Harq(data=10, repair=2, rtt_ns=rtt_ns))
    return {scheme.label: scheme for scheme in found}


def main(folder: Path) -> str:
    """Run what is missing, write figure and table into `folder`, and return what was found."""
    traces = folder / "offline-online"
    traces.mkdir(exist_ok=True)

    def replay(point: Settings) -> Result:
        return _replay(point, traces)

    _make_traces(traces)
    version = f"{Simulator.find().stamp} {__version__} {CHANNEL} {LINE} {LENGTH_S}"
    runs = KeptRuns(replay, version, folder / "offline-online.jsonl")
    labels = list(schemes(0))
    cases = [(label, rtt_s, size) for label in labels for rtt_s in RTTS_S for size in (*TRAFFIC, ENDLESS)]
    points = [
        {"scheme": label, "rtt_s": rtt_s, "traffic": size, "seed": seed, "online": online}
        for label, rtt_s, size in cases
        for seed in range(1, SEEDS + 1)
        for online in (0, 1)
    ]
    results = iter(runs(points, "offline and online"))
    apart = {case: _apart([(next(results), next(results)) for _ in range(SEEDS)]) for case in cases}
    _draw(apart, labels, folder / "offline-online.png")
    with staged(folder / "offline-online.md") as part:
        part.write_text("\n".join(_table(apart, labels)) + "\n")
    worst = max(apart, key=lambda case: abs(apart[case].mean))
    return f"furthest apart: {', '.join(map(str, worst))}: {100 * apart[worst].mean:+.0f} %"


def _make_traces(folder: Path) -> None:
    """Make the PHY trace of each seed, and what each scheme makes of it; what is there stays."""
    for seed in range(1, SEEDS + 1):
        phy = folder / f"phy-{seed}.npy"
        if not phy.exists():
            generate(phy, CHANNEL, LINE, duration_ns=LENGTH_S * NS_PER_S, seed=seed)
        for rtt_s in RTTS_S:
            for label, scheme in schemes(seconds_to_ns(rtt_s)).items():
                link = _link_file(folder, label, rtt_s, seed)
                if not link.exists():
                    convert_file(phy, link, scheme)


def _link_file(folder: Path, label: str, rtt_s: float, seed: int) -> Path:
    return folder / f"{label.replace('/', '-')}-{rtt_s}-{seed}.npy"


def _replay(point: Settings, folder: Path) -> Result:
    label, rtt_s, size, seed = (
        str(point["scheme"]),
        float(point["rtt_s"]),
        str(point["traffic"]),
        int(point["seed"]),
    )
    rtt_ns = seconds_to_ns(rtt_s)
    if point["online"]:
        link = TraceLink(folder / f"phy-{seed}.npy", LLDU_BYTES, scheme=schemes(rtt_ns)[label])
    else:
        link = TraceLink(_link_file(folder, label, rtt_s, seed), LLDU_BYTES)
    row = (
        Experiment(
            tcp="cubic",
            forward_link=link,
            rtt_ns=rtt_ns,
            duration_ns=LENGTH_S * NS_PER_S,
            transfer_bytes=TRAFFIC.get(size),
            queue_packets=100,
            window_packets=150,
            start_spread_ns=10 * NS_PER_S,
            seed=seed,
        )
        .run()
        .row
    )
    value = row["goodput_bps"] if size == ENDLESS else row["completion_s"]
    return {"value": float(value) if isinstance(value, float) else np.nan}


def _apart(pairs: list[tuple[Result, Result]]) -> Interval:
    """Return how much more time transfers take online, or how much more goodput there is, relatively.

    Of transfers, those that end both ways count.
    """
    ratios = [online["value"] / offline["value"] - 1.0 for offline, online in pairs]
    return t_interval([ratio for ratio in ratios if np.isfinite(ratio)])


def _draw(apart: dict[tuple[str, float, str], Interval], labels: list[str], path: Path) -> None:
    with new_figure(7.2, 3.4) as canvas:
        panels = canvas.subplots(1, len(labels), sharey=True)
        places = [*TRAFFIC, ENDLESS]
        for panel, label in zip(panels, labels, strict=True):
            panel.axhline(0.0, color=MUTED, linewidth=0.8)
            for rtt_s, style in zip(RTTS_S, LINE_STYLES, strict=False):
                values = [apart[label, rtt_s, size] for size in places]
                panel.errorbar(
                    range(len(places)),
                    [100 * value.mean for value in values],
                    yerr=[100 * value.half_width for value in values],
                    capsize=2,
                    label=f"RTT {1000 * rtt_s:.0f} ms",
                    **style,
                )
            panel.set_title(label)
            panel.set_xticks(range(len(places)), [place.split()[0] for place in places])
            panel.set_xlabel("packets of a transfer")
        panels[0].set_ylabel("online against offline (%):\ncompletion time; goodput if endless")
        canvas.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=len(RTTS_S))
        save(canvas, path)


def _table(apart: dict[tuple[str, float, str], Interval], labels: list[str]) -> list[str]:
    lines = [
        f"| scheme | RTT | {' | '.join(TRAFFIC)} | endless: goodput |",
        f"| --- | --- | {' | '.join('---' for _ in TRAFFIC)} | --- |",
    ]
    for label in labels:
        for rtt_s in RTTS_S:
            values = (apart[label, rtt_s, size] for size in (*TRAFFIC, ENDLESS))
            shown = " | ".join(
                f"{100 * value.mean:+.1f} ± {100 * value.half_width:.1f} %"
                if np.isfinite(value.mean)
                else "-"
                for value in values
            )
            lines.append(f"| {label} | {1000 * rtt_s:.0f} ms | {shown} |")
    return lines


if __name__ == "__main__":
    start(main)
