"""Figures of a trace, and models that are fitted to it."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Literal, cast, overload

from tmt.api.arguments import AnyTrace, phy_of, trace_of
from tmt.core import provenance
from tmt.core.declaration import Count, PositiveSeconds, ns, taken
from tmt.core.measure.link import summarise
from tmt.core.problems import Problem, Refused
from tmt.core.schemes.scheme import RoundTrip
from tmt.theory import fit
from tmt.theory.fit.trace_model import KINDS, TraceModel, fit_model

if TYPE_CHECKING:
    from tmt.core.measure.summaries import LinkSummary, PhySummary
    from tmt.theory.fit import FitReport
    from tmt.theory.fit.trace_model import Kind

ERASURES = "erasures"


def inspect_trace(
    trace: AnyTrace, *, lldu_bytes: int | None = None, rtt: float | None = None
) -> PhySummary | LinkSummary:
    """Summarise a trace: rates, losses, bursts, gaps, delays; see `tmt inspect`.

    Parameters
    ----------
    trace
        A PHY or link trace, a data frame with its columns, or the name of its file.
    lldu_bytes
        Useful bytes of one LLDU; by default those of the trace.
    rtt
        Round-trip time in seconds, for the recovery delay; by default that of the trace.

    Returns
    -------
    PhySummary or LinkSummary
        `to_json()` gives all figures as a dictionary.

    Raises
    ------
    InputError
        When `trace` is not a trace.
    UsageError
        When `lldu_bytes` or `rtt` is not allowed.
    """
    held = trace_of(trace)
    rtt_ns = None if rtt is None else ns(taken("rtt", RoundTrip, rtt))
    size_bytes = None if lldu_bytes is None else taken("lldu_bytes", Count, lldu_bytes)
    return summarise([held], held.metadata, lldu_bytes=size_bytes, rtt_ns=rtt_ns)


@overload
def fit_trace(
    trace: AnyTrace, model: Literal["erasures"] = "erasures", *, window: None = None
) -> FitReport: ...


@overload
def fit_trace(
    trace: AnyTrace, model: Literal["semi-markov", "resample"], *, window: float | None = None
) -> TraceModel: ...


def fit_trace(
    trace: AnyTrace, model: str = ERASURES, *, window: float | None = None
) -> FitReport | TraceModel:
    """Fit models to a trace, and test them; see `tmt fit`.

    Parameters
    ----------
    trace
        A trace, a data frame with its columns, or the name of its file; for ``erasures`` a PHY trace.
    model
        ``erasures``: three models of the erasures. ``semi-markov``: a model of rate, loss and delay that can
        generate traces. ``resample``: measured blocks in random order, which can also generate traces.
    window
        Length in seconds of the windows that have one state each; default as for `tmt fit`.

    Returns
    -------
    FitReport or TraceModel
        For the erasures: each model's estimates with intervals and its test, and the simplest model that is
        not rejected. Otherwise a model whose `generate(number, duration, seed)` returns traces. Its `check()`
        fits a model to each half of the trace and compares its traces with the other half.

    Raises
    ------
    InputError
        When the argument is no trace, or not a PHY trace where one is needed.
    UsageError
        When it has too few bursts, or is too short for the windows.

    Examples
    --------
    >>> import tmt
    >>> model = tmt.fit_trace("traces/sample.parquet", "semi-markov")  # doctest: +SKIP
    >>> more = model.generate(20, seed=1)  # doctest: +SKIP
    """
    if model not in (ERASURES, *KINDS):
        raise Refused([Problem(("model",), model, "choice", (ERASURES, *KINDS))])
    if model != ERASURES:
        source = provenance.source(trace) if isinstance(trace, str | PathLike) else None
        window_ns = None if window is None else ns(taken("window", PositiveSeconds, window))
        return fit_model(trace_of(trace), cast("Kind", model), window_ns, source)
    if window is not None:
        raise Refused(
            [Problem(("window",), window, "rule", "semi-markov, resample", "has no meaning for erasures")]
        )
    phy = phy_of(trace)
    return fit.fit(phy.decode_time_ns == 0, size_bytes=phy.size_bytes)
