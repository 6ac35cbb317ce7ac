"""FECTCP's codes, and the table of their overheads against real decoders."""

import csv
from collections import defaultdict

import pytest

from tmt import Traffic
from tmt.run import ns2
from tmt.run.ns2 import overhead
from tmt.run.setup import largest_block
from tmt.spec.stacks import HEADER_BYTES
from tmt.spec.traffic import MAX_BLOCK_SEGMENTS, RATELESS_CODES


def counts(text: str) -> dict[int, int]:
    return {int(symbols): int(blocks) for symbols, blocks in (pair.split(":") for pair in text.split(","))}


def mean(text: str) -> float:
    found = counts(text)
    return sum(symbols * blocks for symbols, blocks in found.items()) / sum(found.values())


def test_largest_block__is_the_whole_transfer_or_an_even_part_of_it() -> None:
    payload = 1500 - HEADER_BYTES
    assert largest_block(Traffic("fectcp")) == 256
    assert largest_block(Traffic("fectcp", block_segments=40)) == 40
    assert largest_block(Traffic("fectcp", transfer_bytes=69 * payload)) == 69
    assert largest_block(Traffic("fectcp", transfer_bytes=69 * payload + 1)) == 70
    assert largest_block(Traffic("fectcp", transfer_bytes=10_001 * payload)) == 5001
    assert largest_block(Traffic("fectcp", transfer_bytes=100 * payload, block_segments=30)) == 25


def test_overhead__of_a_share_is_that_share() -> None:
    assert overhead("5%", 1000) == "5%"
    assert overhead("2.5%", 1) == "2.5%"


def test_overhead__keeps_its_proportion_between_the_sizes_that_were_measured() -> None:
    at_300, at_330 = (overhead("lt", symbols) for symbols in (300, 330))
    assert mean(at_330) == pytest.approx(1.1 * mean(at_300), rel=0.01)
    assert sum(counts(at_330).values()) == sum(counts(at_300).values())
    # One symbol more stays one symbol more, however large or small the block.
    assert set(counts(overhead("raptorq", 13))) >= {0, 1}


def test_table__holds_real_codes() -> None:
    with ns2._OVERHEADS.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["code"] for row in rows} == set(RATELESS_CODES)
    assert {row["made_by"].split()[0] for row in rows} == {"raptorq", "qrstream-headless"}
    blocks: dict[tuple[str, int], int] = defaultdict(int)
    for row in rows:
        blocks[row["code"], int(row["source_symbols"])] += int(row["blocks"])
    assert max(symbols for _, symbols in blocks) == MAX_BLOCK_SEGMENTS
    # RaptorQ fails with exactly as many symbols as source symbols in less than 1 % of all blocks (RFC 6330
    # asks for no more), LT codes always need more, the less in proportion the larger the block (Luby 2002).
    for (code, symbols), total in blocks.items():
        found = counts(overhead(code, symbols))
        assert sum(found.values()) == total
        if code == "raptorq":
            assert found[0] / total > 0.99
    shares = [
        mean(overhead("lt", symbols)) / symbols
        for code, symbols in sorted(blocks)
        if code == "lt" and symbols >= 100
    ]
    assert shares == sorted(shares, reverse=True)
    assert 0.05 < shares[-1] < shares[0] < 0.4
