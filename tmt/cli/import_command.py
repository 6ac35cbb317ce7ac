"""`tmt import`: turn another tool's measurement into a trace; one command a format."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from tmt.cli.json_output import json_text
from tmt.cli.lazy_group import LazyGroup
from tmt.cli.options import FILE, JSON, POSITIVE_SECONDS, SECONDS, Number, WholeNumber
from tmt.importers.options import CUT
from tmt.importers.registry import AUTO, IMPORTERS, importer_named

if TYPE_CHECKING:
    from tmt.importers.importer import Option

_AUTO_LINE = "detect the format by the content"


def _click_option(option: Option) -> click.Option:
    types: dict[str, Any] = {
        "choice": click.Choice(option.choices),
        "seconds": SECONDS,
        "positive seconds": POSITIVE_SECONDS,
        "text": click.STRING,
        "whole number": WholeNumber(option.minimum),
        "number": Number(option.minimum),
        "flag": click.BOOL,
        "file": FILE,
    }
    default = option.default
    if default is not None and option.kind in ("seconds", "positive seconds"):
        default = f"{default / 1e9:g}"
    return click.Option(
        [option.flag, option.name],
        type=types[option.kind],
        default=default,
        required=option.required,
        is_flag=option.kind == "flag",
        metavar=option.metavar,
        help=option.help,
    )


def _of_format(name: str) -> click.Command:
    if name == AUTO:
        # Options of one meaning have one declaration, so a set of all holds each once.
        by_content = [i for i in IMPORTERS if not any(option.required for option in i.options)]
        declared = {option.name: option for importer in by_content for option in importer.options}
        options = [replace(option, default=None) for option in declared.values()]
        text = (
            "Detect the format of FILE by its content, and import it. Options of other formats are refused."
        )
    else:
        importer = importer_named(name)
        options, text = list(importer.options), f"Import FILE: {importer.summary}.\n\n{importer.help}"

    def call(source: str, target: str, as_json: bool, **values: Any) -> None:
        from tmt.cli.import_output import as_record, describe  # noqa: PLC0415
        from tmt.importers.files import import_trace  # noqa: PLC0415  (pyarrow takes long to import)

        given = {key: value for key, value in values.items() if value is not None}
        trace = import_trace(name, source, target, **given)
        click.echo(json_text(as_record(target, trace)) if as_json else describe(target, trace))

    arguments = [
        click.Argument([argument], metavar=metavar, type=FILE)
        for argument, metavar in (("source", "FILE"), ("target", "OUT"))
    ]
    parameters = [*arguments, *map(_click_option, (*options, *CUT))]
    return JSON(click.Command(name, callback=call, params=parameters, help=text))


@click.group(
    cls=LazyGroup,
    lines={AUTO: _AUTO_LINE} | {importer.name: importer.summary for importer in IMPORTERS},
    find=_of_format,
    heading="Formats",
)
def command() -> None:
    """Turn a measurement in another tool's format into a PHY or link trace.

    FILE may be compressed (.gz). The ending of OUT chooses its format; Parquet also holds the provenance.

    \b
    An LTE downlink:
      tmt import mahimahi Verizon-LTE-short.down phy.parquet
      tmt inspect phy.parquet
    """
