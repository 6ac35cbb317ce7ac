"""`python -m benchmarks [--slots N]`: measure, print, and write `docs/benchmarks.md`.

--slots N    length of the kernels' traces; 100000000 slots take 4 GB of memory and half an hour
"""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

from analysis.pages import render
from benchmarks.backends import RATES_BPS, Cost, emulator_table, measure_emulated, measure_simulated
from benchmarks.campaign import STORED_RUNS, measure_campaign
from benchmarks.files import FILE_TARGET, LONG_SLOTS, file_table, measure_first_call, measure_long
from benchmarks.kernels import N_SLOTS, kernel_table
from benchmarks.programs import BOOT, SUBJECTS, measure_programs
from benchmarks.simulator import QUEUE_TARGETS, SCRIPT_TARGET, queue_measure, queue_table, script_table
from benchmarks.start import start_table
from benchmarks.timing import marked
from tools.page_tables import markdown_table

PAGE = Path(__file__).resolve().parents[1] / "docs" / "benchmarks.md"
LINUX_TARGETS = {2e6: 0.02, 100e6: 1.0}
MEMORY_TARGET_MIB = 64
OPEN_TARGET, READ_TARGET = 1.5, 1.5


def _ratio(ratio: float, target: float) -> str:
    return marked(f"{ratio:.2f}", ratio <= target)


def backend_table() -> str:
    """One row per rate of the link."""
    rows = []
    for rate_bps in RATES_BPS:
        linux = measure_simulated(rate_bps, "linux")
        missed = linux.cpu_s > LINUX_TARGETS[rate_bps] or linux.memory_mib > MEMORY_TARGET_MIB
        row = [
            f"{rate_bps / 1e6:g} Mbit/s",
            _cost(measure_simulated(rate_bps, "modern")),
            marked(_cost(linux), not missed),
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
                marked(f"{cost.cpu_s:.2f} {subject.unit}", cost.cpu_s <= subject.target),
                f"{subject.target:g}",
                "" if cost.of_flow is None else f"{cost.of_flow:.0f} ({subject.stack})",
                marked(memory, cost.memory_mib <= MEMORY_TARGET_MIB) if name == BOOT else memory,
            ]
        )
    return markdown_table(["programs", "processor time", "target", "/ flow (stack)", "memory"], rows)


def _cost(cost: Cost) -> str:
    return cost.missing or f"{1000 * cost.cpu_s:.3g} ms, {cost.memory_mib:.0f} MiB"


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
        first_call_s=marked(f"{first_call_s:.2f} s", first_call_s <= 1),
        long_slots=f"{LONG_SLOTS:,}",
        long_ratio=marked(f"{long.ratio:.2f}", long.ratio <= FILE_TARGET),
        peak_mib=marked(f"{long.peak_mib:.0f} MiB", long.peak_mib <= 300),
        run_s=campaign.run_s,
        efficiency=marked(f"{campaign.efficiency:.2f}", campaign.efficiency >= 0.9),
        overhead_ms=marked(f"{1000 * campaign.overhead_s:.1f} ms", campaign.overhead_s <= 0.03),
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
