"""Small channels by brute force: every erasure pattern over every path of states, added up one by one."""

import itertools
from collections.abc import Iterator, Sequence

from tmt.theory import TwoStateChannel

Pattern = tuple[bool, ...]


def patterns(channel: TwoStateChannel, slots: Sequence[int]) -> Iterator[tuple[Pattern, float]]:
    """Yield every erasure pattern of the given slots, True where erased, and its probability."""
    for pattern in itertools.product((False, True), repeat=len(slots)):
        yield (
            pattern,
            sum(
                path_probability(channel, slots, path) * emission(channel, path, pattern)
                for path in itertools.product((0, 1), repeat=len(slots))
            ),
        )


def path_probability(channel: TwoStateChannel, slots: Sequence[int], path: Sequence[int]) -> float:
    """Probability that the chain, from its stationary law, is in the states `path` at `slots`."""
    good = (1 - channel.beta) / (2 - channel.alpha - channel.beta)
    probability = (good, 1 - good)[path[0]]
    for (here, there), (slot, later) in zip(itertools.pairwise(path), itertools.pairwise(slots), strict=True):
        probability *= moves(channel, later - slot)[here][there]
    return probability


def moves(channel: TwoStateChannel, steps: int) -> list[list[float]]:
    """Transition probabilities over `steps` slots, by multiplying one step at a time."""
    one = [[channel.alpha, 1 - channel.alpha], [1 - channel.beta, channel.beta]]
    result = [[1.0, 0.0], [0.0, 1.0]]
    for _ in range(steps):
        result = [[sum(row[s] * one[s][t] for s in (0, 1)) for t in (0, 1)] for row in result]
    return result


def emission(channel: TwoStateChannel, path: Sequence[int], pattern: Sequence[bool]) -> float:
    """Probability of the pattern, given the states."""
    probability = 1.0
    for state, erased in zip(path, pattern, strict=True):
        error = (channel.error_good, channel.error_bad)[state]
        probability *= error if erased else 1 - error
    return probability
