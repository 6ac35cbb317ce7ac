"""Output of `tmt model`: a table for people, JSON for programs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tmt.core.errors import UsageError
from tmt.core.units import ns_to_seconds

if TYPE_CHECKING:
    from tmt.theory import Parameters, RegularLink, Row

Laws = dict[str, list[float]]
"""Probabilities by name: `erasure_count` from m = 0, `burst_length` and `gap_length` from 1."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """A scheme, its parameters, and the results of the formulas: `rows`, and `laws` for each if asked for."""

    scheme: str
    formula: str
    parameters: Parameters
    link: RegularLink
    rows: list[Row]
    laws: list[Laws]

    @property
    def title(self) -> str:
        """The scheme, its parameters and the kind of formulas, in one line."""
        named = (
            f"{name.removesuffix('_s').replace('_', ' ')} {'unlimited' if value is None else value}"
            + " s" * name.endswith("_s")
            for name, value in in_seconds(self.parameters).items()
            if value or name in ("repair", "depth", "extra", "rounds", "max_transmissions", "reassembly_s")
        )
        return f"{', '.join((self.scheme, *named))} ({self.formula} formulas)"


def in_seconds(parameters: Parameters) -> Parameters:
    """Return the parameters with times in seconds."""
    found: Parameters = {}
    for name, value in parameters.items():
        if name.endswith("_ns"):
            found[f"{name[:-3]}_s"] = ns_to_seconds(int(value or 0))
        else:
            found[name] = value
    return found


def as_record(sweep: Sweep) -> dict[str, object]:
    """Return a sweep for programs."""
    link = sweep.link
    points: list[dict[str, object]] = [dict(row) for row in sweep.rows]
    for point, laws in zip(points, sweep.laws, strict=False):
        point["laws"] = laws
    return {
        "scheme": sweep.scheme,
        "formula": sweep.formula,
        "parameters": in_seconds(sweep.parameters),
        "rtt_s": ns_to_seconds(link.rtt_ns),
        "slot_interval_s": ns_to_seconds(link.slot_interval_ns),
        "decode_time_s": ns_to_seconds(link.decode_time_ns),
        "detection_delay_s": ns_to_seconds(link.detection_delay_ns),
        "feedback_slots": link.feedback_slots,
        "points": points,
    }


def as_table(sweep: Sweep) -> str:
    """Render a sweep for people."""
    link = sweep.link
    lines = [
        sweep.title,
        f"RTT {ns_to_seconds(link.rtt_ns):g} s, slot interval {ns_to_seconds(link.slot_interval_ns):g} s, "
        f"decode time {ns_to_seconds(link.decode_time_ns):g} s, "
        f"detection delay {ns_to_seconds(link.detection_delay_ns):g} s",
        "",
        f"{'alpha':>8} {'beta':>8} {'erased':>9} {'mean burst':>11} {'efficiency':>11} {'delay':>10} "
        f"{'residual loss':>14}",
        f"{'':>8} {'':>8} {'':>9} {'slots':>11} {'':>11} {'s':>10}",
    ]
    lines += [
        f"{row['alpha']:8.4f} {row['beta']:8.4f} {row['erasure_probability']:9.5f} "
        f"{_known(row['mean_burst_slots'], '.3f'):>11} {row['efficiency']:11.5f} "
        f"{_known(row['recovery_delay_s'], '.5f'):>10} "
        f"{_small(row['residual_loss']):>14}"
        for row in sweep.rows
    ]
    for row, law in zip(sweep.rows, sweep.laws, strict=False):
        lines += ["", f"alpha {row['alpha']:g}, beta {row['beta']:g}", *_law_table(law)]
    return "\n".join(lines)


def swept(sweeps: dict[str, list[float]], example: str, flags: str) -> str:
    """Return the name of the only parameter with several values.

    Raises
    ------
    UsageError
        When there is none, or more than one; `example` and `flags` say what to give.
    """
    names = [name for name, values in sweeps.items() if len(values) > 1]
    if len(names) != 1:
        raise UsageError(f"--plot draws a sweep: give a range such as {example} to one of {flags}")
    return names[0]


def _law_table(law: Laws) -> list[str]:
    size = len(law["burst_length"])
    head = f"{'m':>5} {f'P(m, {size})':>14} {'burst of m':>14} {'gap of m':>14}"
    lines = [head, f"{0:5} {_small(law['erasure_count'][0]):>14}"]
    for m in range(1, size + 1):
        values = (law["erasure_count"][m], law["burst_length"][m - 1], law["gap_length"][m - 1])
        lines.append(f"{m:5} " + " ".join(f"{_small(value):>14}" for value in values))
    return lines


def _known(value: float, form: str) -> str:
    return "-" if math.isnan(value) else format(value, form)


def _small(value: float) -> str:
    return "not printed" if math.isnan(value) else f"{value:.4g}"
