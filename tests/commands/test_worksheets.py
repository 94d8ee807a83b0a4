"""Worksheets: every puzzle's levels in order of difficulty, with answers that solve them."""

import re

import numpy as np
import pygame
import pytest
from helpers import PUZZLES, TINY, run
from printed import pages_of, pixels

from gridpuzzles_gym.agents.sokoban.generation.packs import read_numbers
from gridpuzzles_gym.commands.sheets import worksheets
from gridpuzzles_gym.commands.sheets.answers import answers_of, legend_of
from gridpuzzles_gym.commands.sheets.drawing import Sheet, pages
from gridpuzzles_gym.commands.sheets.sheets import options_for
from gridpuzzles_gym.commands.sheets.worksheets import Worksheet, make_worksheet
from gridpuzzles_gym.engine.levels.sources import find_levels
from gridpuzzles_gym.engine.puzzle import SOLVED

CHOICES = {
    "textbook": "wumpus",
    "wumpus": "wumpus",
    "anywhere": "cat_mouse",
    "8-puzzle": "n_puzzle",
    "fifteen": "n_puzzle",
    "small-easy-test": "bait",
    "starter": "sokoban",
}


def actions_of(puzzle, answer):
    """The actions that an answer stands for."""
    names = puzzle.actions(puzzle.read_options())
    text = answer.rpartition(": ")[2]
    if legend_of(puzzle):
        return [next(k for k, name in enumerate(names) if name[0] == letter) for letter in text.lower()]
    runs = [re.fullmatch(r"(?:(\d+)× )?(.*)", run).groups() for run in text.split(", ")]
    return [names.index(name) for count, name in runs for _ in range(int(count or 1))]


def solves(puzzle, level, answer):
    """Does an answer solve a level, by its rules? Cats are sent away before."""
    scene = puzzle.first_scene(level)
    if puzzle.name == "cat_mouse":
        options = puzzle.read_options(cats=0)
        scene = type(scene)(*puzzle.encode(level, level.extent, options), options)
    state, rng = scene.state.copy(), np.ones(1, np.uint64)
    actions = actions_of(puzzle, answer)
    for action in actions:
        puzzle.rules.step(scene.level, state, action, rng)
    assert re.search(rf"\b{len(actions)} moves?: ", answer)
    return puzzle.rules.outcome(scene.level, state) == SOLVED


@pytest.mark.parametrize("choice", CHOICES)
def test_every_puzzle_has_worksheets(choice, tmp_path):
    puzzle, path = PUZZLES[CHOICES[choice]], tmp_path / "sheet.pdf"
    made = make_worksheet(Worksheet(choice, path, count=3, workers=1))
    assert 1 <= len(made.exercises) <= 3
    assert made.written == [path]
    assert made.missing == 0
    hardness = [exercise.hardness for exercise in made.exercises]
    assert hardness == sorted(hardness)
    assert all(solves(puzzle, exercise.level, exercise.answer) for exercise in made.exercises)
    sheets = pages_of(path.read_bytes())
    assert [sheet.shape for sheet in sheets] == [(1754, 1240, 3)] * 2
    for sheet in sheets:
        assert (sheet < 128).any(), "something is drawn"
        assert tuple(sheet[0, 0]) == (255, 255, 255)


def test_levels_are_in_the_order_of_the_packs_table(tmp_path):
    made = make_worksheet(Worksheet("starter", tmp_path / "sheet.png", count=5, seed=3, workers=1))
    assert made.order == "nodes, from the pack's table"
    names = [level.name for level in find_levels(PUZZLES["sokoban"], "starter")]
    nodes = dict(zip(names, read_numbers("starter")["nodes"], strict=True))
    found = [nodes[exercise.level.name] for exercise in made.exercises]
    assert found == sorted(found)
    assert len(set(found)) > 1
    other = make_worksheet(Worksheet("starter", tmp_path / "other.png", count=5, seed=4, workers=1))
    assert {each.level.name for each in other.exercises} != {each.level.name for each in made.exercises}


