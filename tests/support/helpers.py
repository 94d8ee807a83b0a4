"""What several tests need: the ids and their variants, random play, comparisons."""

import _thread
import contextlib
import csv
import dataclasses
import io
import os
import random
import signal
import subprocess
import sys
import threading
import time
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import folders
import gymnasium as gym
import numpy as np
import pytest

import gridpuzzles_gym
from gridpuzzles_gym import cli
from gridpuzzles_gym.agents.policy import Policy
from gridpuzzles_gym.agents.search import running
from gridpuzzles_gym.engine.puzzle import LevelError, load_puzzle
from gridpuzzles_gym.engine.system.process import Interruption
from gridpuzzles_gym.registration import Environment

REPOSITORY = folders.REPOSITORY
SOURCE = Path(gridpuzzles_gym.__file__).parent

# A puzzle of the tests' own: whatever the suite promises holds for a user's puzzle too.
TOY = Environment("Toy-v0", "toy", 20, {})
if TOY.id not in gym.registry:
    gridpuzzles_gym.register(TOY)
ROWS = (*gridpuzzles_gym.ENVIRONMENTS, TOY)

IDS = {row.puzzle.rpartition(".")[2]: row.id for row in reversed(gridpuzzles_gym.ENVIRONMENTS)}
"""The id of an environment by the name of its puzzle."""
PUZZLES = {puzzle.name: puzzle for puzzle in (load_puzzle(row.puzzle) for row in gridpuzzles_gym.ENVIRONMENTS)}
"""The puzzles of the suite, by name."""

CORRIDOR = "######\n#@ $.#\n######\n"
TINY = "; down\n####\n#@ #\n#$ #\n#. #\n####\n\n; two\n######\n#@$ .#\n#  $.#\n#    #\n######\n"
"""A file of two levels."""
BAD = "; good\n#####\n#@$.#\n#####\n\n; bad\n#####\n#@$ #\n#####\n\n; open\n#####\n#@$.\n#####\n"
"""A file of three levels, of which only the first is valid."""
HALL = "#####\n#+ .#\n# $ #\n# $ #\n#  *#\n#   #\n#####\n"

# Settings of an id whose episodes end in more ways than the default's under random play.
VARIANTS: dict[str, list[dict[str, Any]]] = {
    "Wumpus-v0": [
        {"climb": True, "reward": "textbook", "size": [3, 2], "pits": 0},
        {"size": 2, "pits": 0},
        {"levels": "textbook", "climb": True},
        {"levels": ["A.G\n", ".W\nA.\nPG\n"]},
    ],
    "CatMouse-v0": [
        {"maze": "random", "size": 5, "loops": 1},
        {"maze": "random", "size": (9, 7), "cats": 3},
        {"cat_blocked": True, "levels": ["M.E\n.C.\n", "M..C\n#E##\n"]},
        {"levels": ["MC.E\n....\n", "M.c\n...\nC..\n"], "cats": 2},
    ],
    "EightPuzzle-v0": [
        {"scramble": 2},
        {"width": 2, "height": 3, "goal": "spiral", "scramble": [1, 4]},
        {"levels": "classic"},
    ],
    "Bait-v0": [
        {"reward": "gvgai", "noop": True},
        {"levels": ["Ak1g\n", "wwwww\nwA1kw\nw0.*w\nwm.gw\nwwwww\n", "K.0\n.1.\ng.g\n"]},
    ],
    "FifteenPuzzle-v0": [{"levels": "fifteen"}, {"scramble": 1, "goal": "blank-first"}],
    "Sokoban-v0": [
        {"levels": [CORRIDOR, "#####\n#@ .#\n# $ #\n#   #\n#####\n"], "deadlocks": True},
        {"levels": CORRIDOR, "reward": "boxoban"},
        {"levels": [HALL, CORRIDOR], "reward": "boxoban", "deadlocks": True},
    ],
    "Toy-v0": [{"levels": ["S.G\n", "S.\n#.\nG.\n"]}],
}

# Settings under which random play soon ends an episode, where it does not by default.
SHORT: dict[str, dict[str, Any]] = {id: {"width": 2, "height": 2} for id in ("EightPuzzle-v0", "FifteenPuzzle-v0")}
SHORT["Sokoban-v0"] = {"levels": CORRIDOR}

# Whose world moves on whatever the player does: there a masked-out action is a way to wait.
LIVELY = ("CatMouse-v0",)

CASES = [
    (row.id, {"observation": name, **more})
    for row in ROWS
    for number, more in enumerate([{}, *VARIANTS.get(row.id, [])])
    for name in (
        load_puzzle(row.puzzle).observations if number == 0 else [next(iter(load_puzzle(row.puzzle).observations))]
    )
]
CASES.append(("Wumpus-v0", {"observation": "pixels"}))
"""(id, kwargs): every observation with the default settings, every variant with the default observation; and pixels."""


