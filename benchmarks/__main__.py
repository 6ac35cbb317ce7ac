"""`python -m benchmarks [--slots N]`: measure, print, and write `docs/benchmarks.md`.

--slots N    length of the kernels' traces; 100000000 slots take 4 GB of memory and half an hour
"""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

from analysis.pages import render
from benchmarks.backends import RATES_BPS, Cost, measure_emulated, measure_emulator, measure_simulated
from benchmarks.campaign import STORED_RUNS, measure_campaign
from benchmarks.files import LONG_SLOTS, measure_files, measure_first_call, measure_long
from benchmarks.kernels import ERASURES, N_SLOTS, SCHEMES, measure_kernels
from benchmarks.programs import BOOT, SUBJECTS, measure_programs
from benchmarks.simulator import QUEUE_TARGETS, measure_queue, measure_scripts, queue_measure
from benchmarks.start import TARGETS, measure_start
from tools.page_tables import markdown_table

PAGE = Path(__file__).resolve().parents[1] / "docs" / "benchmarks.md"
FILE_TARGET = 1.25
SCRIPT_TARGET = 1.5
LINUX_TARGETS = {2e6: 0.02, 100e6: 1.0}
MEMORY_TARGET_MIB = 64
OPEN_TARGET, READ_TARGET = 1.5, 1.5
CORE_TARGET_BPS = 1e9


def _marked(figure: str, is_reached: bool) -> str:
    """Mark a figure that misses its target."""
    return figure if is_reached else f"{figure} (misses)"


def _ratio(ratio: float, target: float) -> str:
    return _marked(f"{ratio:.2f}", ratio <= target)


def kernel_table(n_slots: int) -> str:
    """One row per scheme, one column per channel."""
    found = {(one.kernel, one.erased): one for one in measure_kernels(n_slots)}
    rows = []
    for scheme in SCHEMES:
        row = [scheme.label]
        for erased in ERASURES:
            one = found[scheme.label, erased]
            speeds = f"{one.slots_per_s / 1e6:.0f} M/s, {one.of_copy:.2f}, {one.of_files:.1f}"
            row.append(_marked(speeds, not one.misses))
        rows.append(row)
    return markdown_table(["scheme", *(f"{erased:.0%} erased" for erased in ERASURES)], rows)


def file_table() -> str:
    """One row per scheme."""
    rows = []
    for one in measure_files():
        missed = "" if one.ratio <= FILE_TARGET else f" (misses {FILE_TARGET})"
        rows.append([one.scheme, f"{one.ratio:.2f}{missed}", f"{one.slots_per_s / 1e6:.1f} M/s"])
    return markdown_table(["scheme", "time / bare read and write", "slots per second"], rows)


def script_table() -> str:
    """One row per script."""
    rows = []
    for one in measure_scripts():
        missed = "" if one.ratio >= SCRIPT_TARGET or not one.has_target else f" (misses {SCRIPT_TARGET})"
        rows.append([one.title, f"{one.ratio:.2f}{missed}", f"{one.ours_s:.1f} s"])
    return markdown_table(["script", "theirs / ours", "ours"], rows)


def queue_table() -> str:
    """One row per size of the trace's rows and discipline."""
    rows = []
    for one in measure_queue():
        target = QUEUE_TARGETS[one.discipline]
        missed = "" if one.ratio <= target else f" (misses {target})"
        rows.append([one.title, one.discipline, f"{one.ratio:.2f}{missed}"])
    return markdown_table(["rows per packet", "discipline", "Clift / DropTail"], rows)


def start_table() -> str:
    """One row per command."""
    rows = []
    for name, ratio in measure_start().items():
        missed = "" if ratio <= TARGETS[name] else " (misses)"
        rows.append([f"`tmt {name}".rstrip() + " --help`", f"{ratio:.1f}{missed}", f"{TARGETS[name]:g}"])
    return markdown_table(["command", "CPU time / `python -c pass`", "target"], rows)


def backend_table() -> str:
    """One row per rate of the link."""
    rows = []
    for rate_bps in RATES_BPS:
        linux = measure_simulated(rate_bps, "linux")
        missed = linux.cpu_s > LINUX_TARGETS[rate_bps] or linux.memory_mib > MEMORY_TARGET_MIB
        row = [
            f"{rate_bps / 1e6:g} Mbit/s",
            _cost(measure_simulated(rate_bps, "modern")),
            _marked(_cost(linux), not missed),
            _cost(measure_emulated(rate_bps)),
        ]
        rows.append(row)
    return markdown_table(["link", "ns-2", "Linux in simulated time", "emulator, real time"], rows)


