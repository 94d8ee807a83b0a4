"""What a player does besides playing: two clicks, undo by pushes, replays, solutions, clipboard, lists, statistics."""

import dataclasses
import datetime
import itertools

import numpy as np
import pygame
import pytest
from app_driver import Driver

from gridpuzzles_gym.puzzles.sokoban.boards import squares_of
from gridpuzzles_gym.session.game import Game
from gridpuzzles_gym.session.preferences import THEMES
from gridpuzzles_gym.window.game.pointer import IMPOSSIBLE, NO_TARGET
from gridpuzzles_gym.window.model.clipboard import id_of, read_id
from gridpuzzles_gym.window.model.results.statistics import streaks
from gridpuzzles_gym.window.model.score_line import status_line
from gridpuzzles_gym.window.screens.playing import PlayingScreen

CTRL = pygame.KMOD_CTRL
ROOM = "; The room\n########\n#      #\n# $@$. #\n#    . #\n########\n"
TURN = "; A turn\n#####\n#@  #\n# $ #\n# . #\n#####\n"
PACK = "\n".join(
    f"Title: {title}\nAuthor: {author}\n\n{board}"
    for title, author, board in (
        ("Long", "Ann", "#########\n#@ $   .#\n#########\n"),
        ("Pair", "Bob", "#######\n#@$. .#\n#  $  #\n#     #\n#######\n"),
        ("Short", "Ann", "#####\n#@$.#\n#####\n"),
    )
)


def play(driver, levels, **settings):
    driver.app.push(PlayingScreen(driver.app, Game("Sokoban-v0", levels=levels, **settings)))
    driver.settle()
    return driver.top.game


@pytest.fixture
def pack(driver, tmp_path):
    """The level picker with a collection of three levels by two authors."""
    file = tmp_path / "three.txt"
    file.write_text(PACK)
    driver.post(pygame.event.Event(pygame.DROPFILE, file=str(file)))
    driver.settle()
    assert driver.name == "LevelsScreen"
    return driver


def type_in(driver, words):
    """Replace the text of the line that has the keyboard."""
    driver.post(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_a, mod=CTRL, unicode="", scancode=0))
    driver.post(*(pygame.event.Event(pygame.TEXTINPUT, text=letter) for letter in words))
    driver.app.frame(pygame.event.get(), 0.02)
    driver.settle()


def boxes(game):
    scene = game.scene()
    return {tuple(square) for square in np.argwhere(squares_of(scene.level, scene.state)[2]).tolist()}


# -- two clicks, and undo by pushes ------------------------------------------------------------------------


def test_a_box_is_clicked_and_then_its_target(driver):
    game = play(driver, ROOM)
    driver.click(driver.square(2, 4))
    assert driver.top.pointer.chosen == (2, 4)
    assert not game.taken
    driver.app.draw()
    dot = driver.square(2, 6)
    assert driver.app.surface.get_at(dot) == pygame.Color(driver.top.theme.accent), "there are dots"
    driver.click(driver.square(2, 5))
    assert boxes(game) == {(2, 2), (2, 5)}
    assert driver.top.pointer.chosen is None


def test_an_impossible_target_says_so_and_the_box_stays_chosen(driver):
    game = play(driver, ROOM)
    driver.click(driver.square(2, 4))
    driver.click(driver.square(0, 0))
    assert driver.app.message == NO_TARGET
    assert not game.taken
    driver.click(driver.square(2, 2))
    assert driver.top.pointer.chosen == (2, 2), "another box"
    driver.click(driver.square(2, 2))
    assert driver.top.pointer.chosen is None, "the same again"
    driver.click(driver.square(3, 4))
    assert boxes(game) == {(2, 2), (2, 4)}, "now a click walks"
    driver.click(driver.square(0, 0))
    assert driver.app.message == IMPOSSIBLE
    driver.drag(driver.square(2, 4), driver.square(0, 0))
    assert driver.app.message == IMPOSSIBLE


def test_a_click_on_oneself_chooses_nothing_to_shoot_with(driver):
    driver.app.push(PlayingScreen(driver.app, Game("Wumpus-v0", None, 3)))
    driver.settle()
    game = driver.top.game
    scene = game.scene()
    driver.click(driver.square(*game.puzzle.gestures.actor(scene.level, scene.state)))
    assert driver.top.pointer.chosen is None


