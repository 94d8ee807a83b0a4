"""The command line: help, names, what commands print and write, and that whatever goes wrong is one line."""

import csv
import json
import subprocess
import sys

import imageio.v3
import pytest
from helpers import TINY, fresh, not_refused, piped, puzzle_of, run
from pages import table

import gridpuzzles_gym
from gridpuzzles_gym.agents.registry import agents_of
from gridpuzzles_gym.cli.common.errors import extra_of
from gridpuzzles_gym.cli.list import rendered
from gridpuzzles_gym.cli.program import COMMANDS, load
from gridpuzzles_gym.play import arguments, recording
from gridpuzzles_gym.play import session as sessions

DEEP = "[" * 100_000
ENDLESS = "9" * 400


def commands(group=None, path=()):
    """Every command with its path."""
    for name, command in group.commands.items() if group else ((name, load(name)) for name in COMMANDS):
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


# -- help and names --------------------------------------------------------------------------------


def test_every_help_has_examples_and_agrees_with_the_list(capsys):
    code, out, _ = run(capsys, "--help")
    assert (code, "Getting started" in out) == (0, True)
    assert all(f" {name} " in out for name in COMMANDS)
    assert run(capsys, "levels") == run(capsys, "levels", "--help")
    for path, command in commands():
        code, out, _ = run(capsys, *path, "--help")
        assert (code, "Usage: gridpuzzles" in out, "Examples" in out, "Args:" in out) == (0, True, True, False), path
        if len(path) == 1:
            assert COMMANDS[path[0]][0] == command.rich_help_panel, path


