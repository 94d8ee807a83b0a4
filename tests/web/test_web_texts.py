"""The scripts of each puzzle's page say what Python says: of level texts, of states in play, of clicks and drags."""

import dataclasses
import json
import random

import gymnasium as gym
import numpy as np
import pytest
from helpers import BAD, CORRIDOR, HALL, PUZZLES, TINY, VARIANTS
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from invalid_texts import INVALID
from level_texts import (
    LAYOUTS,
    SOKOBAN_SPELLINGS,
    TEXTS,
    Texts,
    mutated_texts,
    texts_of_symbols,
    texts_with_one_letter_changed,
)
from naive_sokoban import random_board
from web_replay import module_files, run_jobs

import gridpuzzles_gym
from gridpuzzles_gym.engine.levels.bundled import bundled
from gridpuzzles_gym.engine.levels.sources import level_texts
from gridpuzzles_gym.engine.puzzle import LevelError, load_puzzle
from gridpuzzles_gym.web import assembly, building, games

pytestmark = pytest.mark.extended

SAMPLED = 60
"""The number of texts of each kind that are sampled."""
SITE_PUZZLES = {
    puzzle.name: puzzle for puzzle in assembly.puzzles_of_the_site() if "text.js" in assembly.scripts_of(puzzle)
}
OPTIONS = {
    "bait": [{}, {"reward": "gvgai", "noop": True}],
    "n_puzzle": [{}, {"goal": "spiral"}, {"goal": "123804765"}],
    "sokoban": [{}, {"reward": "boxoban", "deadlocks": True}],
    "wumpus": [{}, {"climb": True, "reward": "textbook"}],
    "cat_mouse": [{}, {"cats": 3}, {"cats": 0, "cat_blocked": True}],
}
"""The puzzle's own options with which levels are encoded."""
MARGINS = [(0, 0), (1, 2)]
"""The (rows, columns) by which boards are larger than their levels; tiles must not be."""
COLLECTIONS = (
    f"; about all\n\n; one\n{TINY}\n; two\n{TINY}",
    f"Title: All\nAuthor: Ann\n\n; 1\n{TINY}\n; 2\n{TINY}",
    f"{TINY}; one\n\n{TINY}\nTitle: two\nComment:\n{TINY}\n\nComment-End:\nSolution/Moves (1/1)\nR\n\n{TINY}",
    f"Level 1\n{TINY}\n:: no title\nLevel 2\n{TINY}\nlurdLURD\n",
    f";LEVEL one\n;AUTHOR Ann\n;COMMENT by xsok\n{TINY}\n;LEVEL two \n{TINY}",
)
"""Of Sokoban levels."""
ODD = (
    *("", "\n", " ", ";", "; title", "A'\n", 'A"\n', "A\\\n", "\x85A\n", "A\x1cB\n", "A\u2028G\n", "\ufeffA.G\n"),
    *(
        "#\u20283\t*\n",
        "A.G\x7f\n",
        "A.G\xad\n",
        "A.G\u0378\n",
        "A.G\ue000\n",
        "A.G\U0001f600x\n",
        "A.G\U000e0001\n",
        "A G\u3000\u200b\n",
    ),
    *(
        "; \xa0title \x1f\nx\n",
        ";;  ;; A\tB;\nA.G\n\n",
        "A\tG\nP . .\n",
        f"A {'P' * 21} G\n",
        f"A {'é' * 2000} G\n",
        "x" * 2000,
    ),
    *(
        " A . G\n . . .\n",
        ".M.\n..",
        "\n" * 100_001,
        "M.E\r\n...\r\n",
        "M.E\r...\r",
        "M.E\v\f...\n",
        "; \U0001f600\n M\n",
    ),
)
"""Texts that show whether Python and JavaScript count and name characters alike."""
ODD_ENDS = ("\x1f", "\xa0", "\u3000 ", "\t", "\ufeff", "\u180e", "\x85", "\x1c")
"""White space, or not, at the ends of lines."""
KNOWN = {texts.puzzle.name: texts for texts in TEXTS.values()} | {
    "sokoban": Texts(
        PUZZLES["sokoban"],
        "##  @$$..*+-_#$. pPbBo3|wG",
        st.integers(0, 10**6).map(lambda seed: "\n".join(random_board(seed, largest=8)) + "\n"),
        (TINY, BAD, HALL, CORRIDOR, *COLLECTIONS, *SOKOBAN_SPELLINGS, *(text for text, _ in LAYOUTS.values())),
        (0, []),
    )
}
"""What level text is tried with, by puzzle."""
each_puzzle = pytest.mark.parametrize("puzzle", SITE_PUZZLES.values(), ids=SITE_PUZZLES)


