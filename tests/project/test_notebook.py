"""What notebooks show: pictures of levels and results, films; and the notebooks of the documentation."""

import ast
import base64
import html
import io
import json
import re
import sys
from html.parser import HTMLParser

import gymnasium as gym
import pytest
from helpers import CORRIDOR, PUZZLES, REPOSITORY
from PIL import Image

from gridpuzzles_gym.agents.evaluation import compare
from gridpuzzles_gym.agents.samplers.base import GeneratedLevels, Tagged
from gridpuzzles_gym.agents.search.problem import Limits, Problem
from gridpuzzles_gym.agents.search_tables import heuristic_named, search_named
from gridpuzzles_gym.engine.levels.sources import find_levels
from gridpuzzles_gym.engine.puzzle import Level
from gridpuzzles_gym.notebook import Film, film

NOTEBOOKS = sorted((REPOSITORY / "docs" / "notebooks").glob("*.ipynb"))
HOSTILE = "<script>alert(1)</script>\"' onload=x"
SOKOBAN = PUZZLES["sokoban"]


class Elements(HTMLParser):
    """The elements of an HTML text, with their attributes."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))

    def named(self, tag):
        return [attributes for found, attributes in self.found if found == tag]


def shown(thing):
    elements = Elements(thing._repr_html_())
    assert not elements.named("script")
    for _, attributes in elements.found:
        assert not {name for name in attributes if name.startswith("on")}
    return elements


def pictures(thing):
    """The pictures among what a notebook shows."""
    found = []
    for image in shown(thing).named("img"):
        kind, _, data = image["src"].partition(",")
        assert kind in ("data:image/png;base64", "data:image/gif;base64")
        assert image["alt"]
        found.append(Image.open(io.BytesIO(base64.b64decode(data))))
    return found


def test_levels_are_pictures():
    packs = {"wumpus": "textbook", "cat_mouse": "classic", "n_puzzle": "eight", "bait": "lessons", "sokoban": "first"}
    for name, pack in packs.items():
        level = find_levels(PUZZLES[name], pack)[0]
        (board,) = pictures(level)
        assert level.puzzle == PUZZLES[name].module
        assert (max(board.size) < 700, len(board.convert("RGB").getcolors(10**6)) > 2) == (True, True)
    generated = GeneratedLevels("EightPuzzle-v0", scramble=5).sample(3)
    (level,) = find_levels(SOKOBAN, f"; {HOSTILE}\n{CORRIDOR}")
    assert len(pictures(generated)) == len(pictures(Tagged(level, 7))) == 1
    assert html.escape(HOSTILE, quote=True) in level._repr_html_()
    assert [image["alt"] for image in shown(level).named("img")] == [f"Sokoban: {level.name}"]
    assert level == Level(level.extent, level.content, level.name)
    assert Level((1, 3), ["S.G"], "corridor")._repr_html_() is None


def test_problems_results_and_comparisons(monkeypatch):
    env = gym.make("Sokoban-v0", levels=CORRIDOR)
    env.reset(seed=1)
    problem = Problem.of(env)
    assert len(pictures(problem)) == 1
    result = search_named("astar", SOKOBAN).solve(problem, heuristic_named(None, SOKOBAN), Limits(nodes=1))
    row = shown(result)
    assert len(row.named("td")) == len(row.named("th")) == 7
    assert "limit: nodes" in result._repr_html_()
    comparison = compare("Wumpus-v0", ["random", "online-search"], episodes=4, progress=False)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    table = shown(comparison)
    assert (len(table.named("tr")), table.named("img")) == (3, [])


def test_a_film_of_an_agent():
    found = film("CatMouse-v0", "random", seed=3, episodes=2, tile_size=16, max_episode_steps=5)
    (picture,) = pictures(found)
    assert picture.n_frames > 5
    assert found.gif.startswith(b"GIF8")
    with pytest.raises(ValueError, match="nobody"):
        film("CatMouse-v0", "nobody")


def test_notebooks_are_kept_without_outputs():
    for path in NOTEBOOKS:
        notebook = json.loads(path.read_text(encoding="utf-8"))
        assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
        for cell in notebook["cells"]:
            assert cell["cell_type"] == "markdown" or (cell["outputs"], cell["execution_count"]) == ([], None)


@pytest.mark.compiled
@pytest.mark.extended
@pytest.mark.parametrize("name", ["first_hour", "levels_and_solver"])
def test_the_cells_of_quick_notebooks_run(name, monkeypatch):
    """As a kernel runs them: what the last line of a cell returns is shown."""
    ipython = pytest.importorskip("IPython.display")
    monkeypatch.setattr(ipython, "display", lambda *things: [shown(thing) for thing in things])
    monkeypatch.chdir(REPOSITORY / "docs" / "notebooks")
    names, films = {"__name__": "__main__"}, 0
    notebook = json.loads((REPOSITORY / "docs" / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        source = re.sub(r"^%.*\n", "", "".join(cell["source"]), flags=re.M)
        if cell["cell_type"] != "code":
            continue
        *body, last = ast.parse(source).body
        exec(compile(ast.Module(body, []), name, "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), name, "eval"), names)
            if hasattr(value, "_repr_html_"):
                shown(value)
                films += isinstance(value, Film)
        else:
            exec(compile(ast.Module([last], []), name, "exec"), names)
    assert films == 2