@pytest.mark.extended
def test_help_imports_nothing_heavy_and_no_display_is_one_line():
    probe = (
        "import sys; from gridpuzzles_gym.cli import run; run(['--help']); run(['play', '--help']);"
        "print('loaded:', [m for m in ('numba', 'pygame', 'torch', 'imageio') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, timeout=60, check=True)
    assert "loaded: []" in done.stdout
    if sys.platform == "linux":
        done = fresh("play", "Wumpus-v0")
        assert (done.returncode, "no display" in done.stderr, done.stderr.count("\n")) == (1, True, 1)


def test_version_and_the_window(capsys, monkeypatch):
    assert run(capsys, "--version")[:2] == (0, f"gridpuzzles_gym {gridpuzzles_gym.__version__}\n")
    opened = []
    monkeypatch.setattr("gridpuzzles_gym.play.window.app.App.run", lambda app, screen: opened.append(True))
    assert (run(capsys), opened) == ((0, "", ""), [True])

    def fail(app, screen):
        raise OSError("no display")

    monkeypatch.setattr("gridpuzzles_gym.play.window.app.App.run", fail)
    code, out, err = run(capsys)
    assert (code, "no display" in err, out) == (1, True, ""), "one line"


def test_every_name_of_an_id(capsys):
    names = {
        "wumpus": "Wumpus-v0", "WUMPUS-V0": "Wumpus-v0", "tiles": "EightPuzzle-v0", "n_puzzle": "EightPuzzle-v0",
        "15-Puzzle": "FifteenPuzzle-v0", "cat-mouse": "CatMouse-v0", "gridpuzzles/sokoban-v0": "Sokoban-v0",
        "toy": "Toy-v0",
    }  # fmt: skip
    for name, env_id in names.items():
        assert arguments.resolve_id(name) == env_id
        assert arguments.puzzle_named(name) is puzzle_of(env_id)
    for command in (["play"], ["watch", "--agent", "random"], ["compare"], ["train"], ["solve"]):
        _, _, err = run(capsys, command[0], "15-Puzzle", *command[1:], "--set", "nonsense=1")
        assert err.startswith(f"gridpuzzles: {puzzle_of('FifteenPuzzle-v0').title} has no setting 'nonsense'")
    assert arguments.resolve_id("toy:TOY") == "toy:Toy-v0"
    rows = gridpuzzles_gym.ENVIRONMENTS
    names = [alias.replace("-", "").lower() for row in rows for alias in (row.id, row.id[:-3], *row.aliases)]
    assert len(names) == len(set(names))


# -- list ------------------------------------------------------------------------------------------


def test_list(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    ours = [row.id for row in gridpuzzles_gym.ENVIRONMENTS]
    monkeypatch.setattr("gridpuzzles_gym.cli.list.known_ids", lambda: ours)
    code, out, _ = run(capsys, "list")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines() if "-v0" in line] == ours
    assert (max(map(len, out.splitlines())) <= 80, len(out.splitlines()) < 24) == (True, True)
    code, out, _ = run(capsys, "list", "Wumpus-v0")
    for word in ("forward", "egocentric", "100 steps", "pit_probability", "textbook (1)", "online-search", "The cave."):
        assert word in out
    assert not [mark for mark in ("``", "**", ":mod:", ":func:", "~grid") if mark in out]
    (one,) = json.loads(run(capsys, "list", "tiles", "--json")[1])
    assert (one["id"], one["settings"]["width"], one["levels"]["eight"]) == ("EightPuzzle-v0", 3, 5)
    assert set(one["agents"]) == set(agents_of(puzzle_of("EightPuzzle-v0")))
    text = rendered("One ``x=1`` of\n:mod:`~a.b`, **bold**.\n\n    kept  as\n    it is")
    assert text == "One x=1 of a.b, bold.\n\n    kept  as\n    it is"


# -- errors ----------------------------------------------------------------------------------------


WATCH, TRAIN, COMPARE = ["watch", "wumpus", "--agent", "random"], ["train", "wumpus"], ["compare", "wumpus"]


def test_bad_usage_is_one_line_and_exit_code_2(capsys):
    cases = [
        (["play", "Wumpus-v9"], "did you mean 'Wumpus-v0'?"),
        (["play", "x"], "unknown environment 'x'; allowed are Wumpus-v0, "),
        (["play", "no_such_module:X-v0"], "no_such_module"),
        (["plai"], "play"),
        (["play", "wumpus", "--sed", "1"], "--seed"),
        (["play"], "gridpuzzles alone opens a window to choose in"),
        (["play", "wumpus", "textbook"], "unexpected 'textbook'"),
        (["watch", "wumpus"], "--agent"),
        (["play", "wumpus", "--set", "siz=4"], "did you mean 'size'?"),
        (["play", "wumpus", "--set", "render_mode=human"], "render_mode"),
        (["play", "wumpus", "--set", "size=1"], "size=1"),
        (["play", "wumpus", "--set", "size"], "must have the form name=value"),
        (["play", "wumpus", "--set", "size=4", "--set", "size=5"], "twice"),
        (["play", "wumpus", "--set", "max_episode_steps=0"], "max_episode_steps=0"),
        (["play", "wumpus", "--set", f"size={DEEP}"], "nested too deeply"),
        (["play", "wumpus", "--set", "pit_probability=NaN"], "pit_probability='NaN'"),
        (["play", "wumpus", "--set", "observation=smell"], "egocentric"),
        (["play", "wumpus", "--levels", "nowhere"], "textbook"),
        (["play", "wumpus", "--levels", "textbook:2"], "counted from 1"),
        (["play", "8-puzzle", "--levels", "classic", "--set", "goal=rows"], "goal is spiral"),
        (["play", "wumpus", "--levels", "textbook", "--set", "levels=textbook"], "levels are chosen with --levels"),
        (["play", "wumpus", "--seed", "-1"], "seed=-1"),
        ([*WATCH, "--tile-size", "2"], "8"),
        ([*WATCH, "--fps", "nan"], "must be a number from 0.25 to 120"),
        ([*WATCH, "--record", "film.avi"], "must end in .gif or .mp4"),
        (["watch", "wumpus", "--agent", "online-serch"], "no agent 'online-serch' and no such file"),
        ([*TRAIN, "--hyper", "learning_rat=1"], "learning_rate"),
        ([*TRAIN, "--algorithm", "dqn"], "maskable-ppo"),
        ([*TRAIN, "--hyper", "hidden=wide"], "hidden='wide'"),
        ([*TRAIN, "--hyper", "gamma=2"], "gamma=2: must be a number from 0 to 1"),
        ([*TRAIN, "--hyper", "learning_rate=NaN"], "must be a number"),
        ([*TRAIN, "--hyper", "hidden=true"], "hidden=True: must be an integer"),
        ([*TRAIN, "--minutes", "inf"], "minutes=inf: must be a positive number"),
        ([*TRAIN, "--sampler", f"curriculum:up={DEEP}"], "too deeply"),
        ([*COMPARE, "--set", f"max_episode_steps={ENDLESS}"], "must be an integer from 1 to 2,147,483,647"),
        ([*COMPARE, "--episodes", ENDLESS], "must be an integer from 1 to 1,000,000,000,000,000"),
        ([*TRAIN, "--hyper", f"learning_rate={ENDLESS}"], "must be a number"),
        (["web", "x" * 5000], "unknown environment"),
        ([*COMPARE, "--episodes", "0"], "episodes"),
        ([*COMPARE, "--episodes", "9", "--every-level"], "--every-level and --episodes cannot be combined"),
        ([*COMPARE, "--agent", "nobody"], "nobody"),
        (["levels", "show", "textbook", "--puzzle", "wumpas"], "did you mean 'wumpus'?"),
    ]
    assert not_refused(capsys, cases) == []


def test_the_most_similar_name_is_suggested(capsys):
    cases = [
        (["play", "sokobann"], "Sokoban-v0"),
        (["watch", "wumpus", "--agent", "bayesain"], "bayesian"),
        (["watch", "8-puzzle", "--agent", "atar:nodes=9"], "astar"),
        (["compare", "wumpus", "--agent", "online-serch"], "online-search"),
        (["solve", "8-puzzle", "--heuristic", "manhatan"], "manhattan"),
        (["warmup", "15-puzzle", "--heuristic", "pdb-78"], "pdb-7-8"),
        (["play", "sokoban", "--levels", "mediun"], "medium"),
        (["levels", "solve", "first", "--search", "sokban"], "sokoban"),
        (["levels", "chek"], "check"),
        (["train", "wumpus", "--sampler", "curiculum"], "curriculum"),
        (["play", "sokoban", "--style", "papr"], "paper"),
        (["lst"], "list"),
        (["play", "wumpus", "--level", "textbook"], "--levels"),
    ]
    assert not_refused(capsys, [(words, f"did you mean {name!r}?") for words, name in cases]) == []


def test_whatever_goes_wrong_is_one_line(capsys, monkeypatch):
    ends = [
        (ZeroDivisionError("x"), 1, "ZeroDivisionError: x (this is a bug: please report"),
        (AssertionError(), 1, "AssertionError (this is a bug: please report"),
        (MemoryError(), 1, "out of memory; "),
        (MemoryError("Unable to allocate 9 GiB"), 1, "out of memory: Unable to allocate 9 GiB; "),
        (RecursionError("maximum recursion depth exceeded"), 2, "nested too deeply"),
        (OSError(28, "No space left on device", "table.csv"), 1, "table.csv: No space left on device"),
    ]
    for error, expected, line in ends:

        def fail(error=error):
            raise error

        monkeypatch.setattr("gridpuzzles_gym.cli.list.overview", fail)
        code, out, err = run(capsys, "list")
        assert (code, out, err.count("\n"), line in err) == (expected, "", 1, True), err
    assert "Traceback" in run(capsys, "--debug", "list")[2]

    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr("gridpuzzles_gym.cli.list.overview", interrupted)
    assert run(capsys, "list") == (130, "", "")


def test_what_is_not_installed_is_named_with_its_extra(capsys, monkeypatch, tmp_path):
    extras = {"torch": "train", "imageio_ffmpeg": "media", "pygame_gui": "app", "i18n": "app", "unknown": "train"}
    assert {module: extra_of(module) for module in extras} == extras
    monkeypatch.setitem(sys.modules, "imageio", None)
    code, _, err = run(capsys, *WATCH, "--record", tmp_path / "film.gif")
    assert (code, 'pip install "gridpuzzles_gym[media]"' in err, err.count("\n")) == (1, True, 1)
    assert not list(tmp_path.iterdir())


@pytest.mark.extended
def test_another_pygame_in_its_place_is_reported(tmp_path):
    over = "import sys, pygame\ndel pygame.IS_CE\nfrom gridpuzzles_gym.cli import run\n"
    over += "sys.exit(run(['watch', 'wumpus', '--agent', 'random', '--record', 'film.gif']))"
    said = subprocess.run([sys.executable, "-c", over], cwd=tmp_path, capture_output=True, text=True, timeout=100)
    assert (said.returncode, said.stderr.count("\n")) == (1, 1)
    assert said.stderr.startswith("gridpuzzles: pygame was installed over pygame-ce, which has the same files; to mend")


# -- files -----------------------------------------------------------------------------------------


def test_nothing_is_overwritten_without_permission(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tiny.xsb").write_text(TINY)
    (tmp_path / "page.html").write_text(table())
    solve = ["levels", "solve", "tiny.xsb", "--search", "breadth-first", "--csv"]
    writing = [
        ([*WATCH, "--seed", "3", "--tile-size", "8", "--record"], "there.gif"),
        ([*COMPARE, "--agent", "random", "--episodes", "4", "--csv"], "there.csv"),
        (solve, "there.csv"),
        (solve, "tiny.xsb"),
        (["levels", "draw", "textbook", "--out"], "there.png"),
        (["levels", "convert", "tiny.xsb", "--out"], "there.sok"),
        (["levels", "import", "page.html", "--out"], "there.xsb"),
        (["generate", "cat_mouse", "--count", "1", "--out"], "there.txt"),
    ]
    for command, name in writing:
        path = tmp_path / name
        if not path.exists() or name != "tiny.xsb":
            path.write_text("mine")
        before = path.read_bytes()
        code, out, err = run(capsys, *command, name)
        assert (code, out, err) == (1, "", f"gridpuzzles: {name}: already exists; use --force to overwrite it\n")
        assert path.read_bytes() == before
        if name != "tiny.xsb":
            assert run(capsys, *command, name, "--force")[0] == 0, command
            assert path.read_bytes() != before
    code, _, err = run(capsys, *WATCH, "--record", tmp_path / "tiny.xsb" / "film.gif")
    assert (code, str(tmp_path) in err, err.count("\n")) == (1, True, 1)


def test_compare_prints_and_writes_the_scores(capsys, tmp_path):
    scores, chart = tmp_path / "new" / "scores.csv", tmp_path / "new" / "scores.png"
    command = [*COMPARE, "--agent", "random", "--episodes", 8, "--seed", 5, "--json", "--csv", scores]
    told = json.loads(run(capsys, *command, "--chart", chart)[1])
    assert (told["env_id"], told["seed"], told["missing"]) == ("Wumpus-v0", 5, 0)
    assert told["written"] == [str(scores), str(chart)]
    (score,) = told["scores"]
    assert (score["agent"], score["episodes"]) == ("random", 8)
    with scores.open(newline="") as rows:
        assert float(next(csv.DictReader(rows))["mean_return"]) == score["mean_return"]
    assert chart.read_bytes().startswith(b"\x89PNG")


def test_levels_can_be_piped_and_are_named_with_their_place(capsys, monkeypatch, tmp_path):
    for command in (["levels", "show", "-"], ["levels", "stats", "-"], ["solve", "8-puzzle", "--levels", "-"]):
        piped(monkeypatch, "; Short\n1 2 3\n4 5 6\n7 0 8\n")
        code, out, err = run(capsys, *command)
        assert (code, err, "Short" in out) == (0, "", True), command
    file = tmp_path / "cave.txt"
    file.write_text("A..\n.?.\nG..\n")
    code, _, err = run(capsys, "play", "Wumpus-v0", "--levels", file)
    assert (code, f"{file}:2:2: unknown symbol" in err, err.count("\n")) == (2, True, 1)


# -- Ctrl-C ----------------------------------------------------------------------------------------


def struck(monkeypatch, where, name, times):
    """Ctrl-C at a call of a function, after so many that return."""
    function, calls = getattr(where, name), []

    def strike(*arguments, **named):
        calls.append(1)
        if len(calls) == times + 1:
            raise KeyboardInterrupt
        return function(*arguments, **named)

    monkeypatch.setattr(where, name, strike)


def test_ctrl_c_keeps_the_agents_and_pictures_that_are_done(capsys, tmp_path, monkeypatch):
    from gridpuzzles_gym.agents import evaluation

    scores = tmp_path / "scores.csv"
    with monkeypatch.context() as patch:
        struck(patch, evaluation, "score_of", 1)
        two = ("--agent", "random", "--agent", "online-search")
        code, out, err = run(capsys, *COMPARE, *two, "--episodes", 8, "--csv", scores)
    assert (code, err) == (130, "gridpuzzles: stopped: 1 of 2 agents finished\n")
    with scores.open(newline="") as lines:
        assert [row["agent"] for row in csv.DictReader(lines)] == ["random"]
    monkeypatch.setattr(recording, "GRACE", 0.05)
    struck(monkeypatch, sessions.Watched, "begin", 20)
    film = tmp_path / "film.gif"
    code, out, err = run(capsys, *WATCH, "--seed", 1, "--episodes", 500, "--tile-size", 64, "--record", film)
    shown = len(imageio.v3.imread(film))
    assert (code, out.strip(), err.count("\n")) == (130, "", 1)
    assert err.startswith("gridpuzzles: stopped: played 20 of 500 episodes; ")
    assert f"; {film} has the first {shown} of " in err


@pytest.mark.extended
def test_train_watch_and_compare_a_small_model(capsys, tmp_path):
    pytest.importorskip("stable_baselines3")
    out = tmp_path / "run"
    small = ("--num-envs", 8, "--hyper", "n_steps=16", "--hyper", "hidden=16", "--sampler", "uniform")
    code, printed, err = run(capsys, "train", "Wumpus-v0", "--steps", 2000, "--out", out, *small)
    assert (code, err) == (0, "")
    assert "gridpuzzles watch Wumpus-v0 --agent" in printed
    code, _, err = run(capsys, "train", "Wumpus-v0", "--steps", 2000, "--out", out, *small)
    assert (code, "resume" in err) == (2, True)
    assert run(capsys, "train", "Wumpus-v0", "--steps", 2500, "--out", out, "--resume")[0] == 0
    film = tmp_path / "film.gif"
    assert run(capsys, "watch", "Wumpus-v0", "--agent", out, "--record", film, "--tile-size", 16)[0] == 0
    assert film.stat().st_size > 1000
    assert run(capsys, *COMPARE, "--agent", out, "--episodes", 20)[0] == 0
    (tmp_path / "bad.zip").write_text("no zip file")
    for name in ("missing.zip", "bad.zip"):
        code, _, err = run(capsys, "watch", "Wumpus-v0", "--agent", tmp_path / name)
        assert (code, name in err, err.count("\n")) == (2, True, 1)