def case_name(case: tuple[str, dict[str, Any]]) -> str:
    id, kwargs = case
    return "-".join([id, *(f"{name}={value}" for name, value in kwargs.items())]).replace("\n", "/")


CONTRACT = ("Toy-v0", "Sokoban-v0", "Wumpus-v0")
"""The ids of which `make test` checks everything: the smallest, a deterministic and a stochastic one."""


def each_of(cases: list[tuple[str, dict[str, Any]]]) -> pytest.MarkDecorator:
    """Parametrize a test by (id, kwargs); `make test` leaves out most ids and, because painting takes long, pixels."""

    def marks(case: tuple[str, dict[str, Any]]) -> tuple[Any, ...]:
        if case[1].get("observation") == "pixels":
            return pytest.mark.extended, pytest.mark.compiled
        return () if case[0] in CONTRACT else (pytest.mark.extended,)

    parameters = [pytest.param(*case, id=case_name(case), marks=marks(case)) for case in cases]
    return pytest.mark.parametrize(("id", "kwargs"), parameters)


each_case = each_of(CASES)
each_id = pytest.mark.parametrize(
    "id", [pytest.param(row.id, marks=() if row.id in CONTRACT else pytest.mark.extended) for row in ROWS]
)
every_id = pytest.mark.parametrize("id", [row.id for row in ROWS])


def puzzle_of(id: str):
    return load_puzzle(next(row.puzzle for row in ROWS if row.id == id))


def rows_of(puzzle: Any, text: str, extent: Any = None, **options: Any) -> Any:
    """The rows (level, start state) of the one level in a text."""
    (level,) = puzzle.parse(text, "text")
    return puzzle.encode(level, extent or level.extent, puzzle.read_options(**options))


def enlarged(puzzle: Any, text: str) -> str:
    """Level text of a board larger than that one, with nothing else wrong."""
    for more in ".#":
        rows = [row + more * 9 for row in text.splitlines()]
        larger = "\n".join([*rows, *[more * len(rows[0])] * 9]) + "\n"
        try:
            puzzle.parse(larger, "text")
        except LevelError:
            continue
        return larger
    return "".join(" ".join(str(9 * row + column) for column in range(9)) + "\n" for row in range(9))  # of tiles


