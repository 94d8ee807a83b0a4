"""Mistyped commands: what is meant is named, in the suite's own words, whatever the parser's library says."""

import pytest
import typer
from helpers import piped, run

from gridpuzzles_gym.cli.program import app

PARSERS_WORDS = (
    "Input should",
    " valid ",
    "Invalid value",
    "Got unexpected",
    "No such",
    "Missing",
    "requires an argument",
)
SIMILAR = {
    "agent": (["watch", "wumpus", "--agent", "bayesain"], "bayesian"),
    "agent to compare": (["compare", "wumpus", "--agent", "online-serch"], "online-search"),
    "agent with parameters": (["watch", "8-puzzle", "--agent", "atar:nodes=9"], "astar"),
    "search": (["solve", "8-puzzle", "--search", "astr"], "astar"),
    "search of levels": (["levels", "solve", "first", "--search", "sokban"], "sokoban"),
    "heuristic": (["solve", "8-puzzle", "--heuristic", "manhatan"], "manhattan"),
    "tables": (["warmup", "15-puzzle", "--heuristic", "pdb-78"], "pdb-7-8"),
    "pack of a puzzle": (["play", "sokoban", "--levels", "mediun"], "medium"),
    "pack of any puzzle": (["levels", "show", "mediun"], "medium"),
    "teacher": (["train", "wumpus", "--teacher", "optimall"], "optimal"),
    "sampler": (["train", "wumpus", "--sampler", "curiculum"], "curriculum"),
    "network": (["train", "wumpus", "--network", "residul"], "residual"),
    "algorithm": (["train", "wumpus", "--algorithm", "maskable_ppo"], "maskable-ppo"),
    "view": (["ask", "sokoban", "--scripted", "random", "--view", "bord"], "board"),
    "observation": (["compare", "wumpus", "--set", "reward=textbok"], "textbook"),
    "style": (["play", "sokoban", "--style", "papr"], "paper"),
    "command": (["lst"], "list"),
    "command for levels": (["levels", "chek"], "check"),
    "option": (["play", "wumpus", "--level", "textbook"], "--levels"),
}


@pytest.mark.parametrize("case", SIMILAR)
def test_the_most_similar_name_is_suggested(capsys, case):
    arguments, meant = SIMILAR[case]
    code, _, err = run(capsys, *arguments)
    assert code == 2
    assert f"did you mean {meant!r}?" in err
    assert err.count("\n") == 1


def commands(group=None, path=()):
    """Every command with its path."""
    group = group or typer.main.get_command(app)
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


def test_no_command_repeats_the_words_of_its_parser(capsys):
    checked = 0
    for path, command in commands():
        required = [param for param in command.params if param.required]
        if required:
            code, _, err = run(capsys, *path)
            assert (code, err.startswith("gridpuzzles: ")) == (2, True)
            assert f" is missing, e.g. gridpuzzles {' '.join(path)} " in err
            assert not any(words in err for words in PARSERS_WORDS), err
        given = [word for param in required for word in _given(param)]
        for param in command.params:
            if param.metavar not in ("N", "S", "M", "MIB", "T", "MARK"):
                continue
            code, _, err = run(capsys, *path, *given, param.opts[0], "many")
            assert (code, f"{param.opts[0]} 'many': must be " in err) == (2, True), (path, err)
            assert not any(words in err for words in PARSERS_WORDS), err
            checked += 1
    assert checked > 60


def _given(param):
    value = "sokoban" if param.metavar in ("ID", "PUZZLE") else "x"
    return [param.opts[0], value] if param.opts[0].startswith("-") else [value]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["ask", "sokoban", "--episodes", "0"], "--episodes '0': must be an integer of at least 1"),
        (["watch", "wumpus", "--agent", "random", "--fps", "0"], "--fps '0': must be a number from 0.25 to 120"),
        (["ask", "sokoban", "--episodes"], "--episodes needs a value"),
        (["ask", "sokoban", "--json=3"], "--json takes no value"),
        (["play", "wumpus", "textbook"], "unexpected 'textbook'"),
        (["play"], "gridpuzzles list shows all, and gridpuzzles alone opens a window to choose in"),
        (["solve", "wumpus"], "no search applies; agents play it, e.g. gridpuzzles watch wumpus --agent "),
        (["solve", "cat-mouse", "--search", "all"], "gridpuzzles watch cat_mouse --agent "),
        (["levels", "solve", "textbook"], "searches need deterministic transitions, but agents play it"),
        (["train", "sokoban", "--set", "levels=starter"], "levels are chosen with --levels"),
        (["watch", "wumpus", "--agent", "random", "--record", "x.avi"], "x.avi: the name must end in .html, .gif or "),
    ],
)  # fmt: skip
def test_what_is_wrong_and_what_is_possible(capsys, arguments, message):
    code, _, err = run(capsys, *arguments)
    assert code == 2
    assert message in err
    assert err.count("\n") == 1


def test_one_name_for_one_thing():
    """Levels, outputs, numbers of things: no two commands call the same thing by different names."""
    options = {path: {name for param in command.params for name in param.opts} for path, command in commands()}
    old = {"--level", "--limit", "--concurrent", "--reference", "--env", "path", "picture", "level"}
    assert not {path: names & old for path, names in options.items() if names & old}
    playing = [path for path, names in options.items() if {"env_id", "--set"} <= names]
    assert all("--levels" in options[path] for path in playing)
    assert len(playing) == 9
    about_levels = [path for path in options if path[0] in ("levels", "worksheet")]
    assert not any("--levels" in options[path] for path in about_levels)


def test_levels_can_be_piped(capsys, monkeypatch):
    for command in (["levels", "show", "-"], ["levels", "stats", "-"], ["solve", "8-puzzle", "--levels", "-"]):
        piped(monkeypatch, "; Short\n1 2 3\n4 5 6\n7 0 8\n")
        code, out, err = run(capsys, *command)
        assert (code, err, "Short" in out) == (0, "", True), command


@pytest.mark.parametrize("choice", ["first:2", "Harbour", "first", '["first:2", "Harbour"]', '["first", "first:2"]'])
def test_levels_are_chosen_alike_everywhere(choice, capsys):
    """A number or a title selects one level for a comparison as well, where environments take whole packs."""
    from gridpuzzles_gym.engine.levels.sources import find_levels
    from gridpuzzles_gym.session.arguments import chosen_levels, environment, level_setting

    puzzle = environment("Sokoban-v0")[1]
    levels = chosen_levels(puzzle, choice)
    assert len(find_levels(puzzle, level_setting(puzzle, choice))) == len(levels)
    code, out, err = run(capsys, "levels", "show", choice)
    assert (code, err, out.count(";")) == (0, "", len(levels))
