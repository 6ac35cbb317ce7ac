"""Fail every system call of the commands in turn: ``python -m tests.faults [CASE ...]``.

For each command, each kind of call and each fault, the n-th call fails, for every n up to the number of
calls that the command makes. A line for each kind counts how the command ended, and names the first n with a
defect.

``--log FILE`` keeps each injection. A second start leaves out those that the file holds, but for those with a
defect.
"""

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

from tests.faults.cases import CASES, Bench
from tests.faults.log import Injection, Log
from tests.faults.tracer import ERRORS, Fault, can_trace
from tests.faults.warm import prepare

KINDS = (
    *((call, how) for call, hows in ERRORS.items() for how in hows),
    ("change", "EROFS"),
    ("any", "kill"),
)


def main() -> int:
    """Run the faults that the command line asks for; the exit status is 1 when there is a defect."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join(case.name for case in CASES))
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every N-th call")
    parser.add_argument(
        "--call", choices=[*ERRORS, "change", "any"], action="append", help="only calls of this kind"
    )
    parser.add_argument("--fault", choices=sorted({how for _, how in KINDS}), action="append")
    parser.add_argument("--log", type=Path, help="file of the injections, where a second start goes on")
    chosen = parser.parse_args()
    known = {case.name: case for case in CASES}
    if unknown := sorted({*chosen.cases} - known.keys()):
        parser.error(f"there is no case {unknown[0]}; there are {', '.join(known)}")
    if not can_trace():
        print("this machine does not let a process trace its children", file=sys.stderr)
        return 1
    prepare()
    print("command      call    fault   calls  failed  tolerated  refused  killed  limits  first defect")
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with Log(chosen.log) as log:
        for case in [known[name] for name in chosen.cases] or CASES:
            # No TemporaryDirectory: the forks would remove it when they end.
            folder = Path(tempfile.mkdtemp(prefix="tmt-faults-", dir=memory))
            try:
                bench = Bench(case, folder)
                for call, how in KINDS:
                    if call in (chosen.call or [call]) and how in (chosen.fault or [how]):
                        _one_kind(bench, call, how, chosen.every, log)
            finally:
                shutil.rmtree(folder)
        print(log.total())
        return int(log.has_defects())


def _one_kind(bench: Bench, call: str, how: str, every: int, log: Log) -> None:
    """Fail every n-th call of a kind, and print one line for the kind."""
    started, name = time.monotonic(), bench.case.name
    calls = bench.count(call, how)
    for number in range(1, calls + 1, every):
        if log.is_done(name, call, how, number):
            continue
        end, wrong, is_limit = bench.defects(Fault(call, how, number))
        one = Injection(name, call, how, number, calls, end.fired, end.status, is_limit, wrong)
        log.add(one)
        if wrong:
            print(f"  {name} {call} {number} {how} ({end.fired}): {'; '.join(wrong)}", flush=True)
    print(f"{log.line(name, call, how, calls)}  ({time.monotonic() - started:.0f} s)", flush=True)


if __name__ == "__main__":
    sys.exit(main())
