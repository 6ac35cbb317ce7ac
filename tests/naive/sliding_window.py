"""The sliding-window code by its definition: the rank of all equations after every arrival."""

from collections.abc import Sequence

from naive.schemes import UNSETTLED, Converted, Row

REPAIR_KEYS = 1024

Arrival = tuple[int, int, int, dict[int, int]]
"""Time, slot, newest unit when it was sent, equation."""


def product(a: int, b: int) -> int:
    """Multiply in GF(256), bit by bit."""
    result = 0
    for bit in range(8):
        if b >> bit & 1:
            result ^= a << bit
    for bit in range(14, 7, -1):
        if result >> bit & 1:
            result ^= 0x11D << (bit - 8)
    return result


def inverse(a: int) -> int:
    return next(b for b in range(1, 256) if product(a, b) == 1)


class TinyMt32:
    """The generator of RFC 8682, in integers of any size."""

    def __init__(self, seed: int) -> None:
        self.status = [seed, 0x8F7011EE, 0xFC78FF1F, 0x3793FDFF]
        for i in range(1, 8):
            last = self.status[(i - 1) % 4]
            self.status[i % 4] ^= (i + 1812433253 * (last ^ (last >> 30))) % 2**32
        for _ in range(8):
            self.step()

    def step(self) -> None:
        y = self.status[3]
        x = (self.status[0] % 2**31) ^ self.status[1] ^ self.status[2]
        x ^= (x << 1) % 2**32
        y ^= (y >> 1) ^ x
        self.status = [self.status[1], self.status[2], x ^ ((y << 10) % 2**32), y]
        if y % 2:
            self.status[1] ^= 0x8F7011EE
            self.status[2] ^= 0xFC78FF1F

    def word(self) -> int:
        self.step()
        t = (self.status[0] + (self.status[2] >> 8)) % 2**32
        return self.status[3] ^ t ^ (0x3793FDFF if t % 2 else 0)


def coefficients(key: int, n: int) -> list[int]:
    """Return the bytes of the generator that are not 0 (RFC 8681, density 15)."""
    generator, found = TinyMt32(key), []
    while len(found) < n:
        byte = generator.word() % 256
        if byte:
            found.append(byte)
    return found


def rank(equations: list[dict[int, int]]) -> int:
    """Count independent equations, by elimination from scratch."""
    left, found = [dict(e) for e in equations if e], 0
    while left:
        first = left.pop()
        if not first:
            continue
        found += 1
        unit, leading = next(iter(first.items()))
        for other in left:
            if unit in other:
                factor = product(other[unit], inverse(leading))
                for column, value in first.items():
                    other[column] = other.get(column, 0) ^ product(factor, value)
                    if other[column] == 0:
                        del other[column]
    return found


def determines(equations: list[dict[int, int]], unit: int) -> bool:
    """Tell whether the equations have a single value of the unit: without it, their rank is one less."""
    without = [{u: c for u, c in e.items() if u != unit} for e in equations]
    return rank(without) == rank(equations) - 1


def sliding_window(tx: Sequence[int], decode: Sequence[int], window: int, interval: int) -> Converted:
    uses: list[str] = []
    first_slots: list[int] = []
    arrivals: list[Arrival] = []
    repairs = 0
    for s in range(len(tx)):
        if s % (interval + 1) < interval:
            equation = {len(first_slots): 1}
            first_slots.append(s)
            uses.append("data")
        else:
            covered = range(max(0, len(first_slots) - window), len(first_slots))
            equation = dict(zip(covered, coefficients(repairs % REPAIR_KEYS, len(covered)), strict=True))
            repairs += 1
            uses.append("repair")
        if decode[s]:
            arrivals.append((tx[s] + decode[s], s, len(first_slots) - 1, equation))

    recovered, lost = receive(arrivals, window)
    rows = []
    for unit, s in enumerate(first_slots):
        times = [recovered[unit]] if unit in recovered else []
        times += [tx[s] + decode[s]] if decode[s] else []
        if times:
            rows.append(Row(tx[s], min(times) - tx[s], True, 1))
        elif unit in lost:
            rows.append(Row(tx[s], lost[unit] - tx[s], False, 1))
        else:
            rows.append(Row(tx[s], UNSETTLED, False, 1))
    return Converted(rows, first_slots, uses)


def receive(arrivals: list[Arrival], window: int) -> tuple[dict[int, int], dict[int, int]]:
    """Return the times at which units are recovered, and at which unrecovered units leave the window."""
    recovered: dict[int, int] = {}
    lost: dict[int, int] = {}
    newest, taken = -1, []
    for at, _, last, equation in sorted(arrivals, key=lambda arrival: arrival[:2]):
        newest = max(newest, last)
        for unit in range(newest - 2 * window + 1):
            if unit not in recovered and unit not in lost:
                lost[unit] = at
        if min(equation) <= newest - 2 * window:
            continue
        taken.append(equation)
        # Units that have been recovered are constants.
        open_ = [{u: c for u, c in e.items() if u not in recovered} for e in taken]
        open_ = [e for e in open_ if e]
        for unit in sorted({u for e in open_ for u in e}):
            if unit not in lost and determines(open_, unit):
                recovered[unit] = at
    return recovered, lost
