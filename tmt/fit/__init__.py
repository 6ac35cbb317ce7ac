"""Which erasure model fits a trace: maximum likelihood, intervals, and whether bursts are of that kind."""

from __future__ import annotations

from tmt.fit.models import MODELS, ModelFit
from tmt.fit.report import FitReport, fit

__all__ = ["MODELS", "FitReport", "ModelFit", "fit"]
