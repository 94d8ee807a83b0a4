"""The window's screens, driven by the events of keys and mouse: start, levels, game, pause, victory, settings, help."""

import dataclasses
import functools
import gc
import json
import random
import weakref

import pygame
import pytest
from app_driver import Driver

from gridpuzzles_gym.engine.pictures import painting
from gridpuzzles_gym.engine.pictures.panel import CONTRAST, contrast
from gridpuzzles_gym.session.arguments import all_puzzles
from gridpuzzles_gym.session.game import Game
from gridpuzzles_gym.session.players import RecordedActions
from gridpuzzles_gym.session.preferences import TEXT_SIZES
from gridpuzzles_gym.window.app import REPEAT
from gridpuzzles_gym.window.model.own_levels import own_folder
from gridpuzzles_gym.window.opening import play
from gridpuzzles_gym.window.screens.host import SCREENS
from gridpuzzles_gym.window.screens.playing import PlayingScreen
from gridpuzzles_gym.window.screens.screen import Entry
from gridpuzzles_gym.window.screens.solving import Replay
from gridpuzzles_gym.window.screens.start import StartScreen
from gridpuzzles_gym.window.views.theme import THEMES

PUZZLES = [puzzle.name for puzzle in all_puzzles() if puzzle.module.startswith("gridpuzzles_gym.")]
CORRIDOR = "; one\n#######\n#@ $ .#\n#######\n\n; two\n######\n#@ $.#\n######\n"


@pytest.fixture
def corridor(driver, tmp_path):
    """A file of two tiny levels, dropped onto the window, and the first of them opened."""
    file = tmp_path / "corridor.txt"
    file.write_text(CORRIDOR)
    driver.post(pygame.event.Event(pygame.DROPFILE, file=str(file)))
    driver.settle()
    assert driver.name == "LevelsScreen"
    driver.click(driver.top.grid.cell(0).center)
    assert driver.name == "PlayingScreen"
    return driver


def picture(driver):
    driver.app.draw()
    return pygame.image.tobytes(driver.app.surface, "RGB")


@pytest.mark.parametrize("number", range(len(PUZZLES)))
def test_every_puzzle_is_played_from_the_start_screen(driver, number):
    start = picture(driver)
    driver.press(str(number + 1))
    assert driver.name == "LevelsScreen"
    assert driver.top.puzzle.name == PUZZLES[number]
    driver.click(driver.top.grid.cell(0).center)
    assert driver.name == "PlayingScreen"
    game = driver.top.game
    for key in random.Random(number).choices(list(driver.top.actions), k=12):
        if not game.over:
            driver.press(key)
    if driver.name == "VictoryScreen":
        driver.press("escape")
    taken = game.taken
    assert taken
    driver.press("backspace")
    assert game.taken == taken[:-1]
    driver.press("f4")
    assert game.taken == taken
    driver.press("escape")
    assert driver.name == "PauseScreen"
    driver.press("escape")
    assert driver.name == "PlayingScreen"
    driver.press("escape", "q")
    assert driver.name == "StartScreen"
    driver.push("Continue")
    assert driver.top.game.taken == taken
    driver.press("escape", "q")
    assert picture(driver) != start  # there is a game to continue


def test_the_start_screen_left_alone_for_minutes_stays_as_it_is(driver):
    driver.app.looks_ahead = True
    still = picture(driver)
    for _ in range(5 * 60):
        driver.app.frame([], 1.0)
    assert picture(driver) == still
    for card in driver.top._cards.values():
        driver.move(card.center)
        for _ in range(30):
            driver.app.frame([], 1.0)
        assert not driver.top.waiting
        assert not driver.top.moving


def test_a_level_is_solved_by_a_drag_and_the_next_one_follows(corridor):
    driver = corridor
    driver.drag(driver.square(1, 3), driver.square(1, 5))
    assert driver.top.playing.game.moves == 3
    assert driver.name == "VictoryScreen"
    assert driver.app.progress.best("sokoban", driver.top.playing.game.key).moves == 3
    driver.push("Next level")
    assert (driver.name, driver.top.game.number) == ("PlayingScreen", 1)
    driver.click(driver.square(1, 2))
    assert driver.top.game.taken == [3]
    driver.press("right")
    assert driver.name == "VictoryScreen"
    assert "Next level" not in [button.text for button in driver.buttons()]
    driver.push("Levels")
    assert driver.name == "LevelsScreen"
    assert [driver.top.is_solved(number) for number in (0, 1)] == [True, True]


