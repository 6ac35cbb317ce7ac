"""The formulas of Kuhn 2014, section 3.5, exactly as printed, for comparison with the exact formulas.

Several are wrong and others are approximations; `docs/kuhn2014-formulas.md` gives the reasons. No formula
includes the decoding time, or the dependence between an LLDU's erasure and the rest of its block.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tmt.core.errors import UsageError
from tmt.core.units import ns_to_seconds
from tmt.theory.channel import Performance, RegularLink, TwoStateChannel, erasure_count_law


def fec(channel: TwoStateChannel, link: RegularLink, data: int, repair: int, depth: int = 1) -> Performance:
    """Return eqs. 1 and 2, on the channel of eq. 4 if interleaved; the paper prints no loss (NaN)."""
    seen = channel if depth == 1 else interleaved_channel(channel, depth)
    delay_s = fec_delay_s(seen, link, data, repair)
    return Performance(fec_efficiency(seen, data, repair), delay_s, residual_loss=np.nan)


def arq(channel: TwoStateChannel, link: RegularLink, max_transmissions: int | None = None) -> Performance:
    """Return the formulas of section 3.5.3, which have no limit on transmissions (UsageError with one)."""
    if max_transmissions is not None:
        raise UsageError(f"max_transmissions is {max_transmissions}: the printed ARQ formulas know no limit")
    return Performance(1.0 - channel.erasure_probability, arq_delay_s(channel, link), residual_loss=0.0)


def harq(
    channel: TwoStateChannel, link: RegularLink, data: int, repair: int, extra: int, rounds: int
) -> Performance:
    """Return the formulas of section 3.5.4, printed for R = 2 (else UsageError) and without a loss (NaN)."""
    if rounds != 2:
        raise UsageError(f"rounds is {rounds}: the printed HARQ formulas hold for 2 rounds")
    delay_s = harq_delay_s(channel, link, data, repair, extra)
    return Performance(harq_efficiency(channel, data, repair, extra), delay_s, residual_loss=np.nan)


def fec_efficiency(channel: TwoStateChannel, data: int, repair: int) -> float:
    """Return eq. 1: sum over i = 1..N_D of i P(i, N), divided by N."""
    received = np.arange(1, data + 1)
    return float(received @ erasure_count_law(channel, data + repair)[1 : data + 1]) / (data + repair)


def fec_delay_s(channel: TwoStateChannel, link: RegularLink, data: int, repair: int) -> float:
    """Return eq. 2, in seconds: recovered LLDUs wait for half a block."""
    size = data + repair
    failed = float(erasure_count_law(channel, size - 1)[repair:].sum())
    wait_slots = channel.erasure_probability * (1.0 - failed) * size / 2
    return ns_to_seconds(link.rtt_ns) / 2 + wait_slots * ns_to_seconds(link.slot_interval_ns)


def interleaved_channel(channel: TwoStateChannel, depth: int) -> TwoStateChannel:
    """Return eq. 4: alpha_I = p + rho^I (1 - p) and beta_I = (1 - p) + rho^I p, with p of eq. 3."""
    p = float(channel.stationary[1])
    memory = channel.memory**depth
    return replace(channel, alpha=p + memory * (1.0 - p), beta=(1.0 - p) + memory * p)


def arq_delay_s(channel: TwoStateChannel, link: RegularLink) -> float:
    """Return the delay of section 3.5.3, RTT/2 + sum of i p^(i-1) (1 - p) RTT, in seconds."""
    erased = channel.erasure_probability
    if erased == 1.0:
        return np.inf
    return ns_to_seconds(link.rtt_ns) * (0.5 + 1.0 / (1.0 - erased))


def harq_efficiency(channel: TwoStateChannel, data: int, repair: int, extra: int) -> float:
    """Return the efficiency of section 3.5.4 for R = 2, from eqs. 5 and 6."""
    decoded, slots = _rounds(channel, data, repair, extra)
    received = data * sum(decoded[:2]) + _received_in_vain(channel, data, repair, extra)
    return float(received / sum(slots))


def harq_delay_s(channel: TwoStateChannel, link: RegularLink, data: int, repair: int, extra: int) -> float:
    """Return the delay of section 3.5.4 in seconds; T_R(r) is computed from the mean length of round r."""
    slot_s, rtt_s = ns_to_seconds(link.slot_interval_ns), ns_to_seconds(link.rtt_ns)
    decoded, slots = _rounds(channel, data, repair, extra)
    requested = 1.0 - np.cumsum(decoded)
    delay_s = slots[0] * slot_s + rtt_s / 2
    for r in (1, 2):
        round_s = slots[r] / requested[r - 1] * slot_s if requested[r - 1] > 0 else 0.0
        delay_s += decoded[r] * r * (rtt_s + round_s)
    return float(delay_s)


def _rounds(
    channel: TwoStateChannel, data: int, repair: int, extra: int
) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """Return the probability that a block is decoded in round 0, 1 or 2, and the mean slots of each round.

    Round 0 is the block itself, the others are repair rounds; the mean lengths are those of j under eq. 6. As
    in eq. 6, every round starts in the stationary law, and the second round has as many LLDUs as the first
    round had erasures.
    """
    law = [erasure_count_law(channel, n) for n in range(data + extra + 1)]
    block = erasure_count_law(channel, data + repair)
    decoded_first = decoded_second = slots_first = slots_second = 0.0
    for erased in range(repair + 1, data + repair + 1):
        length = erased - repair + extra
        round_one, again = law[length], range(extra + 1, length + 1)
        decoded_first += block[erased] * round_one[: extra + 1].sum()
        decoded_second += block[erased] * sum(round_one[m] * law[m][: extra + 1].sum() for m in again)
        slots_first += block[erased] * length
        slots_second += block[erased] * float(round_one[extra + 1 :] @ np.array(again))
    decoded = float(block[: repair + 1].sum()), float(decoded_first), float(decoded_second)
    return decoded, (float(data + repair), float(slots_first), float(slots_second))


def _received_in_vain(channel: TwoStateChannel, data: int, repair: int, extra: int) -> float:
    """Return the second part of eq. 5, the sum of i P_R(i), with the round lengths of the printed Delta."""
    law = [erasure_count_law(channel, n) for n in range(data + 2 * extra + 1)]
    total = 0.0
    for received in range(1, data):
        lacking = data - received
        # The printed delta is 1, 0 or negative, and P(l1, N_R) is 0 for a negative l1.
        lowest = 1 if lacking == repair else 0
        for l1 in range(lowest, repair + 1):
            length = lacking + extra - repair + l1
            failed_twice = sum(
                law[length][l2] * law[l2 + extra][extra + 1 :].sum() for l2 in range(extra + 1, length + 1)
            )
            total += received * law[data][lacking] * law[repair][l1] * failed_twice
    return total
