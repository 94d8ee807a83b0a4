"""The exchange of levels with other programs and web pages: the :class:`LevelFormats` of Sokoban."""

import functools
import re
from collections.abc import Callable, Mapping, Sequence

from ....engine.puzzle import LevelError, LevelFormats
from ..checking import check
from .copied import unwrapped
from .formats import WRITERS, is_html, read_entries
from .html_import import MAX_CHARACTERS, read_html, symbols_for
from .level_sets import Entry
from .page_text import texts_of

_TAG = re.compile(r"</?(?:pre|br|p|div|span|table|tr|td|code|textarea)\b[^<>]*>", re.IGNORECASE)

Items = Sequence[Entry | LevelError]


def import_levels(text: str, source: str, tiles: Mapping[str, str]) -> Items:
    """Return the levels of a web page, or of a text copied from anywhere, and the errors of those that are invalid.

    Args:
        text: The page or text.
        source: Its name, for messages.
        tiles: The meanings of pictures that are not recognized, see :func:`~.html_import.read_html`; or of symbols in
            a text.

    Raises:
        LevelError: There is no level, a picture is not recognized, or a level of a page cannot be played.
    """
    is_page = is_html(text) or _TAG.search(text) is not None
    symbols = symbols_for({name: shown for name, shown in tiles.items() if len(name) == 1 or not is_page})
    as_text = functools.partial(_read_copied, text.translate(symbols), source)
    readers: list[Callable[[], Items]] = [] if is_html(text) else [as_text]
    if len(text) > MAX_CHARACTERS:
        readers = readers or [functools.partial(read_html, text, source, tiles)]
    elif is_page:
        preformatted, everything = (part.translate(symbols) for part in texts_of(text))
        readers.append(functools.partial(_read_copied, preformatted, source))
        readers.append(functools.partial(read_html, text, source, tiles))
        readers.append(functools.partial(_read_copied, everything, source))
        readers.append(as_text)
    found: list[Items] = []
    errors: list[LevelError] = []
    for read in readers:
        try:
            found.append(read())
        except LevelError as error:
            errors.append(error)
        else:
            if _some_valid(found[-1]):
                return found[-1]
    if found:
        return found[0]
    raise errors[1] if is_html(text) and len(errors) > 1 else errors[0]


def _read_copied(text: str, source: str) -> Items:
    """Return the levels of a text, whatever they are wrapped in, and the errors of those that are invalid.

    Raises:
        LevelError: There is nothing that looks like a level.
    """
    best: Items = []
    readable = False
    for candidate in unwrapped(text):
        items, all_readable = _checked(candidate, source)
        if _some_valid(items):
            return items
        if items and (not best or (len(items) == len(best) and all_readable > readable)):
            best, readable = items, all_readable
    if not best:
        symbols = "rows must have walls, # or w; state what other symbols are, e.g. --tile X=wall"
        raise LevelError(f"no level in {source}: {symbols}")
    return best


def _some_valid(items: Items) -> bool:
    return any(isinstance(item, Entry) for item in items)


def _all_valid(items: Items) -> bool:
    return all(isinstance(item, Entry) for item in items)


def _checked(text: str, source: str) -> tuple[Items, bool]:
    """Return the levels of a text that can be played, and the errors of the others; and whether none is malformed."""
    if is_html(text):
        return [], False
    try:
        entries = read_entries(text, source)
    except LevelError as error:
        return [error], False
    return [_checked_entry(entry, source) for entry in entries], _all_valid(entries)


def _checked_entry(entry: Entry | LevelError, source: str) -> Entry | LevelError:
    """Return the entry if it can be played, otherwise why not."""
    if isinstance(entry, Entry):
        try:
            check(entry.board.rows, entry.board.where)
        except LevelError as error:
            return error.named(entry.title or f"{source}:{entry.board.lines[0].number}")
    return entry


FORMATS = LevelFormats(
    writers=WRITERS,
    suffixes={".xsb": "xsb", ".txt": "xsb", ".rle": "rle", ".letters": "letters", ".sok": "sok", ".slc": "slc"},
    read=read_entries,
    import_levels=import_levels,
)
