"""``gridpuzzles generate``: what it makes is what was asked for, the same for any number of processes, and kept."""

import errno
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import time

import errands
import pytest
from helpers import not_refused, run, run_on_full_disk

from gridpuzzles_gym.agents.candidates import NO_LEVEL, UNFINISHED, Candidate
from gridpuzzles_gym.agents.level_sources import generating
from gridpuzzles_gym.agents.level_sources.generating import SAME, LevelCollection, random_bits_of
from gridpuzzles_gym.agents.level_sources.makers import maker_of
from gridpuzzles_gym.agents.parallel import open_executor
from gridpuzzles_gym.agents.puzzle_agents import key_of
from gridpuzzles_gym.agents.sokoban.generation.candidates import Bounds
from gridpuzzles_gym.agents.sokoban.generation.difficulty import Difficulty
from gridpuzzles_gym.agents.sokoban.generation.packs import read_sidecar
from gridpuzzles_gym.cli.generate import Journal, Request
from gridpuzzles_gym.engine.levels.sources import find_levels
from gridpuzzles_gym.play.arguments import puzzle_named
from gridpuzzles_gym.puzzles.bait import PUZZLE as BAIT
from gridpuzzles_gym.puzzles.sokoban import PUZZLE

SMALL = ("generate", "sokoban", "--size", 6, "--boxes", 1, "--simulations", 5, "--evaluation", "original")
TILES = ("generate", "n_puzzle", "--width", 3, "--set", "scramble=20")


def journal_of(path):
    return path.with_name(path.name + ".unfinished")


# -- what is made ------------------------------------------------------------------------------------


def test_levels_of_sokoban_come_with_a_table_and_as_json(tmp_path, capsys):
    out = tmp_path / "small.txt"
    told = json.loads(run(capsys, *SMALL, "--count", 4, "--seed", 3, "--json", "--out", out)[1])
    levels, grades = find_levels(PUZZLE, out), read_sidecar(out)
    assert [level.name for level in levels] == [f"small {number}" for number in range(1, 5)]
    assert len({key_of(PUZZLE, level) for level in levels}) == len(levels) == len(grades) == 4
    assert all(level.extent <= (6, 6) for level in levels)
    assert told["written"] == [str(out), str(out.with_suffix(".csv"))]
    assert [level["random_bits"] for level in told["levels"]] == [f"{grade.random_bits:016x}" for grade in grades]
    assert [level["difficulty"]["pushes"] for level in told["levels"]] == [grade.pushes for grade in grades]
    other = tmp_path / "other.txt"
    code, said, _ = run(capsys, *SMALL, "--count", 2, "--seed", 3, "--avoid", out, "--out", other)
    assert (code, bool(re.search(rf"rejected +\d.*{SAME}", said))) == (0, True)
    known = {key_of(PUZZLE, level) for level in levels}
    assert not known & {key_of(PUZZLE, level) for level in find_levels(PUZZLE, other)}


def test_every_puzzle_generates_its_own_and_fewer_levels_are_the_first_ones(tmp_path, capsys):
    for name, more in (
        ("wumpus", ["--size", 6, "--set", "pits=5"]),
        ("CatMouse-v0", ["--size", 9, "--set", "loops=1"]),
        ("FifteenPuzzle-v0", ["--set", "goal=spiral"]),
        ("n_puzzle", ["--width", 2, "--set", "scramble=5"]),
    ):
        out, puzzle = tmp_path / "drawn.txt", puzzle_named(name)
        code, said, _ = run(capsys, "generate", name, *more, "--count", 5, "--out", out, "--force")
        assert (code, bool(re.search(r"levels +5\b", said))) == (0, True), said
        levels = find_levels(puzzle, out)
        assert len({key_of(puzzle, level) for level in levels}) == 5
        code, printed, notes = run(capsys, "generate", name, *more, "--count", 2)
        first = find_levels(puzzle, printed)
        assert [key_of(puzzle, level) for level in first] == [key_of(puzzle, level) for level in levels[:2]]
        assert "seconds" in notes
        assert not out.with_suffix(".csv").exists()
        for command in ("check", "show", "stats"):
            assert run(capsys, "levels", command, out)[::2] == (0, ""), (name, command)


def test_a_file_of_rows_has_the_same_levels(tmp_path, capsys):
    rows, text = tmp_path / "made.npz", tmp_path / "made.txt"
    assert run(capsys, *TILES, "--count", 30, "--out", rows)[0] == run(capsys, *TILES, "--count", 30, "--out", text)[0]
    assert run(capsys, "levels", "show", rows)[1] == run(capsys, "levels", "show", text)[1]


