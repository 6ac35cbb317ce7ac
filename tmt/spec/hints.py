"""Hints beside a refusal: the right spelling of a number, a text or several values."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tmt.core.declaration import declared
from tmt.spec.queue import KernelQdisc
from tmt.spec.stacks import LINUX, QUIC

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tmt.core.problems import Problem

OTHER_NAMES = {
    "throughput": "goodput",
    "reno": "newreno",
    "kernel": "linux",
    "ns2": "modern",
    "l4s": "dualpi2",
    "pf": "proportional-fair",
}
"""Words of other tools, and their names here."""

_NUMBER = re.compile(r"([-+]?\d+(?:[.,]\d+)?)\s*([a-zµ/]*)", re.IGNORECASE)
_WITH_UNIT = re.compile(r"a (?:number\b.*?(?: (s|bit/s))?|whole number\b.*? (symbol/s))(?:,|$)")
_TIMES = {"": 0, "s": 0, "ms": -3, "us": -6, "µs": -6, "ns": -9}
_RATES = {"": 0, "k": 3, "m": 6, "g": 9}
"""Powers of ten of units, in small letters."""


ONE = "it takes one of them; a scenario compares several (tmt new)"
"""Hint for an option that takes one value and got several."""


def told(problem: Problem, several: str = ONE) -> str:
    """Return a problem in words, with a hint if the value is spelled as in other tools.

    `several` says how to give several values; it may hold ``{names}``, the values in quotes.
    """
    if not (hint := _hint(problem, several)):
        return str(problem)
    _, mark, allowed = str(problem).removeprefix(problem.fault).partition("; allowed: ")
    return f"{problem.fault}; {hint}{mark}{allowed}"


def _hint(problem: Problem, several: str) -> str:
    value, allowed = problem.value, problem.allowed
    if not isinstance(value, str):
        return ""
    if isinstance(allowed, str):
        number = respelled(value, allowed) if problem.kind == "type" else ""
        return f"write {number}" if number else ""
    names = [name.strip() for name in value.split(",")]
    if len(names) > 1 and set(names) <= set(allowed):
        return several.format(names=", ".join(f'"{name}"' for name in names))
    if KernelQdisc.name in allowed and value in declared(KernelQdisc)["qdisc"].choices:
        ours = f"{problem.close}, or " if problem.close else ""
        table = f'{{ name = "kernel", qdisc = "{value}" }}'
        own = f"--queue kernel --queue-qdisc {value}, in files {table}"
        return f"did you mean {ours}stack linux's own ({own})?"
    if (other := OTHER_NAMES.get(value, "")) in allowed:
        return f"did you mean {other}?"
    return _hint_of_control(value, problem)


def _hint_of_control(value: str, problem: Problem) -> str:
    if problem.place[-1:] != ("tcp",) or problem.kind == "unknown":
        return ""
    if value in (LINUX, QUIC):
        return f'{value} is a stack: --stack {value}, in files stack = "{value}"'
    return "" if problem.close else "other controls of a kernel need stack linux"


def respelled(text: str, allowed: str) -> str:
    """Return a number with a decimal comma or a unit in this program's spelling; empty if that is unclear.

    `allowed` names the unit, as `Field.allowed` does: ``a number from 0 to 1 s``.
    """
    found, known = _NUMBER.fullmatch(text), _WITH_UNIT.match(allowed)
    if not found or not known:
        return ""
    unit, of = found[2].lower(), known[1] or known[2]
    powers = _TIMES if of == "s" else {"": 0}
    if of in ("bit/s", "symbol/s"):
        unit, powers = re.sub(r"(bit/s|bits/s|bps|b/s|bit|b|symbol/s|baud|bd)$", "", unit), _RATES
    if unit not in powers or re.fullmatch(r"[1-9]\d*,\d{3}", found[1]):  # 1,000 may be a thousand
        return ""
    number, power = found[1].replace(",", "."), powers[unit]
    if power >= 0:
        return f"{number}e{power}" if power else number
    return f"{float(f'{float(number)}e{power}'):.10g}"


def toml_hint(line: str, column: int) -> str:
    """Return a hint for a line that is not TOML from a column on (from 1); empty if nothing is known."""
    before, after = line[: column - 1], line[column - 1 :]
    if re.search(r"[=\[,]\s*$", before) and (word := re.match(r"[A-Za-z][^\s,\]}#]*", after)):
        text = word[0].lower() if word[0].lower() in ("true", "false") else f'"{word[0]}"'
        return f"write {text}: text stands in quotes" if '"' in text else f"write {text}"
    if number := re.search(r"=\s*([-+]?\d+)$", before):
        if decimals := re.match(r",(\d+)", after):
            return f"write {number[1]}.{decimals[1]}: decimals follow a point"
        if re.match(r"[a-zA-Zµ]", after):
            return "a number has no unit behind it: times are seconds, rates bit/s"
    return ""


def independent(problems: Sequence[Problem]) -> list[Problem]:
    """Return the problems, except that of a missing key that is present under a wrong name."""
    meant = {(*one.place[:-1], one.close) for one in problems if one.kind == "unknown"}
    return [one for one in problems if one.kind != "missing" or one.place not in meant]
