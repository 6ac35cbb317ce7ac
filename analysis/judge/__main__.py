"""`python -m analysis.judge [FOLDER]`: every transfer that is missing, then tables and figure.

The kernel's transfers take their time, 300 s each, many at once; ns-2's take seconds. FOLDER keeps both.
"""

from __future__ import annotations

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import TYPE_CHECKING

from analysis.by_hand import start
from analysis.judge.cases import CASES, Case
from analysis.judge.report import FIGURE, PAGE, write_report
from analysis.judge.runs import KERNEL, STACKS, VARIANTS, can_run, run_kernel, run_ns2
from analysis.judge.store import Store
from tmt.errors import TmtError

if TYPE_CHECKING:
    from pathlib import Path

AT_ONCE = 24
"""Emulations at a time: a transfer at 2 Mbit/s needs about a hundredth of a core."""


def main(folder: Path) -> str:
    """Run what is missing, then write the report."""
    store = Store(folder)
    missing = [
        (case, variant, repeat)
        for case, variant in product(CASES, VARIANTS)
        for repeat in range(case.repeats)
        if store.get(KERNEL, case, variant, repeat) is None
    ]
    print(f"{len(missing)} transfers of the kernel to run, {AT_ONCE} at a time", flush=True)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        good = all(list(pool.map(lambda one: _judge(folder, store, *one), missing)))
    if not good:
        sys.exit("some transfers have failed; run this again for them alone")
    for stack, case, variant in product(STACKS, CASES, VARIANTS):
        for repeat in range(case.repeats if can_run(stack, variant) else 0):
            if store.get(stack, case, variant, repeat) is None:
                store.put(stack, case, variant, repeat, run_ns2(case, stack, variant, repeat, folder))
    write_report(store)
    return f"Tables: {PAGE}; windows over time: {FIGURE}"


def _judge(folder: Path, store: Store, case: Case, variant: str, repeat: int) -> bool:
    """Run and keep a transfer of the kernel; False, and a line that says why, when it fails."""
    begin = time.monotonic()
    try:
        transfer = run_kernel(case, variant, repeat, folder)
    except TmtError as error:
        print(f"{case.name} {variant} {repeat}: {error}", flush=True)
        return False
    store.put(KERNEL, case, variant, repeat, transfer)
    print(
        f"{case.name} {variant} {repeat}: {transfer.goodput_bps / 1000:.0f} kbit/s, "
        f"{transfer.late_share:.2%} late, {time.monotonic() - begin:.0f} s",
        flush=True,
    )
    return True


if __name__ == "__main__":
    start(main, default="out/judge")
