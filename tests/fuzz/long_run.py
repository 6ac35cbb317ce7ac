"""A long run of drawn inputs that can be interrupted: its log, and the table that the documents show.

A line of the log is a shard: some inputs of one reader, with a seed of their own. A second start goes on
with the next seeds. Every reader gets a short shard first. Then the reader comes first that needs the least
time to reach its number of inputs, so that as many readers as possible reach it.
"""

import json
from dataclasses import asdict
from pathlib import Path
from time import monotonic

from tests.fuzz.drawn import Shard, shard
from tests.fuzz.readers import import_libraries

FIRST_INPUTS, SHARD_INPUTS, SHARD_S = 5_000, 100_000, 300.0
"""Upper bounds on a reader's first shard and on the others: an interruption loses at most one."""


def go_on(log: Path, readers: list[str], inputs: int, seconds: float, failures: Path) -> int:
    """Give each reader inputs until it has `inputs` of them; return 1 if one failed."""
    import_libraries()
    end = monotonic() + seconds
    while (left := end - monotonic()) > 0:
        done = _read(log)
        if not (open_ones := [name for name in readers if _count(done, name) < inputs]):
            break
        name = min(open_ones, key=lambda name: _time_left_s(done, name, inputs))
        number = 1 + sum(one.reader == name for one in done)
        most = min(SHARD_INPUTS if number > 1 else FIRST_INPUTS, inputs - _count(done, name))
        latest = shard(name, number, most, min(left, SHARD_S), failures)
        with log.open("a") as file:
            file.write(json.dumps(asdict(latest)) + "\n")
        print(latest, flush=True)
    done = _read(log)
    print(_table(done, readers))
    return int(any(one.failed for one in done))


def _read(log: Path) -> list[Shard]:
    lines = log.read_text().splitlines() if log.exists() else []
    return [Shard(**json.loads(line)) for line in lines]


def _count(done: list[Shard], name: str) -> int:
    return sum(one.inputs for one in done if one.reader == name)


def _time_left_s(done: list[Shard], name: str, inputs: int) -> float:
    """Return the CPU time until a reader has its inputs; 0 before its first shard."""
    count, cpu_s = _count(done, name), sum(one.cpu_s for one in done if one.reader == name)
    return (inputs - count) * cpu_s / count if count else cpu_s


def _table(done: list[Shard], readers: list[str]) -> str:
    """Return the lines of a table in Markdown: inputs, time of each, and failures of every reader."""
    lines = ["| reader | inputs | µs of CPU each | inputs that failed |", "| --- | --- | --- | --- |"]
    for name in sorted(readers, key=lambda name: -_count(done, name)):
        own = [one for one in done if one.reader == name]
        if count := _count(done, name):
            each_us = 1e6 * sum(one.cpu_s for one in own) / count
            failed = sum(one.failed for one in own)
            lines.append(f"| {name} | {count:,} | {each_us:,.0f} | {failed} |")
    return "\n".join(lines)
