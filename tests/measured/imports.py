"""Imports by the name of a format, as the command line does them."""

from os import PathLike
from typing import Any

from tmt import importers
from tmt.core.trace import Trace
from tmt.importers import AUTO, all_importers, importer as files
from tmt.spec.points import one_of


def import_trace(
    name: str, source: str | PathLike[str], target: str | PathLike[str] | None = None, **parameters: Any
) -> Trace:
    """Import a file in the format `name`; ``auto`` detects it by the content."""
    kind = files.recognised(str(source)) if name == AUTO else all_importers()[name]
    return files.import_trace(one_of(kind, {"name": kind.name, **parameters}), source, target)


def read(importer: str, source: str | PathLike[str]) -> Trace:
    """Import a file by an importer such as ``Table(time="t")``."""
    name, _, _ = importer.partition("(")
    return files.import_trace(eval(importer, {name: getattr(importers, name)}), source)
