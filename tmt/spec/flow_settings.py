"""Settings that the traffic of a path and each group of its flows have."""

from __future__ import annotations

from typing import Annotated, Literal

from tmt.core.declaration import Param, PositiveSeconds, Seconds, Spec

Bytes = Annotated[int, Param("byte", 1, 2**62)]


class Resume(Spec):
    """What an earlier connection over the path has stored, from which the first flow resumes (RFC 9959)."""

    window_bytes: Annotated[
        Bytes,
        "data in flight that the earlier connection had",
        Param(label="remembered window", counts="IP packets: payload and headers"),
    ]
    rtt: Annotated[
        PositiveSeconds, "least round-trip time that it measured", Param(label="remembered round-trip time")
    ]
    lifetime: Annotated[
        PositiveSeconds | None,
        "simulated time from which the two may no longer be used",
        Param(absent="they do not expire", null="when they do not expire"),
    ] = None


SlowStart = Annotated[
    Literal["standard", "hystart", "search"] | None,
    "end of the first slow start: at a loss only, at growing delay, or when deliveries no longer double",
    Param(absent="hystart for CUBIC, standard for others", null="for the variant's own"),
]
Resumption = Annotated[
    Resume | None,
    "Careful Resume of the first flow: what an earlier connection has left",
    Param(absent="flows know nothing of the path"),
]

TransferBytes = Annotated[
    Bytes | None,
    "TCP payload that each flow sends, in whole segments",
    Param(
        absent="it sends until the end",
        counts="TCP payload bytes, each counted once; no TCP, IP or link header",
        null="for flows that send until the end",
    ),
]
Pause = Annotated[
    Seconds | None,
    "time for which each flow's application waits after the first half of its transfer is acknowledged",
    Param(absent="the application offers its whole transfer at the start", null="without a pause"),
]
DelayedAcks = Annotated[
    bool | None,
    "whether receivers acknowledge every second packet as Linux does: quick at first and after holes, "
    "a single packet after 40 to 200 ms (stacks of 2009: 100 ms)",
    Param(label="delayed acknowledgements"),
]
ReceiveBuffer = Annotated[
    int | None,
    "largest receive buffer of each flow (`tcp_rmem`): it grows with the data, and may limit the sender",
    Param("byte", 4096, 2**30, counts="memory of the receiver's socket: data and the kernel's own overhead"),
]

ECN = (
    "explicit congestion notification, by which disciplines mark packets instead of dropping them: off, "
    "classic (RFC 3168; New Reno and CUBIC respond as in RFC 8511), or accurate (AccECN, RFC 9768: the "
    "sender learns the number of marks)"
)
"""Meaning of the setting `ecn`."""
