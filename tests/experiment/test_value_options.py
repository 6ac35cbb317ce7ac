"""Options of declared classes: groups in the help, values, choices of classes, refusals, old names."""

from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Literal

import click
import pytest
from answers import cases
from click.testing import CliRunner

from tmt.cli.values import Values
from tmt.core.declaration import Count, Param, PositiveSeconds, Probability, Rate, Rules, Seconds, Spec
from tmt.core.errors import UsageError


class Code(Spec):
    """Code against erasures."""


class NoCode(Code):
    """Every packet is sent once."""

    name: ClassVar[str] = "none"


class Retransmit(Code):
    """Lost packets are sent again."""

    name: ClassVar[str] = "retransmit"

    max_times: Annotated[Count | None, "most transmissions of a packet", Param(absent="no limit")] = None


class Blocks(Code):
    """Repair packets follow each block."""

    name: ClassVar[str] = "blocks"

    data: Annotated[int, "data packets of a block", Param("", 1, 65_535)]
    repair: Annotated[int, "repair packets of a block", Param("", 0, 65_535)] = 0
    order: Annotated[Literal["in-order", "any-order"], "order of delivery"] = "in-order"


class Above(Code):
    """Segments above another code."""

    name: ClassVar[str] = "above"

    below: Annotated[Code, "code below"] = Retransmit(2)
    poll: Annotated[Seconds, "time between polls"] = 0.1


Code.choose_from(NoCode, Retransmit, Blocks, Above)


class Hop(Spec):
    """A hop before the link."""

    rate: Annotated[Rate, "rate of the hop"]
    loss: Annotated[Probability, "probability of a loss on the hop"] = 0


class Splitter(Spec):
    """A node that splits connections."""

    delay: Annotated[Seconds, "time in the node"] = 0


class Way(Spec):
    """The way of the packets."""

    rtt: Annotated[Seconds, "round-trip time"]
    in_order: Annotated[bool, "whether packets keep their order"] = True
    marks: Annotated[bool, "whether queues mark"] = False
    hold: Annotated[PositiveSeconds | None, "longest time of a packet", Param(absent="no limit")] = None
    seeds: Annotated[Count | tuple[Count, ...], "number of seeds, or the seeds"] = 1
    from_: Annotated[Seconds, "begin"] = 0
    hop: Annotated[Hop | None, "hop before the link"] = None
    splitter: Annotated[Splitter | None, "node that splits connections"] = None

    def rules(self) -> Rules:
        """A node needs a hop."""
        if self.splitter is not None and self.hop is None:
            yield "splitter", "a hop, at whose end it stands", "needs a hop"


Run = Callable[..., tuple[dict[str, Any], str]]


def command(**values: Any) -> Run:
    """Return a function that runs a command; it gives the command's arguments, and the text on stderr."""
    got: dict[str, Any] = {}

    @click.command(
        cls=Values,
        values=values,
        renamed={"--any-order": "--no-in-order"},
        context_settings={"show_default": True, "terminal_width": 80},
    )
    @click.argument("file")
    @click.option("--json", is_flag=True, help="Print JSON.")
    def one(**given: Any) -> None:
        """Do something."""
        got.update(given)

    def run(*arguments: str) -> tuple[dict[str, Any], str]:
        done = CliRunner().invoke(one, arguments, standalone_mode=False)
        if done.exception is not None:
            raise done.exception
        return got, done.output

    return run


BOTH = command(code=Code, way=Way)


def test_objects__are_made_of_what_was_typed() -> None:
    typed = (
        "file --code blocks --data 1e3 --repair=2 --rtt 0.1 --no-in-order --hold 1e-9 --seeds 1,2 --from 3"
    )
    got, _ = BOTH(*typed.split())
    assert got["code"] == Blocks(1000, 2)
    assert got["way"] == Way(0.1, in_order=False, hold=1e-9, seeds=(1, 2), from_=3)
    assert (got["file"], got["json"]) == ("file", False)


