"""Drawing levels by hand: boards, what is wrong with them, and the editor's screen."""

import random

import pygame
import pytest
from app_driver import Driver
from helpers import PUZZLES
from hypothesis import given
from level_texts import bait_boards, caves, mazes

from gridpuzzles_gym.agents.puzzle_agents import board_of
from gridpuzzles_gym.engine.levels.bundled import bundled
from gridpuzzles_gym.engine.levels.sources import find_levels
from gridpuzzles_gym.play.editing import Drawing, DrawnBoard, can_be_drawn, drawn_from, fault_of, read_board
from gridpuzzles_gym.play.window.editor import EditorScreen

DRAWN = {name: puzzle for name, puzzle in PUZZLES.items() if can_be_drawn(puzzle)}
SOKOBAN, WUMPUS, BAIT, MICE = (PUZZLES[name] for name in ("sokoban", "wumpus", "bait", "cat_mouse"))
ROOM = "#####\n#@$.#\n#   #\n#####\n"


def lines(board):
    return board.text().splitlines()


# -- boards ------------------------------------------------------------------------------------------------


@given(caves(), mazes(), bait_boards())
def test_any_level_is_read_as_it_is(cave, maze, board):
    for puzzle, text in ((WUMPUS, cave), (MICE, maze), (BAIT, board)):
        found = read_board(puzzle, text)
        assert fault_of(puzzle, found) is None
        [level] = puzzle.parse(text, "text")
        assert board_of(puzzle, Drawing(puzzle, found).level()) == board_of(puzzle, level)
        assert read_board(puzzle, found.text()) == found


def edited(editing, chance):
    """Draw anything anywhere, as a person might."""
    board, what = editing.board, chance.random()
    pieces, (height, width) = list(board.palette.pieces(board.extent)), board.extent
    square, (least, most) = (chance.randrange(height), chance.randrange(width)), board.palette.sides
    if what < 0.8:
        editing.change(board.put(square, chance.choice(pieces)))
    elif what < 0.9:
        editing.change(board.erase(square))
    else:
        sides = (min(max(side + chance.randint(-1, 1), least), most, 9) for side in (height, width))
        editing.change(board.resized(*sides))


@pytest.mark.parametrize("puzzle", DRAWN.values(), ids=DRAWN)
def test_random_edits_are_undone_and_read_back(puzzle):
    """A valid board is the same level in a file; a faulty one says where; history is exact."""
    faulty = 0
    for seed in range(8):
        chance = random.Random(seed)
        start = chance.choice(find_levels(puzzle, bundled(puzzle)[0]))
        editing = Drawing(puzzle, drawn_from(puzzle, start) if seed % 2 else None)
        boards = [editing.board]
        for _ in range(10):
            edited(editing, chance)
            boards += [editing.board] if editing.board != boards[-1] else []
            fault = fault_of(puzzle, editing.board)
            if fault is None:
                again = read_board(puzzle, editing.board.text())
                assert board_of(puzzle, Drawing(puzzle, again).level()) == board_of(puzzle, editing.level())
            else:
                faulty += 1
                assert fault.message
                assert "board:" not in fault.message
                assert not {*fault.message.split()} & {"@", "+", "$", "*", "(A", "(G)", "(@)", "(M)", "(E)"}
                assert all(editing.board.has(square) for square in fault.squares)
        for board in reversed(boards[:-1]):
            editing.undo()
            assert editing.board == board
        assert not editing.can_undo
    assert faulty > 2


def test_what_cannot_share_a_square_is_replaced():
    board = read_board(SOKOBAN, ROOM)
    board = board.put((1, 2), ".")
    assert lines(board)[1] == "#@*.#", "a goal under the box"
    assert lines(board.erase((1, 2)))[1] == "#@..#", "the uppermost piece goes"
    board = board.put((1, 2), "@")
    assert lines(board)[1] == "# +.#", "the player takes the box's place, and leaves his own"
    assert lines(board.put((1, 2), "#"))[1] == "# #.#"
    cave = read_board(WUMPUS, ". . .\n. WP .\n> . G\n").put((1, 1), "G")
    assert lines(cave) == ["  .   .   .", "  . PWG   .", "  >   .   ."]
    cave = cave.put((1, 1), "v")
    assert lines(cave) == [" .  .  .", " . Gv  .", " .  .  ."], "not in a pit, not with the wumpus, and only one agent"


