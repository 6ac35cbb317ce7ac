"""`tmt fit`: fit models to a trace, test them, and make more traces like it."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import PurePath
from typing import TYPE_CHECKING

# OpenBLAS reads this when numpy is imported. Its threads would busy-wait: with matrices of four rows they
# would take a third of the CPU time.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import click
import numpy as np

from tmt.cli.fit_traces import model_tables, names_of, write_traces
from tmt.cli.lazy import imported_when_used
from tmt.cli.options import (
    FILE,
    POSITIVE_SECONDS,
    ROUND_TRIP,
    SEED,
    json_text,
    output_option,
    plot_option,
    typed_flags,
    whole,
)
from tmt.cli.progress import print_notes, progress_bar, say
from tmt.cli.tables import print_parts, text_table
from tmt.core.declaration import ns
from tmt.core.errors import InputError, UsageError
from tmt.core.schema import PHY_TRACE
from tmt.core.trace import PhyTrace
from tmt.io import open_trace, read_trace

if TYPE_CHECKING:
    from pathlib import Path

    from rich.table import Table

    from tmt.core.trace import BoolArray, Uint32Array
    from tmt.results.stretches import GoodputComparison
    from tmt.theory.fit import FitReport
    from tmt.theory.fit.goodness import GoodnessOfFit

with imported_when_used():
    from tmt.core import provenance
    from tmt.results import stretches
    from tmt.show.charts import files as figures, traces as charts

ERASURES, SEMI_MARKOV, RESAMPLE = "erasures", "semi-markov", "resample"


@click.command()
@click.argument("trace", type=FILE)
@click.option(
    "--model",
    type=click.Choice((ERASURES, SEMI_MARKOV, RESAMPLE)),
    help="What is fitted: erasures; rate, loss and delay by a semi-Markov model; or nothing, to repeat "
    "measured blocks in random order.  [default: erasures; with --generate semi-markov, if adequate]",
)
@click.option("--generate", type=whole(1, 10_000), help="Write this many traces like TRACE.")
@output_option(
    "Traces are NAME-1.parquet, NAME-2.parquet ...; the ending chooses the format.  [default: the name of "
    "TRACE, in the working folder]",
    metavar="NAME.parquet",
)
@click.option(
    "--duration", type=POSITIVE_SECONDS, help="Length of each trace in seconds.  [default: TRACE's]"
)
@click.option("--seed", type=SEED, default=1, help="Equal seeds give equal traces, whatever their number.")
@click.option(
    "--window",
    type=POSITIVE_SECONDS,
    help="Seconds of the windows that have one state each.  [default: the shortest of 0.1, 0.2, 0.5, 1 ms "
    "... that gives at most 1000 windows, with 10 rows or more on average]",
)
@click.option(
    "--check-tcp",
    is_flag=True,
    help="Compare CUBIC and BBR over measured and modelled stretches: up to 96 runs of ns-2, some minutes.",
)
@click.option("--rtt", type=ROUND_TRIP, default="0.05", help="Round-trip time of --check-tcp in seconds.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, with all lengths and lags.")
@plot_option("Draw the fits of erasures")
def command(
    trace: str,
    model: str | None,
    generate: int | None,
    output: Path | None,
    duration: float | None,
    seed: int,
    window: float | None,
    check_tcp: bool,
    rtt: float,
    as_json: bool,
    plot: str | None,
) -> None:
    """Fit models to TRACE, test whether they explain it, and make more traces like it.

    Erasures of a PHY trace: independent erasures (Bernoulli), the simple Gilbert model and the
    Gilbert-Elliott model are fitted by maximum likelihood, with 95 % intervals. A chi-square test on the
    lengths of bursts and gaps judges each model; the verdict is the simplest model that the test does not
    reject at the 1 % level. Lengths are counted in slots; times do not matter. If slots have their own sizes,
    a test says whether erasures depend on the size.

    Rate, loss and delay together (--generate, --model), for PHY and link traces: each window of the trace has
    a state. A semi-Markov model draws the states and their durations, and fills them with measured windows.
    The model is fitted to each half, and its traces are compared with the other half. If it is not adequate,
    --generate writes nothing, unless --model chooses the model.

    \b
    Find the parameters that made a trace:
      tmt generate --channel gilbert-elliott --alpha 0.99 --beta 0.8 \\
          --duration 300 phy.parquet
      tmt fit phy.parquet
      tmt fit --plot fit.svg phy.parquet
    Twenty traces like a measured one, as files starlink-1.parquet ...:
      tmt fit --generate 20 starlink.parquet
    The model and its verdict only, with CUBIC and BBR over both:
      tmt fit --model semi-markov --check-tcp starlink.parquet
    Measured blocks in random order, 10 minutes each:
      tmt fit --model resample --generate 5 --duration 600 drive.parquet
    """
    _refuse_strangers(model, generate, plot, check_tcp=check_tcp)
    if model == ERASURES or (model is None and generate is None):
        _fit_erasures(trace, plot, as_json=as_json)
        return
    from tmt.theory.fit import trace_model  # noqa: PLC0415  (numba and scipy take long to import)

    names = [] if generate is None else names_of(trace, output, generate)
    measured = read_trace(trace)
    try:
        kind: trace_model.Kind = "resample" if model == RESAMPLE else "semi-markov"
        window_ns = None if window is None else ns(window)
        fitted = trace_model.fit_model(measured, kind, window_ns, provenance.source(trace))
    except UsageError as error:
        raise InputError(trace, str(error)) from None
    print_notes(fitted.notes)
    with progress_bar("check", trace_model.CHECKED_TRACES, "traces") as progress:
        check = fitted.check(progress)
    goodput: list[GoodputComparison] = []
    if check_tcp:
        with progress_bar("ns-2", stretches.number_of_runs(fitted), "runs") as progress:
            goodput = stretches.compare_goodput(fitted, rtt, progress)
    is_wanted = check.adequate or model is not None
    if is_wanted:
        write_traces(fitted, names, duration, seed)
    if as_json:
        found = fitted.to_json() | {"check": check.to_json(), "goodput": [asdict(one) for one in goodput]}
        say(json_text(found | {"files": names if is_wanted else []}))
    else:
        told = [fitted.described, check.verdict, *(one.sentence for one in goodput)]
        print_parts(*model_tables(trace, fitted, check), *told)
    if not is_wanted:
        raise InputError(
            trace,
            "the semi-Markov model is not adequate, so nothing is written; --model resample makes traces of "
            "measured blocks, --model semi-markov writes the model's all the same",
        )


def _refuse_strangers(model: str | None, generate: int | None, plot: str | None, *, check_tcp: bool) -> None:
    """Refuse options without effect."""
    if model in {None, ERASURES} and generate is None and (flags := typed_flags("window", "check_tcp")):
        raise UsageError(f"{flags[0]}: needs --generate, --model {SEMI_MARKOV} or --model {RESAMPLE}")
    if model == ERASURES and generate is not None:
        raise UsageError(
            f"--generate: does not go with --model {ERASURES}; allowed: {SEMI_MARKOV}, {RESAMPLE}; "
            "tmt generate makes traces of a channel"
        )
    if plot is not None and (model not in {None, ERASURES} or generate is not None):
        raise UsageError(f"--plot: draws fits of erasures; it needs --model {ERASURES}")
    if generate is None and (flags := typed_flags("output", "duration", "seed")):
        raise UsageError(f"{flags[0]}: needs --generate, the number of traces to make")
    if not check_tcp and typed_flags("rtt"):
        raise UsageError("--rtt: needs --check-tcp")


def _fit_erasures(trace: str, plot: str | None, *, as_json: bool) -> None:
    from tmt.theory import fit  # noqa: PLC0415  (numba and scipy take long to import)

    erased, size_bytes = _slots(trace)
    try:
        with progress_bar("fit", 3, "models", compiles=True) as progress:
            report = fit.fit(erased, progress, size_bytes=size_bytes)
    except UsageError as error:
        raise InputError(trace, str(error)) from None
    if plot is not None:
        figures.save_chart(charts.fit_chart(report, PurePath(trace).name), plot)
    if as_json:
        say(json_text(report.to_json()))
        return
    sentences = [report.verdict] if report.sizes is None else [report.verdict, report.sizes.sentence]
    print_parts(*_tables(trace, report, fit.MODELS), *sentences)


def _slots(trace: str) -> tuple[BoolArray, Uint32Array | None]:
    """Read whether each slot is erased, and the sizes of slots that have them; a fit keeps no times."""
    pieces, sizes = [], []
    with open_trace(trace, PHY_TRACE) as reader, progress_bar("read", reader.rows) as progress:
        for chunk in reader:
            assert isinstance(chunk, PhyTrace)
            pieces.append(chunk.decode_time_ns == 0)
            if chunk.size_bytes is not None:
                sizes.append(chunk.size_bytes)
            progress(len(chunk))
    return np.concatenate(pieces), np.concatenate(sizes) if sizes else None


def _tables(path: str, report: FitReport, labels: dict[str, str]) -> tuple[Table, Table]:
    share = report.erased / report.slots
    bursts = sum(report.burst_lengths.values())
    title = f"{path}: {report.slots:,} slots, {report.erased:,} erased ({share:.4g}), {bursts:,} bursts"
    least = min(model.aic for model in report.models.values())
    tests, values = [], []
    for name, model in report.models.items():
        tests.append((labels[name], f"{model.aic - least:,.1f}", *_test(model.test)))
        for parameter, estimate in model.parameters.items():
            numbers = (f"{value:.5g}" for value in (estimate.value, estimate.low, estimate.high))
            values.append((labels[name], parameter, *numbers))
    header = ("model", "parameter", "estimate", "95 % from", "to")
    return (
        text_table(title, ("model", "AIC - least", "chi2", "df", "p", ""), tests, (0, 5)),
        text_table("", header, values, (0, 1)),
    )


def _test(test: GoodnessOfFit) -> tuple[str, str, str, str]:
    if test.p_value is None:
        return "-", "0", "-", "too few runs"
    shown = f"{test.p_value:.2g}" if test.p_value >= 1e-6 else "< 1e-6"
    verdict = "rejected" if test.rejected else "not rejected"
    return f"{test.statistic:.1f}", str(test.degrees_of_freedom), shown, verdict
