"""How Sphinx builds the site from the pages of this folder: `make docs`."""

import tomllib
from pathlib import Path

pyproject = tomllib.loads((Path(__file__).resolve().parents[1] / "pyproject.toml").read_text())

project = "TMT + CLIFT"
author = "the authors of TMT + CLIFT"
project_copyright = f"{author}; GPL-2.0-or-later"
release = pyproject["project"]["version"]

extensions = ["myst_nb", "sphinx_copybutton"]
myst_heading_anchors = 4
nb_execution_mode = "off"  # the tests execute the notebooks; the site shows the results that they hold

html_theme = "furo"
html_title = f"TMT + CLIFT {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
html_use_index = False