@pytest.mark.compiled
@pytest.mark.extended
def test_processes_do_not_matter_and_levels_keep_to_their_bounds(tmp_path, capsys):
    one, two = tmp_path / "one" / "few.txt", tmp_path / "two" / "few.txt"
    command = ("generate", "sokoban", "--size", 7, "--boxes", 2, "--simulations", 20, "--count", 10)
    bounds = ("--least-pushes", 3, "--most-pushes", 9, "--least-nodes", 4)
    for workers, out in ((1, one), (2, two)):
        code, said, _ = run(capsys, *command, *bounds, "--workers", workers, "--out", out)
        assert (code, "under 3 pushes" in said) == (0, True)
    assert all(3 <= grade.pushes <= 9 and grade.nodes >= 4 for grade in read_sidecar(one))
    for suffix in (".txt", ".csv"):
        assert one.with_suffix(suffix).read_bytes() == two.with_suffix(suffix).read_bytes()


# -- when it ends ------------------------------------------------------------------------------------


def test_time_counts_from_the_first_level_on_and_what_is_unfinished_is_dropped(capsys):
    with open_executor(1) as executor:
        report = generating.generate(errands.MakesSlowly(), LevelCollection(set()), 0, None, 0.2, executor)
    assert [candidate.random_bits for candidate in report.kept] == list(itertools.islice(random_bits_of(0), 1))
    assert report.rejected == {UNFINISHED: 1}
    code, out, notes = run(capsys, *TILES, "--seconds", 0.1)
    assert (code, len(find_levels(puzzle_named("n_puzzle"), out)) >= 1, "seconds" in notes) == (0, True, True)


