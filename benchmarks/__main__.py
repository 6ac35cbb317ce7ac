"""`python -m benchmarks [--slots N]`: measure, print, and write `docs/benchmarks.md`.

--slots N    length of the kernels' traces; 100000000 slots take 4 GB of memory and half an hour
"""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

from analysis.pages import render
from benchmarks.backends import LINUX_TARGETS, MEMORY_TARGET_MIB, backend_table, emulator_table
from benchmarks.campaign import campaign_figures
from benchmarks.files import FILE_TARGET, file_table, long_figures, measure_first_call
from benchmarks.kernels import N_SLOTS, kernel_table
from benchmarks.programs import program_table
from benchmarks.simulator import QUEUE_TARGETS, SCRIPT_TARGET, queue_measure, queue_table, script_table
from benchmarks.start import start_table
from benchmarks.timing import marked

PAGE = Path(__file__).resolve().parents[1] / "docs" / "benchmarks.md"


def main() -> None:
    """Run all measurements: a few minutes."""
    parser = ArgumentParser(description="Measure, print, and write docs/benchmarks.md.")
    parser.add_argument("--slots", type=int, default=N_SLOTS, help="length of the kernels' traces")
    n_slots = parser.parse_args().slots
    campaign, long, first_call_s = campaign_figures(), long_figures(), measure_first_call()
    page = render(
        Path(__file__).with_name("page.md.j2"),
        kernels=kernel_table(n_slots),
        n_slots=n_slots,
        files=file_table(),
        file_target=FILE_TARGET,
        first_call_s=marked(f"{first_call_s:.2f} s", first_call_s <= 1),
        **long | campaign,
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
