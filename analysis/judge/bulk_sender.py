"""`bulk_sender.py VARIANT SECONDS FILE`: sends as much as TCP takes, and samples what the kernel says of it.

Run at the sender of an emulation. FILE gets one line of JSON: the congestion control that was in force, and
samples `[time_s, cwnd, ssthresh, srtt_us, state, retransmitted, rwnd_limited_us]`, times since the start.
"""

from __future__ import annotations

import json
import socket
import struct
import sys
import threading
import time
from pathlib import Path

RECEIVER = ("10.0.0.2", 5000)
SAMPLING_S = 0.02

# struct tcp_info (linux/tcp.h): seven bytes and flags, 24 words, then 64-bit counters.
TCP_INFO = struct.Struct("=8B24I4Q6I4Q")
CA_STATE, RTT, SSTHRESH, CWND, RETRANSMITTED, RWND_LIMITED = (
    1,
    8 + 15,
    8 + 17,
    8 + 18,
    8 + 23,
    8 + 24 + 4 + 6 + 2,
)


def main(variant: str, duration_s: float, file: Path) -> None:
    """Send for `duration_s`, then write the samples."""
    begin = time.monotonic()
    samples: list[tuple[float, ...]] = []
    done = threading.Event()
    with socket.socket() as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, variant.encode())
        connection.connect(RECEIVER)
        sampler = threading.Thread(target=sample, args=(connection, begin, samples, done))
        sampler.start()
        connection.setblocking(False)
        send(connection, begin + duration_s)
        done.set()
        sampler.join()
        name = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(b"\0").decode()
        # What is still unsent is nobody's business: reset instead of a long goodbye.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    file.write_text(json.dumps({"congestion_control": name, "samples": samples}))


def send(connection: socket.socket, until: float) -> None:
    """Keep the socket's buffer full."""
    data = bytes(1 << 16)
    while time.monotonic() < until:
        try:
            connection.send(data)
        except BlockingIOError:
            time.sleep(0.01)


def sample(
    connection: socket.socket, begin: float, samples: list[tuple[float, ...]], done: threading.Event
) -> None:
    """Read TCP_INFO at regular times and keep it where window, threshold or state have changed."""
    last: tuple[float, ...] = ()
    while not done.wait(SAMPLING_S):
        info = TCP_INFO.unpack(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, TCP_INFO.size))
        found = tuple(info[i] for i in (CWND, SSTHRESH, RTT, CA_STATE, RETRANSMITTED, RWND_LIMITED))
        if found != last:
            samples.append((time.monotonic() - begin, *found))
            last = found


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), Path(sys.argv[3]))
