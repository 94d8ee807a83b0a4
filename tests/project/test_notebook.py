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
from helpers import CORRIDOR, PUZZLES, REPOSITORY, ROWS, python

from gridpuzzles_gym.agents.evaluation import compare
from gridpuzzles_gym.agents.samplers.base import Tagged
from gridpuzzles_gym.agents.samplers.generated_levels import GeneratedLevels
from gridpuzzles_gym.agents.search.problem import Limits, Problem
from gridpuzzles_gym.agents.search_tables import heuristic_named, search_named
from gridpuzzles_gym.commands.solve import solve
from gridpuzzles_gym.engine.levels.bundled import bundled
from gridpuzzles_gym.engine.levels.sources import find_levels
from gridpuzzles_gym.engine.puzzle import Level, load_puzzle
from gridpuzzles_gym.notebook import Film, film, picture, replay, side_by_side

NOTEBOOKS = sorted((REPOSITORY / "docs" / "notebooks").glob("*.ipynb"))
QUICK = ("first_hour", "levels_and_solver")
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
    text = thing._repr_html_()
    elements = Elements(text)
    assert not elements.named("script")
    for _, attributes in elements.found:
        assert not {name for name in attributes if name.startswith("on")}
    return elements


def pictures(thing):
    """The pictures among what a notebook shows, uint8[height, width, 3]."""
    import pygame

    found = []
    for image in shown(thing).named("img"):
        kind, _, data = image["src"].partition(",")
        assert kind == "data:image/png;base64"
        assert image["alt"]
        found.append(pygame.surfarray.array3d(pygame.image.load(io.BytesIO(base64.b64decode(data)))))
    return found


def film_of(thing):
    """The content of the one film that a notebook shows."""
    (frame,) = shown(thing).named("iframe")
    assert frame["sandbox"] == "allow-scripts"
    assert len(Elements(frame["srcdoc"]).named("script")) == 2, "the film and its player, and none that is in a title"
    (content,) = re.findall(r'<script type="application/json" id="film">(.*?)</script>', frame["srcdoc"], re.S)
    return json.loads(content)


def solution(**settings):
    (found,) = solve("Sokoban-v0", CORRIDOR, searches=["astar"], progress=False, **settings)
    return found


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_levels_are_pictures(row):
    puzzle = load_puzzle(row.puzzle)
    levels = [find_levels(puzzle, pack)[0] for pack in bundled(puzzle)] or puzzle.parse("S.#\n..G\n", "level text")
    for level in levels:
        (board,) = pictures(level)
        assert level.puzzle == puzzle.module
        assert len(set(map(tuple, board.reshape(-1, 3)))) > 2
        assert max(board.shape) < 700


def test_levels_that_are_not_read_from_text_are_pictures_too():
    generated = GeneratedLevels("EightPuzzle-v0", scramble=5).sample(3)
    tagged = Tagged(find_levels(SOKOBAN, CORRIDOR)[0], 7)
    assert len(pictures(generated)) == len(pictures(tagged)) == 1


def test_a_level_of_an_unknown_puzzle_has_no_picture():
    level = Level((1, 3), ["S.G"], "corridor")
    assert level._repr_html_() is None
    with pytest.raises(ValueError, match="a Level has no picture"):
        side_by_side(level)


def test_the_puzzle_of_a_level_is_no_part_of_what_it_is():
    (level,) = find_levels(SOKOBAN, CORRIDOR)
    assert level == Level(level.extent, level.content, level.name)
    assert "puzzle" not in repr(level)


def test_hostile_titles_are_text():
    (level,) = find_levels(SOKOBAN, f"; {HOSTILE}\n{CORRIDOR}")
    assert HOSTILE in level.name
    for thing in (level, side_by_side(level, level)):
        assert html.escape(HOSTILE, quote=True) in thing._repr_html_()
        assert {image["alt"] for image in shown(thing).named("img")} == {f"Sokoban: {level.name}"}
    (found,) = solve("Sokoban-v0", f"; {HOSTILE}\n{CORRIDOR}", searches=["astar"], progress=False)
    (each,) = film_of(found)["rounds"]
    assert each["label"] == each["episodes"][0]["title"] == level.name
    assert (
        film_of(replay(found.problem, found.result.actions, HOSTILE))["rounds"][0]["episodes"][0]["player"] == HOSTILE
    )


def test_a_solution_is_a_film_of_it():
    found = solution()
    (episode,) = film_of(found)["rounds"][0]["episodes"]
    moments, now = [], {}
    for changes in episode["frames"]:
        now = {**now, **changes}
        moments.append(now)
    assert [each["action"] for each in moments] == [None, *found.result.actions]
    assert [each["over"] for each in moments] == [False] * len(found.result.actions) + [True]
    assert (now["outcome"], now["score"]) == ("solved", 1000 - len(found.result.actions))
    assert episode["summary"] == f"Solved after {len(found.result.actions)} steps"
    assert "proven shortest" in found._repr_html_()


