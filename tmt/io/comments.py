"""Comments of text files before the first row; one of them may say when the trace begins, and its length."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tmt.core.errors import InputError
from tmt.core.extent import Extent
from tmt.core.units import MAX_TIME_NS, seconds_text, seconds_to_ns
from tmt.core.words.refusals import refusal, shown

if TYPE_CHECKING:
    from tmt.core.trace import Metadata
    from tmt.io.files import LineBlocks

_BEGIN = re.compile(r"#\s*(begin|length)(_ns)?\s*=")
_WHOLE = re.compile(r"#\s*begin(_ns)?=(\S+)\s+length(_ns)?=(\S+)")
_NEEDED = "# begin_ns=0 length_ns=200000000, or in seconds # begin=0 length=0.2"


def comment_of(extent: Extent, *, seconds: bool) -> str:
    """Return the comment that says an extent, in seconds or in nanoseconds."""
    if seconds:
        return f"# begin={seconds_text(extent.begin_ns)} length={seconds_text(extent.length_ns)}"
    return f"# begin_ns={extent.begin_ns} length_ns={extent.length_ns}"


class Comments:
    """Comments of the file `path` that have been skipped, and the extent that one of them says."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._line = 0
        self._extent: Extent | None = None

    def skipped(self, lines: LineBlocks) -> str:
        """Take the comments that come next, and return the line behind them, which is not taken.

        InputError when one of them says an extent and is damaged, or says another one than one before.
        """
        while (first := lines.first_line().removeprefix("\ufeff")).startswith("#"):
            if _BEGIN.match(first):
                extent = self._parsed(first, lines.line)
                if self._extent is not None:
                    self._refuse_second(extent, lines.line, self._extent, f"in line {self._line}")
                self._extent, self._line = extent, lines.line
            lines.skip_line()
        return first

    def extent_beside(self, other: Extent | None) -> Metadata:
        """Return the entries of the metadata that the comments give; InputError unless `other` is equal."""
        if self._extent is None:
            return {}
        if other is not None:
            self._refuse_second(self._extent, self._line, other, "in the metadata beside the file")
        return self._extent.metadata

    def _parsed(self, text: str, line: int) -> Extent:
        found = _WHOLE.fullmatch(text)
        try:
            if found is None:
                raise ValueError
            in_ns, begin, length_in_ns, length = found.groups()
            begin_ns = int(begin) if in_ns else seconds_to_ns(begin)
            length_ns = int(length) if length_in_ns else seconds_to_ns(length)
            if not (begin_ns >= 0 and 1 <= length_ns <= MAX_TIME_NS - begin_ns):
                raise ValueError
        except ValueError:
            reason = refusal("comment_of_length", found=shown(text, 80), needed=_NEEDED)
            raise InputError(self._path, reason, line) from None
        return Extent(begin_ns, length_ns)

    def _refuse_second(self, extent: Extent, line: int, other: Extent, elsewhere: str) -> None:
        if extent != other:
            one, two = (f"{found.begin_ns} ns and {found.length_ns} ns" for found in (extent, other))
            told = refusal("two_lengths", one=one, two=two, elsewhere=elsewhere)
            raise InputError(self._path, told, line)
