"""Erased transmissions of an LLDU, and what a receiver that combines them decides."""

from __future__ import annotations

from decimal import Decimal, localcontext
from math import prod
from random import Random


def combined_transmissions() -> list[str]:
    """Lines of `combining.tsv`: combining, threshold in dB, whether it is reached, the transmissions' Es/N0.

    Thresholds lie from 1e-11 dB to 10 dB below or above what the transmissions reach, a third of them as near
    as 64-bit numbers can tell.
    """
    numbers, lines = Random(1), ["combining\tcombining_threshold_db\tdecoded\tes_n0_mdb"]
    with localcontext(prec=50):
        for number in range(600):
            kind = ("chase", "incremental")[number % 2]
            es_n0_mdb = [numbers.randint(-25_000, 25_000) for _ in range(numbers.randint(2, 6))]
            snrs = [Decimal(10) ** (Decimal(mdb) / 10_000) for mdb in es_n0_mdb]
            reached = sum(snrs) if kind == "chase" else prod(1 + snr for snr in snrs) - 1
            off_db = 10 ** numbers.choice((-11.0, numbers.uniform(-10, -3), numbers.uniform(-3, 1)))
            threshold_db = float(10 * Decimal(reached).log10()) + numbers.choice((-1, 1)) * off_db
            decoded = reached >= Decimal(10) ** (Decimal(threshold_db) / 10)
            values = " ".join(map(str, es_n0_mdb))
            lines.append(f"{kind}\t{threshold_db!r}\t{int(decoded)}\t{values}")
    return lines