def test_undo_to_the_last_push(driver):
    game = play(driver, ROOM)
    driver.press("right", "down", "left", "up", "left", "up")
    assert "".join("udlr"[action] for action in game.taken) == "rdlulu"
    driver.press("u", mod=CTRL)
    assert game.taken == [3, 1, 2, 0], "the push to the left is undone, and the walk after it"
    driver.press("u", mod=CTRL)
    assert game.taken == []
    driver.press("y", mod=CTRL)
    assert game.taken == [3]
    driver.press("f5")
    driver.push("Redo to the next push")
    assert game.taken == [3, 1, 2, 0, 2]


# -- replays, solutions, snapshots -------------------------------------------------------------------------


def test_the_slider_of_a_replay(driver):
    game = play(driver, ROOM)
    driver.press("right", "down", "left", "up")
    driver.press("r", mod=CTRL)
    assert driver.name == "SolvingScreen"
    replay = driver.top
    driver.settle()
    assert replay.show.at == 4
    bar = replay.slider.rect
    driver.drag((bar.right - 1, bar.centery), bar.midleft)
    assert replay.show.at == 0
    driver.click(bar.center)
    assert replay.show.at == 2
    driver.press("end")
    assert replay.show.at == 4
    driver.press("home", "right")
    assert replay.show.at == 1
    driver.press("escape")
    assert driver.top.game is game
    assert game.taken == [3, 1, 2, 0], "the game itself has not moved"
    driver.press("r", mod=CTRL)
    driver.press("home", "right", "return")
    assert (driver.name, driver.top.game.taken, driver.top.game.undone) == ("PlayingScreen", [3], [1, 2, 0])


def test_all_solutions_of_a_level_are_kept(driver):
    play(driver, TURN)
    driver.press("right", "down")
    assert driver.name == "VictoryScreen"
    driver.push("Play again")
    driver.press("right", "right", "left", "down")
    assert driver.name == "VictoryScreen"
    driver.press("escape")
    driver.press("l", mod=CTRL)
    labels = [entry.label for entry in driver.top.entries]
    assert [label.split(",")[0] for label in labels] == ["solution: 2 moves", "solution: 4 moves"]
    driver.push(labels[1])
    driver.push("Replay it")
    driver.settle()
    assert (driver.name, driver.top.game.taken) == ("SolvingScreen", [3, 3, 2, 1])
    driver.press("escape")
    driver.press("l", mod=CTRL)
    driver.push(labels[0])
    driver.push("Copy its moves")
    assert pygame.scrap.get_text() == "rD"
    driver.press("l", mod=CTRL)
    driver.push(labels[0])
    driver.push("Remove it")
    driver.press("l", mod=CTRL)
    assert [entry.label for entry in driver.top.entries] == labels[1:]


def test_a_snapshot_has_a_name_and_is_still_there_at_the_next_start(driver, tmp_path):
    play(driver, ROOM)
    driver.press("right", "down")
    driver.press("s", mod=CTRL)
    assert driver.name == "AskingScreen"
    type_in(driver, "before the push")
    driver.press("return")
    assert "before the push" in driver.app.message
    driver.press("left", "left")
    driver.app.quit()
    again = Driver(tmp_path / "progress")
    game = play(again, ROOM)
    assert len(game.taken) == 4
    again.press("f5")
    again.push("My solutions")
    (entry,) = again.top.entries
    assert entry.label.startswith("before the push: 2 moves, 1 push")
    again.press("return")
    again.push("Play on from here")
    assert again.top.game.taken == [3, 1]
    again.app.quit()


# -- the clipboard and ids ---------------------------------------------------------------------------------


def test_what_is_copied_in_a_game(driver):
    play(driver, ROOM)
    driver.press("right", "down")
    for label, expected in (
        ("Copy the position", "########\n#      #\n# $  * #\n#   @. #\n########\n"),
        ("Copy the level", ROOM),
        ("Copy the moves", "Rd"),
        ("Copy the game ID", "sokoban ########|#      #|# $@$. #|#    . #|########"),
    ):
        driver.press("c", mod=CTRL)
        driver.push(label)
        assert pygame.scrap.get_text() == expected
        assert "copied" in driver.app.message