@pytest.mark.parametrize(
    "names", [("settings", "menu"), pytest.param(tuple(SCREENS), marks=pytest.mark.extended)], ids=["some", "all"]
)
def test_the_window_is_resized_on_every_screen_over_every_other(corridor, names):
    app, game, playing = corridor.app, corridor.top.game, corridor.top
    watched = {"players": [RecordedActions("found", {0: [3, 3]})]}
    screens = {
        "start": (),
        "levels": (game.puzzle,),
        "pause": (playing,),
        "victory": (playing,),
        "generating": (),
        "watching": (game.puzzle, None, 0),
        "editor": (game.puzzle,),
        "asking": ("a heading", "a text", ()),
        "settings": (),
        "help": (playing,),
        "menu": ("a heading", [Entry("an entry", bool)]),
        "card": ("a heading", ["a sentence"]),
        "rules": (game.puzzle, game.env.config, bool),
    }
    openings = {
        "playing": lambda: app.show("playing", game.copied()),
        "solving": lambda: app.show("solving", game.copied(taken=[3], undone=[]), Replay("mine", bool)),
    }
    for name, arguments in screens.items():
        openings[name] = functools.partial(app.show, name, *arguments, **(watched if name == "watching" else {}))
    assert openings.keys() == SCREENS.keys() - {"files"}, "which asks as another one"
    sizes = [(640, 400), (400, 300)]

    def drawn():
        app.draw()
        lowest = max(k for k, screen in enumerate(app.stack) if not screen.overlay)
        return {screen.size for screen in app.stack[lowest:]}

    for below in openings.values():
        below()
        for above in (openings[name] for name in openings if name in names):
            above()
            corridor.resize(sizes[0])
            assert drawn() == {sizes[0]}
            app.pop()
            app.frame([], 0.0)
            assert drawn() == {sizes[0]}
            sizes.reverse()
        app.pop()


def test_page_keys_go_to_other_levels(corridor):
    corridor.press("page down")
    assert corridor.top.game.number == 1
    corridor.press("page up")
    assert corridor.top.game.number == 0


def test_my_solution_is_replayed(corridor):
    driver = corridor
    driver.press("right", "right", "right")
    driver.push("Replay")
    driver.settle()
    assert driver.name == "SolvingScreen"
    assert driver.top.game.solved
    assert driver.top.game.taken == [3, 3, 3]


def test_undo_by_the_wheel_restart_and_redo(corridor):
    driver = corridor
    game = driver.top.game
    driver.press("right", "left", "right")
    driver.post(pygame.event.Event(pygame.MOUSEWHEEL, x=0, y=-2))
    assert game.taken == [3]
    driver.post(pygame.event.Event(pygame.MOUSEWHEEL, x=0, y=1))
    assert game.taken == [3, 2]
    driver.press("home")
    assert game.taken == []
    driver.press("f4", "f4", "f4", "f4")
    assert game.taken == [3, 2, 3]


def test_held_keys_repeat_and_interrupt_movements(corridor):
    driver = corridor
    for key in (pygame.K_RIGHT, pygame.K_LEFT, pygame.K_RIGHT):
        driver.post(pygame.event.Event(pygame.KEYDOWN, key=key, mod=0, unicode="", scancode=0))
    assert driver.top.game.taken == [3, 2, 3]
    driver.settle()


def test_a_key_that_leads_to_another_screen_is_not_repeated_there(corridor):
    """A slow computer may see the repetition of a key before its release."""
    driver = corridor
    driver.press("escape", "s")
    held = pygame.event.Event(pygame.KEYDOWN, key=pygame.K_ESCAPE, mod=0, unicode="", scancode=0)
    driver.post(held, held, held)
    assert driver.name == "PauseScreen"
    driver.post(pygame.event.Event(pygame.KEYUP, key=pygame.K_ESCAPE, mod=0, unicode="", scancode=0), held)
    assert driver.name == "PlayingScreen"


def test_movements_are_animated_and_can_be_switched_off(corridor):
    driver = corridor
    event = pygame.event.Event(pygame.KEYDOWN, key=pygame.K_RIGHT, mod=0, unicode="", scancode=0)
    driver.post(event)
    assert driver.top.view.moving
    halfway = picture(driver)
    driver.settle()
    assert picture(driver) != halfway
    driver.press("escape", "s")
    driver.push("Animation: on")
    driver.press("escape", "escape")
    driver.press("left")
    driver.post(event)
    assert not driver.top.view.moving