def test_parts__are_made_when_one_of_their_options_is_given() -> None:
    rest = ["file", "--code", "none", "--rtt", "1"]
    assert BOTH(*rest)[0]["way"] == Way(1)
    assert BOTH(*rest, "--hop-rate", "1e6")[0]["way"] == Way(1, hop=Hop(1e6))
    assert BOTH(*rest, "--hop-rate", "1e6", "--splitter")[0]["way"].splitter == Splitter()
    assert BOTH(*rest, "--hop-rate", "1", "--splitter-delay", "2")[0]["way"].splitter == Splitter(2)


def test_class_of_a_part__has_the_options_of_its_own() -> None:
    rest = ["file", "--rtt", "1", "--code", "above"]
    assert BOTH(*rest)[0]["code"] == Above(Retransmit(2))
    assert BOTH(*rest, "--below-max-times", "3")[0]["code"] == Above(Retransmit(3))
    assert BOTH(*rest, "--below", "blocks", "--below-data", "5")[0]["code"] == Above(Blocks(5))
    assert BOTH(*rest, "--below", "above", "--below-below", "none")[0]["code"] == Above(Above(NoCode()))


def test_argument__may_be_left_out_or_hold_several() -> None:
    run = command(code=Code | None, codes=tuple[Code, ...])
    assert run("file", "--codes", "none")[0] == {
        "file": "file",
        "json": False,
        "code": None,
        "codes": (NoCode(),),
    }
    got, _ = command(codes=tuple[Code, ...])("f", "--codes", "blocks", "--codes", "retransmit", "--data", "3")
    assert got["codes"] == (Blocks(3), Retransmit())


def test_concrete_class__needs_no_choice() -> None:
    assert command(code=Blocks)("file", "--data", "3")[0]["code"] == Blocks(3)


def test_help__shows_groups_and_the_options_of_the_chosen_class_only() -> None:
    _, plain = BOTH("--help")
    assert "    retransmit  Lost packets are sent again.\n" in plain
    assert "--data" not in plain
    _, chosen = BOTH("--code", "blocks", "--help")
    for text in (
        "Code blocks:\n  --data 1..65535             Data packets of a block.  [required]\n",
        "Order of delivery.  [default: in-order]\n",
        "Way:\n  --rtt SECONDS               Round-trip time.  [required]\n",
        "--in-order / --no-in-order  Whether packets keep their order.",
        "--marks                     Whether queues mark.\n",
        "--hold SECONDS              Longest time of a packet.  [default: no limit]\n",
        "Hop:\n  --hop-rate BIT/S  Rate of the hop.\n",
        "  --hop-loss 0..1   Probability of a loss on the hop.",
        "Splitter:\n  --splitter                Node that splits connections.\n",
        "Options:\n  --json  Print JSON.\n  --help  Show",
    ):
        assert text in chosen
    assert "--max-times" not in chosen
    assert [line for line in chosen.splitlines() if len(line) > 80] == []
    _, below = BOTH("--code", "above", "--below", "blocks", "--help")
    assert below.index("Code above:\n  --poll") < below.index("Below blocks:\n  --below-data")


@cases(__file__, "option_refusals.txt")
def test_options__are_refused(case: list[str]) -> None:
    typed, *said = case
    with pytest.raises((UsageError, click.UsageError)) as refused:
        BOTH("file", "--rtt", "1", *typed.split()[1:])
    error = refused.value
    message = error.format_message() if isinstance(error, click.UsageError) else str(error)
    assert message.splitlines() == said


def test_old_name__works_and_names_the_new_one() -> None:
    got, out = BOTH("file", "--code", "none", "--rtt", "1", "--any-order")
    assert got["way"].in_order is False
    assert out == "warning: --any-order is called --no-in-order now\n"


def test_words_after_two_dashes__are_no_options() -> None:
    got, out = BOTH("--code", "none", "--rtt", "1", "--", "--any-order")
    assert (got["file"], out) == ("--any-order", "")
