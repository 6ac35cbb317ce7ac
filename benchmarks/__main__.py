"""`python -m benchmarks [--slots N]`: measure, print, and write `docs/benchmarks.md`.

--slots N    length of the kernels' traces; 100000000 slots take 4 GB of memory and half an hour
"""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

from benchmarks.backends import (
    RATES_BPS,
    Cost,
    measure_emulated,
    measure_emulator,
    measure_simulated,
)
from benchmarks.campaign import STORED_RUNS, measure_campaign
from benchmarks.files import LONG_SLOTS, measure_files, measure_first_call, measure_long
from benchmarks.kernels import ERASURES, N_SLOTS, SCHEMES, measure_kernels
from benchmarks.simulator import measure_queue, measure_scripts
from tools.page_tables import markdown_table

PAGE = Path(__file__).resolve().parents[1] / "docs" / "benchmarks.md"
FILE_TARGET = 1.25
SCRIPT_TARGET = 1.5
QUEUE_TARGET = 1.1
LINUX_TARGETS = {2e6: 0.02, 100e6: 1.0}
MEMORY_TARGET_MIB = 64
CORE_TARGET_BPS = 1e9

PAGE_TEXT = """\
# Speed

After reading this page you know how fast kernels, files, campaigns and the simulator are, each beside a
reference. `make bench` writes the page. Each ratio is a median of measurements taken in turn, in one run, on
one machine.

## Kernels

Millions of slots per second of each kernel; {n_slots:,} slots at 1.004 ms, independent erasures, RTT 0.5 s,
one thread's processor time, outputs allocated and touched beforehand. The first ratio is to the rows per
second of `numpy.copyto` on the same two columns: at least a third at 1 % erasures. The second ratio is to the
slots per second of a conversion from Parquet to Parquet: at least 3 up to 10 % erasures, else 1.5. A cell
that misses a target is marked. `harq-processes`, `sliding-window`, `tetrys` and `rlc` have no targets; their
figure is that of a conversion in memory, with the rows that it allocates.

{kernels}

The kernels are plain loops over slots. Faster ones would not be noticed beside the files. Speed falls with
the erasure rate, because processors cannot predict erasures.

## Files

`tmt convert` from Parquet to Parquet against pyarrow alone, which reads the two columns of the PHY trace and
writes the four columns of the same link trace with the same settings; 10 million slots, 1 % erased.
Target: at most {file_target}; a ratio that misses it is marked. A conversion keeps more than one core busy,
so other work on the machine slows it more than the bare read and write. The bare write is its lower bound:
pyarrow writes in one thread, and reading and the kernel run beside it. With the long trace both programs
start anew, and `tmt convert` also loads numba.

{files}

| | measured | target |
| --- | --- | --- |
| `tmt convert` of 50,000 slots, started anew, warm cache | {first_call_s} | 1 s |
| time of `tmt convert` of {long_slots} slots / bare read and write | {long_ratio} | {file_target} |
| peak of resident memory in the same | {peak_mib} | 300 MiB |

## Campaigns

Real runs of ns-2, in two worker processes; the long ones take {run_s:.2f} s each, the short ones are over
at once.

| | measured | target |
| --- | --- | --- |
| throughput of two workers / twice that of one, long runs | {efficiency} | 0.9 |
| processor time per short run beyond the simulator's own | {overhead_ms} | 30 ms |
| a scenario of {stored_runs:,} runs, all in the store: expanded, opened, compared | {open_s} | 3 s |

## Simulator

Our ns-2 against the distribution's on the same scripts (`benchmarks/ns2`), which write the same with both.
The ratio is the distribution's processor time / ours; target: at least {script_target}. The scripts carry all
packet headers, as most users' scripts do.

{scripts}

The next table has the cost of `Queue/Clift`: processor time of a run with it / of the same run with DropTail,
both with our ns-2. A source sends datagrams at random moments to a sink, 95 % of a link of 10 Mbit/s.
Target: at most {queue_target}.

{queue}

## Backends

CPU time and memory for one second of one CUBIC flow over a plain link with an RTT of 0.5 s: a simulated
second in ns-2 (stack `modern`) and in Linux's kernel (stack `linux`), a second of real time in the emulator.
The emulator's CPU time holds the receiving kernel's work, not that of the programs. Targets for the kernel:
{linux_targets}, at most {memory_target} MiB.

{backends}

## Emulator

One CUBIC flow in packets of 1500 bytes over a plain link of 1 Gbit/s with an RTT of 20 ms. The rate that
one core carries follows from the emulator's CPU time per packet; target: at least 1 Gbit/s.

{emulator}
"""


def _marked(figure: str, is_reached: bool) -> str:
    """Mark a figure that misses its target."""
    return figure if is_reached else f"{figure} (misses)"


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
        missed = "" if one.ratio >= SCRIPT_TARGET else f" (misses {SCRIPT_TARGET})"
        rows.append([one.title, f"{one.ratio:.2f}{missed}", f"{one.ours_s:.1f} s"])
    return markdown_table(["script", "theirs / ours", "ours"], rows)


def queue_table() -> str:
    """One row per size of the trace's rows."""
    rows = []
    for one in measure_queue():
        missed = "" if one.ratio <= QUEUE_TARGET else f" (misses {QUEUE_TARGET})"
        rows.append([one.title, f"{one.ratio:.2f}{missed}"])
    return markdown_table(["rows per packet", "Clift / DropTail"], rows)


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
    page = PAGE_TEXT.format(
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
        open_s=_marked(f"{campaign.open_s:.2f} s", campaign.open_s <= 3),
        scripts=script_table(),
        script_target=SCRIPT_TARGET,
        queue=queue_table(),
        queue_target=QUEUE_TARGET,
        linux_targets=", ".join(
            f"{1000 * cpu_s:g} ms at {rate_bps / 1e6:g} Mbit/s" for rate_bps, cpu_s in LINUX_TARGETS.items()
        ),
        memory_target=MEMORY_TARGET_MIB,
        backends=backend_table(),
        emulator=emulator_table(),
    )
    PAGE.write_text(page)
    print(page)


if __name__ == "__main__":
    main()
