"""Drawing levels by hand: palettes, boards, history, faults and files, for every puzzle, without a window."""

import random

import pytest
from helpers import PUZZLES, puzzle_of
from hypothesis import given
from level_texts import bait_boards, caves, mazes

from gridpuzzles_gym.agents.identity import board_of
from gridpuzzles_gym.engine.levels.bundled import bundled
from gridpuzzles_gym.engine.levels.sources import find_levels
from gridpuzzles_gym.engine.puzzle import LevelError
from gridpuzzles_gym.window.model.editing.board_faults import MAX_FAULTS, fault_lines, faults_of
from gridpuzzles_gym.window.model.editing.board_reading import Fault, drawn_from, fault_of, read_board
from gridpuzzles_gym.window.model.editing.drawn_board import DrawnBoard
from gridpuzzles_gym.window.model.editing.level_editing import Editing
from gridpuzzles_gym.window.model.own_levels import draft_path, read_draft, write_draft
from gridpuzzles_gym.window.model.sprite_samples import Neighborhood, levels_with

EVERY = pytest.mark.parametrize("puzzle", PUZZLES.values(), ids=PUZZLES.keys())
SOKOBAN, WUMPUS, TILES, BAIT, MICE = (PUZZLES[name] for name in ("sokoban", "wumpus", "n_puzzle", "bait", "cat_mouse"))
ROOM = "#####\n#@$.#\n#   #\n#####\n"


def drawn(puzzle, text):
    title, board = read_board(puzzle, text)
    return Editing(puzzle, board, title)


def lines(editing):
    return editing.board.text().splitlines()


@EVERY
def test_every_piece_and_combination_has_an_example(puzzle):
    palette = puzzle.palette
    for extent in (palette.size, (palette.sides[0] + 2,) * 2, (6, 5)):
        levels = [level for text in palette.examples(extent) for level in puzzle.parse(text, "text")]
        boards = [drawn_from(puzzle, level) for level in levels]
        shown = {cell for board in boards for _, cell in board.squares()}
        assert shown >= {*palette.pieces(extent), *palette.combined}


@EVERY
def test_a_new_board_has_the_size_and_says_what_it_lacks(puzzle):
    editing = Editing(puzzle)
    assert editing.board.extent == puzzle.palette.size
    assert editing.fault is not None
    assert not editing.can_undo
    assert not editing.unsaved
    with pytest.raises(LevelError):
        editing.level()


@EVERY
def test_every_bundled_level_is_drawn_as_it_is(puzzle):
    for pack in bundled(puzzle):
        for level in find_levels(puzzle, pack)[:5]:
            board = drawn_from(puzzle, level)
            assert fault_of(puzzle, board) is None
            [read] = puzzle.parse(board.text(), "text")
            assert board_of(puzzle, read) == board_of(puzzle, level)


def assert_read_back(puzzle, text):
    editing = drawn(puzzle, text)
    assert editing.fault is None
    [level] = puzzle.parse(text, "text")
    assert board_of(puzzle, editing.level()) == board_of(puzzle, level)
    again = drawn(puzzle, editing.text)
    assert again.board == editing.board


@given(caves())
def test_any_cave_is_read_as_it_is(text):
    assert_read_back(WUMPUS, text)


@given(mazes())
def test_any_maze_is_read_as_it_is(text):
    assert_read_back(MICE, text)


@given(bait_boards())
def test_any_bait_board_is_read_as_it_is(text):
    assert_read_back(BAIT, text)


def random_edit(editing, random_number):
    """Draw anything anywhere, as a person might."""
    pieces = list(editing.palette.pieces(editing.board.extent))
    height, width = editing.board.extent
    square, other = [(random_number.randrange(height), random_number.randrange(width)) for _ in range(2)]
    piece = random_number.choice(pieces)
    least, most = editing.palette.sides
    what = random_number.random()
    if what < 0.7:
        editing.put(square, piece)
    elif what < 0.78:
        editing.erase(square)
    elif what < 0.85:
        editing.move(square, other)
    elif what < 0.9:
        editing.fill(square, piece)
    elif what < 0.95:
        editing.resize(*(min(max(side + random_number.randint(-1, 1), least), most, 9) for side in (height, width)))
    elif what < 0.96:
        editing.clear()
    else:
        editing.set_ending(random_number.choice(list(editing.palette.endings)))