def test_a_cave_is_not_shown_by_copying_it(driver):
    driver.app.push(PlayingScreen(driver.app, Game("Wumpus-v0", None, 3)))
    driver.settle()
    driver.press("c", mod=CTRL)
    assert [entry.label for entry in driver.top.entries] == ["Copy the moves so far", "Copy the game ID"]
    driver.press("escape")
    own = Game("Wumpus-v0", levels="G..\n...\nA..\n")
    driver.app.push(PlayingScreen(driver.app, own))
    assert id_of(own) == ""
    driver.press("c", mod=CTRL)
    assert [entry.label for entry in driver.top.entries] == ["Copy the moves so far"]


def test_the_id_of_a_game_has_its_step_limit(driver):
    one = Game("FifteenPuzzle-v0", None, 7, max_episode_steps=100)
    assert id_of(one) == "15-puzzle seed=7 max_episode_steps=100"
    assert read_id(id_of(one)).game(driver.app.preferences).limit == 100


def test_keys_do_nothing_where_the_menu_has_no_entry(driver):
    play(driver, ROOM)
    for key in "rs":
        driver.press(key, mod=CTRL)
        assert driver.name == "PlayingScreen"


def test_a_path_may_be_longer_than_a_file_name(driver):
    driver.app.show("levels", Game("Sokoban-v0", "first").puzzle, "first")
    driver.push("Open…")
    driver.top.answer = "sokoban " + 300 * "#" + "|"
    driver.app.draw()
    driver.push("Open")
    assert driver.name == "FileScreen"


def test_a_level_is_pasted_into_a_game_and_nothing_is_lost(driver):
    play(driver, ROOM)
    driver.press("right")
    pygame.scrap.put_text("As you asked:\n> #####\n> #@$.#\n> #####\n")
    driver.press("v", mod=CTRL)
    assert len(boxes(driver.top.game)) == 1
    pygame.scrap.put_text(ROOM)
    driver.press("v", mod=CTRL)
    assert driver.top.game.taken == [3], "it is continued"


@pytest.mark.parametrize(
    "text",
    [
        *("", "hello", "#####\n#@ .#\n#####\n", "sokoban nothing:3", "sokoban medium:2000", "sokoban medium:0"),
        *("sokoban medium:3 number=2", "sokoban medium:3 seed=5", "sokoban " + 300 * "#" + "|"),
    ],
)
def test_what_is_no_level_gets_one_line_and_nothing_changes(driver, text):
    pygame.scrap.put_text(text)
    game = play(driver, ROOM)
    driver.press("right")
    driver.press("v", mod=CTRL)
    assert driver.top.game is game
    assert game.taken == [3]
    assert driver.app.message
    assert "\n" not in driver.app.message
    assert len(driver.app.message) <= 160
    driver.app.home()
    driver.push("Sokoban")
    before = driver.top.choices
    driver.press("v", mod=CTRL)
    assert driver.name == "LevelsScreen"
    assert driver.top.choices == before
    assert driver.app.message


@pytest.mark.parametrize(
    "env_id", ["Wumpus-v0", "CatMouse-v0", "Bait-v0", "EightPuzzle-v0", "FifteenPuzzle-v0", "Sokoban-v0"]
)
def test_the_id_of_a_game_leads_to_it(driver, env_id):
    game = Game(env_id, None, 0 if env_id in ("CatMouse-v0", "Bait-v0") else 7)
    driver.app.push(PlayingScreen(driver.app, game))
    driver.settle()
    driver.press("c", mod=CTRL)
    driver.push("Copy the game ID")
    assert pygame.scrap.get_text() == id_of(game)
    driver.app.home()
    driver.push("Sokoban")
    driver.press("v", mod=CTRL)
    assert driver.name == "PlayingScreen"
    assert driver.top.game.identity == game.identity


def test_an_id_is_typed_and_a_wrong_one_can_be_corrected(driver):
    driver.push("Sokoban")
    driver.press("o")
    type_in(driver, "sokoban first:300")
    driver.press("return")
    assert "no level 300" in driver.top.error
    type_in(driver, "sokoban first:3")
    driver.push("Open")
    assert (driver.name, driver.top.game.number) == ("PlayingScreen", 2)


