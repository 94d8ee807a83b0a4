"""Links in Markdown that lead to the right place on GitHub and on the site.

Pages are written for GitHub: their links are relative to their file. On the site some files are elsewhere, as a part
of another page (:data:`SHOWN`), and files outside ``docs`` are not there at all: links to these lead to the repository.
"""

import os
import re
from pathlib import Path

DOCS = Path(__file__).parent.parent
ROOT = DOCS.parent
REPOSITORY = "https://github.com/gridpuzzles/gridpuzzles_gym"
SHOWN = {
    ROOT / "README.md": DOCS / "index.md",
    ROOT / "CHANGELOG.md": DOCS / "changelog.md",
    ROOT / "CONTRIBUTING.md": DOCS / "contributing.md",
    ROOT / "levels" / "README.md": DOCS / "levels.md",
}
"""The page of the site that shows a file."""
_RESULTS = DOCS / "environments" / "results"
"""The hand-written parts of the pages one folder above."""
_LINK = re.compile(r"(!?\[[^\]]*\]\()([^)\s]+)(\))")
_INCLUDED = re.compile(r"^```\{include\} (\S+)\n```$", re.MULTILINE)
_BADGES = re.compile(r"^\[!\[[^\]]*\]\(https:[^)]*\)\]\([^)]*\)\n", re.MULTILINE)
"""Pictures of other servers, from which the site loads nothing."""
_CODE = re.compile(r"(^```.*?^```$|`[^`\n]+`)", re.MULTILINE | re.DOTALL)


def rebased(text: str, file: Path, page: Path) -> str:
    """Return text of a file as a page of the site shows it.

    Args:
        text: Markdown, or a part of it.
        file: Where it comes from; its links are relative to this file.
        page: The source of the page, below ``docs``.
    """
    pieces = _CODE.split(text)
    pieces[::2] = [
        _LINK.sub(lambda link: f"{link[1]}{_target(link[2], file, page)}{link[3]}", piece) for piece in pieces[::2]
    ]
    return "".join(pieces)


def page_text(text: str, page: Path) -> str:
    """Return the source of a page with its included files in place, without badges, and with links that hold."""
    pieces = _INCLUDED.split(text)
    pieces[::2] = [rebased(piece, page, page) for piece in pieces[::2]]
    for place in range(1, len(pieces), 2):
        file = (page.parent / pieces[place]).resolve()
        pieces[place] = rebased(_BADGES.sub("", file.read_text(encoding="utf-8")), file, page)
    return "".join(pieces)


def _target(link: str, file: Path, page: Path) -> str:
    path, mark, anchor = link.partition("#")
    if not path or ":" in path:
        return link
    target = Path(os.path.normpath(file.parent / path))
    if target.parent == _RESULTS:
        target = _RESULTS.parent / target.name
    target = SHOWN.get(target, target)
    if target.is_relative_to(DOCS) and not target.is_dir():
        return Path(os.path.relpath(target, page.parent)).as_posix() + mark + anchor
    kind = "tree" if target.is_dir() else "blob"
    return f"{REPOSITORY}/{kind}/main/{target.relative_to(ROOT).as_posix()}{mark}{anchor}"
