"""The direct and indirect imports of scripts, which pages load at once instead of step by step."""

import re
from collections.abc import Iterable, Mapping

from .bundling import resolved

_IMPORT = re.compile(rb'^(?:import|export) [^;"]*?"(\.[^"]+)";', re.MULTILINE)


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
        waiting += [resolved(path, name.decode()) for name in _IMPORT.findall(files[path])]
    return list(found)
