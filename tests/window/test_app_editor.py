"""The editor's screen, driven by the events of keys and mouse: draw, fault, mend, solve, rate, save, print, play."""

import time

import pygame
import pytest
from app_driver import Driver

from gridpuzzles_gym.engine.levels.bundled import bundled
from gridpuzzles_gym.engine.levels.sources import find_levels
from gridpuzzles_gym.session.arguments import all_puzzles
from gridpuzzles_gym.session.preferences import THEMES
from gridpuzzles_gym.window.model.editing.board_reading import drawn_from, read_board
from gridpuzzles_gym.window.screens.editor import EditorScreen
from gridpuzzles_gym.window.views.piece_pictures import PiecePictures

PUZZLES = {puzzle.name: puzzle for puzzle in all_puzzles() if puzzle.palette is not None}
SOKOBAN = PUZZLES["sokoban"]


FAULTY = """
########
#@    $#
#   .$ #
#  .. $#
#$  ####
####$ #
#######
"""


@pytest.fixture(scope="module")
def drawn():
    """The pictures of squares that were drawn before, by puzzle and settings; each is drawn once."""
    return {}


@pytest.fixture(autouse=True)
def _pictures_of_squares_are_kept(drawn, monkeypatch):
    """Every screen still puts its own board together."""
    begin = PiecePictures.__init__

    def begin_with_what_is_drawn(self, puzzle, settings):
        begin(self, puzzle, settings)
        known = drawn.setdefault((puzzle.name, repr(settings)), (self._pieces, self._neighborhoods))
        self._pieces, self._neighborhoods = known

    monkeypatch.setattr(PiecePictures, "__init__", begin_with_what_is_drawn)


@pytest.fixture
def editor(driver):
    """The editor of Sokoban."""
    driver.app.push(EditorScreen(driver.app, SOKOBAN))
    driver.settle()
    return driver


def at(driver, row, column):
    return driver.top.view.square((row, column)).center


def text(driver):
    return driver.top.editing.board.text()


def type_in(driver, words):
    """Replace the text of the line that has the keyboard."""
    select_all = pygame.event.Event(pygame.KEYDOWN, key=pygame.K_a, mod=pygame.KMOD_CTRL, unicode="", scancode=0)
    driver.post(select_all, *(pygame.event.Event(pygame.TEXTINPUT, text=letter) for letter in words))
    driver.app.frame(pygame.event.get(), 0.02)
    driver.settle()


def wait(driver, seconds=60):
    """Let a search end."""
    deadline = time.monotonic() + seconds
    while driver.top.actions.busy and time.monotonic() < deadline:
        driver.app.frame(pygame.event.get(), 0.03)
        time.sleep(0.01)
    assert not driver.top.actions.busy
    driver.settle()


def draw_room(driver):
    """Draw a tiny level into the new board: the player, a box, and a goal."""
    driver.press("3")
    driver.click(at(driver, 2, 2))
    driver.press("4")
    driver.click(at(driver, 3, 3))
    driver.press("5")
    driver.click(at(driver, 3, 5))


def test_the_start_screen_opens_it(driver):
    driver.push("Editor")
    assert driver.name == "EditorScreen"
    first = driver.top.puzzle
    for puzzle in [*driver.top.puzzles, first]:
        driver.pick(driver.top.puzzle.title, puzzle.title)
        assert (driver.name, driver.top.puzzle) == ("EditorScreen", puzzle)
    driver.press("escape")
    assert driver.name == "StartScreen"


