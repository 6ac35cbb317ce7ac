"""What is wrong with a value that a declaration refuses, and how a message says it."""

from __future__ import annotations

from dataclasses import dataclass, is_dataclass, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Literal

from tmt.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

Place = tuple[str | int, ...]
"""Path to a value: names of fields, and indices from 0 in lists."""

ProblemKind = Literal["unknown", "missing", "type", "range", "choice", "repeated", "rule", "size"]


@dataclass(frozen=True)
class Problem:
    """What is wrong with one value.

    `place` is the path from the object that was to be made; `value` is None where it is missing; `kind` is
    the kind of fault. `allowed` is a phrase or the words to choose from; `reason` says why a rule refuses
    values that are allowed by themselves.
    """

    place: Place
    value: Any
    kind: ProblemKind
    allowed: str | tuple[str, ...]
    reason: str = ""

    def within(self, *outer: str | int) -> Problem:
        """Return the same problem with a longer path."""
        return replace(self, place=(*outer, *self.place))

    @property
    def fault(self) -> str:
        """The problem, without the place and what is allowed."""
        is_nothing = self.value is None and self.kind != "type"
        parts = self.value if isinstance(self.value, list | tuple) and self.value else (self.value,)
        is_object = all(isinstance(one, dict) or is_dataclass(one) for one in parts)
        value = "" if is_nothing or is_object else shown(self.value)
        if self.kind == "type" and isinstance(self.value, float):
            value = repr(self.value)  # 1.0 is not a whole number
        match self.kind:
            case "unknown":
                return "is not known"
            case "missing":
                return "is missing"
            case "repeated":
                return f"{value} is listed twice".strip()
            case "rule":
                return f"{value} {self.reason or 'does not go with the rest'}".strip()
            case _:
                return f"{value} is not allowed".strip()

    @property
    def close(self) -> str:
        """The allowed word nearest to the wrong one, or nothing."""
        wrong = self.place[-1] if self.kind == "unknown" else self.value
        if not isinstance(self.allowed, tuple) or not isinstance(wrong, str):
            return ""
        return next(iter(get_close_matches(wrong, self.allowed, 1)), "")

    def __str__(self) -> str:
        hint = f"; did you mean {self.close}?" if self.close else ""
        allowed = ", ".join(self.allowed) if isinstance(self.allowed, tuple) else self.allowed
        if self.kind == "type" and isinstance(self.allowed, tuple):
            allowed = f"text, one of {allowed}"  # 2009 is not "2009"
        return f"{self.fault}{hint}; allowed: {allowed}"


class Refused(UsageError):  # noqa: N818  (every view names it so)
    """Refused values; each view spells `problems` in its own words, a line each."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(f"{spelled(one.place)}: {one}".lstrip(": ") for one in self.problems))

    def __reduce__(self) -> tuple[type[Refused], tuple[tuple[Problem, ...]]]:
        """Rebuild from the problems, because worker processes return errors by pickle."""
        return Refused, (self.problems,)


def spelled(place: Place) -> str:
    """Return ``scheme[1].data`` for ``("scheme", 1, "data")``."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    return "".join(parts).removeprefix(".")


def shown(value: Any, limit: int = 60) -> str:
    """Return a value as a scenario file spells it, on one line of at most `limit` characters."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        text = f"[{', '.join(shown(one, limit) for one in value)}]"
    else:
        text = f"{value:.10g}" if isinstance(value, float) else repr(value)
    return text if len(text) <= limit else f"{text[: limit - 4]} ..."


def number(value: float) -> str:
    """Return a number in its shortest plain form."""
    return str(value) if isinstance(value, int) else f"{value:.15g}"
