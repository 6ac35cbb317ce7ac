"""Fits of erasure models to a trace: maximum likelihood, intervals, and a test of burst lengths."""

from __future__ import annotations

from tmt.theory.fit.models import MODELS, ModelFit
from tmt.theory.fit.report import FitReport, fit

__all__ = ["MODELS", "FitReport", "ModelFit", "fit"]