def test_an_evening_with_the_editor(editor, tmp_path):
    """Draw, a fault, mend it, solve, rate, save, play, come back."""
    driver, screen = editor, editor.top
    draw_room(driver)
    assert screen.fault is None
    driver.drag(at(driver, 3, 4), at(driver, 1, 4))  # still with goals
    assert "but 4 goals" in screen.fault.message
    assert "Save" not in [button.text for button in driver.buttons()]
    driver.push("Undo")
    assert screen.fault is None, "a stroke is one step"
    driver.click(at(driver, 3, 3), button=3)
    assert "can reach no box" in screen.fault.message
    driver.press("backspace")
    assert screen.fault is None
    driver.press("f3")
    wait(driver)
    assert screen.actions.verdict.solvable
    assert screen.actions.words()[0].startswith("can be solved: ")
    driver.push("Rate")
    wait(driver)
    assert "fewest pushes 2 (" in screen.actions.words()[0]
    driver.click(screen.entry.get_abs_rect().center)
    type_in(driver, "Two pushes")
    assert screen.editing.title == "Two pushes"
    driver.click(screen.palette.boxes["#"].center)  # the line loses the keyboard
    driver.press("3")
    assert screen.editing.title == "Two pushes"
    assert screen.piece == "@"
    driver.push("Save")
    assert driver.name == "FileScreen"
    driver.push("Save")
    assert driver.name == "EditorScreen"
    file = tmp_path / "levels" / "sokoban" / "Two pushes.txt"
    assert [level.name for level in find_levels(SOKOBAN, file)] == ["Two pushes"]
    driver.push("Play")
    assert driver.name == "PlayingScreen"
    assert driver.top.game.title == "Two pushes"
    driver.app.pop()
    driver.push("Watch")
    assert driver.name == "SolvingScreen"
    driver.app.home()
    driver.app.push(EditorScreen(driver.app, SOKOBAN))
    assert driver.top.editing.title == "Two pushes", "the drawing is where it was left"


def test_all_faults_are_said_where_they_are(editor):
    driver, screen = editor, editor.top
    screen.change(lambda: screen.editing.change(read_board(SOKOBAN, FAULTY)[1]))
    driver.settle()
    assert [fault.squares[0] for fault in screen.faults] == [(5, 4), (1, 6), (4, 1)]
    lines = [words for words, _ in screen._status()]
    assert [line[:4] for line in lines] == ["1. r", "2. r", "3. r"]
    assert "cannot be reached" in lines[0]
    assert "4 boxes but 3 goals" in lines[1]
    driver.move(at(driver, 4, 1))
    assert screen._status()[0][0].startswith("3. row 5, column 2: this box can never be brought to a goal")
    driver.click(at(driver, 5, 4), button=3)
    assert len(screen.faults) == 2
    driver.click(at(driver, 4, 1), button=3)
    assert screen._status()[0][0].startswith("row 4, column 7: this box can never be brought to a goal")
    for square in ((3, 6), (1, 6), (3, 3), (3, 4)):
        driver.click(at(driver, *square), button=3)
    assert screen._status() == [("a valid level of 8×7 squares", screen.theme.good)]


def test_a_long_fault_takes_several_lines(driver):
    tiles = PUZZLES["n_puzzle"]
    driver.app.push(EditorScreen(driver.app, tiles))
    driver.settle()
    driver.drag(at(driver, 0, 0), at(driver, 0, 1))
    lines = [words for words, _ in driver.top._status()]
    assert 2 <= len(lines) <= len(driver.top._lines)
    assert " ".join(lines) == str(driver.top.fault)


@pytest.mark.parametrize("name", [name for name, puzzle in PUZZLES.items() if puzzle.palette.border])
def test_examples_show_each_piece_away_from_walls(name):
    """Otherwise the picture of a piece has a wall's shadow, wherever the piece is."""
    palette = PUZZLES[name].palette
    levels = [level for text in palette.examples(palette.size) for level in PUZZLES[name].parse(text, "")]
    boards = [drawn_from(PUZZLES[name], level) for level in levels]
    squares = [(board.on(square), board.around(square)) for board in boards for square, _ in board.squares()]
    cells = {cell for cell, _ in squares} - {palette.border}
    assert {cell for cell, around in squares if palette.border not in around} - {palette.border} == cells


def test_a_game_leads_back_to_the_editor(editor):
    draw_room(editor)
    editor.push("Play")
    assert editor.top.game.title == "untitled"
    editor.press("escape")
    editor.push("Back to the editor")
    assert editor.name == "EditorScreen"
    editor.push("Play")
    editor.drag(editor.square(3, 3), editor.square(3, 5))
    assert editor.name == "VictoryScreen"
    editor.push("Back to the editor")
    assert editor.name == "EditorScreen"


def test_a_message_covers_no_button(editor):
    editor.app.say("something")
    before = pygame.image.tobytes(editor.app.surface, "RGB")
    boxes = [button.get_abs_rect() for button in editor.buttons()]
    pictures = [editor.app.surface.subsurface(box).copy() for box in boxes]
    editor.settle()
    assert pygame.image.tobytes(editor.app.surface, "RGB") != before
    for box, picture in zip(boxes, pictures, strict=True):
        now = editor.app.surface.subsurface(box)
        assert pygame.image.tobytes(now, "RGB") == pygame.image.tobytes(picture, "RGB")


