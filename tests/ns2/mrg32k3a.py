"""The random numbers of ns-2: L'Ecuyer's MRG32k3a, from the state in which its default generator begins."""

from collections.abc import Iterator

M1, M2 = 4294967087, 4294944443


def uniform_numbers(seed: int = 1) -> Iterator[float]:
    """Yield numbers between 0 and 1."""
    first, second = [seed] * 3, [seed] * 3
    while True:
        a = (1403580 * first[1] - 810728 * first[0]) % M1
        b = (527612 * second[2] - 1370589 * second[0]) % M2
        first, second = [*first[1:], a], [*second[1:], b]
        yield (a - b if a > b else a - b + M1) * 2.328306549295727688e-10
