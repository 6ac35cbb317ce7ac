"""Two links in a row with a node between them (Jin and Yang 2006, figure 2)."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from tmt.core.errors import UsageError


@dataclass(frozen=True, slots=True)
class TwoLinks:
    """A wired link, a node, which may be a proxy, and a wireless link.

    Attributes
    ----------
    wired_packet_s, wireless_packet_s
        mu_1 and mu_p, transmission times of a packet.
    wired_delay_s, wireless_delay_s
        tau_1 and tau_2, one-way propagation delays.
    wired_ack_s, wireless_ack_s
        tau_5 and tau_4, times that an ACK takes to cross each link back. tau_3 is their sum.
    processing_s
        t_p, time from a packet's arrival at the proxy until it may be sent on; packets are processed side by
        side.
    wired_loss
        p_1, probability that a packet is lost on the wired link.

    Raises
    ------
    UsageError
        When a value is out of its range.
    """

    wired_packet_s: float
    wireless_packet_s: float
    wired_delay_s: float
    wireless_delay_s: float
    wired_ack_s: float
    wireless_ack_s: float
    processing_s: float = 0.0
    wired_loss: float = 0.0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name == "wired_loss":
                if not 0.0 <= value < 1.0:
                    raise UsageError(
                        f"wired loss is {value:g}: a probability of at least 0 and below 1 is allowed"
                    )
            elif not 0.0 <= value < math.inf:
                raise UsageError(f"{field.name} is {value:g}: it must not be negative")
        for name in ("wired_packet_s", "wireless_packet_s"):
            if not getattr(self, name) > 0.0:
                raise UsageError(f"{name} is 0: it must be more than 0")

    @classmethod
    def of_rates(
        cls,
        *,
        wired_bps: float,
        wireless_bps: float,
        wired_delay_s: float,
        wireless_delay_s: float,
        packet_bytes: int,
        ack_bytes: int,
        processing_s: float = 0.0,
        wired_loss: float = 0.0,
    ) -> TwoLinks:
        """Return links of given rates in bit/s, over which packets and ACKs of given sizes are sent.

        An ACK takes its transmission time and the propagation delay of each link. Other parameters are those
        of the class.

        Raises
        ------
        UsageError
            When a value is out of its range.
        """
        return cls(
            wired_packet_s=8 * packet_bytes / wired_bps,
            wireless_packet_s=8 * packet_bytes / wireless_bps,
            wired_delay_s=wired_delay_s,
            wireless_delay_s=wireless_delay_s,
            wired_ack_s=wired_delay_s + 8 * ack_bytes / wired_bps,
            wireless_ack_s=wireless_delay_s + 8 * ack_bytes / wireless_bps,
            processing_s=processing_s,
            wired_loss=wired_loss,
        )

    @property
    def bottleneck_s(self) -> float:
        """Transmission time of a packet on the slower link, max(mu_1, mu_p)."""
        return max(self.wired_packet_s, self.wireless_packet_s)

    @property
    def crossing_s(self) -> float:
        """Time that a packet takes beyond the slower link's transmission, min(mu_1, mu_p) + tau_1 + tau_2."""
        return min(self.wired_packet_s, self.wireless_packet_s) + self.wired_delay_s + self.wireless_delay_s

    def end_to_end_cycle_s(self, packets_per_ack: int) -> float:
        """Return R_e, from the start of a window to its first ACK, without a proxy."""
        return self.crossing_s + packets_per_ack * self.bottleneck_s + self.wired_ack_s + self.wireless_ack_s

    def wired_cycle_s(self, packets_per_ack: int) -> float:
        """Return R_1, the same for the connection from the sender to the proxy."""
        return packets_per_ack * self.wired_packet_s + self.wired_delay_s + self.wired_ack_s

    def wireless_cycle_s(self, packets_per_ack: int) -> float:
        """Return R_2, the same for the connection from the proxy to the receiver."""
        return packets_per_ack * self.wireless_packet_s + self.wireless_delay_s + self.wireless_ack_s