def drawn(text, answers=(), scenes=()):
    """The first page of a worksheet of one cave."""
    puzzle = PUZZLES["wumpus"]
    levels = puzzle.parse(text, "text")
    options = options_for(puzzle, "light")
    sheet = Sheet(puzzle, options, levels, ["1."], "light", answers, "Caves", "", scenes)
    return pixels(next(pages(sheet, answers)))


def test_what_the_player_does_not_see_is_shown_with_the_answers_only():
    one, other = "...W\n.P..\n....\nA..G\n", "....\nGW..\n...P\nA...\n"
    assert (drawn(one) == drawn(other)).all()
    assert (drawn(one, ["answer"]) != drawn(other, ["answer"])).any()
    unknown = drawn(one)[620:1100, 300:900]
    assert (unknown == 255).all(axis=2).mean() > 0.8, "unknown squares are white"


def test_a_cave_as_an_agent_leaves_it():
    level = PUZZLES["wumpus"].parse("...W\n.P..\n....\nA..G\n", "text")[0]
    scene = worksheets._last_scene(PUZZLES["wumpus"], level, "online-search-careful")
    assert scene.steps > 0
    before, after = drawn("...W\n.P..\n....\nA..G\n"), drawn("...W\n.P..\n....\nA..G\n", scenes=[scene])
    assert (after == 255).mean() < (before == 255).mean() - 0.01


def test_a_cave_without_a_way_to_the_gold():
    [answer] = answers_of(PUZZLES["wumpus"], PUZZLES["wumpus"].parse("GP..\nP...\n....\nA..W\n", "text"))
    assert answer == "cannot be solved"


def test_the_command(tmp_path, capsys):
    levels = tmp_path / "tiny.xsb"
    levels.write_text(TINY)
    sheet = tmp_path / "sheet.png"
    code, out, _ = run(capsys, "worksheet", levels, "--out", sheet, "--title", "Week 3", "--workers", 1)
    assert (code, out.count("wrote")) == (0, 2)
    assert "2 levels in order of fewest pushes" in out
    questions, answers = (pygame.image.load(tmp_path / name) for name in ("sheet.png", "sheet-answers.png"))
    assert questions.get_size() == answers.get_size() == (1240, 1754)
    assert "already exists" in run(capsys, "worksheet", levels, "--out", sheet)[2]
    assert (
        run(capsys, "worksheet", levels, "--out", sheet, "--force", "--no-answers", "--workers", 1)[1].count("wrote")
        == 1
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["starter", "--out", "sheet.doc"], "must end in .png or .pdf"),
        (["starter", "--out", "sheet.pdf", "--count", "0"], "--count 0: must be from 1 to 100"),
        (["starter", "--out", "sheet.pdf", "--set", "size=7"], "--set applies to new levels"),
        (["no-such-pack", "--out", "sheet.pdf"], "no levels 'no-such-pack'"),
        (["wumpus", "--out", "sheet.pdf", "--set", "pits=-1"], "pits=-1"),
        (["wumpus", "--out", "sheet.pdf", "--played-by", "astar"], "agent 'astar' plays"),
    ],
)
def test_what_cannot_be_made(arguments, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    code, _, error = run(capsys, "worksheet", *arguments)
    assert code == 2
    assert message in error
    assert not list(tmp_path.iterdir())


def test_ctrl_c_keeps_the_levels_that_are_solved(tmp_path, monkeypatch, capsys):
    results = worksheets.results_of

    def stopped(work, levels, *rest):
        for number, result in enumerate(results(work, levels, *rest)):
            if number == stop_at:
                raise KeyboardInterrupt
            yield result

    monkeypatch.setattr(worksheets, "results_of", stopped)
    sheet, stop_at = tmp_path / "sheet.pdf", 0
    assert run(capsys, "worksheet", "eight", "--out", sheet, "--workers", 1)[0] == 130
    assert not sheet.exists()
    stop_at = 2
    code, out, _ = run(capsys, "worksheet", "eight", "--out", sheet, "--workers", 1)
    assert (code, sheet.exists()) == (130, True)
    assert "2 levels in order" in out
    assert "stopped: 3 levels left out" in out
