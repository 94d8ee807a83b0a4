"""Scripts as pages get them: without comments, and bundled into one for pages that are a single file.

Browsers load no modules from local files.
"""

import posixpath
import re
from collections.abc import Mapping

from gridpuzzles_gym.engine.messages import quote

_IMPORT = re.compile(r'^import \{([^}]*)\} from "([^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const|let)\b)", re.MULTILINE)
_COMMENTS = re.compile(r"^[ \t]*(?://[^\n]*|/\*(?:(?!\*/).)*\*/[ \t]*)\n", re.MULTILINE | re.DOTALL)
_NAME = re.compile(r"^export (?:async )?(?:function|class|const|let) (\w+)", re.MULTILINE)


def without_comments(source: str) -> str:
    """Return a script without the comments that fill whole lines: a third of the site's scripts, compressed."""
    return _COMMENTS.sub("", source)


def bundle(files: Mapping[str, str], entry: str) -> str:
    """Return a script that runs a module and all that it imports, in strict mode.

    Args:
        files: The source of each module by its path.
        entry: The path of the module.

    Raises:
        KeyError: A module that is imported is not among the files.
        ValueError: A kind of import or export is not supported, or modules import each other in a circle.
    """
    order: list[str] = []
    _visit(files, entry, order, ())
    numbers = {path: k for k, path in enumerate(order)}
    parts = [_wrapped(files[path], path, numbers) for path in order]
    return '"use strict";\n' + "\n".join(parts)


def _visit(files: Mapping[str, str], path: str, order: list[str], above: tuple[str, ...]) -> None:
    if path in above:
        raise ValueError(f"modules import each other: {' → '.join([*above, path])}")
    if path in order:
        return
    for imported in _IMPORT.finditer(files[path]):
        _visit(files, resolved(path, imported[2]), order, (*above, path))
    order.append(path)


def resolved(path: str, imported: str) -> str:
    """Return the path of an imported module, from the importing one's path and the name there, ``../js/view.js``."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), imported))


def _wrapped(source: str, path: str, numbers: Mapping[str, int]) -> str:
    """Return a module as a constant that holds its exports."""
    names = _NAME.findall(source)
    body = _IMPORT.sub(
        lambda found: f"const {{{_renamed(found[1])}}} = module{numbers[resolved(path, found[2])]};\n", source
    )
    body = _EXPORT.sub("", body)
    left = re.search(r"^(import|export)\b.*", body, re.MULTILINE)
    if left:
        raise ValueError(f"{path}: {quote(left[0])} is no import or export that can be bundled")
    return f"const module{numbers[path]} = (() => {{\n{body}return {{ {', '.join(names)} }};\n}})();"


def _renamed(names: str) -> str:
    """Return the names of an import as those of an assignment: ``a as b`` as ``a: b``."""
    return re.sub(r"(\w+)\s+as\s+(\w+)", r"\1: \2", names)
