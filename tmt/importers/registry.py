"""Every importer, in the order in which `auto` and messages try them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tmt.core.errors import InputError, UsageError
from tmt.importers import (
    block_outcomes,
    iperf3,
    irtt,
    lens,
    lte_harq,
    mahimahi,
    mobileinsight,
    ng_scope,
    nr_scope,
    ns3_lte,
    ns3_nr,
    ping,
    rates,
    srsran,
    table,
    udp_stream,
)
from tmt.io.files import input_errors, open_input

if TYPE_CHECKING:
    from tmt.importers.importer import Importer

IMPORTERS: tuple[Importer, ...] = (
    ns3_lte.IMPORTER,
    ns3_nr.IMPORTER,
    srsran.IMPORTER,
    mobileinsight.IMPORTER,
    lte_harq.IMPORTER,
    nr_scope.IMPORTER,
    ng_scope.IMPORTER,
    irtt.IMPORTER,
    lens.IMPORTER,
    ping.IMPORTER,
    udp_stream.IMPORTER,
    iperf3.IMPORTER,
    rates.IMPORTER,
    block_outcomes.IMPORTER,
    mahimahi.IMPORTER,
    table.IMPORTER,
)
"""Formats with a name of their own in their first lines come first, bare numbers last."""

AUTO = "auto"
"""Name that stands for detection by the content."""

_HEAD_BYTES = 1 << 16


def importer_named(name: str) -> Importer:
    """Return the importer called `name` (UsageError when there is none)."""
    for importer in IMPORTERS:
        if importer.name == name:
            return importer
    names = ", ".join([*(importer.name for importer in IMPORTERS), AUTO])
    raise UsageError(f"{name} is no format of measurements; allowed are {names}")


def recognise(path: str) -> Importer | None:
    """Return the importer that detects its format in `path`, or None.

    Raises
    ------
    InputError
        When the file is missing, empty or damaged.
    """
    with open_input(path) as file, input_errors(path):
        head = file.read(_HEAD_BYTES)
    return next((importer for importer in IMPORTERS if importer.sniff(head)), None)


def recognised(path: str) -> Importer:
    """Return the importer that detects its format in `path` (InputError when none does)."""
    importer = recognise(path)
    if importer is None:
        raise InputError(
            path,
            "its content tells no format of measurements; name the format, or its columns: "
            "tmt import table --help",
        )
    return importer


def import_hint(path: str) -> str:
    """Return the import that makes a trace of `path`, in words; empty when no importer detects its format."""
    try:
        importer = recognise(path)
    except InputError:
        return ""
    return f"it holds a measurement: tmt import {importer.name} {path} OUT.parquet" if importer else ""
