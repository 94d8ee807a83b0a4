"""Sokoban's levels as other programs and web pages have them: the record that the level commands use."""

from collections.abc import Mapping

from ....engine.puzzle import LevelError, LevelFormats
from ..checking import check
from .formats import WRITERS, is_html, read_entries
from .html_import import read_html
from .level_sets import Entry


def import_levels(text: str, source: str, tiles: Mapping[str, str]) -> list[Entry]:
    """The levels of a web page, or of a text copied from anywhere, that can be played.

    Args:
        text: The page or text.
        source: What messages call it.
        tiles: What pictures show, where that is not guessed; see :func:`~.html_import.read_html`.

    Raises:
        LevelError: There are none, a picture's name tells nothing, or a level cannot be played.
    """
    if is_html(text):
        return read_html(text, source, tiles)
    entries = read_entries(text, source)
    for entry in entries:
        check(entry.board.rows, entry.board.where)
    if not entries:
        raise LevelError(f"no level in {source}")
    return entries


FORMATS = LevelFormats(
    writers=WRITERS,
    suffixes={".xsb": "xsb", ".txt": "xsb", ".sok": "sok", ".slc": "slc"},
    read=read_entries,
    import_levels=import_levels,
)