def test_a_file_is_found_by_browsing(driver, tmp_path):
    folder = tmp_path / "levels"
    folder.mkdir()
    (folder / "mine.txt").write_text(PACK)
    (folder / "bad.txt").write_text("no level\n")
    driver.push("Sokoban")
    driver.press("o")
    type_in(driver, str(tmp_path))
    driver.push("Browse")
    driver.push("levels/")
    assert [entry.label for entry in driver.top.entries] == ["this folder", "../", "bad.txt", "mine.txt"]
    driver.push("bad.txt")
    driver.push("Open")
    assert driver.name == "FileScreen"
    assert driver.top.error
    driver.push("Browse")
    driver.push("mine.txt")
    driver.push("Open")
    assert driver.name == "LevelsScreen"
    assert (driver.top.choice.title, driver.top.game.count) == ("mine", 3)


def test_the_editor_copies_and_pastes(driver):
    driver.push("Editor")
    driver.pick(driver.top.puzzle.title, "Sokoban")
    empty = driver.top.editing.board
    pygame.scrap.put_text("nothing")
    driver.press("v", mod=CTRL)
    assert driver.top.editing.board == empty
    assert "no level of Sokoban" in driver.app.message
    pygame.scrap.put_text(ROOM)
    driver.push("Paste")
    assert (driver.top.editing.title, driver.top.fault) == ("The room", None)
    pygame.scrap.put_text("")
    driver.press("c", mod=CTRL)
    assert pygame.scrap.get_text() == ROOM
    driver.press("u")
    assert driver.top.editing.board == empty


# -- the list of levels ------------------------------------------------------------------------------------


def shown(driver, *columns):
    pages = driver.top.pages
    return [tuple(pages.levels.text(number, column) for column in columns) for number in pages.grid.visible]


def test_levels_are_listed_sorted_and_found(pack):
    driver = pack
    driver.push("List")
    assert shown(driver, "number", "title", "author", "boxes") == [
        ("1", "Long", "Ann", "1"),
        ("2", "Pair", "Bob", "2"),
        ("3", "Short", "Ann", "1"),
    ]
    driver.pick("number", "title")
    driver.pick("title", "title")
    assert [row[0] for row in shown(driver, "title")] == ["Short", "Pair", "Long"]
    driver.click(driver.top.pages.table._places["size"].center)
    assert [row[0] for row in shown(driver, "title")] == ["Short", "Long", "Pair"]
    driver.press("f", mod=CTRL)
    type_in(driver, "ann boxes<2")
    assert [row[0] for row in shown(driver, "title")] == ["Short", "Long"]
    driver.press("return", "return")
    assert driver.top.game.title == "Short"
    driver.press("right")
    driver.push("Levels")
    driver.press("f", mod=CTRL)
    type_in(driver, "unsolved")
    assert shown(driver, "number", "title") == [("1", "Long"), ("2", "Pair")]
    driver.press("escape", "l")
    assert list(driver.top.grid.visible) == [0, 1], "the pictures are of the same levels"


def test_a_number_leads_to_its_level(driver):
    driver.push("Sokoban")
    driver.push("medium")
    for switch in (False, True):
        if switch:
            driver.push("List")
        driver.press("f", mod=CTRL)
        type_in(driver, "777")
        assert 776 in driver.top.grid.visible
        driver.press("return")
    driver.press("return")
    assert (driver.name, driver.top.game.number) == ("PlayingScreen", 776)


def test_my_results_are_next_to_the_proven_minima(driver):
    driver.push("Sokoban")
    driver.push("easy")
    driver.push("List")
    assert shown(driver, "boxes", "moves", "pushes")[0] == ("3", "– / 14", "– / 5")
    driver.click(driver.top.grid.cell(0).center)
    for letter in "lDDldllUUluuuR".lower():
        driver.top.act(["udlr".index(letter)])
        driver.settle()
    driver.push("Levels")
    assert shown(driver, "solved", "moves", "pushes")[0] == ("✓", "14 / 14", "5 / 5")


