"""A streamed video: `video.py server`, and `video.py client`, which plays it and prints measures as JSON.

Segments as in DASH, each in every quality, over one HTTP/1.1 connection. The player chooses the quality of
the next segment by its buffer alone: the least below the reservoir, the best above reservoir and cushion,
in between the rate that grows linearly with the buffer (Huang et al., A Buffer-Based Approach to Rate
Adaptation, SIGCOMM 2014, their BBA-0: it stays at a quality until that rate passes the next one).
"""

import json
import sys
import time
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise

PORT = 8000
RATES_BPS = (300e3, 600e3, 1.0e6, 1.5e6, 2.0e6)
SEGMENT_S = 2.0
VIDEO_S = 60.0
RESERVOIR_S, CUSHION_S = 4.0, 12.0
BUFFER_S = 20.0
"""Most video that the player keeps: it waits until there is room for a segment."""


class Segments(BaseHTTPRequestHandler):
    """Answers `/QUALITY/NUMBER` with that segment's bytes."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Send a segment, header and data at once."""
        quality = int(self.path.split("/")[1])
        size = int(RATES_BPS[quality] * SEGMENT_S / 8)
        head = f"HTTP/1.1 200 OK\r\nContent-Length: {size}\r\n\r\n"
        self.wfile.write(head.encode() + bytes(size))

    def log_message(self, *words: object) -> None:
        """Print nothing."""


def wanted(buffer_s: float, last: int) -> int:
    """Return the quality of the next segment by the video in the buffer and the last one's quality."""
    if buffer_s <= RESERVOIR_S:
        return 0
    if buffer_s >= RESERVOIR_S + CUSHION_S:
        return len(RATES_BPS) - 1
    share = (buffer_s - RESERVOIR_S) / CUSHION_S
    rate = RATES_BPS[0] + share * (RATES_BPS[-1] - RATES_BPS[0])
    if last + 1 < len(RATES_BPS) and rate >= RATES_BPS[last + 1]:
        return max(quality for quality, own in enumerate(RATES_BPS) if own <= rate)
    if last > 0 and rate <= RATES_BPS[last - 1]:
        return min(quality for quality, own in enumerate(RATES_BPS) if own > rate)
    return last


def play(host: str) -> dict[str, float]:
    """Play the video; return its measures."""
    begin = time.monotonic()
    connection = HTTPConnection(host, PORT)
    buffer_s, stalled_s, startup_s, last = 0.0, 0.0, 0.0, 0
    qualities: list[int] = []
    seen = begin
    for number in range(int(VIDEO_S / SEGMENT_S)):
        if (wait_s := buffer_s + SEGMENT_S - BUFFER_S) > 0:
            time.sleep(wait_s)
        asked = time.monotonic()
        buffer_s -= asked - seen if qualities else 0.0
        last = wanted(buffer_s, last)
        connection.request("GET", f"/{last}/{number}")
        connection.getresponse().read()
        seen = time.monotonic()
        if qualities:
            buffer_s -= seen - asked
            stalled_s += max(0.0, -buffer_s)
            buffer_s = max(0.0, buffer_s)
        else:
            startup_s = seen - begin
        buffer_s += SEGMENT_S
        qualities.append(last)
    changes = sum(own != other for own, other in pairwise(qualities))
    mean_bps = sum(RATES_BPS[one] for one in qualities) / len(qualities)
    return {"startup_s": startup_s, "stalled_s": stalled_s, "quality_bps": mean_bps, "changes": changes}


if __name__ == "__main__":
    if sys.argv[1] == "server":
        ThreadingHTTPServer(("", PORT), Segments).serve_forever()
    print(json.dumps(play("server")))
