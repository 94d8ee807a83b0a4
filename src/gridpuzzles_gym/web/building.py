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
    env = games.make(id)
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
        old = outdated([module], folder)
        files = module.files()
        if again or any(f"{module.name}.wasm" in line for line in old):
            files[f"{module.name}.wasm"] = build_module(module.exports)
        for name, content in files.items() if again or old else ():
            written.append(folder / name)
            written[-1].write_bytes(content)
    return written


def outdated(modules: Sequence[Module], folder: Path = MODULES) -> list[str]:
    """Return the differences between the built modules and the code, one line each; empty if they are current."""
    found = []
    for module in modules:
        compiled, described = folder / f"{module.name}.wasm", folder / f"{module.name}.json"
        files = module.files()
        missing = [name for name in (compiled.name, *files) if not (folder / name).exists()]
        found += [f"{name} is missing" for name in missing]
        if described.name not in missing:
            contents = described.read_bytes(), files[described.name]
            built, now = (read_json(content, described.name) for content in contents)
            found += [f"{compiled.name}: the kernel {name} was edited" for name in _edited(built, now)]
            names = sorted({*built, *now} - {"built"})
            found += [f"{described.name}: {name} differs" for name in names if built.get(name) != now.get(name)]
        same = {described.name, *missing}
        found += [
            f"{name} differs" for name in files if name not in same and (folder / name).read_bytes() != files[name]
        ]
    return found


def _edited(built: Any, now: Any) -> list[str]:
    """Return the kernels that differ between two descriptions of a module; none for different versions of Python."""
    before, after = built["built"], now["built"]
    names = sorted({*before["digests"], *after["digests"]})
    same_python = before["python"] == after["python"]
    return [name for name in names if before["digests"].get(name) != after["digests"].get(name)] if same_python else []