@EVERY
def test_random_edits_are_undone_redone_and_read_back(puzzle, tmp_path):
    """Whatever is drawn: a valid board is the same level after saving; a faulty one says where; history is exact."""
    valid = faulty = 0
    for seed in range(24):
        chance = random.Random(seed)
        start = chance.choice(find_levels(puzzle, bundled(puzzle)[0]))
        editing = Editing(puzzle, drawn_from(puzzle, start) if seed % 2 else None)
        boards = [editing.board]
        for _ in range(10):
            random_edit(editing, chance)
            if editing.board != boards[-1]:
                boards.append(editing.board)
            fault = editing.fault
            if fault is not None:
                faulty += 1
                assert fault.message
                assert "board:" not in fault.message
                assert all(editing.board.has(square) for square in fault.squares)
                continue
            valid += 1
            file = tmp_path / "level.txt"
            editing.title = f"Level {seed}"
            editing.save(file, replace=True)
            assert not editing.unsaved
            [read] = find_levels(puzzle, file)
            assert read.name == editing.title
            assert board_of(puzzle, read) == board_of(puzzle, editing.level())
            assert drawn(puzzle, file.read_text()).board.text() == editing.board.text()
        for board in reversed(boards[:-1]):
            assert editing.undo()
            assert editing.board == board
        assert not editing.undo()
        for board in boards[1:]:
            assert editing.redo()
            assert editing.board == board
        assert not editing.redo()
    assert valid > 5
    assert faulty > 5


@EVERY
def test_a_draft_is_kept_exactly(puzzle, tmp_path):
    """Also faulty ones, with empty margins, and without a single wall."""
    for seed in range(20):
        chance = random.Random(seed)
        editing = Editing(puzzle, title="a title; with signs:" if seed % 2 else "")
        editing.fill((1, 1), chance.choice(list(editing.palette.pieces(editing.board.extent))))
        if seed % 3 == 0:
            for square, _ in editing.board.squares():
                editing.erase(square)
        for _ in range(chance.randrange(12)):
            random_edit(editing, chance)
        write_draft(tmp_path, editing)
        read = read_draft(tmp_path, puzzle)
        assert read.board == editing.board
        assert read.title == editing.title
        if editing.fault is None:
            [level] = find_levels(puzzle, draft_path(tmp_path))
            assert board_of(puzzle, level) == board_of(puzzle, editing.level())
    draft_path(tmp_path).write_text("?!\n")
    assert read_draft(tmp_path, puzzle).board == Editing(puzzle).board
    assert read_draft(None, puzzle).board == Editing(puzzle).board


def test_what_cannot_share_a_square_is_replaced():
    editing = drawn(SOKOBAN, ROOM)
    editing.put((1, 2), ".")
    assert lines(editing)[1] == "#@*.#", "a goal under the box"
    editing.put((1, 2), "@")
    assert lines(editing)[1] == "# +.#", "the player takes the box's place, and leaves his own"
    editing.put((1, 2), "#")
    assert lines(editing)[1] == "# #.#"
    cave = drawn(WUMPUS, ". . .\n. WP .\n> . G\n")
    cave.put((1, 1), "G")
    assert lines(cave) == ["  .   .   .", "  . PWG   .", "  >   .   ."]
    cave.put((1, 1), "v")
    assert lines(cave) == [" .  .  .", " . Gv  .", " .  .  ."], "not in a pit, not with the wumpus, and only one agent"
    cave.put((0, 0), "P")
    cave.put((0, 0), "W")
    cave.put((0, 0), "P")
    assert cave.board.on((0, 0)) == "PW"


def test_erasing_takes_the_uppermost_piece():
    editing = drawn(SOKOBAN, "#####\n#@*$.\n#####\n")
    editing.erase((1, 2))
    assert lines(editing)[1] == "#@.$."
    editing.erase((1, 2))
    editing.erase((1, 2))
    assert lines(editing)[1] == "#@ $."


def test_tiles_change_places():
    editing = drawn(TILES, "134\n862\n705\ngoal: spiral\n")
    assert editing.board.ending == "goal: spiral\n"
    editing.put((0, 0), "5")
    assert lines(editing)[:3] == ["534", "862", "701"]
    assert "cannot be solved" in editing.fault.message
    editing.erase((0, 0))
    assert lines(editing)[:3] == ["034", "862", "751"]
    editing.move((0, 0), (2, 2))
    assert lines(editing)[:3] == ["134", "862", "750"]
    editing.resize(4, 4)
    assert editing.board.ending == "goal: spiral\n"
    assert lines(editing)[3] == "13 14 15  0"
    editing.set_ending("")
    assert editing.fault.message == "this level is solved already"
    with pytest.raises(ValueError, match="11x4 squares; allowed are 2 to 10 per side"):
        editing.resize(4, 11)


def test_a_goal_of_its_own_is_kept_until_the_size_changes():
    editing = drawn(TILES, "134\n862\n705\ngoal: 1 2 3 8 0 4 7 6 5\n")
    assert editing.fault is None
    own = drawn(TILES, "123\n456\n780\ngoal: 1 2 3 4 5 6 0 7 8\n")
    assert own.board.ending == "goal: 1 2 3 4 5 6 0 7 8\n" or own.board.ending == "goal: 123456078\n"
    own.resize(3, 4)
    assert own.board.ending == ""