def program_table() -> str:
    """One row per pair of programs."""
    rows = []
    for name, cost in measure_programs().items():
        subject = SUBJECTS[name]
        if cost.missing:
            rows.append([name, cost.missing, "", "", ""])
            continue
        memory = f"{cost.memory_mib:.0f} MiB"
        rows.append(
            [
                name,
                _marked(f"{cost.cpu_s:.2f} {subject.unit}", cost.cpu_s <= subject.target),
                f"{subject.target:g}",
                "" if cost.of_flow is None else f"{cost.of_flow:.0f} ({subject.stack})",
                _marked(memory, cost.memory_mib <= MEMORY_TARGET_MIB) if name == BOOT else memory,
            ]
        )
    return markdown_table(["programs", "processor time", "target", "/ flow (stack)", "memory"], rows)


def _cost(cost: Cost) -> str:
    return cost.missing or f"{1000 * cost.cpu_s:.3g} ms, {cost.memory_mib:.0f} MiB"


def emulator_table() -> str:
    """One row per figure."""
    speed = measure_emulator()
    if isinstance(speed, str):
        return speed
    core = _marked(f"{speed.core_bps / 1e6:.0f} Mbit/s", speed.core_bps >= CORE_TARGET_BPS)
    lateness = " µs, ".join(f"{1e6 * value:.0f}" for value in (speed.lateness_p50_s, speed.lateness_p99_s))
    lines = [
        "| | measured |",
        "| --- | --- |",
        f"| delivered | {speed.delivered_bps / 1e6:.0f} Mbit/s |",
        f"| CPU time per packet | {1e6 * speed.packet_s:.1f} µs |",
        f"| one core carries | {core} |",
        f"| memory | {speed.memory_mib:.0f} MiB |",
        f"| lateness, median and 99 % | {lateness} µs |",
    ]
    return "\n".join(lines)


def main() -> None:
    """Run all measurements: a few minutes."""
    parser = ArgumentParser(description="Measure, print, and write docs/benchmarks.md.")
    parser.add_argument("--slots", type=int, default=N_SLOTS, help="length of the kernels' traces")
    n_slots = parser.parse_args().slots
    campaign, long, first_call_s = measure_campaign(), measure_long(), measure_first_call()
    page = render(
        Path(__file__).with_name("page.md.j2"),
        kernels=kernel_table(n_slots),
        n_slots=n_slots,
        files=file_table(),
        file_target=FILE_TARGET,
        first_call_s=_marked(f"{first_call_s:.2f} s", first_call_s <= 1),
        long_slots=f"{LONG_SLOTS:,}",
        long_ratio=_marked(f"{long.ratio:.2f}", long.ratio <= FILE_TARGET),
        peak_mib=_marked(f"{long.peak_mib:.0f} MiB", long.peak_mib <= 300),
        run_s=campaign.run_s,
        efficiency=_marked(f"{campaign.efficiency:.2f}", campaign.efficiency >= 0.9),
        overhead_ms=_marked(f"{1000 * campaign.overhead_s:.1f} ms", campaign.overhead_s <= 0.03),
        stored_runs=STORED_RUNS,
        table_s=campaign.table_s,
        open_ratio=_ratio(campaign.open_s / campaign.table_s, OPEN_TARGET),
        open_target=OPEN_TARGET,
        read_ratio=_ratio(campaign.read_s / campaign.table_s, READ_TARGET),
        read_target=READ_TARGET,
        start=start_table(),
        scripts=script_table(),
        script_target=SCRIPT_TARGET,
        queue=queue_table(),
        queue_measure=queue_measure(),
        droptail_target=QUEUE_TARGETS["droptail"],
        codel_target=QUEUE_TARGETS["codel"],
        linux_targets=", ".join(
            f"{1000 * cpu_s:g} ms at {rate_bps / 1e6:g} Mbit/s" for rate_bps, cpu_s in LINUX_TARGETS.items()
        ),
        memory_target=MEMORY_TARGET_MIB,
        backends=backend_table(),
        programs=program_table(),
        emulator=emulator_table(),
    )
    PAGE.write_text(page)
    print(page)


if __name__ == "__main__":
    main()