def sampled(strategy, count=SAMPLED):
    """Texts of a strategy."""
    found = []

    @settings(max_examples=count, deadline=None, database=None, phases=[Phase.generate])
    @given(strategy)
    def collect(text):
        found.append(text)

    collect()
    return found


def some_texts(puzzle):
    """Valid texts and all kinds of others."""
    yield from ODD
    yield from (text for text, _ in INVALID.get(puzzle.name, ()))
    known = KNOWN[puzzle.name]
    yield from known.samples
    yield from (sample.replace("\n", f"{end}\n") for sample in known.samples for end in ODD_ENDS)
    yield from (f";{end} title{end}\n{end}{sample}" for sample in known.samples for end in ODD_ENDS)
    for strategy in (
        known.levels,
        texts_of_symbols(known),
        texts_with_one_letter_changed(known),
        mutated_texts(known),
    ):
        yield from sampled(strategy)


def compare_texts(puzzle, texts, site, tmp_path, encodings, margins):
    """Texts, their levels' rows, and these as text again: the same in JavaScript."""
    source, todo, expected = "mine.txt", [], []
    for text in texts:
        boards = []
        try:
            levels = puzzle.parse(text, source)
        except LevelError as error:
            expected.append({"error": str(error)})
        else:
            found = []
            for level in levels:
                board = [
                    (tuple(side + more for side, more in zip(level.extent, margin, strict=False)), options)
                    for margin in margins
                    for options in encodings
                ]
                rows = [encoded(puzzle, level, *each) for each in board]
                boards.append([(extent, dataclasses.asdict(options)) for extent, options in board])
                found.append({"title": level.name, "extent": list(level.extent), "rows": rows})
            expected.append(found)
        todo.append({"text": text, "boards": boards})
    job = {"run": "texts", "files": {}, "site": site.as_uri(), "puzzle": puzzle.name, "rules": games.rules_of(puzzle)}
    (result,) = run_jobs([{**job, "source": source, "texts": todo}], tmp_path)
    for text, python, javascript in zip(texts, expected, json.loads(result), strict=True):
        assert javascript == python, text[:500]
    return expected


def encoded(puzzle, level, extent, options):
    """The rows of a level and their text, as JavaScript returns them."""
    try:
        row, state = puzzle.encode(level, extent, options)
    except LevelError as error:
        return {"error": str(error)}
    return {"level": row.tolist(), "state": state.tolist(), "text": puzzle.format(row, state)}


@each_puzzle
def test_any_text_is_read_alike(puzzle, site, tmp_path):
    encodings = [puzzle.read_options(**options) for options in OPTIONS.get(puzzle.name, [{}])]
    found = compare_texts(puzzle, list(some_texts(puzzle)), site, tmp_path, encodings, MARGINS)
    assert sum(isinstance(levels, list) and len(levels) > 0 for levels in found) > 20
    assert sum("error" in levels for levels in found) > 20


@each_puzzle
def test_shipped_packs_are_read_alike(puzzle, site, tmp_path):
    texts = [text for pack in bundled(puzzle) for text, _ in level_texts(puzzle, pack)]
    found = compare_texts(puzzle, texts, site, tmp_path, [puzzle.read_options()], [(0, 0)])
    assert all(isinstance(levels, list) and levels for levels in found)


def test_xml_is_refused_with_advice(site, tmp_path):
    """The only texts that Python reads and pages do not."""
    texts = [{"text": "\n<SokobanLevels></SokobanLevels>", "boards": []}]
    job = {"run": "texts", "files": {}, "site": site.as_uri(), "puzzle": "sokoban", "rules": {}, "source": "t"}
    (result,) = run_jobs([{**job, "texts": texts}], tmp_path)
    said = "t:1:1: XML, which is not read here; gridpuzzles levels convert turns it into text"
    assert json.loads(result) == [{"error": said}]


