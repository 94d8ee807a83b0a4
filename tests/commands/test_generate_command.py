"""``gridpuzzles generate``: what it makes is what was asked for, the same for any number of processes, and kept."""

import contextlib
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
import pygame
import pytest
from helpers import fresh, run, run_on_full_disk
from sokoban_problems import problem_of

from gridpuzzles_gym.agents.candidates import UNFINISHED, Candidate
from gridpuzzles_gym.agents.identity import key_of
from gridpuzzles_gym.agents.level_sources.collecting import SAME, LevelCollection, random_bits_of
from gridpuzzles_gym.agents.level_sources.makers import maker_of
from gridpuzzles_gym.agents.parallel import open_executor
from gridpuzzles_gym.agents.sokoban.generation.candidates import Bounds, MeasuredCandidates
from gridpuzzles_gym.agents.sokoban.generation.difficulty import Difficulty, measure
from gridpuzzles_gym.agents.sokoban.generation.generator import Generator, Recipe
from gridpuzzles_gym.agents.sokoban.generation.packs import read_sidecar
from gridpuzzles_gym.commands.generation import generate as generating
from gridpuzzles_gym.engine.levels.sources import find_levels
from gridpuzzles_gym.play.arguments import puzzle_named
from gridpuzzles_gym.play.resume_record import Unfinished
from gridpuzzles_gym.puzzles.bait import PUZZLE as BAIT
from gridpuzzles_gym.puzzles.sokoban import PUZZLE
from gridpuzzles_gym.puzzles.sokoban.notation import read_lurd

SMALL = ("generate", "sokoban", "--size", 7, "--boxes", 2, "--simulations", 20, "--evaluation", "original")


def test_help_has_examples_and_the_flags_of_level_makers_and_imports_no_window():
    done = fresh("generate", "--help", PYTHONPROFILEIMPORTTIME="1")
    assert done.returncode == 0
    assert "gridpuzzles generate sokoban" in done.stdout
    assert "--difficulty" in done.stdout
    assert "--least-box-changes" in done.stdout
    assert not any(f"{heavy}\n" in done.stderr for heavy in (" pygame", " torch"))


def test_every_flag_of_a_level_maker_is_a_setting_or_a_bound():
    for puzzle in (BAIT, PUZZLE):
        maker = maker_of(puzzle)
        assert {flag.name for flag in maker.flags} <= {*maker.settings, *maker.bounds}


# -- what is made ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pack(tmp_path_factory):
    """A file of 25 levels, its folder holding the table as well."""
    path = tmp_path_factory.mktemp("made") / "small.txt"
    done = fresh(*SMALL, "--count", 25, "--seed", 3, "--out", path)
    assert done.returncode == 0, done.stderr
    return path


def test_levels_are_valid_solved_and_all_different(pack):
    levels, grades = find_levels(PUZZLE, pack), read_sidecar(pack)
    assert len(levels) == len(grades) == 25
    assert [level.name for level in levels] == [f"small {number}" for number in range(1, 26)]
    assert len({key_of(PUZZLE, level) for level in levels}) == 25
    for level, grade in zip(levels, grades, strict=True):
        problem = problem_of(level.content)
        difficulty = measure(problem.level, problem.state)
        assert difficulty.solved
        assert (grade.pushes, grade.nodes, grade.certificate) == (
            difficulty.pushes, difficulty.nodes, difficulty.certificate
        )  # fmt: skip
        assert problem.reaches_goal(read_lurd(grade.certificate))
        assert level.extent <= (7, 7)
        assert grade.boxes <= 2


def test_processes_have_no_say_and_fewer_levels_are_the_first_ones(pack, tmp_path, capsys):
    again = tmp_path / "small.txt"
    code, out, _ = run(capsys, *SMALL, "--count", 25, "--seed", 3, "--workers", 2, "--out", again)
    assert code == 0
    assert re.search(r"levels +25\b", out)
    assert "2 processes" in out
    for suffix in (".txt", ".csv"):
        assert again.with_suffix(suffix).read_bytes() == pack.with_suffix(suffix).read_bytes()
    code, out, notes = run(capsys, *SMALL, "--count", 5, "--seed", 3)
    assert code == 0
    assert find_levels(PUZZLE, out) == [
        level.__class__(level.extent, level.content, level.name.replace("small", "sokoban"))
        for level in find_levels(PUZZLE, pack)[:5]
    ]
    assert re.search(r"median pushes +\d", notes)


