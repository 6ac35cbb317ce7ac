"""`tmt import`: convert another tool's measurement to a trace; one command for each format."""

from __future__ import annotations

from inspect import getdoc
from textwrap import dedent, indent
from typing import TYPE_CHECKING, Any

import click

from tmt.cli.lazy import LazyGroup, imported_when_used
from tmt.cli.options import FILE, JSON, OUT, json_text
from tmt.cli.progress import say, working
from tmt.cli.values import CHOSEN, Values
from tmt.core.declaration import declared
from tmt.importers import AUTO, FORMATS, all_importers
from tmt.spec.option_types import ValueOption

if TYPE_CHECKING:
    from tmt.core.trace import Trace

with imported_when_used():
    from tmt.importers import importer as importers


class Auto(Values):
    """An import in the detected format of the file: it accepts the options of every format that can be
    detected.
    """

    def chosen(self, args: list[str]) -> dict[str, list[str]]:
        """Choose all formats, before the file is known."""
        del args
        return {"--importer": _told_by_content()}

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the options of all formats, without those that choose a format."""
        ctx.meta.setdefault(CHOSEN, self.chosen([]))
        params = super().get_params(ctx)
        return [one for one in params if not (isinstance(one, ValueOption) and one.place[-1] == "name")]

    def invoke(self, ctx: click.Context) -> Any:
        """Choose the format of the file; options of other formats are refused."""
        kind = importers.recognised(ctx.params["source"])
        ctx.meta[CHOSEN] = {"--importer": [kind.name]}
        for option in (one for one in self.get_params(ctx) if isinstance(one, ValueOption)):
            if ctx.params[str(option.name)] is not None and option.place[1] not in declared(kind):
                raise self.no_such_option(ctx, click.NoSuchOption(option.opts[0], ctx=ctx))
        return super().invoke(ctx)


def _told_by_content() -> list[str]:
    """Return the formats that can be detected by content and need no option."""
    kinds = all_importers().items()
    return [name for name, kind in kinds if not any(one.is_required for one in declared(kind).values())]


def _of_format(name: str) -> click.Command:
    kind = all_importers().get(name)
    text = "Detect the format of FILE by its content, and import it. Options of other formats are refused."

    @click.command(
        name,
        cls=Values if kind else Auto,
        values={"importer": kind or tuple[importers.Importer, ...]},
        renamed={"--bytes": "--size"},
        help=_help(kind) if kind else text,
    )
    @click.argument("source", metavar="FILE", type=FILE)
    @click.argument("target", metavar="OUT", type=OUT)
    @JSON
    def call(
        source: str, target: str, as_json: bool, importer: importers.Importer | tuple[importers.Importer]
    ) -> None:
        one = importer[0] if isinstance(importer, tuple) else importer
        with working(f"reads {source}"):
            trace = importers.import_trace(one, source, target)
        say(json_text(_as_record(target, trace)) if as_json else _describe(target, trace))

    return call


def _help(kind: type[importers.Importer]) -> str:
    """Return the docstring of an importer for click: examples are indented, and keep their lines."""
    first, *others = (getdoc(kind) or "").split("\n\n")
    parts = (f"\b\n{indent(dedent(one), '  ')}" if one.startswith(" ") else one for one in others)
    return "\n\n".join([f"Import FILE: {first}", *parts])


@click.group(
    cls=LazyGroup,
    lines={AUTO: "detect the format by the content"} | {name: line for name, (_, line) in FORMATS.items()},
    find=_of_format,
    heading="Formats",
)
def command() -> None:
    """Convert a measurement in another tool's format to a PHY or link trace.

    FILE may be compressed (.gz). The ending of OUT chooses its format; Parquet also stores the provenance.

    \b
    An LTE downlink:
      tmt import mahimahi Verizon-LTE-short.down phy.parquet
      tmt inspect phy.parquet
    """


def _describe(path: str, trace: Trace) -> str:
    found = trace.fates
    if trace.table.kind == "link":
        counts = f"{len(trace):,} rows, {found['lost']:,} of them lost, {found['unsettled']:,} unsettled"
    else:
        counts = f"{len(trace):,} slots, {found['erased']:,} of them erased"
    notes = list(trace.metadata["notes"])
    if trace.size_bytes is None and "lldu_bytes" not in trace.metadata:
        notes.append(
            "the sizes of rows are unknown: --lldu-bytes sets one, which `tmt new` and `tmt tune` need"
        )
    return "\n".join([f"{path}: {counts}", *(f"note: {note}" for note in notes)])


def _as_record(path: str, trace: Trace) -> dict[str, Any]:
    return {
        "trace": path,
        "kind": trace.table.kind,
        "format": trace.metadata["importer"],
        "rows": len(trace),
        **trace.fates,
        "notes": trace.metadata["notes"],
    }
