"""A machine in the place of the kernel with processes: it reads a job and leaves the kernel's files.

It runs the clients' commands here, in no simulated time. `end REASON` stands for an end of that reason,
`refuse` for a host without ptrace. Its packets are the same in every run: those of `PACKETS`.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import numpy as np

from tmt.core.schema import PACKET_RECORDS, WINDOW_RECORDS

MS = 1_000_000
SENT, RECEIVED, LOST = 0, 1, 2
PACKETS = (
    # time, event, direction, flow, sequence, size, transmission, delay
    (90, SENT, 1, 0, 0, 60, 1, 0),
    (95, RECEIVED, 1, 0, 0, 60, 1, 5),
    (100, SENT, 0, 0, 0, 60, 1, 0),
    (150, RECEIVED, 0, 0, 0, 60, 1, 50),
    (160, SENT, 1, 0, 1, 152, 1, 0),
    (165, RECEIVED, 1, 0, 1, 152, 1, 5),
    (200, SENT, 0, 0, 1, 1500, 1, 0),
    (210, SENT, 0, 0, 2, 1500, 1, 0),
    (220, SENT, 0, 0, 3, 1500, 1, 0),
    (225, LOST, 0, 0, 3, 1500, 1, 0),
    (230, SENT, 0, 0, 4, 552, 1, 0),
    (235, SENT, 0, 1, 0, 1228, 0, 0),
    (250, RECEIVED, 0, 0, 1, 1500, 1, 50),
    (260, RECEIVED, 0, 0, 2, 1500, 1, 50),
    (280, RECEIVED, 0, 0, 4, 552, 1, 50),
    (285, SENT, 1, 0, 3, 52, 0, 0),
    (290, RECEIVED, 0, 1, 0, 1228, 0, 55),
    (500, SENT, 0, 0, 3, 1500, 2, 0),
    (600, RECEIVED, 0, 0, 3, 1500, 2, 100),
)
FLOWS = "0\ttcp\t4\t8000\t40000\t52\n1\tudp\t6\t443\t40001\t48\n2\ticmp\t6\t0\t0\t40\n"
COUNTERS = {
    "end_ns": 2000 * MS,
    "header_bytes": 52,
    **{
        f"{way}_{name}": 1
        for way in ("forward", "return")
        for name in ("bytes_offered", "bytes_used", "trace_repeats")
    },
}


def main() -> None:
    folder = Path.cwd()
    programs: list[dict[str, str]] = []
    job: dict[str, str] = {}
    for line in (folder / "programs.txt").read_text().splitlines():
        key, _, value = line.partition(" ")
        value = value.replace("\\\\", "\0").replace("\\n", "\n").replace("\0", "\\")
        if key == "program":
            programs.append({"name": value})
        elif programs:
            programs[-1][key] = value
        else:
            job[key] = value
    out = folder / "out"
    (out / "files").mkdir(parents=True)
    ends = [end_of(one, out, job) for one in programs]
    (folder / "ended.txt").write_text("".join("\t".join(map(str, end)) + "\n" for end in ends))
    packets = np.zeros(len(PACKETS), PACKET_RECORDS.dtype)
    for uid, (time, event, direction, flow, sequence, size, transmission, delay) in enumerate(PACKETS):
        delay_ns = delay * MS if event == RECEIVED else -1
        packets[uid] = (time * MS, event, direction, flow, sequence, size, transmission, uid, delay_ns)
    np.save(folder / "packets.npy", packets)
    np.save(folder / "windows.npy", np.zeros(0, WINDOW_RECORDS.dtype))
    (folder / "flows.txt").write_text(FLOWS)
    (folder / "counters.tsv").write_text("".join(f"{name}\t{value}\n" for name, value in COUNTERS.items()))
    (folder / "used.txt").write_text(os.environ.get("MACHINE_USES", "/bin/sh") + "\n")


def end_of(program: dict[str, str], out: Path, job: dict[str, str]) -> tuple[object, ...]:
    name, command = program["name"], program["command"]
    files = [out / f"{name}.{stream}" for stream in ("stdout", "stderr")]
    for file in files:
        file.touch()
    if command == "refuse":
        refuse()
    word, _, reason = command.partition(" ")
    if word == "end":
        return name, 0, 2000 * MS, -1, 0, reason, 0, 0
    if program["end"] == "near":
        return name, 0, 1500 * MS, -1, 15, "stopped", 0, 0
    settings = dict(line.split(" ", 1) for line in Path("settings.txt").read_text().splitlines())
    environment = {"PATH": os.environ["PATH"], "OUT": str(out / "files"), "SEED": settings["seed"]}
    environment["FILES"] = job.get("files", "")
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, env=environment, check=False)
    for file, said in zip(files, (done.stdout, done.stderr), strict=True):
        file.write_bytes(said)
    sizes = [file.stat().st_size for file in files]
    status, killed_by = (done.returncode, 0) if done.returncode >= 0 else (-1, -done.returncode)
    return name, 100 * MS, 1500 * MS, status, killed_by, "exited", *sizes


def refuse() -> NoReturn:
    print("booting\nthe host forbids ptrace, which processes need", file=sys.stderr)
    sys.exit(2)