def test_resizing_keeps_the_border():
    editing = drawn(SOKOBAN, ROOM)
    editing.resize(5, 7)
    assert lines(editing) == ["#######", "#@$.  #", "#     #", "#     #", "#######"]
    editing.resize(3, 4)
    assert lines(editing) == ["####", "#@$#", "####"]
    cave = drawn(WUMPUS, "G.\n>P\n")
    cave.resize(3, 3)
    assert lines(cave) == ["G..", ">P.", "..."]
    cave.resize(2, 2)
    assert lines(cave) == ["G.", ">P"]


def test_fill_stops_at_other_pieces():
    editing = drawn(SOKOBAN, "######\n#@ $.#\n#    #\n######\n")
    editing.fill((1, 2), ".")
    assert lines(editing) == ["######", "#@.$.#", "#....#", "######"]
    editing.fill((2, 2), "@")
    assert sum(line.count("@") + line.count("+") for line in lines(editing)) == 1
    assert editing.undo()
    assert editing.undo()
    assert not editing.undo()


def test_a_stroke_is_one_step():
    editing = drawn(SOKOBAN, ROOM)
    before = editing.board
    editing.begin_stroke()
    for column in (1, 2, 3):
        editing.put((2, column), "#")
    editing.end_stroke()
    assert lines(editing)[2] == "#####"
    assert editing.undo()
    assert editing.board == before
    editing.begin_stroke()
    editing.put((2, 1), "#")
    editing.erase((2, 1))
    editing.end_stroke()
    assert not editing.can_undo, "nothing has changed"


def test_faults_are_at_their_squares():
    editing = drawn(SOKOBAN, " #####\n##@  #\n #  $#\n##.  #\n #####\n")
    assert editing.fault.squares == ((2, 4),)
    assert "this box can never be brought to a goal" in editing.fault.message
    editing.put((0, 3), " ")
    assert editing.fault.squares == ((0, 3), (1, 2))
    assert editing.fault.message.startswith("the walls are open here: the player at row 2, column 3 gets out")
    cave = drawn(WUMPUS, ". . P\n. GW .\n^ . #\n")
    assert cave.fault is None
    cave.put((2, 2), "P")
    cave.erase((2, 0))
    assert cave.fault.squares == ()
    assert cave.fault.message == "no agent in this level; it needs one"
    maze = drawn(MICE, "M#..\n.#.E\n")
    assert maze.fault.squares == ((1, 3),)
    words = drawn(WUMPUS, "  .   W   .\n  . G   P\n  >   .   .\n")
    assert words.fault is None


def test_a_part_apart_from_the_rest_is_a_fault():
    """Sokoban's format takes lines without walls for titles and comments: nothing drawn is lost silently."""
    editing = Editing(SOKOBAN, DrawnBoard.new(SOKOBAN.palette, (8, 7)))
    for square, _ in editing.board.squares():
        editing.erase(square)
    assert "not a level" in editing.fault.message
    room = ["#####", "#@$.#", "#####"]
    for row, line in enumerate(room, start=4):
        for column, piece in enumerate(line, start=1):
            editing.put((row, column), piece)
    assert editing.fault is None
    editing.put((0, 3), "$")
    assert editing.fault is not None
    editing.move((0, 3), (7, 6))
    assert editing.fault.squares[0] == (7, 6)
    editing.undo()
    editing.undo()
    assert editing.fault is None


def test_faulty_text_can_be_mended():
    editing = drawn(SOKOBAN, "; mine\nwwwww\nw.PBw\nwwwww\n")
    assert editing.title == "mine"
    assert lines(editing) == ["#####", "# @$#", "#####"]
    assert editing.fault is not None
    editing.put((1, 1), ".")
    assert editing.fault.squares == ((1, 3),)
    wrong = drawn(WUMPUS, "A.\n.A\n")
    assert wrong.fault.squares == ((1, 1), (0, 0))
    wrong.erase((1, 1))
    wrong.put((1, 1), "G")
    assert wrong.fault is None
    for puzzle, text in ((WUMPUS, "..?\n"), (TILES, "1 2\n2 0\n"), (SOKOBAN, "no level"), (BAIT, "")):
        with pytest.raises(LevelError):
            drawn(puzzle, text)
    with pytest.raises(LevelError, match="allowed are 1 to 64"):
        drawn(MICE, "." * 65 + "\n")