def test_a_closed_window_loses_nothing(corridor, tmp_path):
    corridor.press("right", "left")
    corridor.post(pygame.event.Event(pygame.QUIT))
    assert not corridor.app.stack
    again = Driver(tmp_path / "progress")
    again.app.push(StartScreen(again.app))
    again.press("c")
    assert again.top.game.taken == [3, 2]
    assert again.top.game.title == "one"
    again.app.quit()


def test_a_damaged_game_is_reported_and_removed(driver):
    driver.app.progress.save_game("sokoban", {"version": 99})
    driver.top.resume()
    driver.press("c")
    assert driver.name == "StartScreen"
    assert "cannot be continued" in driver.app.message
    assert driver.app.progress.latest_games() == []


@pytest.mark.parametrize("content", [b"", b"hello\n", b"\x00\xff\xfe", b"####\n#@ #\n####\n"])
def test_a_dropped_file_that_is_no_level_is_reported(driver, tmp_path, content):
    file = tmp_path / "bad.txt"
    file.write_bytes(content)
    driver.post(pygame.event.Event(pygame.DROPFILE, file=str(file)))
    assert driver.name == "StartScreen"
    assert driver.app.message
    driver.post(pygame.event.Event(pygame.DROPFILE, file=str(tmp_path / "nowhere")))
    assert "nowhere" in driver.app.message


@pytest.mark.parametrize("size", [(200, 150), (320, 240), (500, 900), (2000, 600)])
def test_any_size_of_window(driver, size):
    pygame.display.set_mode(size, pygame.RESIZABLE)
    driver.post(pygame.event.Event(pygame.WINDOWSIZECHANGED, x=size[0], y=size[1]))
    driver.settle()
    for keys in (["f1"], ["escape", "5"], ["n"], ["right", "f1"], ["escape", "escape"], ["s"]):
        driver.press(*keys)
        picture(driver)
        assert driver.top.size == driver.app.surface.get_size()


def test_settings_are_kept_and_applied(driver, tmp_path):
    before = picture(driver)
    driver.press("s")
    for theme in THEMES:
        assert driver.app.preferences.theme == theme
        driver.push(f"Theme: {theme}")
    driver.push("Theme: dark")
    driver.push(f"Text size: {TEXT_SIZES[1]}")
    driver.push("Sokoban: style warehouse")
    driver.press("escape")
    assert picture(driver) != before
    again = Driver(tmp_path / "progress")
    assert again.app.preferences.theme == [*THEMES][1]
    assert again.app.preferences.chosen("sokoban", "style", "") == "paper"


def test_marks_and_what_was_hidden(driver):
    wumpus = next(puzzle for puzzle in all_puzzles() if puzzle.hidden is not None and puzzle.gestures.marks)
    driver.press(str(PUZZLES.index(wumpus.name) + 1))
    driver.click(driver.top.grid.cell(0).center)
    hidden = picture(driver)
    driver.click(driver.square(0, 0), button=3)
    assert driver.top.view.scene.notes == {(0, 0): wumpus.gestures.marks[0]}
    assert picture(driver) != hidden
    for _ in wumpus.gestures.marks:
        driver.click(driver.square(0, 0), button=3)
    assert not driver.top.view.scene.notes
    row, column = wumpus.gestures.actor(driver.top.view.scene.level, driver.top.view.scene.state)
    driver.press("m", "up", "right", "m", "m", "right", "space", "escape")
    marks = {(row - 1, column + 1): wumpus.gestures.marks[1], (row - 1, column + 2): wumpus.gestures.marks[0]}
    assert driver.top.view.scene.notes == marks
    assert (driver.name, driver.top.game.taken) == ("PlayingScreen", [])
    numbers, screen = random.Random(0), driver.top
    while not screen.game.over:
        screen.act([numbers.randrange(3)])
    driver.settle()
    assert screen.view.scene == wumpus.revealed(screen.view.scene)
    assert screen.view.scene.options != screen.game.scene().options


