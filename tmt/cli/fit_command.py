"""`tmt fit`: fit erasure models to a trace, and test them."""

from __future__ import annotations

import os
from pathlib import PurePath
from typing import TYPE_CHECKING

import click

from tmt.cli.json_output import json_text
from tmt.cli.options import FILE, FigurePath
from tmt.cli.progress import progress_bar
from tmt.core.errors import InputError, UsageError

if TYPE_CHECKING:
    from tmt.core.trace import BoolArray, Uint32Array


@click.command()
@click.argument("trace", type=FILE)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, with all lengths and lags.")
@click.option(
    "--plot", type=FigurePath(), help="Draw the fits into this .png, .svg, .pdf, .html or .json file."
)
def command(trace: str, as_json: bool, plot: str | None) -> None:
    """Fit erasure models to the PHY trace TRACE, and test whether they explain its bursts.

    Independent erasures (Bernoulli), the simple Gilbert model and the Gilbert-Elliott model are fitted by
    maximum likelihood, with 95 % intervals. A chi-square test on the lengths of bursts and gaps judges each
    model; the verdict is the simplest model that the test does not reject at the 1 % level. Lengths are
    counted in slots; times do not matter. Where slots have sizes of their own, a test says whether erasures
    depend on the size.

    \b
    Find the parameters that made a trace:
      tmt generate --channel gilbert-elliott --alpha 0.99 --beta 0.8 \\
          --duration 300 phy.parquet
      tmt fit phy.parquet
      tmt fit --plot fit.svg phy.parquet
    """
    # OpenBLAS reads this when numpy is imported. Its threads wait by spinning: with matrices of four rows
    # they would take a third of the CPU time.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from tmt.theory.fit import fit  # noqa: PLC0415  (numba and scipy take long to import)

    erased, size_bytes = _slots(trace)
    try:
        with progress_bar("fit", 3, "models", compiles=True) as progress:
            report = fit(erased, progress, size_bytes=size_bytes)
    except UsageError as error:
        raise InputError(trace, str(error)) from None
    if plot is not None:
        from tmt.show.charts.files import save_chart  # noqa: PLC0415
        from tmt.show.charts.traces import fit_chart  # noqa: PLC0415  (altair takes long to import)

        save_chart(fit_chart(report, PurePath(trace).name), plot)
    if as_json:
        click.echo(json_text(report.to_json()))
        return
    from tmt.cli.fit_output import as_tables  # noqa: PLC0415
    from tmt.cli.tables import print_parts  # noqa: PLC0415

    sentences = [report.verdict] if report.sizes is None else [report.verdict, report.sizes.sentence]
    print_parts(*as_tables(trace, report), *sentences)


def _slots(trace: str) -> tuple[BoolArray, Uint32Array | None]:
    """Read whether each slot is erased, and the sizes of slots that have them; a fit keeps no times."""
    import numpy as np  # noqa: PLC0415

    from tmt.core.schema import PHY_TRACE  # noqa: PLC0415
    from tmt.core.trace import PhyTrace  # noqa: PLC0415
    from tmt.io import open_trace  # noqa: PLC0415

    pieces, sizes = [], []
    with open_trace(trace, PHY_TRACE) as reader, progress_bar("read", reader.rows) as progress:
        for chunk in reader:
            assert isinstance(chunk, PhyTrace)
            pieces.append(chunk.decode_time_ns == 0)
            if chunk.size_bytes is not None:
                sizes.append(chunk.size_bytes)
            progress(len(chunk))
    return np.concatenate(pieces), np.concatenate(sizes) if sizes else None
