"""How Sphinx builds the site from the pages of this folder: `make docs`."""

import tomllib
from pathlib import Path

from tmt.core.declaration import Spec, declared
from tmt.core.problems import shown

pyproject = tomllib.loads((Path(__file__).resolve().parents[1] / "pyproject.toml").read_text())

project = "TMT + CLIFT"
author = "the authors of TMT + CLIFT"
project_copyright = f"{author}; GPL-2.0-or-later"
release = pyproject["project"]["version"]

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
myst_heading_anchors = 4
nb_execution_mode = "off"  # the tests execute the notebooks; the site shows the results that they hold

default_role = "code"
autodoc_typehints = "none"
add_module_names = False
nitpick_ignore_regex = [("py:(class|exc)", ".*")]  # docstrings name records and errors that have no entry

html_theme = "furo"
html_title = f"TMT + CLIFT {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
html_use_index = False


def declared_signature(_app, what, _name, kind, *_rest):
    """Return a declared class's parameters with their defaults, as people write them."""
    if what != "class" or not issubclass(kind, Spec):
        return None
    words = (
        key if one.is_required else f"{key}={one.default!r}" if one.default is not None else f"{key}=None"
        for key, one in declared(kind).items()
    )
    return f"({', '.join(words)})", None


def declared_table(_app, what, _name, kind, _options, lines):
    """Add the table of a declared class's parameters to its docstring."""
    if what != "class" or not issubclass(kind, Spec) or not declared(kind):
        return
    lines += ["", ".. list-table::", "   :header-rows: 1", ""]
    for row in [("parameter", "meaning", "allowed"), *map(_row, declared(kind).values())]:
        lines += [f"   {'* -' if not at else '  -'} {cell}" for at, cell in enumerate(row)]
    lines.append("")


def _row(one):
    allowed = one.allowed if isinstance(one.allowed, str) else ", ".join(one.allowed)
    default = "" if one.default in (None, ()) or one.is_required else f" [{shown(one.default)}]"
    return f"``{one.name}``", one.meaning, f"{allowed}{default}"


def setup(app):
    """Let the reference of Python's names follow from the declarations."""
    app.connect("autodoc-process-signature", declared_signature)
    app.connect("autodoc-process-docstring", declared_table)