def test_faults_are_at_their_squares():
    wrong = []
    for puzzle, text, squares, message in (
        (SOKOBAN, " #####\n##@  #\n #  $#\n##.  #\n #####\n", ((2, 4),), "this box can never be brought to a goal"),
        (SOKOBAN, " ## ##\n##@  #\n # $ #\n##.  #\n #####\n", ((0, 3), (1, 2)), "the player at row 2, column 3 gets"),
        (WUMPUS, ". . P\n. GW .\n. . #\n", (), "no agent in this level; it needs one"),
        (WUMPUS, "A.\n.A\n", ((1, 1), (0, 0)), "a second agent"),
        (MICE, "M#..\n.#.E\n", ((1, 3),), "the mouse cannot reach this exit"),
        (SOKOBAN, "#####\n# *@#\n#####\n", ((1, 3),), "solved already"),
    ):
        fault = fault_of(puzzle, read_board(puzzle, text))
        if fault is None or fault.squares != squares or message not in str(fault):
            wrong.append((text, str(fault), fault and fault.squares))
    assert not wrong
    board = read_board(SOKOBAN, ROOM).resized(8, 7)
    for row in range(4, 8):
        for column in range(7):
            board = board.erase((row, column))
    assert fault_of(SOKOBAN, board.put((7, 6), "$")) is not None, "nothing drawn is lost silently"


# -- the screen --------------------------------------------------------------------------------------------


@pytest.fixture
def editor(driver):
    """The editor of Sokoban."""
    driver.app.push(EditorScreen(driver.app, SOKOBAN))
    driver.settle()
    return driver


def at(driver, row, column):
    return driver.top.square((row, column)).center


def draw_room(driver):
    """Draw a tiny level into the new board: the player, a box, and a goal."""
    for key, square in (("3", (2, 2)), ("4", (3, 3)), ("5", (3, 5))):
        driver.press(key)
        driver.click(at(driver, *square))


def test_a_level_is_drawn_mended_checked_saved_and_played(editor, tmp_path):
    driver, screen = editor, editor.top
    draw_room(driver)
    assert screen.fault is None
    driver.drag(at(driver, 3, 4), at(driver, 1, 4))  # still with goals
    assert "but 4 goals" in screen.fault.message
    assert "Save" not in driver.labels()
    driver.push("Undo")
    assert screen.fault is None, "a stroke is one step"
    driver.click(at(driver, 3, 3), button=3)
    assert "can reach no box" in screen._status()[0]
    driver.press("backspace", "f3")
    assert screen._status()[0].startswith("can be solved in 3 moves, by ")
    driver.press("s", "s")
    for number in (1, 2):
        [level] = find_levels(SOKOBAN, tmp_path / "levels" / "sokoban" / f"level {number}.txt")
        assert board_of(SOKOBAN, level) == board_of(SOKOBAN, screen.editing.level())
    driver.push("Play")
    assert driver.top.game.title == "untitled"
    driver.press("right", "escape", "b")
    driver.push("Play")
    assert driver.top.game.actions == [], "it begins at its start"
    driver.drag(driver.square(3, 3), driver.square(3, 5))
    assert driver.name == "VictoryScreen"
    driver.push("Back to the editor")
    driver.app.home()
    driver.app.push(EditorScreen(driver.app, SOKOBAN))
    assert driver.top.editing.board.text().count("@") == 1, "the drawing is where it was left"


def test_strokes_and_sizes(editor):
    def text():
        return editor.top.editing.board.text().splitlines()

    editor.press("2")
    editor.drag(at(editor, 1, 1), at(editor, 4, 4))
    assert [line[k + 1] for k, line in enumerate(text()[1:5])] == ["#"] * 4
    editor.drag(at(editor, 1, 1), at(editor, 2, 2), button=3)
    assert text()[1][1] == " "
    editor.press("backspace", "backspace")
    assert not editor.top.editing.can_undo
    for label in ("+ column", "+ row", "+ row", "− column"):
        editor.push(label)
    assert editor.top.editing.board.extent == (10, 9)
    for _ in range(8):
        editor.push("− row")
    assert "allowed are 3 to 255" in editor.app.message
    editor.press("delete")
    assert text() == ["#########", "#       #", "#########"]


def test_copy_and_paste(editor):
    empty = editor.top.editing.board
    pygame.scrap.put_text("nothing")
    editor.press("v", mod=pygame.KMOD_CTRL)
    assert editor.top.editing.board == empty
    assert "no level of Sokoban" in editor.app.message
    pygame.scrap.put_text(ROOM)
    editor.push("Paste")
    assert editor.top.fault is None
    pygame.scrap.put_text("")
    editor.press("c", mod=pygame.KMOD_CTRL)
    assert pygame.scrap.get_text() == ROOM
    editor.press("backspace")
    assert editor.top.editing.board == empty


def test_the_editor_of_every_puzzle_in_windows_of_any_size(tmp_path):
    driver = Driver(tmp_path / "progress")
    driver.app.show("editor", PUZZLES["n_puzzle"])
    assert "cannot be drawn" in driver.app.message
    for puzzle in DRAWN.values():
        driver.pick(driver.top.puzzle.title, puzzle.title)
        for size in ((320, 240), (1280, 800)):
            driver.resize(size)
            assert driver.app.surface.get_rect().contains(driver.top.board_rect)
        assert driver.top.editing.board == DrawnBoard.new(puzzle.palette)
        for piece in driver.top.pieces:
            driver.click(driver.top.palette[piece].center)
            driver.click(at(driver, 1, 1))
        assert driver.top.editing.can_undo
    driver.app.quit()
