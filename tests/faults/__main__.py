"""Fail every system call of the commands in turn: ``python -m tests.faults [CASE ...]``.

For each command, each kind of call and each fault, the n-th call fails, for every n up to the number of calls
that the command makes. A table of counts is printed, and each defect with the fault that shows it.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

from tests.faults.cases import CASES, Bench
from tests.faults.tracer import ERRORS, Fault, can_trace
from tests.faults.warm import prepare


def main() -> int:
    """Run the faults that the command line asks for; the exit status is 1 when there is a defect."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join(case.name for case in CASES))
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every N-th call")
    parser.add_argument("--call", choices=[*ERRORS, "any"], action="append", help="only calls of this kind")
    hows = sorted({how for hows in ERRORS.values() for how in hows} | {"kill"})
    parser.add_argument("--fault", choices=hows, action="append", help="only this fault")
    chosen = parser.parse_args()
    if not can_trace():
        print("this machine does not let a process trace its children", file=sys.stderr)
        return 1
    prepare()
    print(
        "command      call    fault   calls  failed  tolerated  refused  killed  limits  first defect",
        flush=True,
    )
    found = 0
    for case in CASES:
        if chosen.cases and case.name not in chosen.cases:
            continue
        # No TemporaryDirectory: the forks would remove it when they end.
        folder = Path(tempfile.mkdtemp(prefix="tmt-faults-"))
        try:
            bench = Bench(case, folder)
            for call, how in [
                *((call, how) for call, hows in ERRORS.items() for how in hows),
                ("any", "kill"),
            ]:
                if call in (chosen.call or [call]) and how in (chosen.fault or [how]):
                    found += _one_kind(bench, call, how, chosen.every)
        finally:
            shutil.rmtree(folder)
    print(f"{found} defects")
    return int(found > 0)


def _one_kind(bench: Bench, call: str, how: str, every: int) -> int:
    """Fail every n-th call of a kind, and print one line for the kind."""
    calls = bench.count(call, how)
    started = time.monotonic()
    tolerated = refused = killed = limits = fired = defects = 0
    first = "none"
    for number in range(1, calls + 1, every):
        end, wrong, is_limit = bench.defects(Fault(call, how, number))
        fired += bool(end.fired)
        limits += is_limit
        tolerated += end.status == 0
        killed += end.status == -9
        refused += end.status not in (0, -9)
        if wrong:
            defects += 1
            first = str(number) if first == "none" else first
            print(f"  {bench.case.name} {call} {number} {how} ({end.fired}): {'; '.join(wrong)}", flush=True)
    seconds = time.monotonic() - started
    counts = f"{calls:5}  {fired:6}  {tolerated:9}  {refused:7}  {killed:6}  {limits:6}"
    print(f"{bench.case.name:12} {call:7} {how:7} {counts}  {first}  ({seconds:.0f} s)", flush=True)
    return defects


if __name__ == "__main__":
    sys.exit(main())
