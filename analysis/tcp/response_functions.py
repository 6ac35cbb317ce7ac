"""Mean windows of congestion controls under random loss: as published, and from the laws of growth.

Windows are packets, times seconds. Shares nothing with the simulator: the laws are integrated between losses.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable

RTT0_S = 0.025
"""Hybla's reference RTT."""

Law = tuple[float, "Callable[[float, float, float, float], float]"]
"""Share of the window after a loss, and dW/dt for (window, window before the loss, time since it, RTT)."""


def periodic_reno(loss: float) -> float:
    """Mean window when each 1/p-th packet is lost (Mathis et al. 1997)."""
    return math.sqrt(1.5 / loss)


def published(control: str, loss: float, rtt_s: float) -> float:
    """Response function of the control's specification; all are for one loss in each 1/p packets."""
    match control:
        case "reno":
            return periodic_reno(loss)
        case "cubic":  # RFC 9438, figure 8, and section 4.3
            return max(1.054 * rtt_s**0.75 / loss**0.75, periodic_reno(loss))
        case "hybla":  # Reno's rate at RTT0 (Caini and Firrincieli 2004)
            return periodic_reno(loss) * max(rtt_s / RTT0_S, 1.0)
        case "compound":  # draft-sridharan-tcpm-ctcp-02, equation 8
            return 0.255 / loss**0.8
    raise ValueError(control)


def _reno(_window: float, _peak: float, _since_s: float, rtt_s: float) -> float:
    return 1.0 / rtt_s


def _hybla(_window: float, _peak: float, _since_s: float, rtt_s: float) -> float:
    return max(rtt_s / RTT0_S, 1.0) ** 2 / rtt_s


def _compound(window: float, _peak: float, _since_s: float, rtt_s: float) -> float:
    return max(window**0.75 / 8.0, 1.0) / rtt_s if window >= 38.0 else 1.0 / rtt_s


def _cubic(_window: float, peak: float, since_s: float, rtt_s: float) -> float:
    k_s = math.cbrt(0.3 * peak / 0.4)
    return max(1.2 * (since_s - k_s) ** 2, 9.0 / 17.0 / rtt_s)


LAWS: dict[str, Law] = {
    "reno": (0.5, _reno),
    "hybla": (0.5, _hybla),
    "compound": (0.5, _compound),
    "cubic": (0.7, _cubic),
}


def independent_losses(
    control: str, loss: float, rtt_s: float, reductions: int = 4000, seed: int = 1
) -> float:
    """Mean window when each packet is lost with probability `loss`, over so many `reductions`.

    A loss is detected an RTT later, and repaired together with further losses in that RTT. After the
    reduction the window is constant for an RTT (fast recovery), in which new losses count.

    CUBIC's Reno-friendly growth stays at 9/17 of a packet in an RTT, which holds up to the window before the
    loss, and its plateau is always that window (no fast convergence).
    """
    left, growth = LAWS[control]
    draw = random.Random(seed)
    step_s = rtt_s / 4
    peak = published(control, loss, rtt_s) / left
    packets = time_s = 0.0
    for _ in range(reductions):
        window, since_s = peak * left, 0.0
        until_loss = math.log(1.0 - draw.random()) / math.log(1.0 - loss)
        until_found_s = math.inf
        while until_found_s > 0.0:
            sent = window / rtt_s * step_s
            packets += sent
            until_loss -= sent
            if until_loss <= 0.0 and until_found_s == math.inf:
                until_found_s = rtt_s
            until_found_s -= step_s
            since_s += step_s
            if since_s > rtt_s:
                window += growth(window, peak, since_s - rtt_s, rtt_s) * step_s
        time_s += since_s
        peak = window
    return packets * rtt_s / time_s
