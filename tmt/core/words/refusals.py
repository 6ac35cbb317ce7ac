"""Reasons to refuse a trace file: one template each, shared by every reader in Python and in C++.

Placeholders are plain ``{name}``; `refusal` fills them. The C++ header `clift-ns2/core/schema.h` is made from
this mapping, so that the simulator's reader uses the same words for the same defect.

Of several defects every reader reports the same one. The order is: the file as a whole; the first bad row,
and in it the first bad column in the order of the schema; in one column the value alone, then its order after
the row before; last the rules between columns.
"""

from __future__ import annotations

import re

REFUSALS: dict[str, str] = {
    # the file as a whole
    "empty_file": "the file is empty",
    "no_rows": "there are no rows; a trace has at least one",
    "columns": "these are not the columns of a {kind} trace, which are {columns}",
    "other_kind": "its rows are of kind {found}; a {kind} trace is needed",
    "truncated": "the file is cut short: its header promises {promised} rows, it holds {held}",
    "trailing_bytes": "{extra} bytes too many follow the last row",
    "other_format": "its ending stands for {ending}, its content is {found}",
    "damaged": "the file is damaged: {detail}",
    "sizes_twice": "both the column size_bytes and lldu_bytes in the metadata give sizes; one is allowed",
    "metadata": "the metadata under the key tmt is no JSON object",
    # gzip
    "not_gzip": "its ending stands for gzip, its content is not compressed so",
    "gzip": "its content is gzip, which its ending does not say",
    "gzip_cut": "the gzip data is cut short",
    "gzip_damaged": "the gzip data is damaged",
    # text
    "separator": "fields are separated by {found}; a CSV file needs commas",
    "csv_header": "the header is {found}; needed is {columns}",
    "text_columns": "the first line is {found}; needed are {columns}, in seconds",
    "fields": "this line has {found} fields; {needed} are needed",
    "long_line": "this line is longer than {limit} bytes; this is not text",
    "not_integer": "{column} is {value}; a whole number is needed",
    "not_seconds": "{column} is {value}; a finite number of seconds is needed",
    # .npy
    "not_npy": "this is no .npy file: it does not begin as one",
    "npy_version": "this is a .npy file of version {major}.{minor}; 1.0, 2.0 and 3.0 can be read",
    "npy_header": "the .npy header is damaged",
    "npy_shape": "this is not a one-dimensional array of rows",
    # the length of a trace
    "before_begin": "{column} is {value}; the trace begins at {begin}",
    "after_end": "{column} is {value}; the trace ends at {end}, and each row is sent before that",
    "two_lengths": "begin and length of the trace are {one} here, but {two} {elsewhere}",
    "comment_of_length": "the comment is {found}; needed is {needed}",
    # values, from row to row
    "null": "{column} has no value",
    "null_erased": "{column} has no value; write 0 for an erased slot",
    "below_minimum": "{column} is {value}; the least allowed is {minimum}",
    "below_minimum_or_null": "{column} is {value}; the least allowed is {minimum}, or {null} for no value",
    "above_maximum": "{column} is {value}; the most allowed is {maximum}",
    "not_flag": "{column} is {value}; 0 and 1 are allowed",
    "repeated": "{column} is {value} as in the row before; times must increase",
    "not_sorted": "{column} is {value}, earlier than {previous} in the row before; times must increase",
    "delivered_without_delay": "delivered is true but delay_ns has no value; a delivered LLDU has a delay",
}


_COMMANDING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters except tabs and line ends, and characters that change the direction of text."""


def refusal(key: str, **values: object) -> str:
    """Return the reason called `key` with its placeholders filled from `values`."""
    return REFUSALS[key].format_map(values)


def shown(text: str, limit: int = 40) -> str:
    """Return `text` from a file for a message of one line: short, and printable."""
    short = text if len(text) <= limit else text[:limit] + "..."
    return "".join(letter if letter.isprintable() else "?" for letter in short)


def printable(text: str) -> str:
    """Return lines of text with a question mark for each control character of terminals."""
    return _COMMANDING.sub("?", text)
