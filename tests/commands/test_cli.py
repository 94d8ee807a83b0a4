"""The command line: what each command prints, and that bad input is one line without a traceback."""

import csv
import json
import subprocess
import sys

import pytest
from helpers import TOY, fresh, puzzle_of, run

import gridpuzzles_gym
from gridpuzzles_gym.agents.registry import agents_of
from gridpuzzles_gym.cli.common.errors import extra_of
from gridpuzzles_gym.commands.list import rendered
from gridpuzzles_gym.play import arguments

CAVE = "; one\n..G\nA.W\n"


def test_help_imports_nothing_heavy():
    probe = (
        "import sys; from gridpuzzles_gym.cli import run; run(['watch', '--help']);"
        "print('loaded:', [m for m in ('numba', 'pygame', 'torch', 'imageio') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, timeout=60, check=True)
    assert "loaded: []" in done.stdout


@pytest.mark.parametrize(
    "command",
    [
        [],
        ["list"],
        ["play"],
        ["watch"],
        ["train"],
        ["compare"],
        ["demonstrate"],
        ["levels"],
        ["levels", "check"],
        ["levels", "show"],
    ],
)
def test_every_help_has_an_example_or_a_list(capsys, command):
    code, out, _ = run(capsys, *command, "--help")
    assert code == 0
    assert "Usage: gridpuzzles" in out
    assert "Examples" in out or "Getting started" in out or "Commands" in out
    assert "Args:" not in out


def test_version(capsys):
    assert run(capsys, "--version")[:2] == (0, f"gridpuzzles_gym {gridpuzzles_gym.__version__}\n")


def test_alone_it_opens_the_window(capsys, monkeypatch, tmp_path):
    opened = []
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr("gridpuzzles_gym.play.window.app.App.run", lambda app, name: opened.append(name))
    assert run(capsys) == (0, "", "")
    assert opened
    assert run(capsys, "levels") == run(capsys, "levels", "--help")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is always a display")
def test_alone_without_a_display_it_shows_the_help(capsys, monkeypatch):
    for name in ("SDL_VIDEODRIVER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    code, out, err = run(capsys)
    assert code == 0
    assert "no display" in err
    assert "Getting started" in out
    assert out == run(capsys, "--help")[1]


def test_list_fits_a_screen(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    ours = [row.id for row in gridpuzzles_gym.ENVIRONMENTS]
    monkeypatch.setattr("gridpuzzles_gym.commands.list.known_ids", lambda: ours)
    code, out, _ = run(capsys, "list")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines() if "-v0" in line] == ours
    assert "8-puzzle, tiles" in out
    assert max(map(len, out.splitlines())) <= 80
    assert len(out.splitlines()) < 24


def test_list_one_shows_everything_about_it_as_plain_text(capsys):
    code, out, _ = run(capsys, "list", "Wumpus-v0")
    assert code == 0
    for word in ("forward", "egocentric", "100 steps", "pit_probability", "textbook (1)", "online-search", "random"):
        assert word in out
    assert "The cave. size × size squares (default 4)" in out
    assert "Toy" not in out
    for row in gridpuzzles_gym.ENVIRONMENTS:
        page = run(capsys, "list", row.id)[1]
        assert not [mark for mark in ("``", "**", ":mod:", ":func:", "~grid") if mark in page]


def test_markup_is_rendered():
    text = rendered("One ``x=1`` of\n:mod:`~a.b`, **bold**.\n\n    kept  as\n    it is")
    assert text.plain == "One x=1 of a.b, bold.\n\n    kept  as\n    it is"
    assert [str(span.style) for span in text.spans] == ["cyan", "cyan", "bold"]


def test_list_as_json(capsys):
    entries = json.loads(run(capsys, "list", "--json")[1])
    assert {row.id for row in gridpuzzles_gym.ENVIRONMENTS} <= {entry["id"] for entry in entries}
    (one,) = json.loads(run(capsys, "list", "tiles", "--json")[1])
    assert (one["id"], one["settings"]["width"], one["levels"]["eight"]) == ("EightPuzzle-v0", 3, 5)
    assert set(one["agents"]) == set(agents_of(puzzle_of("EightPuzzle-v0")))


NAMES = {
    "wumpus": "Wumpus-v0",
    "WUMPUS-V0": "Wumpus-v0",
    "sokoban": "Sokoban-v0",
    "tiles": "EightPuzzle-v0",
    "n_puzzle": "EightPuzzle-v0",
    "8-puzzle": "EightPuzzle-v0",
    "15-Puzzle": "FifteenPuzzle-v0",
    "fifteen_puzzle": "FifteenPuzzle-v0",
    "cat-mouse": "CatMouse-v0",
    "gridpuzzles/sokoban-v0": "Sokoban-v0",
    "toy": "Toy-v0",
}


@pytest.mark.parametrize("name", NAMES)
def test_every_command_knows_an_id_by_its_names(capsys, name):
    assert arguments.resolve_id(name) == NAMES[name]
    assert arguments.puzzle_named(name) is puzzle_of(NAMES[name])
    assert f" {NAMES[name]} · " in run(capsys, "list", name)[1]
    for command in (["play"], ["watch", "--agent", "random"], ["compare"], ["train"], ["solve"]):
        _, _, err = run(capsys, command[0], name, *command[1:], "--set", "nonsense=1")
        assert err.startswith(f"gridpuzzles: {puzzle_of(NAMES[name]).title} ")  # has no such setting, or no search


def test_names_keep_their_module():
    assert arguments.resolve_id("toy:TOY") == "toy:Toy-v0"


def test_no_two_ids_share_a_name():
    rows = gridpuzzles_gym.ENVIRONMENTS
    names = [alias.replace("-", "").lower() for row in rows for alias in (row.id, row.id[:-3], *row.aliases)]
    assert len(names) == len(set(names))


def test_nothing_far_fetched_is_suggested(capsys):
    for name in ("Nope-v0", "x", ""):
        _, _, err = run(capsys, "play", name)
        assert f"unknown environment {name!r}; allowed are Wumpus-v0, " in err
    assert "did you mean 'Sokoban-v0'?" in run(capsys, "play", "sokobann")[2]
    assert "did you mean 'tiles'?" in run(capsys, "play", "tile")[2]


BAD_USAGE = {
    "unknown id": (["play", "Wumpus-v9"], "did you mean 'Wumpus-v0'?"),
    "unknown module": (["play", "no_such_module:X-v0"], "no_such_module"),
    "unknown command": (["plai"], "play"),
    "unknown option": (["play", "Wumpus-v0", "--sed", "1"], "--seed"),
    "missing id": (["play"], "gridpuzzles alone opens a window to choose in"),
    "missing agent": (["watch", "Wumpus-v0"], "--agent"),
    "unknown setting": (["play", "Wumpus-v0", "--set", "siz=4"], "did you mean 'size'?"),
    "setting of the command": (["play", "Wumpus-v0", "--set", "render_mode=human"], "render_mode"),
    "bad setting": (["play", "Wumpus-v0", "--set", "size=1"], "size=1"),
    "no equals sign": (["play", "Wumpus-v0", "--set", "size"], "must have the form name=value"),
    "twice": (["play", "Wumpus-v0", "--set", "size=4", "--set", "size=5"], "twice"),
    "bad limit": (["play", "Wumpus-v0", "--set", "max_episode_steps=0"], "max_episode_steps"),
    "limit without end": (
        ["compare", "Wumpus-v0", "--set", "max_episode_steps=" + "9" * 30],
        "must be an integer from 1 to 2,147,483,647",
    ),
    "bad observation": (["play", "Wumpus-v0", "--set", "observation=smell"], "egocentric"),
    "unknown level": (["play", "Wumpus-v0", "--levels", "nowhere"], "textbook"),
    "level out of range": (["play", "Wumpus-v0", "--levels", "textbook:2"], "counted from 1"),
    "level of another goal": (
        ["play", "EightPuzzle-v0", "--levels", "classic", "--set", "goal=rows"],
        "goal is spiral",
    ),
    "two level sources": (
        ["play", "Wumpus-v0", "--levels", "textbook", "--set", "levels=textbook"],
        "levels are chosen with --levels",
    ),
    "bad seed": (["play", "Wumpus-v0", "--seed", "-1"], "seed=-1"),
    "bad tile size": (["watch", "Wumpus-v0", "--agent", "random", "--tile-size", "2"], "8"),
    "no limit at all": (["play", "Wumpus-v0", "--set", "max_episode_steps=0"], "max_episode_steps=0"),
    "unknown agent": (["watch", "Wumpus-v0", "--agent", "online-serch"], "no agent 'online-serch' and no such file"),
    "bad file name": (
        ["watch", "Wumpus-v0", "--agent", "random", "--record", "film.avi"],
        "must end in .html, .gif or .mp4",
    ),
    "unknown hyperparameter": (["train", "Wumpus-v0", "--hyper", "learning_rat=1"], "learning_rate"),
    "unknown algorithm": (["train", "Wumpus-v0", "--algorithm", "dqn"], "maskable-ppo"),
    "bad hyperparameter": (["train", "Wumpus-v0", "--hyper", "hidden=wide"], "hidden='wide'"),
    "hyperparameter out of range": (
        ["train", "Wumpus-v0", "--hyper", "gamma=2"],
        "gamma=2: must be a number from 0 to 1",
    ),
    "hyperparameter that is no number": (["train", "Wumpus-v0", "--hyper", "learning_rate=NaN"], "must be a number"),
    "hyperparameter without end": (["train", "Wumpus-v0", "--hyper", "entropy=1e999"], "must be a number"),
    "minutes that are no number": (["train", "Wumpus-v0", "--minutes", "nan"], "minutes=nan: must be a positive"),
    "minutes without end": (["train", "Wumpus-v0", "--minutes", "inf"], "minutes=inf: must be a positive number"),
    "pace that is no number": (
        ["watch", "Wumpus-v0", "--agent", "random", "--fps", "nan"],
        "must be a number from 0.25 to 120",
    ),
    "setting that is no number": (["play", "Wumpus-v0", "--set", "pit_probability=NaN"], "pit_probability='NaN'"),
    "bad switch": (["train", "Wumpus-v0", "--hyper", "centred=1"], "centred=1: must be True or False"),
    "number that is a switch": (["train", "Wumpus-v0", "--hyper", "hidden=true"], "hidden=True: must be an integer"),
    "unknown puzzle": (["levels", "show", "textbook", "--puzzle", "wumpas"], "did you mean 'wumpus'?"),
    "settings nested too deeply": (["play", "Wumpus-v0", "--set", "size=" + "[" * 100_000], "nested too deeply"),
    "hyperparameter nested too deeply": (
        ["train", "Wumpus-v0", "--hyper", "hidden=" + "[" * 100_000],
        "nested too deeply",
    ),
    "sampler nested too deeply": (["train", "Wumpus-v0", "--sampler", "curriculum:up=" + "[" * 100_000], "too deeply"),
    "depth without end": (["solve", "EightPuzzle-v0", "--depth", "9" * 30], "limit depth="),
    "nodes without end": (["solve", "EightPuzzle-v0", "--nodes", "9" * 30], "limit nodes="),
    "memory without end": (["solve", "EightPuzzle-v0", "--memory", "9" * 30], "limit memory="),
    "negative depth": (["solve", "EightPuzzle-v0", "--depth", "-1"], "a positive integer"),
    "seconds that are no number": (["solve", "EightPuzzle-v0", "--seconds", "nan"], "a positive number"),
    "episodes without end": (["compare", "Wumpus-v0", "--episodes", "9" * 30], "a positive integer up to"),
    "width without end": (["train", "Wumpus-v0", "--hyper", "hidden=" + "9" * 30], "up to 65,536"),
    "nothing to compare": (["compare", "Wumpus-v0", "--episodes", "0"], "episodes"),
    "unknown agent to compare": (["compare", "Wumpus-v0", "--agent", "nobody"], "nobody"),
}


@pytest.mark.parametrize("case", BAD_USAGE)
def test_bad_usage_is_one_line_and_exit_code_2(capsys, case):
    arguments, hint = BAD_USAGE[case]
    code, out, err = run(capsys, *arguments)
    assert code == 2
    assert hint in err
    assert err.startswith("gridpuzzles: ")
    assert err.count("\n") == 1
    assert out.strip() == ""


def test_debug_shows_the_traceback(capsys, monkeypatch):
    arguments = ["play", "Nowhere-v0"]
    assert "Traceback" not in run(capsys, *arguments)[2]
    assert "Traceback" in run(capsys, "--debug", *arguments)[2]
    monkeypatch.setenv("GRIDPUZZLES_DEBUG", "1")
    assert "Traceback" in run(capsys, *arguments)[2]


def test_a_malformed_level_is_named_with_its_place(capsys, tmp_path):
    file = tmp_path / "cave.txt"
    file.write_text("A..\n.?.\nG..\n")
    code, _, err = run(capsys, "play", "Wumpus-v0", "--levels", file)
    assert code == 2
    assert f"{file}:2:2: unknown symbol" in err
    assert err.count("\n") == 1


def test_an_unwritable_path_is_reported_before_any_work(capsys, tmp_path):
    (tmp_path / "file").write_text("")
    target = tmp_path / "file" / "film.gif"
    code, _, err = run(capsys, "watch", "Wumpus-v0", "--agent", "random", "--record", target)
    assert code == 1
    assert str(tmp_path) in err
    assert err.count("\n") == 1
    assert run(capsys, "compare", "Wumpus-v0", "--csv", tmp_path)[0] == 1


def test_a_missing_optional_dependency_says_how_to_install_it(capsys, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "imageio", None)
    code, _, err = run(capsys, "watch", "Wumpus-v0", "--agent", "random", "--record", tmp_path / "film.gif")
    assert code == 1
    assert 'pip install "gridpuzzles_gym[media]"' in err
    assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())
    monkeypatch.setitem(sys.modules, "pygame_gui", None)
    for name in [name for name in sys.modules if name.startswith("gridpuzzles_gym.play.window.")]:
        monkeypatch.delitem(sys.modules, name)
    code, _, err = run(capsys, "play", "EightPuzzle-v0")
    assert code == 1
    assert 'pip install "gridpuzzles_gym[app]"' in err


OVER = """
import sys, pygame
del pygame.IS_CE
from gridpuzzles_gym.cli import run
sys.exit(run(["watch", "wumpus", "--agent", "random", "--record", "film.gif"]))
"""


def test_another_pygame_in_its_place_is_reported(tmp_path):
    said = subprocess.run([sys.executable, "-c", OVER], cwd=tmp_path, capture_output=True, text=True, timeout=100)
    assert said.returncode == 1
    assert said.stderr.startswith("gridpuzzles: pygame was installed over pygame-ce, which has the same files; to mend")
    assert said.stderr.count("\n") == 1


ENDS = {
    "bug": (
        ZeroDivisionError("division by zero"),
        1,
        "ZeroDivisionError: division by zero (this is a bug: please report",
    ),
    "bug that says nothing": (AssertionError(), 1, "AssertionError (this is a bug: please report"),
    "memory": (MemoryError(), 1, "out of memory; "),
    "array": (MemoryError("Unable to allocate 9 GiB"), 1, "out of memory: Unable to allocate 9 GiB; "),
    "depth": (RecursionError("maximum recursion depth exceeded"), 2, "nested too deeply"),
    "disk": (OSError(28, "No space left on device", "table.csv"), 1, "table.csv: No space left on device"),
}


@pytest.mark.parametrize("case", ENDS)
def test_whatever_goes_wrong_is_one_line(capsys, monkeypatch, case):
    error, expected, line = ENDS[case]

    def fail():
        raise error

    monkeypatch.setattr("gridpuzzles_gym.commands.list.overview", fail)
    code, out, err = run(capsys, "list")
    assert (code, out, err.count("\n")) == (expected, "", 1)
    assert line in err
    assert ("bug" in err) == case.startswith("bug")


def test_ctrl_c_is_quiet(capsys, monkeypatch):
    from gridpuzzles_gym.commands import list as listing

    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr(listing, "overview", interrupted)
    assert run(capsys, "list") == (130, "", "")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is always a display")
def test_no_display_is_one_line_in_a_process_of_its_own():
    done = fresh("play", "Wumpus-v0")
    assert done.returncode == 1
    assert "no display" in done.stderr
    assert done.stderr.count("\n") == 1


def test_levels_check_says_ok(capsys, tmp_path):
    file = tmp_path / "caves.txt"
    file.write_text(CAVE + "\n; two\nA.\nG.\n.W\n")
    code, out, _ = run(capsys, "levels", "check", file, "--puzzle", "wumpus")
    assert code == 0
    assert out.split("\n")[0].split() == ["ok", "one", "3×2"]
    assert out.split("\n")[1].split() == ["ok", "two", "2×3"]


def test_levels_check_reports_good_and_bad_levels_of_one_file(capsys, tmp_path):
    file = tmp_path / "caves.txt"
    file.write_text(CAVE + "\n; two\nA.\nA.\n\n; three\nA.\nG.\n\n..\n..\n")
    code, out, _ = run(capsys, "levels", "check", file, "--puzzle", "Wumpus-v0")
    assert code == 1
    assert f"{file}:7:1: a second agent" in out
    assert f"{file}:13: no agent" in out
    assert "one" in out
    assert "three" in out
    assert "4 levels, 2 invalid" in out


def test_levels_check_takes_folders_and_guesses_the_puzzle(capsys, tmp_path):
    folder = tmp_path / "wumpus"
    folder.mkdir()
    (folder / "good.txt").write_text(CAVE)
    assert run(capsys, "levels", "check", folder)[0] == 0
    (folder / "binary.txt").write_bytes(b"\xff\xfe\x00")
    code, out, _ = run(capsys, "levels", "check", folder)
    assert code == 1
    assert "not UTF-8" in out


def test_levels_check_asks_where_it_cannot_guess(capsys, tmp_path):
    file = tmp_path / "bad.txt"
    file.write_text("; no board at all\nzzz zzz!\n")
    code, _, err = run(capsys, "levels", "check", file)
    assert code == 2
    assert "--puzzle" in err
    assert "wumpus" in err
    assert run(capsys, "levels", "check", tmp_path / "missing.txt")[0] == 2


def test_levels_show(capsys, tmp_path):
    code, out, _ = run(capsys, "levels", "show", "textbook")
    assert code == 0
    assert "W" in out
    code, out, _ = run(capsys, "levels", "show", "easy, 5 moves")  # whose title that is, is found out
    assert code == 0
    assert "\n8 6 2\n" in out
    file = tmp_path / "maze.txt"
    file.write_text("; first\nS.G\n\n; second\nSG\n")
    code, out, _ = run(capsys, "levels", "show", f"{file}:2", "--puzzle", TOY.puzzle)
    assert code == 0
    assert "second" in out
    assert "first" not in out


def test_train_watch_and_compare_a_small_model(capsys, tmp_path):
    pytest.importorskip("stable_baselines3")
    out = tmp_path / "run"
    small = ("--num-envs", 8, "--hyper", "n_steps=16", "--hyper", "hidden=16", "--hyper", "n_epochs=1")
    code, printed, err = run(capsys, "train", "Wumpus-v0", "--steps", 2000, "--out", out, *small)
    assert (code, err) == (0, "")
    assert (out / "model.safetensors").is_file()
    assert "gridpuzzles watch Wumpus-v0 --agent" in printed

    code, _, err = run(capsys, "train", "Wumpus-v0", "--steps", 2000, "--out", out, *small)
    assert code == 2
    assert "resume" in err
    assert run(capsys, "train", "Wumpus-v0", "--steps", 2500, "--out", out, "--resume")[0] == 0

    film = tmp_path / "film.gif"
    assert run(capsys, "watch", "Wumpus-v0", "--agent", out, "--record", film, "--tile-size", 16)[0] == 0
    assert film.stat().st_size > 1000

    table, chart = tmp_path / "new" / "scores.csv", tmp_path / "new" / "scores.png"
    agents = ("--agent", "random", "--agent", out / "model.safetensors")
    code, printed, err = run(
        capsys, "compare", "Wumpus-v0", *agents, "--episodes", 20, "--seed", 5, "--csv", table, "--chart", chart
    )
    assert (code, err) == (0, "")
    assert "success" in printed
    with table.open() as lines:
        assert [row["agent"] for row in csv.DictReader(lines)] == ["random", str(out / "model.safetensors")]
    assert chart.read_bytes().startswith(b"\x89PNG")


def test_models_that_cannot_be(capsys, tmp_path):
    pytest.importorskip("stable_baselines3")
    (tmp_path / "bad.zip").write_text("no zip file")
    for name in ("missing.zip", "bad.zip"):
        code, _, err = run(capsys, "watch", "Wumpus-v0", "--agent", tmp_path / name)
        assert code == 2
        assert name in err
        assert err.count("\n") == 1
    code, _, err = run(capsys, "train", "Wumpus-v0", "--out", tmp_path / "none", "--resume")
    assert code == 2
    assert err.count("\n") == 1


def test_compare_takes_every_featured_agent_by_default(capsys):
    code, out, _ = run(capsys, "compare", "EightPuzzle-v0", "--episodes", 10)
    assert code == 0
    told = [line.split()[0] for line in out.splitlines() if line.strip()]
    assert [name for name in agents_of(puzzle_of("EightPuzzle-v0"), featured=True) if name not in told] == []


def test_compare_as_json(capsys, tmp_path):
    scores = tmp_path / "scores.csv"
    command = ("compare", "wumpus", "--agent", "random", "--episodes", 8, "--seed", 5, "--json", "--csv", scores)
    told = json.loads(run(capsys, *command)[1])
    assert (told["env_id"], told["seed"], told["missing"], told["written"]) == ("Wumpus-v0", 5, 0, [str(scores)])
    (score,) = told["scores"]
    assert (score["agent"], score["episodes"]) == ("random", 8)
    with scores.open(newline="") as rows:
        assert float(next(csv.DictReader(rows))["mean_return"]) == score["mean_return"]


@pytest.mark.parametrize(
    ("module", "extra"),
    [("torch", "train"), ("imageio_ffmpeg", "media"), ("pygame_gui", "app"), ("i18n", "app"), ("tree", "ray"),
     ("onnx", "onnx"), ("stable_baselines3", "train"), ("unknown", "train")],
)  # fmt: skip
def test_the_extra_of_a_missing_module(module, extra):
    assert extra_of(module) == extra
