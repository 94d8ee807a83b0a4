"""Build the modules of the site, and tell whether they are older than the code that they are made from.

A module ``NAME`` is two files, ``NAME.wasm`` and its description ``NAME.json``. The latter ends with the digest of
each kernel's Python code (:mod:`~gridpuzzles_gym.engine.kernel_digest`): what is built is in the repository and in
the wheel, so that nobody needs a linker to use it, and a test fails where a rule was edited since. Byte code differs
between minor versions of Python, so the digests are only compared with the version that built them.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gridpuzzles_gym.engine.encoding import encode_pool
from gridpuzzles_gym.engine.kernel_digest import kernel_digest
from gridpuzzles_gym.engine.puzzle import load_puzzle
from gridpuzzles_gym.registration import ENVIRONMENTS, Environment

from . import games
from .exports import Export
from .linking import build_module

SITE = Path(__file__).parent / "site"
"""The site, as it is served."""
MODULES = SITE / "modules"
"""Its modules."""
PYTHON = "{}.{}".format(*sys.version_info)
"""The version of Python whose byte code the digests are of."""


class Module(NamedTuple):
    """Everything that a module is made from."""

    name: str
    exports: Sequence[Export]
    description: Mapping[str, Any]
    rows: Mapping[str, bytes] = {}
    """Levels by file name: those that the episodes of an environment are drawn from."""

    def files(self) -> dict[str, bytes]:
        """Return its files by name, all but the compiled one."""
        text = json.dumps(self.described(), ensure_ascii=False, separators=(",", ":"))
        return {f"{self.name}.json": text.encode() + b"\n", **self.rows}

    def described(self) -> dict[str, Any]:
        """Return its description with the digests of its kernels."""
        digests = {export.name: kernel_digest(export.kernel, {}, PYTHON) for export in self.exports}
        return {**self.description, "built": {"python": PYTHON, "digests": digests}}


def puzzle_modules(environments: Sequence[Environment] = ENVIRONMENTS) -> list[Module]:
    """Return the module of each puzzle of some registered environments."""
    by_puzzle: dict[str, list[str]] = {}
    for environment in environments:
        by_puzzle.setdefault(environment.puzzle, []).append(environment.id)
    found = []
    for name, ids in by_puzzle.items():
        puzzle = load_puzzle(name)
        rows = {f"{id}.rows": data for id in ids if (data := _pool_rows(id))}
        found.append(Module(puzzle.name, games.exports(puzzle), games.describe(puzzle, ids), rows))
    return found


def _pool_rows(id: str) -> bytes:
    """The levels that an environment draws its episodes from: int16, for each its level row, then its start row."""
    env = games.make(id)
    batch = env.unwrapped.batch
    rows = encode_pool(batch.puzzle, batch.source.levels, batch.extent, batch.options)
    env.close()
    return np.concatenate(rows, axis=1).astype("<i2").tobytes()


def build(modules: Sequence[Module], folder: Path = MODULES, again: bool = False) -> list[Path]:
    """Compile the modules that are not current, and write their files.

    Args:
        modules: The modules.
        folder: The folder to write to.
        again: Whether to compile those that are current, too: after a change of the compiler itself.

    Returns:
        The files written.

    Raises:
        NoLinkerError: There is no linker for WebAssembly.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for module in modules:
        if not again and not outdated([module], folder):
            continue
        files = {f"{module.name}.wasm": build_module(module.exports), **module.files()}
        for name, content in files.items():
            written.append(folder / name)
            written[-1].write_bytes(content)
    return written


def outdated(modules: Sequence[Module], folder: Path = MODULES) -> list[str]:
    """Say what differs between the built modules and the code: one line each, nothing if they are current."""
    found = []
    for module in modules:
        for name, content in module.files().items():
            path = folder / name
            if not path.exists():
                found.append(f"{name} is missing")
            elif path.suffix != ".json":
                found += [f"{name} differs"] * (path.read_bytes() != content)
            else:
                found += [
                    f"{name}: {part}" for part in _differences(json.loads(path.read_bytes()), json.loads(content))
                ]
        if not (folder / f"{module.name}.wasm").exists():
            found.append(f"{module.name}.wasm is missing")
    return found


def _differences(built: Any, now: Any) -> list[str]:
    """Return the parts of a description that have changed."""
    found = [name for name in {*built, *now} - {"built"} if built.get(name) != now.get(name)]
    before, after = built["built"], now["built"]
    if before["python"] == after["python"]:
        names = {*before["digests"], *after["digests"]}
        found += [f"kernel {name}" for name in names if before["digests"].get(name) != after["digests"].get(name)]
    return sorted(found)
