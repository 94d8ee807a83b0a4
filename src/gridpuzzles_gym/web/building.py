"""Builds the modules of the site, and checks whether they are current.

A module ``NAME`` is two files, ``NAME.wasm`` and its description ``NAME.json``. Both are in the repository and in the
wheel, so that using them needs no linker. The description ends with the digest of each kernel's Python code
(:func:`~gridpuzzles_gym.engine.compile.kernel_cache.code_digest`), by which a test detects edited rules. Byte code
differs between minor versions of Python, so digests are only compared with those of the same version.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium as gym

from gridpuzzles_gym.agents.puzzle_agents import agents_record
from gridpuzzles_gym.engine.compile.kernel_cache import PYTHON, code_digest
from gridpuzzles_gym.engine.levels.pool import pool_rows
from gridpuzzles_gym.engine.puzzle import load_puzzle
from gridpuzzles_gym.engine.system.files import read_json
from gridpuzzles_gym.registration import ENVIRONMENTS, Environment

from . import games, players, searches
from .linking import build_module
from .target import Export

MODULES = Path(__file__).parent / "site" / "modules"
"""The modules of the site."""


class Module(NamedTuple):
    """The sources of a module."""

    name: str
    exports: Sequence[Export]
    description: Mapping[str, Any]
    rows: Mapping[str, bytes] = {}
    """Files by name with the levels that the episodes of an environment are sampled from."""

    def files(self) -> dict[str, bytes]:
        """Return its files by name, without the compiled one."""
        text = json.dumps(self.described(), ensure_ascii=False, separators=(",", ":"))
        return {f"{self.name}.json": text.encode() + b"\n", **self.rows}

    def described(self) -> dict[str, Any]:
        """Return its description with the digests of its kernels."""
        digests = {export.name: code_digest(export.kernel) for export in self.exports}
        return {**self.description, "built": {"python": PYTHON, "digests": digests}}


def puzzle_modules(environments: Sequence[Environment] = ENVIRONMENTS) -> list[Module]:
    """Return the module of each puzzle of some registered environments."""
    found = []
    for name, ids in _ids_by_puzzle(environments).items():
        puzzle = load_puzzle(name)
        rows = {f"{id}.rows": data for id in ids if (data := _pool_rows(id))}
        found.append(Module(puzzle.name, games.exports(puzzle), games.describe(puzzle, ids), rows))
    return found


def agent_modules(environments: Sequence[Environment] = ENVIRONMENTS) -> list[Module]:
    """Return the modules of the agents with kernels of the puzzles of some registered environments."""
    found = []
    for name, ids in _ids_by_puzzle(environments).items():
        puzzle = load_puzzle(name)
        shared: dict[tuple[Any, ...], dict[str, Any]] = {}
        for agent in agents_record(puzzle).kernels():
            by_id = {id: players.agent_kernels(puzzle, agent, id) for id in ids}
            functions = tuple(by_id[ids[0]].functions().values())
            shared.setdefault(functions, {})[agent] = by_id
        for agents in shared.values():
            first = next(iter(agents))
            exports = players.exports(agents[first][ids[0]])
            found.append(Module(f"{puzzle.name}.{first}", exports, players.describe(agents, exports)))
    return found


def search_modules(environments: Sequence[Environment] = ENVIRONMENTS) -> list[Module]:
    """Return the modules of the searches, of the puzzles whose transitions are deterministic."""
    found = []
    for name, ids in _ids_by_puzzle(environments).items():
        puzzle = load_puzzle(name)
        if puzzle.deterministic:
            found.append(Module(f"{puzzle.name}.search", searches.exports(puzzle), searches.describe(puzzle, ids)))
    return found


def all_modules(environments: Sequence[Environment] = ENVIRONMENTS) -> list[Module]:
    """Return every module of some registered environments."""
    return [*puzzle_modules(environments), *agent_modules(environments), *search_modules(environments)]


def _ids_by_puzzle(environments: Sequence[Environment]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for environment in environments:
        found.setdefault(environment.puzzle, []).append(environment.id)
    return found


def _pool_rows(id: str) -> bytes:
    """Return the levels that an environment samples from: int16, for each its level row, then its start row."""
    env: Any = gym.make(id)
    batch = env.unwrapped.batch
    rows = pool_rows(batch.puzzle, batch.source.levels, batch.extent, batch.options)
    env.close()
    return rows.astype("<i2").tobytes()


def build(modules: Sequence[Module], folder: Path = MODULES, again: bool = False) -> list[Path]:
    """Write the files of modules that are not current, and compile those with an outdated kernel.

    Args:
        modules: The modules.
        folder: The folder to write to.
        again: Whether to rebuild current modules, too, for example after a change of the compiler.

    Returns:
        The files written.

    Raises:
        NoLinkerError: There is no linker for WebAssembly.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for module in modules:
        files, old = module.files(), outdated([module], folder)
        if again or f"{module.name}.wasm" in old:
            files[f"{module.name}.wasm"] = build_module(module.exports)
        for name, content in files.items() if again or old else ():
            written.append(folder / name)
            written[-1].write_bytes(content)
    return written


def outdated(modules: Sequence[Module], folder: Path = MODULES) -> list[str]:
    """Return the names of the files that are missing or differ from the code; empty if all are current."""
    found = []
    for module in modules:
        compiled, described, files = f"{module.name}.wasm", f"{module.name}.json", module.files()
        before = {name: (folder / name).read_bytes() for name in (compiled, *files) if (folder / name).exists()}
        built, now = (read_json(content, described) for content in (before.get(described, b"{}"), files[described]))
        digests, current = built.pop("built", now["built"]), now.pop("built")
        edited = digests["python"] == current["python"] and digests != current
        found += [compiled] if edited or compiled not in before else []
        found += [described] if built != now else []
        found += [name for name in module.rows if before.get(name) != module.rows[name]]
    return found
