"""The site's configuration: ``make docs`` builds it into build/site, without network.

With Sphinx's tag ``check`` (``make check-docs``) it has no films, no theme, and notebooks are not run.
"""

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from docs.site.docstrings import prepare, restore  # noqa: E402
from docs.site.environment_pages import PLAY, write_pages  # noqa: E402
from docs.site.links import REPOSITORY, page_text  # noqa: E402
from gridpuzzles_gym._version import __version__  # noqa: E402
from gridpuzzles_gym.web.assembly import write_site  # noqa: E402

CHECK = tags.has("check")  # type: ignore[name-defined]  # noqa: F821  (Sphinx defines ``tags`` in this file)

project = "gridpuzzles_gym"
author = copyright = "The gridpuzzles_gym developers"
release = version = __version__
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.napoleon"]
exclude_patterns = ["environments/results", "site"]
templates_path = ["templates"]

html_theme = "basic" if CHECK else "furo"  # furo lists all pages on every page, which takes most of the time
html_title = "gridpuzzles_gym"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_favicon = "../src/gridpuzzles_gym/web/site/icon.svg"
html_copy_source = False
html_theme_options = (
    {}
    if CHECK
    else {
        "source_repository": REPOSITORY,
        "source_branch": "main",
        "source_directory": "docs/",
        "top_of_page_buttons": [],
    }
)

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
nb_execution_mode = "off" if CHECK else "force"  # a cache would not notice changed code of the package
nb_execution_timeout = 600
nb_execution_raise_on_error = True
nb_execution_show_tb = True

autosummary_generate = True
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "show-inheritance": True}
autodoc_preserve_defaults = True
# These have environments of their own.
autodoc_mock_imports = ["ray"]
autodoc_mock_imports += ["verifiers", "openai", "openenv", "fastapi", "pydantic"]
napoleon_numpy_docstring = False
python_maximum_signature_line_length = 100


def setup(app: Sphinx) -> None:
    """Connect what is made at build time."""
    app.connect("config-inited", lambda app, config: write_pages(with_films=not CHECK))
    app.connect("source-read", _complete)
    for change, priority in ((prepare, 100), (restore, 900)):  # napoleon has 500
        app.connect("autodoc-process-docstring", partial(_change_docstring, change), priority)
    app.connect("build-finished", _add_playable_pages)


def _change_docstring(
    change: Callable[[str, list[str]], None],
    app: Sphinx,
    what: str,
    name: str,
    obj: Any,
    options: Any,
    lines: list[str],
) -> None:
    change(what, lines)


def _complete(app: Sphinx, docname: str, content: list[str]) -> None:
    """Put included files in place, and mend links, in a Markdown page that is written for GitHub."""
    page = Path(app.env.doc2path(docname))
    if page.suffix == ".md":
        content[0] = page_text(content[0], page)


def _add_playable_pages(app: Sphinx, error: Exception | None) -> None:
    if error is None and app.builder.format == "html":
        write_site(Path(app.outdir) / PLAY)
