"""How the documentation is built: `make docs`. Needs no network."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

import docs_api  # noqa: E402  found in scripts/
import docs_cli  # noqa: E402
import docs_models  # noqa: E402

from sfumato import __version__  # noqa: E402

project = "sfumato"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build", "figures"]  # tables of figures are included by pages
nitpicky = True
# Types in signatures that have no place on these pages: those of other libraries, and what is behind the public names.
nitpick_ignore_regex = [
    (r"py:.*", r"(?!sfumato\.).*"),
    (r"py:.*", r"sfumato\.(engines|vocabulary\.(kinds|builders|dialect)|profiling\.suggest|reporting\.explorer\.data)\..*"),
    (r"py:.*", r"sfumato\.release\.shapes\..*"),
    # The keyword arguments of verbs, told as the fields of the frozen values; a type variable.
    (r"py:.*", r"sfumato\..*\.\w+Options|sfumato\.models\.registration\.Model"),
]

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

# Docstrings are in the NumPy style; what a parameter takes is said in words, which are no links.
napoleon_google_docstring = False
napoleon_use_param = napoleon_use_rtype = False
# Docstrings are written in Markdown's way: `code`.
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
autodoc_default_options = {"undoc-members": True}
maximum_signature_line_length = 100

html_theme = "furo"
html_title = f"sfumato {__version__}"
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False


def setup(app: Sphinx) -> None:
    for page in (docs_api, docs_cli, docs_models):
        app.connect("builder-inited", lambda app, page=page: page.write(Path(app.srcdir)))
