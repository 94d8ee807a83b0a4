"""The files of the site by path: its own, and the scripts, pictures, levels and modules of the puzzles.

The repository has no copies: every file is collected from the folder of its puzzle, agents or levels.
"""

import html
import importlib.resources
import inspect
import json
import math
import posixpath
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources.abc import Traversable
from pathlib import Path
from string import Template
from typing import Any

import gymnasium as gym

from gridpuzzles_gym.agents.puzzle_agents import pack_minima
from gridpuzzles_gym.agents.registry import advising_agents
from gridpuzzles_gym.engine.board.touch import Touch
from gridpuzzles_gym.engine.config import config_of, scene_in
from gridpuzzles_gym.engine.levels.bundled import bundled
from gridpuzzles_gym.engine.pictures.picture import ENGINE_ART
from gridpuzzles_gym.engine.puzzle import Puzzle, load_puzzle
from gridpuzzles_gym.engine.system.files import read_json
from gridpuzzles_gym.registration import ENVIRONMENTS, Environment

SITE = importlib.resources.files(__package__) / "site"
"""The pages, their scripts and styles, and the modules."""
PAGE, SCRIPT = "puzzle.html", "js/page.js"
"""The template of each puzzle's page, and its script."""
HOME, HOME_SCRIPT = "index.html", "js/home.js"
"""Those of the home page."""
CARD = """<li class="card"><a href="$name.html">
<div class="frame"><img loading="lazy" src="cards/$name.jpg" alt=""></div>
<div class="text"><h2>$title</h2><p>$words</p></div>
</a></li>"""
"""A puzzle on the home page."""
CARD_HEIGHT = 264
"""The height of its picture in pixels: one and a half times that on the page, for screens with a higher resolution."""
FASTEST = "greedy"
"""The search that gives hints where no advisor finds a solution."""
SEARCHES = "orders", "solvers"
"""Where the descriptions of modules have the searches of all puzzles, and the puzzle's own."""
MODULES = SITE / "modules"


def site(own: Sequence[Environment] = (), modules: Traversable = MODULES) -> dict[str, bytes]:
    """Return the content of every file of the site by its path, with ``/`` between folders.

    A puzzle ``NAME`` has its page ``NAME.html``, its scripts in ``puzzles/NAME/``, those of its agents in
    ``agents/NAME/``, its sprites in ``art/NAME/``, its packs of levels in ``levels/NAME/``, and its
    picture on the home page is ``cards/NAME.jpg``.

    Args:
        own: Registered environments of other packages, whose puzzles get pages, too.
        modules: The folder with their modules.
    """
    files = {path: content for path, content in _files(SITE) if path not in (PAGE, HOME)}
    files |= {f"modules/{path}": content for path, content in _files(modules)}
    environments = (*ENVIRONMENTS, *own)
    puzzles = puzzles_of_the_site(environments)
    for puzzle in puzzles:
        files |= {f"puzzles/{puzzle.name}/{path}": content for path, content in scripts_of(puzzle).items()}
        files |= {f"agents/{puzzle.name}/{path}": content for path, content in agent_scripts_of(puzzle).items()}
        files |= {f"art/{puzzle.name}/{path}": content for path, content in art_of(puzzle).items()}
        files |= {f"levels/{puzzle.name}/{pack}.txt": text for pack, text in packs_of(puzzle).items()}
        files |= {f"levels/{puzzle.name}/{pack}.minima.json": numbers for pack, numbers in minima_of(puzzle).items()}
    entries = {puzzle: _entry(puzzle, environments, files) for puzzle in puzzles}
    for puzzle, entry in entries.items():
        words, script = _escaped(entry), f"puzzles/{puzzle.name}/text.js"
        files[f"{puzzle.name}.html"] = _page(PAGE, words, files, [SCRIPT, script])
        files[f"cards/{puzzle.name}.jpg"] = _card_picture(puzzle, entry["ids"][0])
    cards = "\n".join(Template(CARD).substitute(_escaped(entry)) for entry in entries.values())
    files[HOME] = _page(HOME, {"cards": cards}, files, [HOME_SCRIPT])
    files["catalogue.json"] = json.dumps(list(entries.values()), ensure_ascii=False).encode()
    return files


def puzzles_of_the_site(environments: Sequence[Environment] = ENVIRONMENTS) -> list[Puzzle]:
    """Return the puzzles that have a page, in the order of their environments."""
    found = dict.fromkeys(load_puzzle(environment.puzzle) for environment in environments)
    return [puzzle for puzzle in found if puzzle.picture is not None]


def scripts_of(puzzle: Puzzle) -> dict[str, bytes]:
    """Return a puzzle's own scripts by name: the files of its folder ``web``, which it need not have."""
    return dict(_files(importlib.resources.files(puzzle.module) / "web"))


def agent_scripts_of(puzzle: Puzzle) -> dict[str, bytes]:
    """Return the scripts of a puzzle's agents by name: the files of the folder ``web`` next to their record."""
    folder = importlib.resources.files("gridpuzzles_gym.agents") / puzzle.name
    return dict(_files(folder / "web"))


