"""Packs: what is written is read again; errors say where."""

import functools

import pytest
from sokoban_packs import write_pack
from sokoban_problems import problem_of

from gridpuzzles_gym.agents.candidates import Candidate
from gridpuzzles_gym.agents.game import Game
from gridpuzzles_gym.agents.level_sources.named_samplers import make_sampler
from gridpuzzles_gym.agents.sokoban.generation.difficulty import measure
from gridpuzzles_gym.agents.sokoban.generation.packs import COLUMNS, Grade, read_sidecar
from gridpuzzles_gym.engine.levels.sources import find_levels, levels_text
from gridpuzzles_gym.engine.puzzle import LevelError
from gridpuzzles_gym.puzzles.sokoban import PUZZLE
from gridpuzzles_gym.puzzles.sokoban.notation import read_lurd

BOARDS = [level.content for level in find_levels(PUZZLE, "first")[:4]]


def graded(board, title, word=2**64 - 1, score=1 / 3):
    problem = problem_of(board)
    boxes = sum(row.count("$") + row.count("*") for row in board)
    difficulty = measure(problem.level, problem.state)
    return Grade.of(title, Candidate(word, score=score, boxes=boxes, difficulty=difficulty))


@functools.cache
def grades():
    return [graded(board, f"mine {number}") for number, board in enumerate(BOARDS, start=1)]


@pytest.fixture
def pack(tmp_path):
    path = tmp_path / "mine.txt"
    assert write_pack(path, BOARDS, grades()) == tmp_path / "mine.csv"
    return path


def test_what_is_written_is_read_again(pack):
    levels = find_levels(PUZZLE, pack)
    assert [level.content for level in levels] == BOARDS
    assert [level.name for level in levels] == [grade.title for grade in grades()]
    assert read_sidecar(pack) == read_sidecar(pack.with_suffix(".csv")) == grades()
    assert grades()[0].score == 0.333333
    for level, grade in zip(levels, grades(), strict=True):
        plan = read_lurd(grade.certificate)
        assert problem_of(level.content).reaches_goal(plan)
        assert grade.fewest_moves is None  # `measure` does not prove it


def test_a_bad_table_is_named_with_its_line(pack):
    table = pack.with_suffix(".csv")
    good = table.read_text().splitlines()
    cases = []
    for column, text, message in (
        ("pushes", "many", "mine.csv:3: pushes='many' is invalid"),
        ("random_bits", "xyz", "mine.csv:3: random_bits='xyz' is invalid"),
        ("score", "", "mine.csv:3: score is missing"),
        ("nodes", "1.5", "mine.csv:3: nodes='1.5' is invalid"),
    ):
        cells = good[2].split(",")
        cells[COLUMNS.index(column)] = text
        cases.append(([*good[:2], ",".join(cells)], message))
    cases += [
        ([",".join(COLUMNS), "mine 1,0f"], "mine.csv:2: score is missing"),
        (["title,random_bits"], "mine.csv:1: no column 'score'; required are title, random_bits"),
        ([",".join(COLUMNS), "x" * 200_000], "is not a table: field larger"),
    ]
    for lines, message in cases:
        table.write_text("\n".join(lines))
        with pytest.raises(LevelError) as error:
            read_sidecar(pack)
        assert message in str(error.value)
    table.write_text(",".join(COLUMNS) + "\n")  # a curriculum by difficulty ended with an IndexError
    with pytest.raises(LevelError, match=r"mine\.csv:1: a header without rows"):
        make_sampler("curriculum:by=pushes", Game.of("Sokoban-v0", levels=str(pack)))


def test_a_title_is_written_in_one_line():
    text = levels_text(["a\n####\x00", "b"], ["\n".join(BOARDS[0])] * 2)
    assert [level.name for level in PUZZLE.parse(text, "t")] == ["a ####", "b"]
