"""`tmt model`: compute by formulas, without a trace; one command a model."""

from __future__ import annotations

import importlib

import click

from tmt.cli.lazy_group import LazyGroup

MODELS = {
    "none": ("scheme", "no recovery of erasures"),
    "fec": ("scheme", "forward error correction, interleaved or not"),
    "arq": ("scheme", "selective repeat"),
    "harq": ("scheme", "hybrid ARQ type II"),
    "harq-processes": ("scheme", "stop-and-wait HARQ processes, or blind repetition"),
    "sliding-window": ("scheme", "convolutional erasure code"),
    "tetrys": ("scheme", "convolutional erasure code with feedback"),
    "rlc": ("scheme", "radio link control over the bare link"),
    "rlc-over-harq-processes": ("scheme", "radio link control above HARQ processes"),
    "hybrid": ("hybrid", "TCP over a link with hybrid FEC/ARQ-SR, by Barakat and Al Fawal"),
    "split": ("split", "TCP through a proxy and over go-back-N ARQ, by Jin and Yang"),
}
"""Name of each model: KIND, whose file model_KIND.py holds the command, and the line in the help."""


def _model(name: str) -> click.Command:
    kind, _ = MODELS[name]
    commands: dict[str, click.Command] = importlib.import_module(f"tmt.cli.model_{kind}").COMMANDS
    return commands[name]


@click.group(
    cls=LazyGroup, lines={name: line for name, (_, line) in MODELS.items()}, find=_model, heading="Models"
)
def command() -> None:
    """Compute the performance of a link-layer scheme, or of TCP over one, by formulas.

    \b
    ARQ while bursts grow from 1 to 50 slots, as a figure:
      tmt model arq --alpha 0.99 --beta 0.1:0.98:12 --rtt 0.5 --plot arq.png
    The redundancy with the highest throughput of ten TCP connections:
      tmt model hybrid --unit-loss 0.01 --code-length 10:20 --persistency 0:5
    The gain of a proxy and of ARQ while the loss of a wireless link grows:
      tmt model split --wireless-loss 0:0.1:11
    """