def test_what_is_in_another_file_does_not_come_again(pack, tmp_path, capsys):
    out = tmp_path / "other.txt"
    code, said, _ = run(capsys, *SMALL, "--count", 5, "--seed", 3, "--avoid", pack, "--out", out)
    assert code == 0
    assert re.search(rf"rejected +\d.*{SAME}", said)
    known = {key_of(PUZZLE, level) for level in find_levels(PUZZLE, pack)}
    assert not known & {key_of(PUZZLE, level) for level in find_levels(PUZZLE, out)}


def test_levels_keep_to_their_bounds(tmp_path, capsys):
    out = tmp_path / "few.txt"
    bounds = ("--least-pushes", 3, "--most-pushes", 9, "--least-nodes", 4)
    code, said, _ = run(capsys, *SMALL, "--count", 5, *bounds, "--out", out)
    assert code == 0
    assert re.search(r"rejected +\d+ under 3 pushes", said)
    assert all(3 <= grade.pushes <= 9 and grade.nodes >= 4 for grade in read_sidecar(out))


def test_settings_of_the_recipe_and_weights(tmp_path, capsys):
    command = ("generate", "sokoban", "--size", 7, "--boxes", 2, "--simulations", 20, "--count", 3)
    plain = run(capsys, *command, "--evaluation", "original")[1]
    assert run(capsys, *command, "--set", "blocks=10")[1] == plain
    assert run(capsys, *command, "--set", "blocks=0", "--set", "floor=[20, 40]")[1] != plain


def test_the_command_for_bait(tmp_path, capsys):
    out, sheet = tmp_path / "mine.txt", tmp_path / "mine.png"
    code, said, _ = run(
        capsys, "generate", "bait", "--size", 8, "--count", 3, "--difficulty", 1, "--out", out, "--sheet", sheet
    )
    assert code == 0
    assert len(find_levels(BAIT, out)) == 3
    assert sheet.exists()
    assert not out.with_suffix(".csv").exists()
    assert "median" not in said


@pytest.mark.parametrize(
    ("arguments", "puzzle"),
    [
        (["wumpus", "--size", 6, "--set", "pits=5"], "wumpus"),
        (["CatMouse-v0", "--size", 9, "--set", "loops=1"], "cat_mouse"),
        (["FifteenPuzzle-v0", "--set", "goal=spiral"], "n_puzzle"),
        (["n_puzzle", "--width", 2, "--set", "scramble=5"], "n_puzzle"),
    ],
)
def test_other_puzzles_generate_their_own(arguments, puzzle, tmp_path, capsys):
    out, sheet = tmp_path / "drawn.txt", tmp_path / "drawn.png"
    code, said, _ = run(capsys, "generate", *arguments, "--count", 5, "--out", out, "--sheet", sheet)
    assert code == 0, said
    levels = find_levels(puzzle_named(puzzle), out)
    assert len({level.name for level in levels}) == 5
    assert len({key_of(puzzle_named(puzzle), level) for level in levels}) == 5
    assert sheet.exists()
    assert find_levels(puzzle_named(puzzle), run(capsys, "generate", *arguments, "--count", 5)[1])[0].name in {
        level.name for level in levels
    }


# -- when it ends ------------------------------------------------------------------------------------


def test_time_is_up(capsys):
    code, out, notes = run(capsys, "generate", "bait", "--seconds", 0.3, "--seed", 5)
    assert code == 0
    assert len(find_levels(BAIT, out)) >= 1
    assert "seconds" in notes


