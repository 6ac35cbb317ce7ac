"""`bare_copy.py PHY LINK COPY SETTINGS`: with pyarrow alone, read PHY and write the rows of LINK to COPY.

SETTINGS is a JSON list of two objects: arguments of `ParquetFile` and of `ParquetWriter`. The seconds in
which it reads LINK do not count; it prints them. It is a program of its own, so that it starts anew as
`tmt convert` does.
"""

from __future__ import annotations

import json
import sys
from time import perf_counter

import pyarrow.parquet as pq


def main(phy: str, link: str, copy: str, settings: str) -> None:
    """Read and write one row group at a time."""
    read_settings, write_settings = json.loads(settings)
    with pq.ParquetFile(phy, **read_settings) as source:
        for group in range(source.num_row_groups):
            source.read_row_group(group)
    uncounted_s = 0.0
    with pq.ParquetFile(link) as rows, pq.ParquetWriter(copy, rows.schema_arrow, **write_settings) as writer:
        for group in range(rows.num_row_groups):
            start = perf_counter()
            table = rows.read_row_group(group)
            uncounted_s += perf_counter() - start
            writer.write_table(table)
    print(uncounted_s)


if __name__ == "__main__":
    main(*sys.argv[1:])
