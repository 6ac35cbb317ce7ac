"""`bulk.py FILE` sends bulk data over TCP and samples the kernel's TCP_INFO; `bulk.py receive` receives them.

They run at the two ends of an emulation. FILE holds JSON: `control`, `starts_s` (one for each flow),
`duration_s` and `transfer_bytes` (null: send until the end). At the end the program adds `samples`, one list
for each flow of rows `[time_s, cwnd, ssthresh, srtt_us, state, pacing]` (times since the start, pacing in
bytes per second), and `used`, the control in force. An argument after `receive` is the control of the
receiver.
"""

from __future__ import annotations

import json
import socket
import struct
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

PORT = 5000
RECEIVER = ("10.0.0.2", PORT)
SAMPLING_S = 0.02

# struct tcp_info (linux/tcp.h): eight bytes of state and flags, then 24 words, then the pacing rate.
TCP_INFO = struct.Struct("=8B24IQ")
CA_STATE, RTT, SSTHRESH, CWND, PACING = 1, 8 + 15, 8 + 17, 8 + 18, 8 + 24
BLOCK = bytes(1 << 16)

Samples = list[tuple[float, ...]]


def receive(control: str | None = None) -> None:
    """Receive on any number of connections, with this control, until the process is ended."""
    with socket.create_server(("", PORT), backlog=1024) as server:
        if control is not None:
            server.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, control.encode())
        while True:
            connection, _ = server.accept()
            threading.Thread(target=_receive, args=(connection,), daemon=True).start()


def _receive(connection: socket.socket) -> None:
    with connection, suppress(ConnectionResetError):  # the sender's time is up
        while connection.recv(len(BLOCK)):
            pass


def send(file: Path) -> None:
    """Send for the time in the file, then write the samples into it."""
    settings = json.loads(file.read_text())
    begin = time.monotonic()
    samples: list[Samples] = [[] for _ in settings["starts_s"]]
    used: list[str] = []
    flows = [
        threading.Thread(target=_flow, args=(settings, start_s, begin, found, used), daemon=True)
        for start_s, found in zip(settings["starts_s"], samples, strict=True)
    ]
    for flow in flows:
        flow.start()
    for flow in flows:
        flow.join(max(0.0, begin + settings["duration_s"] + 5 - time.monotonic()))
    file.write_text(json.dumps({"used": used, "samples": samples}))


def _flow(settings: dict[str, Any], start_s: float, begin: float, samples: Samples, used: list[str]) -> None:
    time.sleep(max(0.0, begin + start_s - time.monotonic()))
    until = begin + settings["duration_s"]
    done = threading.Event()
    with socket.socket() as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, settings["control"].encode())
        connection.settimeout(max(0.1, until - time.monotonic()))
        connection.connect(RECEIVER)
        sampler = threading.Thread(target=_sample, args=(connection, begin, samples, done))
        sampler.start()
        try:
            _send(connection, until, settings["transfer_bytes"])
        finally:
            done.set()
            sampler.join()
        name = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16)
        used.append(name.rstrip(b"\0").decode())
        # A reset drops unsent data.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def _send(connection: socket.socket, until: float, transfer_bytes: int | None) -> None:
    """Keep the socket's buffer full until the time is up, or until the receiver has the whole transfer."""
    left = transfer_bytes
    connection.settimeout(0.05)
    while time.monotonic() < until and left != 0:
        try:
            sent = connection.send(BLOCK if left is None else BLOCK[:left])
        except TimeoutError:
            continue
        left = None if left is None else left - sent
    if left == 0:
        connection.shutdown(socket.SHUT_WR)
        while time.monotonic() < until:
            try:
                if not connection.recv(1):
                    return
            except TimeoutError:
                continue


def _sample(connection: socket.socket, begin: float, samples: Samples, done: threading.Event) -> None:
    """Read TCP_INFO at regular times and keep it when window, threshold, RTT or state has changed."""
    last: tuple[float, ...] = ()
    while not done.wait(SAMPLING_S):
        info = TCP_INFO.unpack(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, TCP_INFO.size))
        found = tuple(info[i] for i in (CWND, SSTHRESH, RTT, CA_STATE, PACING))
        if found != last:
            samples.append((time.monotonic() - begin, *found))
            last = found


if __name__ == "__main__":
    if sys.argv[1] == "receive":
        receive(*sys.argv[2:])
    else:
        send(Path(sys.argv[1]))
