"""Write `core/schema.h`, the C++ side of `tmt/core/schema.py` and `tmt/core/words/refusals.py`.

Run it with the project's Python after a change there: ``.venv/bin/python clift-ns2/make_schema_header.py``.
A test compares the committed header with what this prints.
"""

from __future__ import annotations

import re
from pathlib import Path

from tmt.core import schema
from tmt.core.words.refusals import REFUSALS

HEADER = Path(__file__).parent / "core" / "schema.h"
REFUSAL = re.compile(r"\brefusal::(\w+)")
"""How the core names a refusal; the header holds those that it names."""
CPP_TYPES = {
    "<i8": "std::int64_t",
    "<u4": "std::uint32_t",
    "<u2": "std::uint16_t",
    "|u1": "std::uint8_t",
    "|b1": "std::uint8_t",
    "<f8": "double",
}
ROWS = {
    "phy": "PhyRow",
    "link": "LinkRow",
    "packets": "PacketRecord",
    "windows": "WindowRecord",
    "rtt": "RttRow",
}


def header() -> str:
    """Return the text of the header."""
    parts = [_PREFACE]
    parts.append(f"inline constexpr std::int64_t unsettled = {schema.UNSETTLED};\n\n")
    parts.append(f"enum class PacketEvent : std::uint8_t {{ {', '.join(schema.PACKET_EVENTS)} }};\n")
    parts.append(f"enum class CongestionState : std::uint8_t {{ {', '.join(schema.CONGESTION_STATES)} }};\n")
    parts.append(_FORM)
    parts += [_row(table) for table in schema.TABLES]
    parts.append("\n// Why a file is refused; {name} stands for a value.\nnamespace refusal {\n")
    used = {key for source in HEADER.parent.glob("*.cc") for key in REFUSAL.findall(source.read_text())}
    parts += [
        f"inline constexpr char {key}[] = {_quoted(text)};\n" for key, text in REFUSALS.items() if key in used
    ]
    parts.append("}  // namespace refusal\n\n}  // namespace clift::schema\n")
    return "".join(parts)


def _row(table: schema.Table) -> str:
    """Struct of one row, as it lies in the `.npy` file, and its description in the file's header."""
    name = ROWS[table.kind]
    lines = [f"\n// {table.title}.", f"struct [[gnu::packed]] {name} {{"]
    lines.append(f"  static constexpr char kind[] = {_quoted(table.kind)};")
    lines.append(f"  static constexpr char columns[] = {_quoted(table.described)};")
    lines.append(f"  static constexpr char descr[] = {_quoted(repr(table.dtype.descr))};")
    if table.optional:
        lines += ["  static constexpr RowForm forms[] = {", *map(_form, table.forms), "  };"]
    for column in table.columns + table.optional + table.named:
        for bound, value in (("min", column.minimum), ("max", column.maximum)):
            if value is not None:
                lines.append(f"  static constexpr std::int64_t {bound}_{column.name} = {value};")
    lines += [f"  {CPP_TYPES[column.dtype]} {column.name};" for column in table.columns]
    lines.append("};")
    lines.append(f"static_assert(sizeof({name}) == {table.dtype.itemsize});\n")
    return "\n".join(lines)


def _form(columns: tuple[schema.Column, ...]) -> str:
    """Initialiser of a `RowForm`."""
    dtype = schema.row_dtype(columns)
    offsets = {name: offset for name, (_, offset) in (dtype.fields or {}).items()}
    places = [str(offsets.get(column.name, 0)) for column in (schema.SIZE_BYTES, *schema.PHY_TRACE.named)]
    return f"      {{{_quoted(repr(dtype.descr))}, {dtype.itemsize}, {', '.join(places)}}},"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


_PREFACE = """\
// Made by make_schema_header.py from tmt/core/schema.py and tmt/core/words/refusals.py.
#pragma once

#include <cstddef>
#include <cstdint>

namespace clift::schema {

"""

_FORM = """
// One of the forms that the rows of a table may have: with or without optional columns behind the others.
struct RowForm {
  const char* descr;
  std::size_t bytes;
  std::size_t size_bytes_at;  // where the column begins in a row; 0: there is none
  std::size_t es_n0_mdb_at;
  std::size_t mode_at;
};
"""


if __name__ == "__main__":
    HEADER.write_text(header(), encoding="utf-8")