def test_the_table_fits_with_large_text_in_a_small_window(driver, tmp_path):
    for size in ((700, 500), (1280, 800), (1920, 1080)):
        for percent, theme in ((100, THEMES[1]), (200, THEMES[2])):
            small = Driver(tmp_path / f"{size}{percent}", size)
            chosen = dataclasses.replace(small.app.preferences, text_size=percent, theme=theme)
            small.app.progress.save_preferences(chosen.choosing("sokoban", "levels_listed", True))
            small.app.show("levels", Game("Sokoban-v0", "first").puzzle, "medium")
            small.settle()
            places = list(small.top.pages.table._places.items())
            assert [name for name, _ in places][:2] == ["number", "title"]
            assert all(one[1].right <= other[1].left for one, other in itertools.pairwise(places))
            assert places[-1][1].right <= size[0]
            assert all(small.top.grid.cell(number).bottom <= small.top.floor for number in small.top.grid.visible)
            small.app.quit()


# -- statistics, turned boards, pictures, guidance ---------------------------------------------------------


def test_the_statistics(driver):
    play(driver, TURN)
    driver.press("t", mod=CTRL)
    assert driver.top.paragraphs == ["Nothing is solved yet."]
    driver.press("escape", "right", "down", "escape")
    driver.press("t", mod=CTRL)
    words = "\n".join(driver.top.paragraphs)
    assert "1 level, 1 solution; 1 without hints" in words
    assert "Streak: 1 day in a row" in words
    assert "Time: 0:0" in words


def test_streaks():
    today = datetime.date(2026, 3, 10)
    assert streaks([], today) == (0, 0)
    assert streaks(["2026-03-10", "2026-03-09", "2026-03-05", "2026-03-04", "2026-03-03"], today) == (2, 3)
    assert streaks(["2026-03-09"], today) == (1, 1), "today is not over"
    assert streaks(["2026-03-08"], today) == (0, 1)


def test_a_turned_board_is_the_same_level(driver):
    game = play(driver, ROOM)
    driver.press("right")
    identity = game.identity
    driver.press("f5")
    driver.push("Turn the board")
    assert boxes(game) == {(2, 2), (5, 2)}
    assert game.taken == [1]
    assert game.save()["taken"] == [3]
    assert game.identity == identity
    for _ in range(3):
        driver.press("right", mod=CTRL)
    assert (boxes(game), game.taken) == ({(2, 2), (2, 5)}, [3])
    driver.press("m", mod=CTRL)
    assert (boxes(game), game.taken) == ({(2, 5), (2, 2)}, [2])
    driver.press("left")
    assert (game.taken, game.save()["taken"]) == ([2, 2], [3, 3])


def test_pictures_of_ones_own(driver, tmp_path):
    folder = tmp_path / "skin"
    folder.mkdir()
    driver.push("Settings")
    driver.push("Sokoban: pictures of my own")
    type_in(driver, str(folder))
    driver.press("return")
    assert driver.name == "FileScreen"
    assert driver.top.error
    pygame.image.save(pygame.Surface((8, 8)), folder / "box.png")
    driver.press("return")
    assert driver.name == "SettingsScreen"
    driver.push("Back")
    driver.push("Sokoban")
    driver.push("first")
    driver.click(driver.top.grid.cell(0).center)
    assert driver.top.game.scene().options.style == str(folder)
    driver.app.home()
    (folder / "box.png").unlink()
    driver.push("Sokoban")
    driver.click(driver.top.grid.cell(0).center)
    assert driver.top.game.scene().options.style == "warehouse", "they are gone"


def test_stuck_boxes_are_marked_at_first(driver):
    driver.push("Sokoban")
    pygame.scrap.put_text("#######\n#     #\n# $@  #\n#    .#\n#######\n")
    driver.press("v", mod=CTRL)
    driver.click(driver.top.grid.cell(0).center)
    driver.press("left")
    assert "a box is stuck" in status_line(driver.top.game, driver.app.progress)


def test_each_step_of_a_first_level_is_shown(tmp_path):
    driver = Driver(tmp_path / "progress", teaches=True)
    driver.app.push(PlayingScreen(driver.app, Game("Sokoban-v0", levels=TURN + "\n" + ROOM)))
    driver.settle()
    assert driver.name == "RulesScreen"
    driver.push("Show me each step")
    driver.settle()
    assert driver.top.hints.guidance == "Press →: right, 2 moves to the goal"
    driver.press("right")
    assert driver.top.hints.guidance == "Press ↓: down, 1 move to the goal"
    driver.press("left")
    assert "right" in driver.top.hints.guidance
    driver.press("right", "down")
    assert driver.name == "VictoryScreen"
    driver.push("Next level")
    assert not driver.top.hints.guidance
    driver.app.quit()
