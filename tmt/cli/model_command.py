"""`tmt model`: what formulas say, without a trace; one command a model."""

from __future__ import annotations

import importlib

import click

from tmt.cli.lazy_group import LazyGroup

MODELS = {
    "none": ("scheme", "erasures as they are, no recovery"),
    "fec": ("scheme", "forward error correction, interleaved or not"),
    "arq": ("scheme", "selective repeat"),
    "harq": ("scheme", "hybrid ARQ type II"),
    "hybrid": ("hybrid", "TCP over a link with hybrid FEC/ARQ-SR, by Barakat and Al Fawal"),
    "split": ("split", "TCP through a proxy and over go-back-N ARQ, by Jin and Yang"),
}
"""Name of each model: a file model_KIND.py holds its command, and the line that the help prints."""


def _model(name: str) -> click.Command:
    kind, _ = MODELS[name]
    commands: dict[str, click.Command] = importlib.import_module(f"tmt.cli.model_{kind}").COMMANDS
    return commands[name]


@click.group(
    cls=LazyGroup, lines={name: line for name, (_, line) in MODELS.items()}, find=_model, heading="Models"
)
def command() -> None:
    """Compute by formulas what a link-layer scheme, or TCP over one, achieves.

    \b
    ARQ while bursts grow from 1 to 50 slots, as a picture:
      tmt model arq --alpha 0.99 --beta 0.1:0.98:12 --rtt 0.5 --plot arq.png
    The redundancy that lets ten TCP connections across a lossy link best:
      tmt model hybrid --unit-loss 0.01 --code-length 10:20 --persistency 0:5
    What a proxy and ARQ are worth as a wireless link gets worse:
      tmt model split --wireless-loss 0:0.1:11
    """
