"""The files of the site by path: its own, and the scripts, pictures, levels and modules of the puzzles.

The repository has no copies: every file is collected from the folder of its puzzle, agents or levels.
"""

import html
import importlib.resources
import inspect
import json
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources.abc import Traversable
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from gridpuzzles_gym.agents.puzzle_agents import pack_minima
from gridpuzzles_gym.agents.registry import advising_agents
from gridpuzzles_gym.engine.levels.bundled import bundled
from gridpuzzles_gym.engine.puzzle import Puzzle, load_puzzle
from gridpuzzles_gym.engine.system.json_text import read_json
from gridpuzzles_gym.registration import ENVIRONMENTS

from .preloading import imported

if TYPE_CHECKING:
    from .models import PageModel

SITE = importlib.resources.files(__package__) / "site"
"""The pages, their scripts and styles, and the modules."""
PAGE = "puzzle.html"
"""The template of each puzzle's page."""
FASTEST = "greedy"
"""The search that gives hints where no advisor finds a solution."""
SCRIPT = "js/page.js"
"""Its script."""


def site(models: "Sequence[PageModel]" = ()) -> dict[str, bytes]:
    """Return the content of every file of the site by its path, with ``/`` between folders.

    A puzzle ``NAME`` has its page ``NAME.html``, its scripts in ``puzzles/NAME/``, those of its agents in
    ``agents/NAME/``, its sprites in ``art/NAME/``, its packs of levels in ``levels/NAME/``, and trained models in
    ``models/NAME/``.

    Args:
        models: Trained models to offer on the site.
    """
    files = {path: content for path, content in _files(SITE) if path != PAGE}
    puzzles = puzzles_of_the_site()
    for puzzle in puzzles:
        files |= {f"puzzles/{puzzle.name}/{path}": content for path, content in scripts_of(puzzle).items()}
        files |= {f"agents/{puzzle.name}/{path}": content for path, content in agent_scripts_of(puzzle).items()}
        files |= {f"art/{puzzle.name}/{path}": content for path, content in art_of(puzzle).items()}
        files |= {f"levels/{puzzle.name}/{pack}.txt": text for pack, text in packs_of(puzzle).items()}
        files |= {f"levels/{puzzle.name}/{pack}.minima.json": numbers for pack, numbers in minima_of(puzzle).items()}
    files |= {f"models/{each.puzzle}/{each.name}": each.content for each in models}
    files |= {f"{puzzle.name}.html": _page(puzzle, files) for puzzle in puzzles}
    entries = [_entry(puzzle, models) for puzzle in puzzles]
    files["catalogue.json"] = json.dumps(entries, ensure_ascii=False).encode()
    return files


def puzzles_of_the_site() -> list[Puzzle]:
    """Return the puzzles that have a page, in the order in which they are registered."""
    found = dict.fromkeys(load_puzzle(environment.puzzle) for environment in ENVIRONMENTS)
    return [puzzle for puzzle in found if scripts_of(puzzle)]


def scripts_of(puzzle: Puzzle) -> dict[str, bytes]:
    """Return a puzzle's own scripts by name: the files of its folder ``web``."""
    return dict(_files(importlib.resources.files(puzzle.module) / "web"))


def agent_scripts_of(puzzle: Puzzle) -> dict[str, bytes]:
    """Return the scripts of a puzzle's agents by name: the files of the folder ``web`` next to their record."""
    folder = importlib.resources.files("gridpuzzles_gym.agents") / puzzle.name
    return dict(_files(folder / "web"))


def art_of(puzzle: Puzzle) -> dict[str, bytes]:
    """Return a puzzle's sprites by their paths below its folder ``art``."""
    found = _files(importlib.resources.files(puzzle.module) / "art")
    return {path: content for path, content in found if path.endswith(".svg")}


def agent_modules_of(puzzle: Puzzle) -> dict[str, str]:
    """Return the modules of the agents that play on the site, by the agents' names."""
    modules = {each.name.removesuffix(".json"): each for each in _modules_of(puzzle)}
    return {
        agent: name
        for name, file in modules.items()
        for agent in read_json(file.read_bytes(), file.name).get("agents", ())
    }


def packs_of(puzzle: Puzzle) -> dict[str, bytes]:
    """Return the level texts of a puzzle's bundled packs by name, the shortest first; pages begin with the first."""
    folder = importlib.resources.files("gridpuzzles_gym.levels") / puzzle.name
    files = {pack: folder / f"{pack}.txt" for pack in bundled(puzzle)}
    packs = {pack: file.read_bytes() for pack, file in files.items() if file.is_file()}
    return dict(sorted(packs.items(), key=lambda pack: len(pack[1])))


def minima_of(puzzle: Puzzle) -> dict[str, bytes]:
    """Return the proven minima of a puzzle's packs, by pack: ``{metric: [number or null, ...]}`` as JSON."""
    found = {pack: pack_minima(puzzle, pack) for pack in bundled(puzzle)}
    known = {
        pack: {name: [int(each) if math.isfinite(each) else None for each in row] for name, row in columns.items()}
        for pack, columns in found.items()
    }
    return {pack: json.dumps(columns, separators=(",", ":")).encode() for pack, columns in known.items() if columns}


