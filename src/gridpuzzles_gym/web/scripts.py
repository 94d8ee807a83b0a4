"""Scripts as pages get them: without comments; and all that they import, which pages load at once."""

import posixpath
import re
from collections.abc import Iterable, Mapping

_COMMENTS = re.compile(r"^[ \t]*(?://[^\n]*|/\*(?:(?!\*/).)*\*/[ \t]*)\n", re.MULTILINE | re.DOTALL)
_IMPORT = re.compile(rb'^(?:import|export) [^;"]*?"(\.[^"]+)";', re.MULTILINE)


def without_comments(source: str) -> str:
    """Return a script without the comments that fill whole lines: a third of the site's scripts, compressed."""
    return _COMMENTS.sub("", source)


def imported(files: Mapping[str, bytes], entries: Iterable[str]) -> list[str]:
    """Return the paths of scripts and of all direct and indirect imports, each once.

    Args:
        files: The files of the site by their paths.
        entries: The paths of the scripts; missing ones are left out.
    """
    found: dict[str, None] = {}
    waiting = [path for path in entries if path in files]
    while waiting:
        path = waiting.pop(0)
        if path in found:
            continue
        found[path] = None
        folder = posixpath.dirname(path)
        waiting += [posixpath.normpath(posixpath.join(folder, name.decode())) for name in _IMPORT.findall(files[path])]
    return list(found)
