"""Random generators: a seed gives the same numbers on every machine and in pieces of any size."""

from __future__ import annotations

import numpy as np

from tmt.core.errors import UsageError


def uniform_source(seed: int) -> np.random.Generator:
    """Return the random generator of a seed (UsageError when it is negative).

    A model draws a fixed number of 64-bit words per slot. PCG64 uses one word for each uniform number in [0,
    1) and has no buffer, so the stream does not depend on the sizes of the draws.
    """
    check_seed(seed)
    return np.random.Generator(np.random.PCG64(seed))


def uniform_sources(seed: int, number: int, apart: int | None = None) -> list[np.random.Generator]:
    """Return `number` independent generators of a seed; errors as for `uniform_source`.

    Generators with another `apart` are independent of them, too, so that two models may use the same seed.
    """
    check_seed(seed)
    sequence = np.random.SeedSequence(seed, spawn_key=() if apart is None else (apart,))
    return [np.random.Generator(np.random.PCG64(one)) for one in sequence.spawn(number)]


def check_seed(seed: int) -> None:
    """Refuse a negative seed (UsageError)."""
    if seed < 0:
        raise UsageError(f"seed is {seed}; it must be 0 or more")