def test_options_of_generated_instances(driver):
    driver.press("1")
    driver.push("random wumpus")
    driver.push("Advanced")
    driver.top.words = "seed=3"
    driver.pick("medium", "easy")
    driver.pick("4×4", "6×6")
    driver.click(driver.top.grid.cell(0).center)
    assert driver.top.game.env.config.extent[:2] == (6, 6)
    assert driver.top.game.number == 3
    driver.press("escape", "l")
    driver.push("random wumpus")
    driver.top.words = "size=huge"
    driver.top._pick(driver.top.choice)
    assert "size" in driver.app.message
    driver.top.words = "siz"
    driver.click(driver.top.grid.cell(0).center)
    assert driver.name == "LevelsScreen"
    assert "siz" in driver.app.message


def test_help_lists_the_keys_of_the_screen(corridor):
    corridor.press("f1")
    assert corridor.name == "HelpScreen"
    meanings = dict(corridor.top.entries)
    assert meanings["F11"] == "full screen"
    assert any("drag" in keys for keys in meanings)
    assert len(meanings) == len(corridor.top.entries)
    corridor.press("escape")
    assert corridor.name == "PlayingScreen"
    corridor.press("f1")
    corridor.press("f1")
    assert corridor.name == "PlayingScreen"


def test_play_opens_a_game_and_returns(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    pygame.display.init()
    pygame.event.clear()
    for key in (pygame.K_RIGHT, pygame.K_LEFT):
        pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=key, mod=0, unicode="", scancode=0))
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    play("Sokoban-v0", level="first:2", max_episode_steps=9)
    saved = json.loads(next(tmp_path.rglob("sokoban.json")).read_text())
    (last,) = saved["games"].values()
    game = Game.resumed(last["game"])
    assert (game.taken, game.limit, game.choice) == ([3, 2], 9, "first:2")


def test_play_with_a_seed_begins_with_it_and_keeps_the_unfinished_game(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    for seed in (5, 6, None):
        pygame.display.init()
        pygame.event.clear()
        pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_RIGHT, mod=0, unicode="", scancode=0))
        pygame.event.post(pygame.event.Event(pygame.QUIT))
        play("CatMouse-v0", seed=seed)
        saved = json.loads(next(tmp_path.rglob("cat_mouse.json")).read_text())["games"]
        game = list(saved.values())[-1]["game"]
        assert (game["seed"], len(game["taken"])) == (seed, 1) or seed is None
    assert len(saved) == 3


def test_the_numbers_above_a_board_do_not_stand_next_to_it_again(corridor, monkeypatch):
    written, write = [], painting.write

    def note(surface, words, *others, **named):
        written.append(words)
        write(surface, words, *others, **named)

    monkeypatch.setattr(painting, "write", note)
    corridor.app.draw()
    assert "moves 0 · pushes 0" in written
    assert "return" in written
    assert not {"step", "moves", "pushes"} & set(written)


def test_a_key_continues_the_latest_game_whatever_other_packages_have_saved(corridor):
    corridor.press("right", "escape", "q")
    corridor.app.progress.save_game("elsewhere", {"version": 1})
    corridor.top.resume()
    corridor.press("c")
    assert corridor.top.game.puzzle.name == "sokoban"


def test_the_help_of_the_last_victory_names_no_key_for_the_next_level(corridor):
    assert dict(keys_after(corridor, "right", "right", "right"))["Enter"] == "next level"
    corridor.press("return")
    assert "Enter" not in dict(keys_after(corridor, "right", "right"))


def keys_after(driver, *keys):
    """The keys of the screen that other keys lead to."""
    driver.press(*keys)
    assert driver.name == "VictoryScreen"
    return driver.top.keys()


def test_an_idle_window_draws_nothing(corridor, monkeypatch):
    corridor.settle()
    drawn = []
    monkeypatch.setattr(PlayingScreen, "paint", lambda self, surface: drawn.append(self))
    for _ in range(10):
        corridor.app.frame([], 0.1)
    assert not drawn
    assert not corridor.top.moving
    assert not corridor.top.waiting


def test_the_widgets_of_a_closed_screen_need_no_garbage_collection(driver):
    gc.disable()
    try:
        driver.app.show("settings")
        driver.app.frame([], 0.0)
        buttons = [weakref.ref(button) for button, _ in driver.top._buttons]
        driver.press("escape")
        assert driver.name == "StartScreen"
        assert buttons
        assert not any(button() for button in buttons)
    finally:
        gc.enable()


