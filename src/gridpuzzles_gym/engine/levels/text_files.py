"""Files of level text: which files of a folder they are, and their texts."""

import contextlib
import os
import re
from pathlib import Path

from ..puzzle import LevelError

MAX_BYTES = 64 * 2**20
"""The maximum size of a level file."""
MAX_FILES, MAX_FOLDER_BYTES = 20_000, 512 * 2**20
"""The maximum number of files of any kind in a folder of level files, and the maximum total size of its level files."""
MAX_OTHER_BYTES = 2**20
"""The maximum size of a file in a folder that is looked at in spite of its extension."""
_SUFFIXES = (".txt", ".xsb", ".sok", ".slc", ".lvl", ".rle")
"""The extensions of level files; other files of text in a folder are read if there is a valid level in them."""
_TABLES = (".csv", ".json", ".jsonl", ".rows", ".npz")
"""The extensions of what this suite writes next to levels."""
_BINARY = re.compile(r"[\x00-\x08\x0e-\x1f]")
"""Control characters that do not occur in text."""


def is_level_file(path: Path) -> bool:
    """Whether a file has an extension of level files."""
    return path.name.lower().endswith(_SUFFIXES)


def level_files(folder: Path) -> list[Path]:
    """Return the files of text in a folder and its subfolders that may have levels, sorted, without hidden ones.

    They are those of :func:`is_level_file`, and others that are small and begin with text, but no tables of a pack.

    Raises:
        LevelError: There are more than :data:`MAX_FILES` files, or more than :data:`MAX_FOLDER_BYTES` of level files.
    """
    found: list[Path] = []
    files = size = 0
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        files += len(folders) + len(names)
        if files > MAX_FILES:
            raise LevelError(f"{folder}: over {MAX_FILES:,} files in this folder: not a folder of levels")
        for name in names:
            path = Path(parent, name)
            if name[0] != "." and os.path.isfile(path) and (is_level_file(path) or _may_have_levels(path)):
                found.append(path)
                size += path.stat().st_size
        if size > MAX_FOLDER_BYTES:
            raise LevelError(f"{folder}: over {MAX_FOLDER_BYTES >> 20} MiB of level files in this folder")
    return sorted(found)


def _may_have_levels(path: Path) -> bool:
    """Whether a file without an extension of level files is small, and text as far as its beginning shows."""
    try:
        if path.suffix.lower() in _TABLES or not 0 < path.stat().st_size <= MAX_OTHER_BYTES:
            return False
        with path.open("rb") as file:
            return _BINARY.search(file.read(4096).decode("latin-1")) is None
    except OSError:
        return False


def read_level_text(path: Path) -> str:
    """Read the text of a level file, in UTF-8 or, like many old collections, Windows-1252.

    Raises:
        LevelError: It cannot be read, is too large, or is not text.
    """
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise LevelError(f"{path} cannot be read: {error.strerror}") from None
    return decode_level_text(content, str(path))


def decode_level_text(content: bytes, source: str) -> str:
    """Decode the bytes of a level file; see :func:`read_level_text`."""
    if len(content) > MAX_BYTES:
        raise LevelError(f"{source} is over {MAX_BYTES >> 20} MiB: not a level file")
    for encoding in "utf-8-sig", "cp1252":
        with contextlib.suppress(UnicodeDecodeError):
            text = content.decode(encoding)
            if encoding == "utf-8-sig" or not _BINARY.search(text):
                return text
    raise LevelError(f"{source} is not UTF-8 text")