def test_a_level_that_is_not_finished_in_time_is_refused():
    make = MeasuredCandidates(Generator(Recipe(20, 20, 10, simulations=10_000_000)))  # takes days
    make(1, 0.0)  # compiles
    assert make(1, time.monotonic() + 1).rejection == UNFINISHED


@pytest.mark.parametrize("workers", [1, 2])
def test_time_counts_from_the_first_level_on_and_what_is_unfinished_is_dropped(workers):
    with open_executor(workers) as executor:
        report = generating.generate(errands.MakesSlowly(), LevelCollection(set()), 0, None, 0.5, executor)
    assert [candidate.random_bits for candidate in report.kept] == list(itertools.islice(random_bits_of(0), workers))
    assert report.rejected == {UNFINISHED: 1}
    assert report.seconds >= 0.5


@pytest.mark.parametrize("workers", [1, 2])
def test_the_first_level_is_always_finished(capsys, workers):
    code, out, _ = run(capsys, *SMALL, "--seconds", 1e-9, "--count", 1, "--seed", 3, "--workers", workers)
    assert code == 0
    assert len(find_levels(PUZZLE, out)) == 1


def test_json_has_the_levels_and_what_is_known_of_them(pack, capsys, tmp_path):
    out = tmp_path / "small.txt"
    code, printed, notes = run(capsys, *SMALL, "--count", 3, "--seed", 3, "--json")
    assert (code, notes) == (0, "")
    told = json.loads(printed)
    grades = read_sidecar(pack)
    assert [level["random_bits"] for level in told["levels"]] == [f"{grade.random_bits:016x}" for grade in grades[:3]]
    assert [level["difficulty"]["pushes"] for level in told["levels"]] == [grade.pushes for grade in grades[:3]]
    assert [find_levels(PUZZLE, level["text"] + "\n")[0].content for level in told["levels"]] == [
        level.content for level in find_levels(PUZZLE, pack)[:3]
    ]
    assert told["written"] == []
    told = json.loads(run(capsys, *SMALL, "--count", 3, "--seed", 3, "--json", "--out", out)[1])
    assert told["written"] == [str(out), str(out.with_suffix(".csv"))]
    assert [level["title"] for level in told["levels"]] == ["small 1", "small 2", "small 3"]


def test_the_levels_made_in_time_are_the_first_ones(pack, capsys):
    code, out, notes = run(capsys, *SMALL, "--seconds", 1, "--seed", 3)
    assert code == 0
    assert re.search(rf"rejected .*1 {UNFINISHED}", notes)
    made, first = ([level.content for level in find_levels(PUZZLE, levels)] for levels in (out, pack))
    shared = min(len(made), len(first))
    assert made[:shared] == first[:shared] != []


STRUCK = """
import os, signal, sys, threading
from gridpuzzles_gym import cli
from gridpuzzles_gym.agents.level_sources.collecting import LevelCollection
add = LevelCollection.add

def struck(self, candidate):
    if not self.kept:
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    return add(self, candidate)

LevelCollection.add = struck
sys.exit(cli.run(sys.argv[1:]))
"""
"""A command that is interrupted half a second after its first level."""


