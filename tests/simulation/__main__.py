"""Play many schedules: ``PYTHONPATH=tests python -m simulation --schedules 5000``; `--seed` replays one."""

import argparse
import multiprocessing
import os
import secrets
import sys
from time import perf_counter

from simulation.world import play


def main() -> int:
    """Play schedules on all processors, and print each failure with its seed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--schedules", type=int, default=5000, help="number of schedules (default: 5000)")
    parser.add_argument("--first", type=int, help="first seed (default: a random one)")
    parser.add_argument("--seed", type=int, help="play this schedule only, and print its log")
    options = parser.parse_args()
    if options.seed is not None:
        log, failure = play(options.seed)
        print("\n".join(log))
        print(f"seed {options.seed}: {failure.reason if failure else 'every promise was kept'}")
        return int(failure is not None)
    first = secrets.randbelow(10**9) if options.first is None else options.first
    print(f"seeds {first} to {first + options.schedules - 1}", flush=True)
    started_s = perf_counter()
    failures = events = 0
    with multiprocessing.get_context("forkserver").Pool(len(os.sched_getaffinity(0))) as pool:
        for log, failure in pool.imap_unordered(play, range(first, first + options.schedules), 20):
            events += len(log)
            if failure:
                failures += 1
                print(f"seed {failure.seed}: {failure.reason}", flush=True)
    print(
        f"{options.schedules} schedules with {events} events in {perf_counter() - started_s:.0f} s, "
        f"{failures} failed; `--seed SEED` replays one"
    )
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