def test_existing_files_are_added_to_or_replaced(editor, tmp_path):
    draw_room(editor)
    file = tmp_path / "mine.txt"
    file.write_text("; old\n#####\n#@$.#\n#####\n")
    for label, names in (("Add to it", ["old", "mine.txt:6"]), ("Replace it", ["mine.txt:1"])):
        editor.press("s")
        assert editor.name == "FileScreen"
        type_in(editor, str(file))
        assert [button.text for button in editor.buttons() if button is not editor.top.entry] == [
            "Add to it",
            "Replace it",
            "Browse…",
            "Cancel",
        ]
        editor.push(label)
        assert editor.name == "EditorScreen"
        assert [level.name.rpartition("/")[2] for level in find_levels(SOKOBAN, file)] == names
    editor.press("s")
    type_in(editor, str(tmp_path / "mine.png"))
    editor.push("Save")
    assert "must end in .txt" in editor.top.error
    editor.press("escape")
    assert editor.name == "EditorScreen"


def test_the_key_that_asks_for_a_file_is_not_typed_into_its_name(editor):
    """A keyboard sends the letter after the key, and may repeat both."""
    draw_room(editor)
    key = {"key": pygame.K_s, "mod": 0, "unicode": "s", "scancode": 0}
    letter = pygame.event.Event(pygame.TEXTINPUT, text="s")
    editor.post(pygame.event.Event(pygame.KEYDOWN, **key), letter, pygame.event.Event(pygame.KEYDOWN, **key), letter)
    editor.post(pygame.event.Event(pygame.KEYUP, **key))
    assert editor.name == "FileScreen"
    assert editor.top.entry.get_text().endswith("my level.txt")
    editor.post(pygame.event.Event(pygame.KEYDOWN, **key), letter)
    assert editor.top.entry.get_text().endswith("s.txt")


def test_it_prints(editor, tmp_path):
    draw_room(editor)
    editor.press("p")
    assert editor.name == "FileScreen"
    type_in(editor, str(tmp_path / "mine.jpg"))
    editor.push("Print")
    assert "must end in .png or .pdf" in editor.top.error
    type_in(editor, str(tmp_path / "mine.png"))
    editor.push("Print")
    assert editor.name == "EditorScreen", (editor.top.error, editor.top.answer)
    assert pygame.image.load(tmp_path / "mine.png").get_width() > 100
    assert not (tmp_path / "mine-answers.png").exists()
    editor.push("Solve")
    wait(editor)
    editor.press("p")
    editor.push("Print")
    [printed] = (tmp_path / "sheets").glob("*.pdf")
    assert printed.read_bytes().count(b"/Type /Page ") == 2


def test_the_level_that_is_drawn_on(editor, tmp_path):
    before = text(editor)
    editor.press("o")
    type_in(editor, "easy:3")
    editor.push("Open")
    assert editor.top.editing.title == "easy 3"
    assert editor.top.fault is None
    editor.press("backspace")
    assert text(editor) == before
    faulty = tmp_path / "faulty.txt"
    faulty.write_text("; no goal\n######\n#@$  #\n######\n")
    editor.post(pygame.event.Event(pygame.DROPFILE, file=str(faulty)))
    assert editor.top.editing.title == "no goal"
    assert editor.top.fault is not None
    editor.post(pygame.event.Event(pygame.DROPFILE, file=str(tmp_path / "missing.txt")))
    assert "no levels" in editor.app.message
    faulty.write_bytes(b"\x00\xff\xfe")
    editor.post(pygame.event.Event(pygame.DROPFILE, file=str(faulty)))
    assert "UTF-8" in editor.app.message
    assert editor.top.editing.title == "no goal"


