"""Parameter types that several commands share: what people type, checked and converted at the edge."""

from __future__ import annotations

from decimal import Decimal

import click

from tmt.units import NS_PER_S, seconds_to_ns


class Seconds(click.ParamType[int]):
    """A time typed in seconds that reaches the command as integer nanoseconds.

    Parameters
    ----------
    minimum_ns
        Least time allowed; None allows negative times.
    strict
        Whether the least time itself is refused.
    """

    name = "seconds"

    def __init__(self, minimum_ns: int | None = 0, *, strict: bool = False) -> None:
        self.minimum_ns, self.strict = minimum_ns, strict

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Convert text in seconds; an integer is a default and already in nanoseconds."""
        if isinstance(value, int):
            return value
        try:
            time_ns = seconds_to_ns(str(value))
        except ValueError as error:
            self.fail(f"{error}.", param, ctx)
        if self.minimum_ns is not None:
            least = Decimal(self.minimum_ns) / NS_PER_S
            if self.strict and time_ns <= self.minimum_ns:
                self.fail(f"{value} s is not allowed; it must be more than {least} s.", param, ctx)
            if time_ns < self.minimum_ns:
                self.fail(f"{value} s is not allowed; it must be {least} s or more.", param, ctx)
        return time_ns


SECONDS = Seconds()
"""A time of 0 s or more."""

POSITIVE_SECONDS = Seconds(strict=True)
"""A time of more than 0 s."""
