"""Files of charts: PNG, SVG, PDF, HTML and JSON.

A separate process draws them, because the drawing library ends its process when it fails. A chart that cannot
be drawn leaves out its files and prints a line on stderr; the program continues.
"""

from __future__ import annotations

import json
import subprocess
import sys
from base64 import b64decode, b64encode
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tmt.core.errors import UsageError
from tmt.core.words.refusals import printable
from tmt.io.atomic import check_place, staged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from os import PathLike

    from tmt.show.charts.style import Spec

FORMATS = ("png", "svg", "pdf", "html", "json")
"""Endings of the files that a chart can be saved to; JSON is the Vega-Lite specification."""

PNG_SCALE = 2.0
"""Pixels of a PNG for each pixel of the specification."""


class DrawingError(Exception):
    """A chart cannot be drawn."""


def check_format(path: str | PathLike[str]) -> str:
    """Return the format that the file's ending names, one of `FORMATS`.

    UsageError when it names none of them, or the file cannot be written there.
    """
    ending = Path(path).suffix.lower().removeprefix(".")
    if ending not in FORMATS:
        raise UsageError(f"{path}: a figure's file must end in .{', .'.join(FORMATS[:-1])} or .{FORMATS[-1]}")
    check_place(path)
    return ending


def save_charts(charts: Iterable[tuple[Spec, Sequence[str | PathLike[str]]]]) -> Iterator[Path]:
    """Write each chart into its files, in the formats of their endings; yield each path once it is written.

    Raises UsageError as `check_format` does, and OutputError when a file cannot be written.
    """
    with renderer() as render:
        for spec, paths in charts:
            endings = [check_format(path) for path in paths]
            try:
                contents = render(spec, endings)
            except (DrawingError, OSError) as error:
                names = printable(", ".join(map(str, paths)))
                print(f"warning: {names}: the chart cannot be drawn: {error}", file=sys.stderr)
                continue
            for path, content in zip(paths, contents, strict=True):
                with staged(path) as part:
                    part.write_bytes(content)
                yield Path(path)


def save_chart(spec: Spec, *paths: str | PathLike[str]) -> list[Path]:
    """Write one chart as `save_charts` does; return the written paths."""
    return list(save_charts([(spec, paths)]))


@contextmanager
def renderer() -> Iterator[Callable[[Spec, Sequence[str]], list[bytes]]]:
    """Yield `rendered` as a function that another process executes; it raises DrawingError."""
    process: subprocess.Popen[bytes] | None = None

    def render(spec: Spec, endings: Sequence[str]) -> list[bytes]:
        nonlocal process
        if process is None or process.poll() is not None:
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", __name__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        return _ask(process, spec, endings)

    try:
        yield render
    finally:
        if process is not None:
            process.communicate()


def _ask(process: subprocess.Popen[bytes], spec: Spec, endings: Sequence[str]) -> list[bytes]:
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(json.dumps([spec, endings]).encode() + b"\n")
        process.stdin.flush()
        answer = process.stdout.readline()
    except BrokenPipeError:
        answer = b""
    if not answer:
        process.communicate()
        raise DrawingError("the drawing library failed")
    found: Any = json.loads(answer)
    if isinstance(found, str):
        raise DrawingError(found)
    return [b64decode(content) for content in found]


def rendered(spec: Spec, endings: Sequence[str]) -> list[bytes]:
    """Return a chart in each format."""
    import vl_convert  # noqa: PLC0415  (only the process that draws needs it)

    svg: str = vl_convert.vegalite_to_svg(spec)
    formats: dict[str, Callable[[], bytes]] = {
        "png": lambda: vl_convert.svg_to_png(svg, scale=PNG_SCALE),
        "svg": svg.encode,
        "pdf": lambda: vl_convert.svg_to_pdf(svg),
        "html": lambda: vl_convert.vegalite_to_html(spec, bundle=True).encode(),
        "json": lambda: json.dumps(spec).encode(),
    }
    return [formats[ending]() for ending in endings]


def _serve() -> None:
    """Answer each line of stdin with a line: the contents, or the reason why drawing failed."""
    for line in sys.stdin.buffer:
        spec, endings = json.loads(line)
        try:
            answer: Any = [b64encode(content).decode() for content in rendered(spec, endings)]
        except ValueError as error:
            answer = str(error).splitlines()[0]
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    _serve()
