"""The generated packs of Sokoban that come along: solved, different, graded, and made by the commands that are told."""

import itertools
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from gridpuzzles_gym.agents.level_sources import generating
from gridpuzzles_gym.agents.sokoban.generation.candidates import canonical_key
from gridpuzzles_gym.agents.sokoban.generation.difficulty import measure
from gridpuzzles_gym.agents.sokoban.generation.packs import read_sidecar
from gridpuzzles_gym.cli import run
from gridpuzzles_gym.engine.levels.sources import find_levels
from gridpuzzles_gym.puzzles.sokoban import PUZZLE
from gridpuzzles_gym.puzzles.sokoban.notation import read_lurd

LEVELS = Path(__file__).parents[2] / "levels"
KINDS = ("starter", "easy", "medium", "hard")
EXTENTS = {"starter": (7, 7), "easy": (8, 8), "medium": (10, 10), "hard": (10, 10)}
BOXES = {"starter": {1, 2}, "easy": {3}, "medium": {4}, "hard": {4}}
COMMANDS = {
    re.search(r"--out levels/sokoban/(\S+)\.txt", line)[1]: line
    for line in (LEVELS / "README.md").read_text().splitlines()
    if line.startswith("gridpuzzles generate sokoban")
}
PACKS = [kind + ending for kind in KINDS for ending in ("", "-test")]


@pytest.mark.compiled
@pytest.mark.extended
@pytest.mark.parametrize("pack", PACKS)
def test_every_level_is_as_its_table_says(pack):
    levels, grades = find_levels(PUZZLE, pack), read_sidecar(pack)
    assert len(levels) == len(grades) == (100 if pack.endswith("-test") else 1000)
    kind = pack.removesuffix("-test")
    some = np.random.default_rng(0).choice(len(levels), 30, replace=False).tolist()
    for k, (level, grade) in enumerate(zip(levels, grades, strict=True)):
        assert level.name == grade.title == f"{pack} {k + 1}"
        assert level.extent == EXTENTS[kind]
        assert grade.boxes in BOXES[kind]
        assert grade.boxes == sum(map("".join(level.content).count, "$*"))
        rows, state = PUZZLE.encode(level, level.extent, PUZZLE.read_options())
        if k in some:
            found = measure(rows, state)
            assert (found.pushes, found.nodes, found.proof_nodes) == (grade.pushes, grade.nodes, grade.proof_nodes)
            ended = False
            for action in read_lurd(grade.certificate):
                assert not ended
                _, ended = PUZZLE.rules.step(rows, state, action, np.ones(1, np.uint64))
            assert ended
            assert sum(letter.isupper() for letter in grade.certificate) == grade.pushes


@pytest.mark.extended
@pytest.mark.parametrize("kind", KINDS)
def test_no_level_comes_twice(kind):
    levels = find_levels(PUZZLE, kind) + find_levels(PUZZLE, f"{kind}-test")
    assert len({canonical_key(level.content) for level in levels}) == len(levels) == 1100


@pytest.mark.compiled
@pytest.mark.extended
@pytest.mark.parametrize("pack", PACKS)
def test_the_commands_make_the_packs_again(pack, tmp_path, capsys, monkeypatch):
    """The first levels; of the candidates for hard ones, which take seconds each, only those that were accepted."""
    if pack.startswith("hard"):
        accepted = {grade.random_bits for grade in read_sidecar(pack)}
        stream = generating.random_bits_of  # 1,000 candidates have some that were accepted
        monkeypatch.setattr(
            generating,
            "random_bits_of",
            lambda *of: filter(accepted.__contains__, itertools.islice(stream(*of), 1000)),
        )
    command = re.sub(r"--count \d+", "--count 2", COMMANDS[pack])
    command = command.replace("--avoid levels/sokoban/", f"--avoid {LEVELS}/sokoban/")
    out = tmp_path / f"{pack}.txt"
    arguments = shlex.split(re.sub(r"--out \S+", f"--out {shlex.quote(str(out))}", command))
    assert run(arguments[1:]) == 0, capsys.readouterr().err
    assert (LEVELS / "sokoban" / f"{pack}.txt").read_text().startswith(out.read_text())
    assert (LEVELS / "sokoban" / f"{pack}.csv").read_text().startswith(out.with_suffix(".csv").read_text())
