"""The exchange of levels with other programs and web pages: the :class:`LevelFormats` of Sokoban."""

from collections.abc import Mapping

from ....engine.puzzle import LevelError, LevelFormats
from ..checking import check
from .formats import WRITERS, is_html, read_entries
from .html_import import read_html, symbols_for
from .level_sets import Entry


def import_levels(text: str, source: str, tiles: Mapping[str, str]) -> list[Entry | LevelError]:
    """Return the levels of a web page, or of a text copied from anywhere, and the errors of those that are invalid.

    Args:
        text: The page or text.
        source: Its name, for messages.
        tiles: The meanings of pictures that are not recognized, see :func:`~.html_import.read_html`; or of symbols in
            a text.

    Raises:
        LevelError: There is no level, a picture is not recognized, or a level of a page cannot be played.
    """
    if is_html(text):
        return [*read_html(text, source, tiles)]
    if tiles:
        text = text.translate(symbols_for(tiles))
    entries = [_checked(entry, source) for entry in read_entries(text, source)]
    if not entries:
        raise LevelError(f"no level in {source}")
    return entries


def _checked(entry: Entry | LevelError, source: str) -> Entry | LevelError:
    """Return the entry if it can be played, otherwise why not."""
    if isinstance(entry, Entry):
        try:
            check(entry.board.rows, entry.board.where)
        except LevelError as error:
            return error.named(entry.title or f"{source}:{entry.board.lines[0].number}")
    return entry


FORMATS = LevelFormats(
    writers=WRITERS,
    suffixes={".xsb": "xsb", ".txt": "xsb", ".sok": "sok", ".slc": "slc"},
    read=read_entries,
    import_levels=import_levels,
)