def same(one: Any, other: Any) -> bool:
    """Deep equality, arrays included, dtypes and types too."""
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        if one.dtype == object:
            return same(one.tolist(), other.tolist())
        return one.dtype == other.dtype and np.array_equal(one, other)
    if dataclasses.is_dataclass(one):
        return same(vars(one), vars(other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def play(env: gym.Env, steps: int, seed: int = 0, masked: float = 0.7) -> list[Any]:
    """Random play from the current state of ``env``, resetting at ends; everything it returned."""
    luck = random.Random(seed)
    seen = []
    for _ in range(steps):
        mask = env.unwrapped.action_masks()
        allowed = np.flatnonzero(mask) if luck.random() < masked and mask.any() else np.arange(len(mask))
        answer = env.step(int(allowed[int(luck.random() * len(allowed))]))
        seen.append(answer)
        if answer[2] or answer[3]:
            seen.append(env.reset())
    return seen


def play_vector(env: gym.vector.VectorEnv, steps: int, seed: int = 0) -> list[Any]:
    """Random play of a vector environment that resets itself; everything it returned."""
    numbers = np.random.default_rng(seed)
    shape = (steps, env.num_envs)
    return [env.step(actions) for actions in numbers.integers(0, env.single_action_space.n, shape)]


def state_bytes(env: Any) -> bytes:
    """All that could be changed by mistake, as bytes."""
    batch = env.unwrapped.batch
    names = ("states", "befores", "levels", "starts", "random_bits", "level_random_bits", "counters", "metrics")
    names += ("scores", "ends", "views", "masks", "_begun")
    return b"".join(getattr(batch, name).tobytes() for name in names)


def python(code: str, *arguments: Any, cwd: Path | None = None, **environment: str | None) -> str:
    """Run code in a fresh interpreter; its standard output. A variable that is None is unset."""
    variables = {**os.environ, **{name: value for name, value in environment.items() if value is not None}}
    for name in (name for name, value in environment.items() if value is None):
        variables.pop(name, None)
    command = [sys.executable, "-c", code, *map(str, arguments)]
    done = subprocess.run(command, cwd=cwd, env=variables, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def check_predict(make: Any, vector: gym.vector.VectorEnv) -> tuple[Any, Any]:
    """Check that an agent, made by ``make(env)``, keeps the contract of ``predict()`` in a vector of three.

    Returns the first observations and actions.
    """
    agent = make(vector)
    assert isinstance(agent, Policy)
    observation, _ = vector.reset(seed=1)
    actions, state = agent.predict(observation)
    assert (actions.shape, actions.dtype) == ((3,), np.int64)
    before = [array.copy() for array in state]
    again, _ = agent.predict(observation, state, np.array([True, False, True]), deterministic=False)
    assert again.shape == (3,)
    assert same(before, list(state))
    action, _ = agent.predict(observation[0])
    assert (np.shape(action), action.dtype, action) == ((), np.int64, actions[0])
    for wrong in (observation[:, :2], observation[None]):
        with pytest.raises(ValueError, match="shape"):
            agent.predict(wrong)
    played = []
    for each in (make(vector), make(vector)):
        memory = None
        for _ in range(5):
            last, memory = each.predict(observation, memory)
        played.append(last)
    assert same(*played)
    return observation, actions


def run(capsys: Any, *arguments: object) -> tuple[int, str, str]:
    """A command of ``gridpuzzles``: exit code, standard output, standard error."""
    code = cli.run([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def not_refused(capsys: Any, cases: list[tuple[list[Any], str]], *command: str) -> list[tuple[Any, ...]]:
    """The cases (arguments, a part of the message) that do not end with exit code 2 and one line with that part."""
    found = []
    for arguments, message in cases:
        code, out, err = run(capsys, *command, *arguments)
        if (
            (code, out.strip(), err.count("\n")) != (2, "", 1)
            or message not in err
            or not err.startswith("gridpuzzles: ")
        ):
            found.append((arguments, message, code, out, err))
    return found


PARALLEL = ("compare", "generate")
"""Commands that use all cores."""


def fresh(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command of ``gridpuzzles`` in a process of its own, which knows of no display."""
    variables = {
        name: value for name, value in os.environ.items() if not name.startswith(("SDL_", "DISPLAY", "WAYLAND"))
    }
    words = [str(argument) for argument in arguments]
    if words[0] in PARALLEL and not {"--workers", "--help"} & set(words):
        words += ["--workers", "1"]  # the other cores are busy with other tests
    command = [sys.executable, "-m", "gridpuzzles_gym.cli", *words]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=False, env={**variables, **environment}
    )


_FULL_DISK = """
import resource, sys
from gridpuzzles_gym.cli import run
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
sys.exit(run(sys.argv[2:]))
"""


def run_on_full_disk(size: int, *arguments: object) -> str:
    """Run a command for which no file can be larger than so many bytes; it must fail. Returns its standard error."""
    command = [sys.executable, "-c", _FULL_DISK, str(size), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stderr


def piped(monkeypatch: Any, text: str) -> None:
    """Let standard input hold a text."""
    monkeypatch.setattr(sys, "stdin", types.SimpleNamespace(buffer=io.BytesIO(text.encode())))


def curve(folder: Path) -> list[dict[str, str]]:
    """The complete rows of the ``curve.csv`` of a training run; none if there is no file yet."""
    try:
        with (folder / "curve.csv").open() as file:
            return [row for row in csv.DictReader(file) if None not in row.values()]
    except FileNotFoundError:
        return []


def check_curve(rows: list[dict[str, str]], total: int, rollout: int) -> None:
    """Every update, each after ``rollout`` steps, has one row, from the first end of an episode on."""
    steps = [int(row["steps"]) for row in rows]
    assert steps == list(range(steps[0], total + 1, rollout))
    assert steps[0] <= 2 * rollout
    seconds = [float(row["seconds"]) for row in rows]
    assert seconds == sorted(seconds)


@contextlib.contextmanager
def ctrl_c(seconds: float) -> Iterator[None]:
    """Ctrl-C so many seconds after something within the block began to defer it; a stray one fails only that test."""
    ended = threading.Event()

    def strike() -> None:
        due = None
        while not ended.wait(0.002):
            if isinstance(getattr(signal.getsignal(signal.SIGINT), "__self__", None), Interruption):
                due = due or time.monotonic() + seconds
                if time.monotonic() >= due:
                    _thread.interrupt_main()
                    return

    thread = threading.Thread(target=strike)
    thread.start()
    try:
        yield
    except KeyboardInterrupt:
        pytest.fail("Ctrl-C came while nothing deferred it")
    finally:
        ended.set()
        thread.join()


def ctrl_c_too_late(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C in the slice in which a search finds the goal."""

    class Late(Interruption):
        def __enter__(self) -> Interruption:
            super().__enter__().wanted = True
            return self

    monkeypatch.setattr(running, "Interruption", Late)
