"""The exchange of levels with other programs and web pages: the :class:`LevelFormats` of Sokoban."""

from collections.abc import Mapping

from ....engine.puzzle import LevelError, LevelFormats
from ..checking import check
from .formats import WRITERS, is_html, read_entries
from .html_import import read_html
from .level_sets import Entry


def import_levels(text: str, source: str, tiles: Mapping[str, str]) -> list[Entry]:
    """Return the levels of a web page, or of a text copied from anywhere; at least one, all playable.

    Args:
        text: The page or text.
        source: Its name, for messages.
        tiles: The meanings of pictures that are not recognized; see :func:`~.html_import.read_html`.

    Raises:
        LevelError: There is no level, a picture is not recognized, or a level cannot be played.
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
