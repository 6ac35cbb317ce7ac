"""`tmt model`: compute by formulas, without a trace; one command for each model."""

from __future__ import annotations

import importlib

import click

from tmt.cli.lazy import LazyGroup

HELP = {
    "none": """No recovery of erasures.

    \b
    The law of erasures in 22 LLDUs, and the laws of burst and gap lengths:
      tmt model none --alpha 0.99 --beta 0.9 --rtt 0.5 --laws 22
    """,
    "fec": """Forward error correction: blocks of data and repair LLDUs, interleaved or not.

    \b
    Blocks of 10 data and 12 repair LLDUs, four of them interleaved:
      tmt model fec --data 10 --repair 12 --depth 4 --alpha 0.99 --beta 0.9 --rtt 0.5
    """,
    "arq": """Selective repeat.

    \b
    Bursts that grow from 1 to 50 slots, as a figure:
      tmt model arq --alpha 0.99 --beta 0.1:0.98:12 --rtt 0.5 --plot arq.png
    """,
    "harq": """Hybrid ARQ type II: blocks of data and repair LLDUs, and more repair LLDUs on request.

    \b
    5 data and 7 repair LLDUs and up to 2 requests:
      tmt model harq --data 5 --repair 7 --extra 1 --rounds 2 \\
          --alpha 0.99 --beta 0.5 --rtt 0.5 --slot-interval 0.001 --decode-time 0.036
    """,
    "harq-processes": """Stop-and-wait HARQ processes, or blind repetition, without combining.

    \b
    16 processes over a LEO satellite; two transmissions without feedback:
      tmt model harq-processes --processes 16 --alpha 0.99 --beta 0.5 --rtt 0.025 \\
          --decode-time 0.001 --detection-delay 0.001
      tmt model harq-processes --repetitions 2 --alpha 0.99 --beta 0.5 --rtt 0.025

    Feedback must take equally long for ACK and NACK: the detection delay is the decode time.
    """,
    "sliding-window": """Convolutional erasure code: after k source LLDUs, a repair LLDU covers the last W.

    \b
    Bursts that grow from 1 to 5 slots, as a figure:
      tmt model sliding-window --coding-window 100 --repair-interval 8 \\
          --alpha 0.998 --beta 0:0.8:9 --rtt 0.5 --plot sliding-window.png
    """,
    "tetrys": """Convolutional erasure code with feedback, which requests repair LLDUs and closes the window.

    \b
    At most 8 LLDUs without a report, over a round trip of 4 slots:
      tmt model tetrys --coding-window 8 --repair-interval 4 --alpha 0.9 --beta 0.1 --rtt 0.004 \\
          --decode-time 0.001 --detection-delay 0.001

    The model is a Markov chain, whose states grow fast with the slots of a round trip: use about ten at most.
    Feedback must take equally long for arrivals and erasures: the detection delay is the decode time.
    """,
    "rlc": """Radio link control over the bare link, for rare bursts of erasures and one report for each.

    \b
    Acknowledged mode in order, over a MEO satellite:
      tmt model rlc --alpha 0.9999 --beta 0.5 --rtt 0.12 --decode-time 0.001
    """,
    "rlc-over-harq-processes": """Acknowledged radio link control above HARQ processes, independent erasures.

    \b
    32 processes over a LEO satellite, in order; a twentieth of the slots are erased:
      tmt model rlc-over-harq-processes --processes 32 --max-transmissions 4 \\
          --alpha 0.95 --beta 0.05 --rtt 0.025 --decode-time 0.001 \\
          --detection-delay 0.001 --reassembly 0.08

    There must be enough processes for a feedback delay, and t-Reassembly must cover their retransmissions.
    """,
}

RESULTS = """
    Throughput efficiency (delivered data LLDUs / slots used), recovery delay (mean over delivered LLDUs of
    RTT/2 + delay) and residual loss, for equally spaced slots. Long traces from `tmt generate` and
    `tmt convert` approach these numbers.
    """
"""Last paragraph of each help: the definition of the results."""

OF_TCP = {
    "hybrid": "TCP over a link with hybrid FEC/ARQ-SR, by Barakat and Al Fawal.",
    "split": "TCP through a proxy and over go-back-N ARQ, by Jin and Yang.",
}
"""Models with separate files, and their help lines."""


def _model(name: str) -> click.Command:
    kind = name if name in OF_TCP else "scheme"
    commands: dict[str, click.Command] = importlib.import_module(f"tmt.cli.model_{kind}").COMMANDS
    return commands[name]


@click.group(
    cls=LazyGroup,
    lines={name: text.partition("\n")[0] for name, text in HELP.items()} | OF_TCP,
    find=_model,
    heading="Models",
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
