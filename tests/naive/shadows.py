"""Slow twin of the channel of shadows that are alike: slot by slot, from its definition."""

from collections.abc import Sequence

from tmt import Shadows


def erased(
    channel: Shadows, times_ns: Sequence[int], middles_ns: Sequence[float], fates: Sequence[float]
) -> list[bool]:
    """Return whether each slot is erased: its fate is below the probability at its distance from a middle."""
    found = []
    for time_ns, fate in zip(times_ns, fates, strict=True):
        off_ns = min(abs(time_ns - middle_ns) for middle_ns in middles_ns)
        if off_ns < channel.trunk_ns / 2:
            probability = 1.0
        elif off_ns < channel.crown_ns / 2:
            probability = channel.crown_error
        else:
            probability = 0.0
        found.append(fate < probability)
    return found
