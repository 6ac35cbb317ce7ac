"""What `tmt model` prints: a table for people, JSON for programs."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from tmt.units import ns_to_seconds

if TYPE_CHECKING:
    from tmt.models import RegularLink
    from tmt.models.catalogue import Parameters, Row

Laws = dict[str, list[float]]
"""Probabilities by name: `erasure_count` from m = 0, `burst_length` and `gap_length` from 1."""


def describe(scheme: str, formula: str, parameters: Parameters) -> str:
    """Name the scheme, its parameters and the kind of formulas, in one line."""
    named = (
        f"{name.replace('_', ' ')} {'unlimited' if value is None else value}"
        for name, value in parameters.items()
    )
    return f"{', '.join((scheme, *named))} ({formula} formulas)"


def as_json(
    scheme: str,
    formula: str,
    parameters: Parameters,
    link: RegularLink,
    rows: list[Row],
    laws: list[Laws],
) -> str:
    """Render a sweep for programs; NaN, which JSON lacks, becomes null."""
    points = [
        {name: None if math.isnan(value) else value for name, value in row.items()}
        | ({"laws": laws[index]} if laws else {})
        for index, row in enumerate(rows)
    ]
    result = {
        "scheme": scheme,
        "formula": formula,
        "parameters": parameters,
        "rtt_s": ns_to_seconds(link.rtt_ns),
        "slot_interval_s": ns_to_seconds(link.slot_interval_ns),
        "decode_time_s": ns_to_seconds(link.decode_time_ns),
        "detection_delay_s": ns_to_seconds(link.detection_delay_ns),
        "feedback_slots": link.feedback_slots,
        "points": points,
    }
    return json.dumps(result, indent=2, allow_nan=False)


def as_table(
    scheme: str,
    formula: str,
    parameters: Parameters,
    link: RegularLink,
    rows: list[Row],
    laws: list[Laws],
) -> str:
    """Render a sweep for people."""
    lines = [
        describe(scheme, formula, parameters),
        f"RTT {ns_to_seconds(link.rtt_ns):g} s, slot interval {ns_to_seconds(link.slot_interval_ns):g} s, "
        f"decode time {ns_to_seconds(link.decode_time_ns):g} s, "
        f"detection delay {ns_to_seconds(link.detection_delay_ns):g} s",
        "",
        f"{'alpha':>8} {'beta':>8} {'erased':>9} {'mean burst':>11} {'efficiency':>11} {'delay':>10} "
        f"{'residual loss':>14}",
        f"{'':>8} {'':>8} {'':>9} {'slots':>11} {'':>11} {'s':>10} {'':>14}",
    ]
    lines += [
        f"{row['alpha']:8.4f} {row['beta']:8.4f} {row['erasure_probability']:9.5f} "
        f"{row['mean_burst_slots']:11.3f} {row['efficiency']:11.5f} {row['recovery_delay_s']:10.5f} "
        f"{_small(row['residual_loss']):>14}"
        for row in rows
    ]
    for row, law in zip(rows, laws, strict=False):
        lines += ["", f"alpha {row['alpha']:g}, beta {row['beta']:g}", *_law_table(law)]
    return "\n".join(lines)


def _law_table(law: Laws) -> list[str]:
    size = len(law["burst_length"])
    head = f"{'m':>5} {f'P(m, {size})':>14} {'burst of m':>14} {'gap of m':>14}"
    lines = [head, f"{0:5} {_small(law['erasure_count'][0]):>14}"]
    for m in range(1, size + 1):
        values = (law["erasure_count"][m], law["burst_length"][m - 1], law["gap_length"][m - 1])
        lines.append(f"{m:5} " + " ".join(f"{_small(value):>14}" for value in values))
    return lines


def _small(value: float) -> str:
    return "not printed" if math.isnan(value) else f"{value:.4g}"