@pytest.mark.parametrize(
    ("env_id", "kwargs"),
    [("EightPuzzle-v0", {"goal": "spiral"}), ("Bait-v0", {"levels": "lessons"}), ("Toy-v0", {"levels": "S.#\n..G\n"})],
)
def test_any_search_can_be_replayed(env_id, kwargs):
    env = gym.make(env_id, **kwargs)
    env.reset(seed=1)
    env.step(env.action_space.sample())  # from the middle of an episode
    problem = Problem.of(env)
    result = search_named("astar", problem.puzzle).solve(problem, heuristic_named(None, problem.puzzle))
    (episode,) = film_of(replay(problem, result.actions))["rounds"][0]["episodes"]
    assert len(episode["frames"]) == len(result.actions) + 1
    assert episode["state"] == problem.state.tolist()
    assert len(pictures(problem)) == 1


def test_a_search_that_finds_nothing_still_shows_its_best():
    (found,) = solve("Sokoban-v0", "first:9", limits=Limits(nodes=5), progress=False)
    assert film_of(found)["rounds"][0]["episodes"][0]["summary"] == "Not solved"
    row = shown(found.result)
    assert len(row.named("td")) == len(row.named("th")) == 7
    assert "limit: nodes" in found.result._repr_html_()


def test_an_illegal_plan_is_an_error():
    with pytest.raises(ValueError, match="illegal"):
        replay(solution().problem, [0])


def test_a_comparison_is_a_table_and_a_chart(monkeypatch):
    comparison = compare("Wumpus-v0", ["random", "bayesian"], episodes=4, progress=False)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    table = shown(comparison)
    assert len(table.named("tr")) == 3
    assert not table.named("img")
    monkeypatch.undo()
    pytest.importorskip("matplotlib")
    assert len(pictures(comparison)) == 1


def test_a_film_of_agents(tmp_path):
    found = film("CatMouse-v0", "random", "value-iteration", seed=3, episodes=2, max_episode_steps=10)
    rounds = film_of(found)["rounds"]
    assert [[each["player"] for each in one["episodes"]] for one in rounds] == [["random", "value-iteration"]] * 2
    found.save(tmp_path / "film.html")
    assert (tmp_path / "film.html").read_text(encoding="utf-8") == found.page
    with pytest.raises(OSError, match="already exists"):
        found.save(tmp_path / "film.html")
    with pytest.raises(ValueError, match="html"):
        found.save(tmp_path / "film.gif")
    with pytest.raises(ValueError, match="1 to 4"):
        film("CatMouse-v0")


def test_the_picture_of_an_environment():
    env = gym.make("Wumpus-v0")
    with pytest.raises(gym.error.ResetNeeded):
        picture(env)
    env.reset(seed=0)
    before = pictures(picture(env))[0]
    env.step(2)
    assert (pictures(picture(env))[0] != before).any()
    envs = gym.make_vec("Wumpus-v0", num_envs=2)
    envs.reset(seed=0)
    assert (pictures(picture(envs))[0] == before).all()
    twin = gym.vector.SyncVectorEnv([lambda: gym.make("EightPuzzle-v0")] * 2)
    twin.reset(seed=3)
    assert pictures(picture(twin))
    with pytest.raises(ValueError, match="not an environment of this suite"):
        picture(gym.make("CartPole-v1"))


def test_pictures_need_no_display():
    code = """
import sys
from gridpuzzles_gym.puzzles.sokoban import PUZZLE
from gridpuzzles_gym.engine.levels.sources import find_levels
level = find_levels(PUZZLE, "first")[0]
assert "pygame" not in sys.modules
print(len(level._repr_html_()))
"""
    assert int(python(code, SDL_VIDEODRIVER=None, DISPLAY=None, WAYLAND_DISPLAY=None)) > 1000


def cells(path, kind="code"):
    """The sources of a notebook's cells of one kind, without magic commands."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    sources = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == kind]
    return [re.sub(r"^%.*\n", "", source, flags=re.M) for source in sources]


def test_there_are_notebooks():
    assert {path.stem for path in NOTEBOOKS} == {*QUICK, "train_and_compare"}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_kept_without_outputs(path):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert (notebook["nbformat"], notebook["metadata"]["kernelspec"]["name"]) == (4, "python3")
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
    for cell in notebook["cells"]:
        assert cell["cell_type"] == "markdown" or (cell["outputs"], cell["execution_count"]) == ([], None)
    first, *_ = cells(path, "markdown")
    assert first.startswith("# ")
    assert "pip install" in first


@pytest.mark.parametrize("name", QUICK)
def test_the_cells_of_quick_notebooks_run(name, monkeypatch):
    """As a kernel runs them: what the last line of a cell returns is shown."""
    monkeypatch.chdir(REPOSITORY / "docs" / "notebooks")
    names, films = {"__name__": "__main__"}, 0
    for source in cells(REPOSITORY / "docs" / "notebooks" / f"{name}.ipynb"):
        *body, last = ast.parse(source).body
        exec(compile(ast.Module(body, []), name, "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), name, "eval"), names)
            if value is not None:
                shown(value)
                films += isinstance(value, Film)
        else:
            exec(compile(ast.Module([last], []), name, "exec"), names)
    assert films == 2