@pytest.mark.parametrize("number", range(len(PUZZLES)))
def test_a_hint_for_every_puzzle_and_asking_again_plays_it(driver, number):
    driver.press(str(number + 1))
    driver.click(driver.top.grid.cell(0).center)
    driver.press("f2")
    assert driver.app.message.startswith("hint: ")
    driver.press("f2")
    assert len(driver.top.game.taken) == 1


def test_there_is_no_hint_for_what_cannot_be_solved(driver, tmp_path):
    file = tmp_path / "stuck.txt"
    file.write_text("#######\n#     #\n#  $ .#\n#  @  #\n#######\n")
    driver.post(pygame.event.Event(pygame.DROPFILE, file=str(file)))
    driver.settle()
    driver.click(driver.top.grid.cell(0).center)
    driver.press("up")  # to the wall
    driver.press("f2")
    assert "cannot be solved" in driver.app.message


def test_a_puzzle_of_somebody_else_is_played_too(driver):
    """It declares no palette or advisors, and is played by keys and the mouse."""
    import helpers  # registers it

    toy = helpers.puzzle_of(helpers.TOY.id)
    driver.app.push(StartScreen(driver.app))
    driver.settle()
    driver.push(toy.title)
    driver.click(driver.top.grid.cell(0).center)
    driver.press("right")
    assert driver.top.game.taken == [3]
    driver.click(driver.top.view._rect.center)
    assert driver.top.game.taken[1:] == [3, 1]


def test_where_nothing_can_be_written_everything_works(tmp_path):
    (tmp_path / "file").write_text("")
    driver = Driver(tmp_path / "file" / "progress")
    driver.app.push(StartScreen(driver.app))
    driver.settle()
    driver.press("5")
    driver.click(driver.top.grid.cell(0).center)
    driver.press("up", "down", "backspace")
    assert driver.app.message or driver.app.progress.notices
    assert driver.app.progress.latest_games()[0][1]["taken"] == driver.top.game.taken
    driver.app.quit()


def test_saved_levels_of_ones_own_are_listed(driver):
    folder = own_folder(driver.app.progress, next(puzzle for puzzle in all_puzzles() if puzzle.name == "sokoban"))
    folder.mkdir(parents=True)
    (folder / "mine.txt").write_text(CORRIDOR)
    driver.press(str(PUZZLES.index("sokoban") + 1))
    driver.push("mine")
    assert driver.top.game.count == 2


def test_held_keys_repeat_after_typing_too(driver):
    driver.press("1")
    driver.push("random wumpus")
    driver.push("Advanced …")
    line = [each for each in driver.top.ui.get_root_container().elements if type(each).__name__ == "UITextEntryLine"]
    driver.click(line[0].get_abs_rect().center)
    driver.click((5, 5))
    assert pygame.key.get_repeat() == REPEAT


def test_the_menus_of_generated_instances_show_the_defaults_of_their_environment(driver):
    driver.press(str(PUZZLES.index("n_puzzle") + 1))
    for choice, size in (("random 8", "3×3"), ("random 15", "4×4")):
        driver.push(choice)
        shown = [button.text for button in driver.buttons()]
        assert f"{size} ▾" in shown
        assert "hard ▾" in shown
        assert driver.top.game.env.config.extent[:2] == (int(size[0]), int(size[0]))
    driver.pick("4×4", "5×5")
    driver.pick("hard", "easy")
    options = driver.top.game.env.options
    assert (options.width, options.height, options.scramble) == (5, 5, 10)


@pytest.mark.parametrize("theme", THEMES)
def test_a_theme_holds_for_all_that_is_around_a_board(driver, theme):
    colors = THEMES[theme].panel
    preferences = dataclasses.replace(driver.app.preferences, theme=theme)
    driver.app.progress.save_preferences(preferences)
    driver.press("1")
    driver.click(driver.top.grid.cell(0).center)
    view, surface = driver.top.view, driver.app.surface
    panel = view.drawing.place(view.scene, view._tile).panel.move(view.rect.topleft)
    assert surface.get_at((panel.left - 3, panel.centery))[:3] == pygame.Color(colors.ground)[:3]
    paper = surface.get_at((panel.left + 6, panel.centery))[:3]
    assert max(abs(one - other) for one, other in zip(paper, pygame.Color(colors.paper)[:3], strict=True)) < 12
    for state in (state for puzzle in all_puzzles() if puzzle.status is not None for state in puzzle.status.states):
        color = colors.text(state.color)
        assert contrast(pygame.Color(color), pygame.Color(colors.card)) >= CONTRAST
