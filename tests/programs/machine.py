"""A machine in the place of the kernel with processes: it reads a job and leaves the files that the kernel leaves.

It runs the clients' commands here, in no simulated time, and knows a few commands that stand for ends. Its packets are the same
in every run: those of `PACKETS`.
"""

import os
import subprocess
import sys
from pathlib import Path

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
    **{f"{way}_{name}": 1 for way in ("forward", "return") for name in ("bytes_offered", "bytes_used", "trace_repeats")},
}


def main(folder: Path) -> None:
    programs, job = [], {}
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
    (folder / "used.txt").write_text("/bin/sh\n")


def end_of(program: dict[str, str], out: Path, job: dict[str, str]) -> tuple[object, ...]:
    name, command = program["name"], program["command"]
    outputs = [(out / f"{name}.{stream}").open("wb") for stream in ("stdout", "stderr")]
    if command == "refuse":
        refuse()
    word, _, reason = command.partition(" ")
    if word == "end":
        return name, 0, 2000 * MS, -1, 0, reason, 0, 0
    if program["end"] == "near":
        return name, 0, 1500 * MS, -1, 15, "stopped", 0, 0
    environment = {"PATH": os.environ["PATH"], "FILES": job.get("files", ""), "OUT": str(out / "files")}
    done = subprocess.run(["/bin/sh", "-c", command], stdout=outputs[0], stderr=outputs[1], env=environment, check=False)
    sizes = [os.stat(one.name).st_size for one in outputs]
    status, killed_by = (done.returncode, 0) if done.returncode >= 0 else (-1, -done.returncode)
    return name, 100 * MS, 1500 * MS, status, killed_by, "exited", *sizes


def refuse() -> None:
    print("booting\nthe host forbids ptrace, which processes need", file=sys.stderr)
    sys.exit(2)


if __name__ == "__main__":
    main(Path.cwd())
