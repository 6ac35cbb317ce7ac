"""Columns of text as numbers: distinct values, and the index of each row's value among them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    Codes = npt.NDArray[np.intp]


def codes_of(values: pd.Series | npt.NDArray[Any]) -> tuple[Codes, list[Any]]:
    """Number the distinct values of a column in the order in which they appear.

    Return the index of each row's value, and the distinct values, None for missing ones.
    """
    codes, distinct = pd.factorize(values, use_na_sentinel=False)
    missing = pd.isna(distinct)
    return codes, [None if none else value for value, none in zip(distinct, missing, strict=True)]


def joined(*columns: Codes) -> Codes:
    """Number the distinct rows of columns of codes in the order in which they appear."""
    found, *others = columns
    for codes in others:
        found = pd.factorize(found * (codes.max(initial=0) + 1) + codes)[0]
    return found


def places_of(values: pd.Series, known: Sequence[Any]) -> Codes:
    """Return the index of each row's value among the known values."""
    codes, distinct = codes_of(values)
    return np.array([known.index(value) for value in distinct], dtype=np.intp)[codes]


def spread(values: Sequence[Any], codes: Codes) -> npt.NDArray[np.object_]:
    """Return the value of each row, given the distinct values and each row's index."""
    distinct = np.empty(len(values), dtype=object)
    distinct[:] = values
    return distinct[codes]