def test_strokes(editor):
    editor.press("2")
    editor.drag(at(editor, 1, 1), at(editor, 4, 4))
    assert [line[k + 1] for k, line in enumerate(text(editor).splitlines()[1:5])] == ["#"] * 4
    editor.drag(at(editor, 1, 1), at(editor, 2, 2), button=3)
    assert text(editor).splitlines()[1][1] == " "
    assert text(editor).splitlines()[3][3] == "#"
    editor.press("backspace", "backspace")
    assert not editor.top.editing.can_undo
    editor.press("f4")
    assert text(editor).splitlines()[1][1] == "#"
    editor.press("m")
    editor.drag(at(editor, 1, 1), at(editor, 1, 5))
    assert text(editor).splitlines()[1] == "#    #  #"
    editor.press("f", "5")
    editor.click(at(editor, 6, 1))
    assert "." in text(editor)
    # a stroke that ends on a button is over
    editor.press("d", "2")
    editor.move(at(editor, 1, 1))
    start = at(editor, 1, 1)
    editor.post(pygame.event.Event(pygame.MOUSEBUTTONDOWN, pos=start, button=1))
    out = editor.top.entry.get_abs_rect().center
    editor.move(out, pressed=True)
    editor.post(pygame.event.Event(pygame.MOUSEBUTTONUP, pos=out, button=1))
    before = text(editor)
    editor.move(at(editor, 5, 5))
    assert text(editor) == before


def test_the_size_changes_and_the_puzzle_does_not_mind(editor):
    for label in ("+ column", "+ row", "+ row", "− column"):
        editor.push(label)
    assert editor.top.editing.board.extent == (10, 9)
    for _ in range(12):
        editor.push("− row")
    assert editor.top.editing.board.extent == (3, 9)
    assert "allowed are 3 to 255" in editor.app.message
    editor.press("delete")
    assert text(editor) == "#########\n#       #\n#########\n"


@pytest.mark.parametrize("name", list(PUZZLES))
def test_every_puzzle_is_drawn_rated_and_played(driver, name):
    puzzle = PUZZLES[name]
    driver.app.push(EditorScreen(driver.app, puzzle))
    driver.settle()
    screen = driver.top
    for key in list(screen.pieces)[:9]:
        driver.click(screen.palette.boxes[key].center)
        assert screen.piece == key
        driver.click(at(driver, 1, 1))
    screen.actions.open(f"{bundled(puzzle)[0]}:1")
    assert screen.fault is None
    driver.app.draw()
    driver.push("Rate")
    wait(driver)
    assert screen.actions.verdict.solvable
    driver.push("Play")
    assert driver.name == "PlayingScreen"
    assert driver.top.game.puzzle is puzzle


def test_a_level_is_played_and_watched_from_its_start(editor):
    draw_room(editor)
    for _ in range(2):
        editor.push("Play")
        assert not editor.top.game.taken
        editor.press("right", "escape", "b")
    assert editor.name == "EditorScreen"
    editor.push("Watch")
    assert len(editor.top.game.taken) == editor.top.show.at


@pytest.mark.parametrize("size", [(200, 150), (320, 240), (1920, 1080)])
def test_windows_of_any_size(tmp_path, size):
    driver = Driver(tmp_path / "progress", size)
    try:
        for puzzle in PUZZLES.values():
            driver.app.push(EditorScreen(driver.app, puzzle))
            driver.settle()
            assert driver.app.surface.get_rect().contains(driver.top.view.rect)
    finally:
        driver.app.quit()


def test_every_theme(editor):
    import dataclasses

    pictures = set()
    for theme in THEMES:
        editor.app.progress.save_preferences(dataclasses.replace(editor.app.preferences, theme=theme))
        editor.app.apply_preferences()
        editor.settle()
        editor.app.draw()
        pictures.add(pygame.image.tobytes(editor.app.surface, "RGB"))
    assert len(pictures) == len(THEMES)


def test_a_search_is_stopped(editor):
    editor.top.actions.open("hard:1")
    editor.settle()
    editor.top.actions.solve()
    assert editor.top.actions.busy
    labels = [button.text for button in editor.buttons()]
    assert labels[labels.index("Paste") + 1 :][:2] == ["Stop", "Rate"], "no other button comes under the mouse"
    editor.top.actions.stop()
    assert not editor.top.actions.busy
    assert editor.top.actions.verdict is None


def test_a_draft_that_cannot_be_kept_is_said(editor, tmp_path):
    (tmp_path / "levels").write_text("a file where the folder should be")
    editor.press("2")
    editor.click(at(editor, 3, 3))
    editor.settle()
    assert "the drawing cannot be saved" in editor.app.message


def test_a_puzzle_without_a_palette_is_said(driver):
    import dataclasses

    driver.app.show("editor", dataclasses.replace(SOKOBAN, palette=None))
    driver.settle()
    assert driver.app.message == "levels of Sokoban cannot be drawn"
    assert driver.top.puzzle.palette is not None
