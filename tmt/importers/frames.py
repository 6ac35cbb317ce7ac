"""Times from counters of radio frames and slots, which wrap every 10.24 s."""

from __future__ import annotations

from tmt.core.errors import UsageError

FRAMES = 1024
"""System frame numbers run from 0 to 1023."""

_FRAME_NS = 10_000_000
_SLOTS_PER_FRAME = {15: 10, 30: 20, 60: 40, 120: 80}


class SlotClock:
    """Counts slots on without wrapping; the log's own clock, which need not be exact, tells the wraps.

    Parameters
    ----------
    slots_per_frame
        Slots in a frame of 10 ms.
    """

    def __init__(self, slots_per_frame: int = 10) -> None:
        self._slot_ns = _FRAME_NS // slots_per_frame
        self._wrap_ns = FRAMES * _FRAME_NS
        self._last: tuple[int, int] | None = None

    def time_ns(self, slot: int, log_ns: int) -> int:
        """Return the time of slot number `slot` of the 1024 frames, which was logged at `log_ns`.

        The result is the one nearest to the slot before plus the time that has passed in the log. The first
        slot's time lies within the first 10.24 s.
        """
        counted_ns = slot * self._slot_ns
        if self._last is not None:
            last_ns, last_log_ns = self._last
            expected_ns = last_ns + log_ns - last_log_ns
            # Floor division rounds to the nearest wrap.
            counted_ns += (expected_ns - counted_ns + self._wrap_ns // 2) // self._wrap_ns * self._wrap_ns
        self._last = counted_ns, log_ns
        return counted_ns


def slots_per_frame(largest_slot: int, spacing_khz: int | None) -> int:
    """Return the slots in a frame: by the subcarrier spacing, or the least that `largest_slot` fits in.

    Raises
    ------
    UsageError
        When there is no such spacing, or the slot number is too large for it.
    """
    fitting = {khz: count for khz, count in _SLOTS_PER_FRAME.items() if largest_slot < count}
    if spacing_khz is None:
        return min(fitting.values(), default=max(_SLOTS_PER_FRAME.values()))
    if spacing_khz not in fitting:
        allowed = ", ".join(map(str, fitting))
        reason = f"with slot numbers up to {largest_slot}, allowed are {allowed}"
        raise UsageError(f"--subcarrier-spacing is {spacing_khz}; {reason}")
    return fitting[spacing_khz]