def write_site(folder: Path, models: "Sequence[PageModel]" = ()) -> list[Path]:
    """Write the site to a folder, for any server of files; return the files written."""
    written = []
    for path, content in site(models).items():
        written.append(folder / path)
        written[-1].parent.mkdir(parents=True, exist_ok=True)
        written[-1].write_bytes(content)
    return written


def _page(puzzle: Puzzle, files: Mapping[str, bytes]) -> bytes:
    """Return the page of a puzzle."""
    own = (f"puzzles/{puzzle.name}/{path}.js" for path in ("drawing", "text", "gestures"))
    scripts = imported(files, [SCRIPT, *own])
    preloads = "\n".join(f'<link rel="modulepreload" href="{html.escape(path)}">' for path in scripts)
    words = {key: html.escape(str(entry)) for key, entry in _entry(puzzle).items()}
    template = Template((SITE / PAGE).read_text(encoding="utf-8"))
    return template.substitute(words, preloads=preloads).encode()


def _entry(puzzle: Puzzle, models: "Sequence[PageModel]" = ()) -> dict[str, Any]:
    """Return the puzzle's entry in the catalogue, which pages use in addition to the description of its module."""
    ids = [environment.id for environment in ENVIRONMENTS if load_puzzle(environment.puzzle) is puzzle]
    line = (inspect.getdoc(sys.modules[puzzle.module]) or puzzle.title).partition("\n")[0]
    gestures = puzzle.gestures
    does = {} if gestures is None else {"click": gestures.click_words, "drag": gestures.drag_words}
    return {
        "name": puzzle.name,
        "title": puzzle.title,
        "words": line.removeprefix(f"{puzzle.title}: "),
        "ids": ids,
        "packs": list(packs_of(puzzle)),
        "agents": agent_modules_of(puzzle),
        "searches": _searches_of(puzzle, "orders"),
        "solvers": _searches_of(puzzle, "solvers"),
        "boards": _searchable(puzzle),
        "advisors": _advisors_of(puzzle),
        "minima": list(minima_of(puzzle)),
        "recorded": _recorded_of(puzzle),
        "models": {each.name: list(each.extent) for each in models if each.puzzle == puzzle.name},
        "hides": puzzle.hidden is not None,
        "chance": not puzzle.deterministic,
        "gestures": {gesture: words for gesture, words in does.items() if words},
    }


def _recorded_of(puzzle: Puzzle) -> dict[str, list[str]]:
    """Return the packs and ids of which there are recorded episodes, by the agents' names: see :mod:`.recorded`."""
    file = SITE / "recorded" / f"{puzzle.name}.json"
    found = read_json(file.read_bytes(), file.name) if file.is_file() else {}
    return {agent: list(sources) for agent, sources in found.items()}


def _searches_of(puzzle: Puzzle, kind: str) -> list[str]:
    """Return the names of the searches that run on the site: all puzzles' ``"orders"``, or its own ``"solvers"``."""
    described = [read_json(file.read_bytes(), file.name) for file in _modules_of(puzzle)]
    return [search for each in described for search in each.get(kind, ())]


def _searchable(puzzle: Puzzle) -> list[list[int]] | None:
    """Return the level rows that the searches on the site have tables for; None if they play all levels."""
    described = [read_json(file.read_bytes(), file.name) for file in _modules_of(puzzle)]
    tables = [next(iter(each["heuristics"].values()))["made_for"] for each in described if "heuristics" in each]
    return list(tables[0].values()) if tables and tables[0] else None


def _advisors_of(puzzle: Puzzle) -> list[str]:
    """Return who gives hints on the site: the puzzle's advisors that run there, then the fastest of its searches."""
    searches = [*_searches_of(puzzle, "orders"), *_searches_of(puzzle, "solvers")]
    able = [*agent_modules_of(puzzle), *searches]
    return [name for name in dict.fromkeys([*advising_agents(puzzle), FASTEST]) if name in able]


def _modules_of(puzzle: Puzzle) -> list[Traversable]:
    """Return the descriptions of the modules of a puzzle's agents and searches."""
    found = (SITE / "modules").iterdir()
    parts = [each for each in found if each.name.startswith(f"{puzzle.name}.") and each.name.endswith(".json")]
    return sorted(parts, key=lambda each: each.name)


def _files(folder: Traversable, above: str = "") -> Iterator[tuple[str, bytes]]:
    if not folder.is_dir():
        return
    for each in sorted(folder.iterdir(), key=lambda entry: entry.name):
        path = f"{above}{each.name}"
        if each.is_dir():
            yield from _files(each, f"{path}/")
        elif not each.name.startswith((".", "__")) and not each.name.endswith((".py", ".pyc")):
            yield path, each.read_bytes()