def scenes_in_play(env, seed, episodes=25, steps=25):
    """Scenes of random play by legal actions, ends included."""
    luck = random.Random(seed)
    for episode in range(episodes):
        env.reset(seed=seed + episode)
        for _ in range(luck.randint(0, steps)):
            if luck.random() < 0.9:
                action = luck.choice(np.flatnonzero(env.action_masks()).tolist())
            else:
                action = luck.randrange(env.action_space.n)
            if env.step(action)[2]:
                break
        yield env.scene()


def some_squares(luck, extent, count):
    """Squares of a board, and some outside it."""
    height, width = extent[:2]
    return [(luck.randint(-1, height), luck.randint(-1, width)) for _ in range(count)]


CASES = [
    (row.id, more)
    for row in gridpuzzles_gym.ENVIRONMENTS
    if load_puzzle(row.puzzle).name in SITE_PUZZLES
    for more in [{}, *VARIANTS.get(row.id, [])]
]


@pytest.mark.parametrize(("id", "kwargs"), CASES, ids=str)
def test_scenes_and_gestures_are_alike(id, kwargs, site, tmp_path):
    """The text of a state, its placements, its status in words, clicks, drags; every sprite that is drawn is there."""
    env = gym.make(id, **kwargs).unwrapped
    puzzle, luck, todo, expected = env.puzzle, random.Random(0), [], []
    for number, scene in enumerate(scenes_in_play(env, seed=5)):
        rows = scene.level, scene.state, scene.options
        squares = [actor := puzzle.gestures.actor(*rows[:2]), *some_squares(luck, env.batch.extent, 12)]
        drags = [(luck.choice([actor, *squares]), luck.choice(squares)) for _ in range(12)]
        drags += [(actor, end) for end in squares]
        expected.append(
            {
                "text": puzzle.format(*rows[:2]),
                **placed(puzzle, scene, revealed=number % 2 == 0),
                "clicks": [list(puzzle.gestures.click(*rows, square)) for square in squares],
                "drags": [list(puzzle.gestures.drag(*rows, start, end)) for start, end in drags],
            }
        )
        squares, drags = [as_square(each) for each in squares], [[as_square(end) for end in drag] for drag in drags]
        todo.append(as_json(puzzle, scene, revealed=number % 2 == 0) | {"clicks": squares, "drags": drags})
    environment = {**games.describe_environment(id, **kwargs), "limit": 0}
    files = {name: path for name, path in module_files(building.MODULES, puzzle.name, id).items() if name != "rows"}
    job = {"run": "scenes", "files": files, "site": site.as_uri(), "puzzle": puzzle.name}
    job["rules"] = games.rules_of(puzzle)
    (result,) = run_jobs([{**job, "environment": environment, "scenes": todo}], tmp_path)
    art = {path.removesuffix(".svg") for path in assembly.art_of(puzzle)}
    for python, javascript in zip(expected, json.loads(result), strict=True):
        assert set(javascript["sprites"]) <= art
        assert javascript["words"]
        assert {key: javascript[key] for key in python} == python
    assert any(actions for scene in expected for actions in scene["clicks"])


def placed(puzzle, scene, revealed):
    """What a puzzle's picture and status rules say of a scene."""
    scene = puzzle.revealed(scene) if revealed else puzzle.concealed(scene)
    picture = puzzle.picture
    still = [picture.ground_of, *([] if picture.inset is None else [picture.inset_of])]
    placements = [*(placed(scene.level, picture.numbers(scene)) for placed in still), picture.pieces_of(scene)]
    said = puzzle.status.describe(scene, puzzle.actions(scene.options))
    return {"placements": [rows.tolist() for rows in placements], "words": said.words, "reason": said.reason}


def as_square(square):
    return {"row": int(square[0]), "column": int(square[1])}


def as_json(puzzle, scene, revealed):
    """A scene as a page has it."""
    outcome = str(gridpuzzles_gym.Outcome(puzzle.rules.outcome(scene.level, scene.state)))
    return {
        "level": scene.level.tolist(),
        "state": scene.state.tolist(),
        "start": (scene.state if scene.start is None else scene.start).tolist(),
        "before": None if scene.before is None else scene.before.tolist(),
        "action": None if scene.action is None else int(scene.action),
        "steps": int(scene.steps),
        "score": float(scene.score),
        "metrics": {name: int(number) for name, number in scene.metrics.items()},
        "outcome": outcome,
        "over": outcome != "unfinished",
        "title": scene.title,
        "revealed": revealed,
    }
