"""The paper's numbers, from `published.csv`: each with its place and, if read off a plot, the reading error.

The plots of figures 7 to 11 have no numbers; these numbers are printed in the paper's tables and text.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).with_name("published.csv")

UNITS = {
    "goodput_bps": ("goodput", 1e-3, "kbit/s", 0),
    "completion_s": ("time for 0.1 MB", 1.0, "s", 1),
    "delay_min_s": ("least delay", 1.0, "s", 2),
    "delay_p85_s": ("delay, 85 %", 1.0, "s", 2),
    "delay_p99_s": ("delay, 99 %", 1.0, "s", 2),
    "retransmission_ratio": ("retransmission probability", 1.0, "", 5),
    "max_retransmissions": ("most retransmissions", 1.0, "", 1),
    "erasure_ratio": ("packet error rate", 1.0, "", 4),
}
"""Name, scale, unit and decimals of each measure that the paper gives numbers of."""


@dataclass(frozen=True, slots=True)
class Value:
    """One number of the paper: the figure or table, what was measured with what, and the value in its unit.

    `tcp` may be empty. `error` is the reading error: 0 for a printed number, None where the text gives no
    exact one. `kind` is "number", or how the text puts it: "about ...", "less than".
    """

    place: str
    scenario: str
    measure: str
    tcp: str
    scheme: str
    es_n0_db: float
    value: float
    error: float | None
    kind: str
    source: str

    @property
    def is_exact(self) -> bool:
        """Whether a deviation from it means anything."""
        return self.kind == "number"


def read() -> list[Value]:
    """Return every published number."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return [
            Value(
                **{name: row[name] for name in ("place", "scenario", "tcp", "scheme", "kind", "source")},
                measure=row["column"],
                es_n0_db=float(row["Es/N0"]),
                value=float(row["value"]),
                error=float(row["error"]) if row["error"] else None,
            )
            for row in csv.DictReader(file)
        ]
