"""Random changes of an input, drawn from a seed."""

import random

NUMBERS = (
    *b"0 -1 0.1 1e18 1e400 -1e400 1e-40000000 nan inf 2147483648 4611686018427387905".split(),
    *b"9223372036854775807 18446744073709551616".split(),
    b"1" * 5000,
)
PIECES = (b"\0", b"\n", b"\r\n", b",", b";", b'"', b"=", b"\xff", b"\xef\xbb\xbf")
LONG_PIECES = (b"[" * 3000, b"{" * 3000, b" " * 70_000)
LONG_SHARE = 0.02
"""Share of the long pieces among the inserted ones: a long input takes the time of many short ones."""
MOST_BYTES = 200_000


def changed(content: bytes, other: bytes, draw: random.Random) -> bytes:
    """Return `content` after one to four random changes, some with parts of `other`."""
    data = bytearray(content)
    for _ in range(draw.choice((1, 1, 2, 4))):
        place = draw.randrange(len(data) + 1)
        end = min(len(data), place + draw.choice((1, 1, 2, 4, 8, 64)))
        kind = draw.randrange(8)
        if kind == 0:
            data[place:end] = bytes(draw.randrange(256) for _ in range(end - place))
        elif kind == 1 and place < len(data):
            data[place] ^= 1 << draw.randrange(8)
        elif kind == 2:
            del data[place:end]
        elif kind == 3:
            data[place:place] = draw.choice(LONG_PIECES if draw.random() < LONG_SHARE else PIECES)
        elif kind == 4:
            _replace_number(data, place, draw)
        elif kind == 5:
            start = draw.randrange(len(other) + 1)
            data[place:end] = other[start : start + draw.randrange(64)]
        elif kind == 6:
            data[place:place] = data[place:end] * draw.choice((1, 2, 100))
        else:
            del data[place:]
    return bytes(data[:MOST_BYTES])


def _replace_number(data: bytearray, place: int, draw: random.Random) -> None:
    """Replace the first run of digits from `place` on."""
    start = next((at for at in range(place, len(data)) if 48 <= data[at] < 58), None)
    if start is None:
        return
    end = start
    while end < len(data) and (48 <= data[end] < 58 or data[end] in b".eE-"):
        end += 1
    data[start:end] = draw.choice(NUMBERS)
