"""Sheets: themes, pages, answers, files."""

import dataclasses
import re

import numpy as np
import pygame
import pytest
from helpers import TINY, run
from printed import pages_of, pixels

from gridpuzzles_gym.agents.search.problem import Limits
from gridpuzzles_gym.commands.sheets.answers import answer_of, answers_of, check_answers
from gridpuzzles_gym.commands.sheets.drawing import THEMES, Sheet, _board, one_picture, pages
from gridpuzzles_gym.commands.sheets.pdf import Page, pdf_of
from gridpuzzles_gym.commands.sheets.sheets import options_for
from gridpuzzles_gym.engine.levels.bundled import bundled
from gridpuzzles_gym.engine.levels.sources import find_levels
from gridpuzzles_gym.session.arguments import all_puzzles

PUZZLES = {puzzle.name: puzzle for puzzle in all_puzzles() if bundled(puzzle)}
SOKOBAN = PUZZLES["sokoban"]


@pytest.fixture
def tiny(tmp_path):
    file = tmp_path / "tiny.xsb"
    file.write_text(TINY)
    return file


def test_a_pdf_holds_its_pictures():
    pictures = [np.arange(2 * 3 * 3, dtype=np.uint8).reshape(2, 3, 3), np.full((4, 1, 3), 200, np.uint8)]
    data = pdf_of([Page(picture.shape[1], picture.shape[0], picture.tobytes()) for picture in pictures], 72)
    assert data.startswith(b"%PDF-1.4")
    assert b"/MediaBox [0 0 3.00 2.00]" in data
    for read, picture in zip(pages_of(data), pictures, strict=True):
        assert (read == picture).all()


@pytest.mark.parametrize("name", PUZZLES)
def test_the_light_theme_is_bright(name):
    puzzle = PUZZLES[name]
    levels = find_levels(puzzle, bundled(puzzle)[0])[:2]
    shades = {}
    for theme in THEMES:
        sheet = Sheet(puzzle, options_for(puzzle, theme), levels, [level.name for level in levels], theme)
        picture = pixels(one_picture(sheet))
        shades[theme] = picture.mean()
        assert tuple(picture[0, 0]) == tuple(pygame.Color(THEMES[theme].ground))[:3]
    assert shades["light"] > 1.2 * shades["dark"]


@pytest.mark.parametrize("name", PUZZLES)
def test_paper_around_a_board_stays_white(name):
    """No corner of a window's ground, and of tiles only the tiles: no brown tray."""
    puzzle = PUZZLES[name]
    level = find_levels(puzzle, bundled(puzzle)[0])[:1]
    board = pixels(_board(Sheet(puzzle, options_for(puzzle, "light"), level, [""], "light"), 0, (300, 300), 90))
    dark = board.max(axis=-1) < 150
    for corner in (board[0, 0], board[0, -1], board[-1, 0], board[-1, -1]):
        assert corner.max() > 80, "neither the window's ground nor a tray"
    if name == "n_puzzle":
        assert dark.mean() < 0.1, "only the numbers are dark"
        assert (board[0] == 255).all(), "the rim is gone"


def test_pages_are_a4_and_numbered():
    levels = find_levels(SOKOBAN, "easy")[:13]
    sheet = Sheet(SOKOBAN, options_for(SOKOBAN, "light"), levels, [level.name for level in levels], "light")
    drawn = list(pages(sheet))
    assert [page.get_size() for page in drawn] == [(1240, 1754)] * 2
    for page in drawn:
        margin = pixels(page)[:40]
        assert (margin == 255).all(), "nothing is in the margin"
    empty, full = (int((pixels(page) < 255).any(axis=2).sum()) for page in drawn[::-1])
    assert empty < full / 5, "one level is left for the second page"
    long = list(pages(sheet, ["RrUuLlDd" * 300] * 13))
    assert len(long) > 2, "long answers need more space"


def test_answers_are_solutions():
    levels = SOKOBAN.parse(TINY, "text")
    done = []
    first, second = answers_of(SOKOBAN, levels, lambda: done.append(1))
    assert first == "1 push, 1 move: D"
    assert re.fullmatch(r"3 pushes, \d+ moves: [udlrUDLR]+", second)
    assert len(done) == 2
    assert answer_of(PUZZLES["n_puzzle"], PUZZLES["n_puzzle"].parse("123\n456\n708\n", "text")[0], [3]) == "1 move: r"
    hard = find_levels(SOKOBAN, "hard")[:1]
    assert answers_of(SOKOBAN, hard, limits=Limits(nodes=1)) == ["not solved: limit: nodes"]


def test_a_sheet_with_answers(capsys, tiny, tmp_path):
    code, out, _ = run(capsys, "levels", "sheet", tiny, "--out", tmp_path / "tiny.png", "--theme", "light", "--answers")
    assert (code, out.count("wrote")) == (0, 2)
    questions, answers = (pygame.image.load(tmp_path / name) for name in ("tiny.png", "tiny-answers.png"))
    assert answers.get_height() > questions.get_height()
    assert run(capsys, "levels", "sheet", tiny, "--out", tmp_path / "tiny.pdf", "--answers")[0] == 0
    assert len(pages_of((tmp_path / "tiny.pdf").read_bytes())) == 2


def test_what_cannot_be_drawn(capsys, tiny, tmp_path):
    png = tmp_path / "sheet.png"
    assert (
        "theme 'blue' is not known; allowed are dark, light"
        in run(capsys, "levels", "sheet", tiny, "--out", png, "--theme", "blue")[2]
    )
    with pytest.raises(ValueError, match="games depend on chance"):
        check_answers(dataclasses.replace(SOKOBAN, name="none", module="none", deterministic=False))
    (tmp_path / "sheet-answers.png").write_text("mine")
    assert "already exists" in run(capsys, "levels", "sheet", tiny, "--out", png, "--answers")[2]
    assert not png.exists()
    assert run(capsys, "levels", "sheet", tiny, "--out", png, "--answers", "--force")[0] == 0
    assert "must end in .png or .pdf" in run(capsys, "levels", "sheet", tiny, "--out", tmp_path / "sheet.jpg")[2]
