"""What a script imports, and what that imports: pages ask for all of it at once, not step by step."""

import re
from collections.abc import Iterable, Mapping

from .bundling import resolved

_IMPORT = re.compile(rb'^(?:import|export) [^;"]*?"(\.[^"]+)";', re.MULTILINE)


def imported(files: Mapping[str, bytes], entries: Iterable[str]) -> list[str]:
    """Return the paths of scripts and of everything that they import when they are loaded, each once.

    Args:
        files: The files of the site by their paths.
        entries: The paths of the scripts; those that do not exist are left out.
    """
    found: dict[str, None] = {}
    waiting = [path for path in entries if path in files]
    while waiting:
        path = waiting.pop(0)
        if path in found:
            continue
        found[path] = None
        waiting += [resolved(path, name.decode()) for name in _IMPORT.findall(files[path])]
    return list(found)