@pytest.mark.extended
@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_keeps_what_is_done(tmp_path, workers):
    out = tmp_path / "kept.txt"
    arguments = [*SMALL, "--count", 1_000_000, "--out", out, "--workers", workers]
    command = [sys.executable, "-c", STRUCK, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 130
    assert f"written: {out}\n" in done.stdout
    assert len(find_levels(PUZZLE, out)) == len(read_sidecar(out)) > 0
    assert sorted(os.listdir(tmp_path)) == ["kept.csv", "kept.txt", "kept.txt.unfinished"]
    assert done.stdout.endswith("the same command with --resume goes on\n")


def test_ctrl_c_while_it_compiles_is_not_lost(tmp_path, capsys, monkeypatch):
    prepare = generating.make_source

    def interrupted(*arguments):
        os.kill(os.getpid(), signal.SIGINT)
        return prepare(*arguments)

    monkeypatch.setattr(generating, "make_source", interrupted)
    out = tmp_path / "kept.txt"
    code, _, notes = run(capsys, *SMALL, "--out", out)
    assert (code, notes) == (130, "gridpuzzles: stopped before the first level; nothing was written\n")
    assert not out.exists()


def test_it_gives_up_where_nothing_is_good(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(generating, "PATIENCE", 30)
    out = tmp_path / "none.txt"
    code, said, _ = run(capsys, *SMALL, "--least-pushes", 1000, "--out", out)
    assert code == 1
    assert "after 30 rejections in a row" in said
    assert not out.exists()


# -- sheets ------------------------------------------------------------------------------------------


def test_a_sheet_shows_boards_of_any_size_and_a_hundred_at_most(tmp_path, capsys):
    sheet = tmp_path / "sheet.png"
    more = ("--count", 101, "--sheet", sheet, "--style", "paper", "--out", tmp_path / "many.txt")
    assert run(capsys, "generate", "sokoban", "--size", 6, "--boxes", 1, "--simulations", 5, *more)[0] == 0
    picture = pygame.image.load(sheet)
    assert picture.get_width() > picture.get_height() > 1000
    last, beyond = (pygame.Rect(0, 0, 40, 40) for _ in range(2))
    last.center, beyond.bottomright = (90, picture.get_height() - 90), (picture.get_width(), picture.get_height())
    assert len({tuple(picture.get_at((x, last.centery))) for x in range(last.left, last.right)}) > 1
    assert len({tuple(picture.get_at((x, beyond.centery))) for x in range(beyond.left, beyond.right)}) == 1


def test_a_printable_sheet_with_answers(tmp_path, capsys):
    small = ("--size", 6, "--boxes", 1, "--simulations", 5, "--count", 2)
    shades = []
    for theme in ("dark", "light"):
        more = ("--sheet", tmp_path / f"{theme}.png", "--theme", theme, "--answers", "--out", tmp_path / f"{theme}.txt")
        code, said, _ = run(capsys, "generate", "sokoban", *small, *more)
        assert code == 0
        assert f"{theme}-answers.png" in said
        questions, answers = (pygame.image.load(tmp_path / name) for name in (f"{theme}.png", f"{theme}-answers.png"))
        assert answers.get_height() > questions.get_height()
        shades.append(pygame.surfarray.array3d(questions).mean())
    assert shades[1] > 150 > shades[0]
    pdf = tmp_path / "both.pdf"
    assert run(capsys, "generate", "sokoban", *small, "--sheet", pdf, "--theme", "light")[0] == 0
    assert pdf.read_bytes().startswith(b"%PDF")


# -- what cannot be ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chess"], "unknown puzzle 'chess'"),
        (["sokoban", "--difficulty", "easy"], "--difficulty does not apply to Sokoban; allowed are --size, --width"),
        (
            ["bait", "--boxes", "2"],
            "--boxes does not apply to Bait; allowed are --size, --width, --height, --difficulty",
        ),
        (["bait", "--set", "a=1"], "unknown setting --set a"),
        (["sokoban", "--boxes", "2", "--set", "boxes=3"], "--boxes and --set boxes cannot be combined"),
        (["wumpus", "--set", "pitz=1"], "unknown setting --set pitz; did you mean 'pits'?"),
        (["wumpus", "--width", "5"], "--width does not apply to Wumpus World; allowed are --size, --set"),
        (["wumpus", "--size", "5", "--set", "size=5"], "--size and --set size cannot be combined"),
        (["CatMouse-v0", "--set", "maze=classic"], "Cat and Mouse generates new levels with maze='random' only"),
        (["Toy-v0"], "Toy maze generates no levels of its own"),
        (["sokoban", "--size", "3"], "height=3"),
        (["sokoban", "--size", "9", "--width", "8"], "size=9 sets both sides: do not give width or height as well"),
        (["sokoban", "--boxes", "99"], "boxes=99"),
        (["sokoban", "--simulations", "0"], "simulations=0"),
        (["sokoban", "--evaluation", "taste"], "evaluation='taste'"),
        (["sokoban", "--set", "flor=1"], "did you mean 'floor'?"),
        (["sokoban", "--evaluation", "measured", "--set", "blocks=1"], "blocks is a weight of evaluation='original'"),
        (["sokoban", "--least-pushes", "5", "--most-pushes", "4"], "least_pushes=5 is above most_pushes=4"),
        (["sokoban", "--least-nodes=-1"], "least_nodes=-1"),
        (["sokoban", "--count", "0"], "--count 0: must be a positive integer"),
        (["sokoban", "--seconds", "nan"], "--seconds nan: must be a positive number"),
        (["sokoban", "--workers", "0"], "workers"),
        (["sokoban", "--avoid", "nowhere"], "no levels 'nowhere'"),
        (["sokoban", "--out", "levels.csv"], "must end in .txt or .xsb"),
        (["sokoban", "--sheet", "sheet.gif"], "must end in .png"),
        (["sokoban", "--style", "paper"], "--style applies to the picture: it needs --sheet"),
        (["sokoban", "--theme", "light"], "--theme applies to the picture: it needs --sheet"),
        (["sokoban", "--answers"], "--answers applies to the picture: it needs --sheet"),
        (["sokoban", "--theme", "blue", "--sheet", "a.png"], "theme 'blue' is not known; allowed are dark, light"),
        (
            ["bait", "--style", "paper", "--sheet", "sheet.png"],
            "Bait got an unexpected keyword argument 'style'; did you mean 'tile'? allowed",
        ),
    ],
)
def test_what_cannot_be_is_one_line(arguments, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capsys, "generate", *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("there", ["mine.txt", "mine.csv", "mine.png"])
def test_nothing_is_overwritten_without_permission(there, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / there).write_text("mine")
    command = (*SMALL, "--count", 1, "--out", "mine.txt", "--sheet", "mine.png")
    code, _, err = run(capsys, *command)
    assert (code, err) == (1, f"gridpuzzles: {there}: already exists; use --force to overwrite it\n")
    assert (tmp_path / there).read_text() == "mine"
    assert run(capsys, *command, "--force")[0] == 0
    assert sorted(os.listdir(tmp_path)) == ["mine.csv", "mine.png", "mine.txt"]


def test_a_table_that_will_not_be_written_is_in_nobodys_way(capsys, tmp_path):
    (tmp_path / "caves.csv").write_text("mine")
    command = ("generate", "wumpus", "--count", 2, "--out", tmp_path / "caves.txt")
    assert run(capsys, *command)[0] == 0
    assert (tmp_path / "caves.csv").read_text() == "mine"
    code, _, err = run(capsys, *command)
    assert code == 1
    assert "caves.txt: already exists" in err


# -- the parts ---------------------------------------------------------------------------------------


def test_bounds_say_what_is_not_kept():
    hard = Difficulty(True, nodes=1500, proof_nodes=9, pushes=20, box_changes=3)
    assert Bounds().rejection(hard) == ""
    assert Bounds(least_pushes=20, most_pushes=20, most_nodes=1500, least_box_changes=3).rejection(hard) == ""
    assert Bounds(most_nodes=1499).rejection(hard) == "over 1,499 nodes"
    assert Bounds(least_box_changes=4).rejection(hard) == "under 4 box changes"
    assert Bounds().rejection(Difficulty(False, 5, 0)) == "not solved"


def test_words_are_those_of_a_seed():
    first = [word for word, _ in zip(random_bits_of(7), range(100), strict=False)]
    assert len(set(first)) == 100
    assert first[:3] == [word for word, _ in zip(random_bits_of(7), range(3), strict=False)]
    assert not set(first) & {word for word, _ in zip(random_bits_of(8), range(100), strict=False)}


def test_a_gathering_counts():
    gathering = LevelCollection({b"known"})
    kept = [
        gathering.add(Candidate(word, key=key, score=word)) for word, key in enumerate([b"a", b"known", b"a", b"b"])
    ]
    assert kept == [True, False, False, True]
    assert not gathering.add(Candidate(9, "bad", score=9))
    assert gathering.rejected == {SAME: 2, "bad": 1}
    assert (gathering.tried, gathering.best) == (5, 3)


def journal_of(path):
    return path.with_name(path.name + ".unfinished")


def test_a_killed_generation_goes_on(tmp_path, pack, capsys):
    """Killed again and again, it writes the same file in the end."""
    out = tmp_path / "small.txt"
    arguments = [*SMALL, "--seed", 3, "--out", out]
    command = [sys.executable, "-m", "gridpuzzles_gym.cli", *map(str, arguments), "--count", "100000", "--workers", "2"]
    lines, more = 0, []
    for _ in range(2):
        process = subprocess.Popen([*command, *more], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wanted, more = lines + 4, ["--resume"]
        while lines < wanted:
            assert process.poll() is None
            time.sleep(0.02)
            lines = journal_of(out).read_text().count("\n") if journal_of(out).exists() else 0
        process.kill()
        process.wait()
        lines = journal_of(out).read_text().count("\n")
    arguments += ["--count", 25]
    with journal_of(out).open("a") as file:
        file.write('{"random_bits": 12')  # what a power cut leaves
    code, _, err = run(capsys, *arguments)
    assert code == 1
    assert "an unfinished generation is there; use --resume to go on, --force to start again" in err
    code, _, err = run(capsys, *arguments, "--resume", "--set", "widen=3")
    assert code == 2
    assert "cannot be resumed with other options: --set widen was null, now it is 3" in err
    assert journal_of(out).read_text().count("\n") == lines
    code, _, err = run(capsys, *arguments, "--resume")
    assert code == 0, err
    for suffix in (".txt", ".csv"):
        assert out.with_suffix(suffix).read_bytes() == pack.with_suffix(suffix).read_bytes()
    assert not journal_of(out).exists()


def test_a_full_disk_loses_no_candidate(tmp_path, pack, capsys):
    pytest.importorskip("resource")
    out = tmp_path / "small.txt"
    arguments = [*SMALL, "--seed", 3, "--count", 25, "--workers", 1, "--out", out]
    said = run_on_full_disk(3000, *arguments)
    why = f"{os.strerror(errno.EFBIG)}; the levels made so far are kept: the same command with --resume goes on"
    assert said == f"gridpuzzles: {journal_of(out)}: {why}\n"
    kept = journal_of(out).read_bytes()
    assert kept.endswith(b"\n")
    assert kept.count(b"\n") > 3
    assert run(capsys, *arguments, "--resume")[0] == 0
    assert out.read_bytes() == pack.read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["small.csv", "small.txt"]


def test_one_process_at_a_time(tmp_path, capsys):
    pytest.importorskip("fcntl")
    out = tmp_path / "one.txt"
    with contextlib.closing(Unfinished(out, {})) as record:
        record.begin()
        for more in ([], ["--resume"], ["--force"]):
            code, _, err = run(capsys, *SMALL, "--out", out, *more)
            assert (code, err) == (1, f"gridpuzzles: {out}: is being written by another process\n")
    assert os.listdir(tmp_path) == ["one.txt.unfinished"]


def test_what_cannot_be_resumed(tmp_path, capsys):
    out = tmp_path / "none.txt"
    for more, said in (
        (["--resume"], "--resume continues a file: it needs --out FILE"),
        (["--resume", "--out", out], "none.txt.unfinished: there is nothing to resume; start without --resume"),
        (["--resume", "--force", "--out", out], "--resume and --force cannot be combined"),
    ):
        code, _, err = run(capsys, *SMALL, *more)
        assert (code, err.count("\n")) == (2, 1)
        assert said in err
    journal_of(out).write_text("{}\nnonsense\n")
    code, _, err = run(capsys, *SMALL, "--out", out, "--resume")
    assert code == 2
    assert "is damaged; use --force to start again" in err
    assert run(capsys, *SMALL, "--count", 1, "--out", out, "--force")[0] == 0
    assert not journal_of(out).exists()