def test_it_gives_up_where_nothing_is_good(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("gridpuzzles_gym.agents.level_sources.generating.PATIENCE", 5)
    out = tmp_path / "none.txt"
    code, said, _ = run(capsys, *SMALL, "--least-pushes", 1000, "--out", out)
    assert (code, "rejections in a row" in said, out.exists()) == (1, True, False)


def test_ctrl_c_keeps_what_is_done_and_the_same_command_goes_on(tmp_path, capsys, monkeypatch):
    out, whole = tmp_path / "kept.txt", tmp_path / "whole" / "kept.txt"
    assert run(capsys, *TILES, "--count", 8, "--out", whole)[0] == 0
    add, made = LevelCollection.add, []

    def struck(self, candidate):
        made.append(candidate)
        if len(made) == 4:
            raise KeyboardInterrupt
        return add(self, candidate)

    with monkeypatch.context() as patch:
        patch.setattr(LevelCollection, "add", struck)
        code, said, _ = run(capsys, *TILES, "--count", 8, "--out", out)
    assert (code, f"written: {out}\n" in said) == (130, True)
    assert said.endswith("the same command with --resume goes on\n")
    assert len(find_levels(puzzle_named("n_puzzle"), out)) == 3
    with journal_of(out).open("a") as file:
        file.write('{"random_bits": 12')  # what a power cut leaves
    out.unlink()
    code, _, err = run(capsys, *TILES, "--count", 8, "--out", out)
    assert (code, "an unfinished generation is there; use --resume to go on, --force to start again" in err) == (
        1,
        True,
    )
    assert run(capsys, *TILES, "--count", 8, "--out", out, "--resume")[0] == 0
    assert out.read_bytes() == whole.read_bytes()
    assert not journal_of(out).exists()


@pytest.mark.extended
def test_a_kill_and_a_full_disk_lose_nothing(tmp_path, capsys):
    out, whole = tmp_path / "small.txt", tmp_path / "whole" / "small.txt"
    assert run(capsys, *TILES, "--count", 40, "--out", whole)[0] == 0
    command = [sys.executable, "-m", "gridpuzzles_gym.cli", *map(str, TILES), "--out", str(out), "--workers", "2"]
    process = subprocess.Popen([*command, "--count", "10000000"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not journal_of(out).exists() or journal_of(out).read_text().count("\n") < 8:
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert run(capsys, *TILES, "--count", 40, "--out", out, "--resume")[0] == 0
    assert out.read_bytes() == whole.read_bytes()
    full = tmp_path / "full" / "small.txt"
    full.parent.mkdir()
    said = run_on_full_disk(2000, *TILES, "--count", 40, "--workers", 1, "--out", full)
    why = f"{os.strerror(errno.EFBIG)}; the levels made so far are kept: the same command with --resume goes on"
    assert said == f"gridpuzzles: {journal_of(full)}: {why}\n"
    assert run(capsys, *TILES, "--count", 40, "--out", full, "--resume")[0] == 0
    assert full.read_bytes() == whole.read_bytes()


# -- errors ------------------------------------------------------------------------------------------


def test_what_cannot_be_is_one_line(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cases = [
        (["chess"], "unknown puzzle 'chess'"),
        (["sokoban", "--difficulty", "easy"], "--difficulty does not apply to Sokoban; allowed are --size, --width"),
        (["bait", "--boxes", "2"], "--boxes does not apply to Bait; allowed are --size, --width, --height"),
        (["sokoban", "--boxes", "2", "--set", "boxes=3"], "--boxes and --set boxes cannot be combined"),
        (["wumpus", "--set", "pitz=1"], "unknown setting --set 'pitz'; did you mean 'pits'?"),
        (["CatMouse-v0", "--set", "maze=classic"], "Cat and Mouse generates new levels with maze='random' only"),
        (["Toy-v0"], "Toy maze generates no levels of its own"),
        (["sokoban", "--size", "3"], "height=3"),
        (["sokoban", "--size", "9", "--width", "8"], "size=9 sets both sides: do not give width or height as well"),
        (["sokoban", "--evaluation", "taste"], "evaluation='taste'"),
        (["sokoban", "--least-pushes", "5", "--most-pushes", "4"], "least_pushes=5 is above most_pushes=4"),
        (["sokoban", "--count", "0"], "--count 0: must be a positive integer"),
        (["sokoban", "--seconds", "nan"], "--seconds nan: must be a positive number"),
        (["sokoban", "--workers", "0"], "workers"),
        (["sokoban", "--avoid", "nowhere"], "no levels 'nowhere'"),
        (["sokoban", "--out", "levels.csv"], "must end in .txt, .xsb or .npz"),
        (["sokoban", "--resume"], "--resume continues a file: it needs --out FILE"),
        (["sokoban", "--resume", "--out", "a.txt"], "a.txt.unfinished: there is nothing to resume"),
        (["sokoban", "--resume", "--force", "--out", "a.txt"], "--resume and --force cannot be combined"),
    ]
    assert not_refused(capsys, cases, "generate") == []
    assert os.listdir(tmp_path) == []
    journal_of(tmp_path / "a.txt").write_text("{}\nnonsense\n")
    damaged = [(["sokoban", "--resume", "--out", "a.txt"], "a.txt.unfinished is damaged; use --force to start again")]
    assert not_refused(capsys, damaged, "generate") == []
    (tmp_path / "b.csv").write_text("mine")
    code, _, err = run(capsys, *SMALL, "--count", 1, "--out", "b.txt")
    assert (code, err) == (1, "gridpuzzles: b.csv: already exists; use --force to overwrite it\n")


# -- the parts ---------------------------------------------------------------------------------------


def test_flags_and_bounds():
    for puzzle in (BAIT, PUZZLE):
        maker = maker_of(puzzle)
        assert {flag.name for flag in maker.flags} <= {*maker.settings, *maker.bounds}
    hard = Difficulty(True, nodes=1500, proof_nodes=9, pushes=20, box_changes=3)
    assert Bounds(least_pushes=20, most_pushes=20, most_nodes=1500, least_box_changes=3).rejection(hard) == ""
    assert Bounds(most_nodes=1499).rejection(hard) == "over 1,499 nodes"
    assert Bounds(least_box_changes=4).rejection(hard) == "under 4 box changes"
    assert Bounds().rejection(Difficulty(False, 5, 0)) == "not solved"


def test_a_collection_counts_the_candidates_of_a_seed():
    first = list(itertools.islice(random_bits_of(7), 100))
    assert len(set(first)) == 100
    assert list(itertools.islice(random_bits_of(7, 90), 10)) == first[90:]
    assert not set(first) & set(itertools.islice(random_bits_of(8), 100))
    collection = LevelCollection({b"known"})
    keys = [b"a", b"known", b"a", b"b"]
    kept = [collection.add(Candidate(word, key=key, score=word)) for word, key in enumerate(keys)]
    assert kept == [True, False, False, True]
    assert not collection.add(Candidate(9, "bad", score=9))
    assert collection.rejected == {SAME: 2, "bad": 1}
    assert (collection.tried, collection.best) == (5, 3)


def test_a_journal_reads_candidates_as_they_were_and_refuses_another_request(tmp_path):
    path, request = tmp_path / "journal", Request("sokoban", {}, {}, (), 0)
    candidates = [
        Candidate(0),
        Candidate(5, NO_LEVEL),
        Candidate(2**64 - 1, board="#@$.#", key=b"\0\xff", name="one", score=1.5, boxes=1),
        Candidate(7, "too easy", difficulty=Difficulty(True, nodes=3, proof_nodes=0, pushes=1, certificate="R")),
    ]
    journal = Journal(path, request, resume=False)
    for candidate in candidates:
        journal.add(candidate)
    journal.close()
    again = Journal(path, request, resume=True)
    assert again.candidates == candidates
    again.add(candidates[0])
    again.close()
    assert path.read_text().count("\n") == 6
    with pytest.raises(ValueError, match="cannot be resumed with other options: seed was 0, now it is 1"):
        Journal(path, Request("sokoban", {}, {}, (), 1), resume=True)
    with pytest.raises(ValueError, match="cannot be resumed with other options: boxes was null, now it is 2"):
        Journal(path, Request("sokoban", {"boxes": 2}, {}, (), 0), resume=True)