def test_nothing_is_overwritten_without_permission(tmp_path):
    file = tmp_path / "level.txt"
    editing = drawn(SOKOBAN, ROOM)
    editing.title = "first"
    editing.save(file)
    editing.title = "second"
    assert editing.unsaved
    with pytest.raises(FileExistsError):
        editing.save(file)
    assert "first" in file.read_text()
    editing.append(file)
    assert [level.name for level in find_levels(SOKOBAN, file)] == ["first", "second"]
    assert not editing.unsaved
    editing.save(file, replace=True)
    assert [level.name for level in find_levels(SOKOBAN, file)] == ["second"]
    faulty = drawn(SOKOBAN, "####\n#@ #\n####\n")
    with pytest.raises(LevelError):
        faulty.save(file, replace=True)
    with pytest.raises(LevelError):
        faulty.append(file)
    page = tmp_path / "page.slc"
    page.write_text("<html>no levels</html>")
    with pytest.raises(LevelError):
        editing.append(page)
    assert page.read_text() == "<html>no levels</html>"
    assert "second" in file.read_text()


def test_a_title_that_means_something_else_is_refused():
    editing = drawn(SOKOBAN, ROOM)
    editing.title = "Author: me"
    with pytest.raises(LevelError, match="the title 'Author: me' has another meaning"):
        editing.level()
    editing.title = "  ; two\nlines "
    assert editing.level().name == "two lines"


def test_a_puzzle_without_a_palette_cannot_be_drawn():
    with pytest.raises(ValueError, match="cannot be drawn"):
        Editing(puzzle_of("Toy-v0"))


@EVERY
def test_a_valid_board_has_no_fault_and_a_faulty_one_begins_with_the_puzzles(puzzle):
    for seed in range(8):
        chance = random.Random(seed)
        editing = Editing(puzzle, drawn_from(puzzle, find_levels(puzzle, bundled(puzzle)[0])[0]))
        for _ in range(8):
            random_edit(editing, chance)
            faults = list(faults_of(puzzle, editing.board))
            assert len(faults) <= MAX_FAULTS
            assert bool(faults) == (editing.fault is not None)
            if faults:
                assert faults[0].message == editing.fault.message
                assert all(editing.board.has(square) for fault in faults for square in fault.squares)


FAULTS = (
    (
        SOKOBAN,
        "#######\n#@  $ #\n# $ @. \n#    ##\n#   ###\n#######\n",
        ["a second player", "the walls are open", "2 boxes"],
    ),
    (SOKOBAN, "#######\n#    $#\n#   . #\n#######\n", ["no player", "this box can never be"]),
    (SOKOBAN, "#######\n#@   $#\n#   . #\n#######\n", ["this box can never be"]),
    (WUMPUS, ". P . .\n. W . G\n. . G .\nP P . W\n", ["no agent", "a second gold", "a second wumpus"]),
    (MICE, "######\n#M#..#\n#.#E.#\n######\n", ["the mouse cannot reach this exit"]),
    (MICE, "######\n#M...#\n#.M..#\n######\n", ["a second mouse", "no exit"]),
    (BAIT, "wwwwww\nw..g.w\nw....w\nwwwwww\n", ["no avatar", "no key"]),
    (TILES, "1 2 3\n4 5 6\n8 7 _\n", ["this board cannot be solved"]),
)


@pytest.mark.parametrize("puzzle", [puzzle for puzzle in PUZZLES.values() if puzzle.palette is not None])
def test_faults_do_not_speak_of_the_symbols_of_level_text(puzzle):
    board = Editing(puzzle).board
    for piece in puzzle.palette.pieces(board.extent):
        for fault in faults_of(puzzle, board.put((1, 1), piece)):
            assert not {*fault.message.split()} & {"@", "+", "$", "*", "(A", "(G)", "(@)", "(M)", "(E)"}


@pytest.mark.parametrize(("puzzle", "text", "messages"), FAULTS)
def test_independent_faults_are_found_and_none_is_invented(puzzle, text, messages):
    found = [fault.message for fault in faults_of(puzzle, drawn(puzzle, text).board)]
    assert [message.startswith(begin) for message, begin in zip(found, messages, strict=True)] == [True] * len(found)


def test_every_surrounding_is_shown_in_a_valid_level():
    """All but floor between four walls, which nobody can reach."""
    for puzzle in PUZZLES.values():
        if not puzzle.palette.border:
            continue
        wanted = [
            Neighborhood(tuple(bits >> k & 1 == 1 for k in range(9)), (bits % 3 == 0, bits % 5 == 0))
            for bits in range(512)
            if bits & 0b010111010 != 0b010101010
        ]
        shown = [each for _, places in levels_with(puzzle, wanted, 40) for each in places.values()]
        assert set(shown) == set(wanted)


def test_long_faults_take_all_lines_in_a_small_window():
    faults = [Fault("a few words about a fault " * 3), Fault("another")]
    assert len(fault_lines(faults, None, 2, 60)) == 2
    first, second = fault_lines(faults, None, 2, 30)
    assert first.startswith("1. a few words")
    assert second.endswith("(and 1 more)")
    assert max(len(first), len(second)) < 60
