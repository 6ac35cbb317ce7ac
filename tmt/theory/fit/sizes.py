"""Test whether erasures are independent of the slots' sizes, as all fitted models assume."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tmt.theory.fit.goodness import LEVEL

if TYPE_CHECKING:
    from tmt.core.trace import BoolArray, Uint32Array


@dataclass(frozen=True, slots=True)
class SizeDependence:
    """Sizes of erased and of decoded slots.

    Attributes
    ----------
    erased_mean_bytes, decoded_mean_bytes
        Mean sizes.
    erased_byte_share
        Share of all bytes that lie in erased slots.
    larger_share
        Share of the pairs of an erased and a decoded slot in which the erased one is larger; pairs of equal
        sizes count half. Without dependence it is 0.5.
    p_value
        Of the two-sided test of Mann and Whitney, which takes the slots as independent of each other.
    """

    erased_mean_bytes: float
    decoded_mean_bytes: float
    erased_byte_share: float
    larger_share: float
    p_value: float

    @property
    def rejected(self) -> bool:
        """Whether independence of the size is rejected at `LEVEL`."""
        return self.p_value < LEVEL

    @property
    def sentence(self) -> str:
        """The comparison in words."""
        told = (
            f"Sizes: erased slots have {self.erased_mean_bytes:.4g} bytes in the mean, decoded ones "
            f"{self.decoded_mean_bytes:.4g}; {100 * self.erased_byte_share:.3g} % of the bytes are erased. "
        )
        if self.rejected:
            return told + f"Erasures depend on the size (p = {self.p_value:.2g}); no model here knows that."
        return told + f"The size is not seen to matter (p = {self.p_value:.2g})."


def size_dependence(erased: BoolArray, size_bytes: Uint32Array) -> SizeDependence:
    """Compare the sizes of erased and decoded slots, of each at least one: two of [n_slots]."""
    from scipy.stats import mannwhitneyu  # noqa: PLC0415  (takes long to import)

    lost, got = size_bytes[erased].astype(float), size_bytes[~erased].astype(float)
    test = mannwhitneyu(lost, got, alternative="two-sided", method="asymptotic")
    return SizeDependence(
        float(lost.mean()),
        float(got.mean()),
        float(lost.sum() / (lost.sum() + got.sum())),
        float(test.statistic / (len(lost) * len(got))),
        float(test.pvalue),
    )
