"""Bounds on the pages of a Parquet file, checked before pyarrow allocates the memory that they claim.

pyarrow believes the header of a page: a damaged file of 3 kB can claim a page of 2 GB. Layout of the headers:
https://github.com/apache/parquet-format (struct PageHeader, in Thrift's compact protocol).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from tmt.io.files import BinaryFile

MOST_PAGE_BYTES = 1 << 27
"""Upper bound on a page, compressed or not. Writers aim at pages of 1 MiB."""

_HEADER_BYTES = 1 << 12
_MOST_HEADER_BYTES = 1 << 20
"""A header is read in pieces of the first size; it holds the page's least and greatest value."""

_MOST_DEPTH = 8
_UNCOMPRESSED, _COMPRESSED, _DICTIONARY = 2, 3, 7
"""Numbers of the fields of a page's header that are looked at."""

_ROW_GROUPS, _COLUMNS, _META_DATA = 4, 1, 3
_PATH, _CHUNK_BYTES, _DATA_PAGE, _DICTIONARY_PAGE = 3, 7, 9, 11
"""Numbers of the fields of a footer, a row group, a column, and a column's metadata."""

_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 12
_NUMBERS = (4, 5, 6)
"""Types of the compact protocol."""


def check_pages(file: BinaryFile, names: Collection[str]) -> None:
    """Refuse a file in which a page of one of the columns `names` claims more than there is.

    pyarrow's own description of a column is not used: it ends the process at some damaged footers.

    Raises
    ------
    ValueError
        When a page claims more bytes than the file holds or `MOST_PAGE_BYTES`, or a dictionary claims more
        values than bytes, or the footer cannot be followed.
    """
    file_bytes, checked = file.seek(0, 2), {name.encode() for name in names}
    for chunk in _chunks(file, file_bytes):
        path, place, held = chunk.get(_PATH), chunk.get(_DATA_PAGE), _whole(chunk.get(_CHUNK_BYTES))
        name = path[0] if isinstance(path, list) and path else None
        if not isinstance(name, bytes) or not isinstance(place, int):
            raise ValueError("the footer describes a column without its name or place")
        dictionary = chunk.get(_DICTIONARY_PAGE)
        # A column of an empty row group has no data page: its place is 0.
        if isinstance(dictionary, int) and dictionary > 0 and not 0 < place <= dictionary:
            place = dictionary
        if name in checked:
            _check_chunk(file, place, min(place + held, file_bytes), file_bytes)


def _chunks(file: BinaryFile, file_bytes: int) -> Iterator[dict[int, Any]]:
    """Yield the metadata of each column of each row group."""
    file.seek(max(0, file_bytes - 8))
    footer_bytes = int.from_bytes(file.read(4), "little")
    file.seek(max(0, file_bytes - 8 - footer_bytes))
    try:
        footer = _Cursor(file.read(footer_bytes)).struct(0)
    except IndexError:
        raise ValueError("the footer is cut short") from None
    for group in _structs(footer.get(_ROW_GROUPS)):
        for column in _structs(group.get(_COLUMNS)):
            yield from _structs([column.get(_META_DATA)])


def _structs(value: object) -> list[dict[int, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _check_chunk(file: BinaryFile, place: int, end: int, file_bytes: int) -> None:
    while 0 <= place < end:
        fields, header_bytes = _read_header(file, place)
        place += header_bytes
        held, expanded = _whole(fields.get(_COMPRESSED)), _whole(fields.get(_UNCOMPRESSED))
        if not 0 <= held <= min(file_bytes - place, MOST_PAGE_BYTES):
            raise ValueError(f"a page claims {held} bytes; there are {file_bytes - place}")
        if not 0 <= expanded <= MOST_PAGE_BYTES:
            raise ValueError(f"a page claims {expanded} bytes uncompressed; allowed are {MOST_PAGE_BYTES}")
        dictionary = fields.get(_DICTIONARY)
        if isinstance(dictionary, dict) and not 0 <= (values := _whole(dictionary.get(1))) <= expanded:
            raise ValueError(f"a dictionary of {expanded} bytes claims {values} values")
        place += held


def _whole(value: object) -> int:
    """Return a field that has to be a whole number; -1, which no field may be, where it is none."""
    return value if isinstance(value, int) else -1


def _read_header(file: BinaryFile, place: int) -> tuple[dict[int, Any], int]:
    """Return the whole numbers and structs of a page's header by field number, and the header's length."""
    wanted = _HEADER_BYTES
    while True:
        file.seek(place)
        data = file.read(wanted)
        cursor = _Cursor(data)
        try:
            return cursor.struct(0), cursor.place
        except IndexError:
            if len(data) < wanted or wanted >= _MOST_HEADER_BYTES:
                raise ValueError("the header of a page is cut short") from None
            wanted *= 16


class _Cursor:
    """Walks over a struct; raises IndexError where the data ends."""

    def __init__(self, data: bytes) -> None:
        self._data, self.place = data, 0

    def struct(self, depth: int) -> dict[int, Any]:
        fields: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            step, kind = head >> 4, head & 15
            number = number + step if step else self._number()
            fields[number] = self._value(kind, depth)
        return fields

    def _byte(self) -> int:
        self.place += 1
        return self._data[self.place - 1]

    def _unsigned(self) -> int:
        value = shift = 0
        while (byte := self._byte()) & 0x80:
            value |= (byte & 0x7F) << shift
            shift += 7
            if shift > 63:
                raise ValueError("the header of a page holds a number of more than 64 bits")
        return value | byte << shift

    def _number(self) -> int:
        value = self._unsigned()
        return value >> 1 ^ -(value & 1)

    def _value(self, kind: int, depth: int) -> Any:
        """Return a whole number, a struct, a list or bytes; walk over anything else."""
        if depth > _MOST_DEPTH:
            raise ValueError("the header of a page is nested too deeply")
        if kind in _NUMBERS:
            return self._number()
        if kind == _STRUCT:
            return self.struct(depth + 1)
        if kind in {_LIST, _SET}:
            return self._list(depth)
        if kind == _BINARY:
            count = self._unsigned()
            start = self.place
            self._skip(count)
            return self._data[start : start + count]
        if kind in {_BYTE, _DOUBLE}:
            self._skip(1 if kind == _BYTE else 8)
        elif kind not in {_TRUE, _FALSE}:
            raise ValueError(f"the header of a page holds a field of type {kind}")
        return None

    def _list(self, depth: int) -> list[Any]:
        head = self._byte()
        count = head >> 4 if head >> 4 < 15 else self._unsigned()
        if count > len(self._data):
            raise IndexError
        kind = _BYTE if head & 15 in {_TRUE, _FALSE} else head & 15
        return [self._value(kind, depth + 1) for _ in range(count)]

    def _skip(self, count: int) -> None:
        self.place += count
        if self.place > len(self._data):
            raise IndexError