def art_of(puzzle: Puzzle) -> dict[str, bytes]:
    """Return a puzzle's sprites by their paths below its folder ``art``, and those of all puzzles."""
    folders = [ENGINE_ART, importlib.resources.files(puzzle.module) / "art"]
    found = {path: content for folder in folders for path, content in _files(folder)}
    return {path: content for path, content in found.items() if path.endswith(".svg")}


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


def write_site(folder: Path, files: Mapping[str, bytes] | None = None) -> list[Path]:
    """Write the files of a site, by default :func:`site`, to a folder, for any server; return the files written."""
    written = []
    for path, content in (site() if files is None else files).items():
        written.append(folder / path)
        written[-1].parent.mkdir(parents=True, exist_ok=True)
        written[-1].write_bytes(content)
    return written


def _page(template: str, words: Mapping[str, str], files: Mapping[str, bytes], scripts: Sequence[str]) -> bytes:
    """Return a page from its template, which loads its scripts and all that they import at once."""
    paths = imported(files, scripts)
    preloads = "\n".join(f'<link rel="modulepreload" href="{html.escape(path)}">' for path in paths)
    return Template((SITE / template).read_text(encoding="utf-8")).substitute(words, preloads=preloads).encode()


def _escaped(entry: Mapping[str, Any]) -> dict[str, str]:
    return {key: html.escape(str(value)) for key, value in entry.items()}


def _card_picture(puzzle: Puzzle, env_id: str) -> bytes:
    """Return a picture of an instance, which shows what is hidden from the player, too."""
    from gridpuzzles_gym.engine.pictures.canvas import Canvas

    env = gym.make(env_id, disable_env_checker=True, **({} if puzzle.hidden is None else puzzle.hidden.revealed))
    env.reset(seed=0)
    return Canvas(puzzle, CARD_HEIGHT // config_of(env).extent[0]).jpg(scene_in(env))


def _entry(puzzle: Puzzle, environments: Sequence[Environment], files: Mapping[str, bytes]) -> dict[str, Any]:
    """Return the puzzle's entry in the catalogue, which pages use in addition to the description of its module."""
    reads, modules = f"puzzles/{puzzle.name}/text.js" in files, _modules_of(puzzle, files)
    ids = [environment.id for environment in environments if load_puzzle(environment.puzzle) is puzzle]
    line = (inspect.getdoc(sys.modules[puzzle.module]) or puzzle.title).partition("\n")[0]
    agents = {agent: name for name, described in modules.items() for agent in described.get("agents", ())}
    searches, solvers = ([search for each in modules.values() for search in each.get(kind, ())] for kind in SEARCHES)
    advisors = dict.fromkeys([*advising_agents(puzzle), FASTEST])
    gestures = puzzle.gestures if isinstance(puzzle.gestures, Touch) else None  # others are not compiled
    does = {} if gestures is None else {"click": gestures.click_words, "drag": gestures.drag_words}
    return {
        "name": puzzle.name,
        "title": puzzle.title,
        "words": line.removeprefix(f"{puzzle.title}: "),
        "ids": ids,
        "reads": reads,
        "packs": list(packs_of(puzzle)) if reads else [],
        "agents": agents,
        "searches": searches,
        "solvers": solvers,
        "boards": _searchable(modules),
        "advisors": [name for name in advisors if name in (*agents, *searches, *solvers)],
        "minima": list(minima_of(puzzle)) if reads else [],
        "hides": puzzle.hidden is not None,
        "chance": not puzzle.deterministic,
        "gestures": {gesture: words for gesture, words in does.items() if words},
    }


def _searchable(modules: Mapping[str, Any]) -> list[list[int]] | None:
    """Return the level rows that the searches on the site have tables for; None if they play all levels."""
    described = [each["heuristics"] for each in modules.values() if "heuristics" in each]
    tables = [next(iter(heuristics.values()))["made_for"] for heuristics in described]
    return list(tables[0].values()) if tables and tables[0] else None


def _modules_of(puzzle: Puzzle, files: Mapping[str, bytes]) -> dict[str, Any]:
    """Return the descriptions of the modules of a puzzle's agents and searches, by their names."""
    start, end = f"modules/{puzzle.name}.", ".json"
    paths = sorted(path for path in files if path.startswith(start) and path.endswith(end))
    return {path.removeprefix("modules/").removesuffix(end): read_json(files[path], path) for path in paths}


def _files(folder: Traversable, above: str = "") -> Iterator[tuple[str, bytes]]:
    if not folder.is_dir():
        return
    for each in sorted(folder.iterdir(), key=lambda entry: entry.name):
        path = f"{above}{each.name}"
        if each.is_dir():
            yield from _files(each, f"{path}/")
        elif each.name.endswith(".js"):
            yield path, without_comments(each.read_text(encoding="utf-8")).encode()
        elif not each.name.startswith((".", "__")) and not each.name.endswith((".py", ".pyc")):
            yield path, each.read_bytes()


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
