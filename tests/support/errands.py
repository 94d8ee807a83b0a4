"""Work for the workers of the tests, in a module that their processes import."""

import contextlib
import dataclasses
import itertools
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from gridpuzzles_gym.agents.candidates import UNFINISHED, Candidate
from gridpuzzles_gym.agents.parallel.workers import report
from gridpuzzles_gym.engine.puzzle import Level


def square(number: int) -> int:
    return number * number


def slow_square(number: int) -> int:
    time.sleep(0.02 * (number % 3))
    return number * number


def sleep(number: int) -> int:
    time.sleep(0.05)
    return number


def sleep_for(seconds: float) -> None:
    time.sleep(seconds)


class Counting:
    """Counts its calls in this process."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, number: int) -> int:
        self.calls += 1
        return self.calls


@dataclasses.dataclass
class FallsAtFirst:
    """Its first readings kill their processes.

    Args:
        count: How many.
        tally: The file that counts them.
    """

    count: int
    tally: Path

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        with self.tally.open("a") as file:
            file.write(".")
        if self.tally.stat().st_size <= self.count:
            os.kill(os.getpid(), signal.SIGKILL)

    def __call__(self, number: int) -> int:
        return number + 1


class Uncopyable:
    """Cannot be unpickled."""

    def __setstate__(self, state: object) -> None:
        raise LookupError("no copy of this")

    def __getstate__(self) -> object:
        return {"a": 1}

    def __call__(self, number: int) -> int:
        return number


def refuse_input(number: int) -> None:
    raise ValueError(f"level {number} is invalid")


class OddError(ValueError):
    """Cannot be unpickled: its constructor takes something else than its message."""

    def __init__(self, number: int, reason: str) -> None:
        super().__init__(f"{reason} {number}")


def refuse_oddly(number: int) -> None:
    raise OddError(number, "odd")


def open_file(path: str) -> bytes:
    return Path(path).read_bytes()


def chatter(number: int) -> tuple[str, str, int, str]:
    print("a stray print", flush=True)
    os.write(1, b"and a rude one\n")
    return sys.stdin.read(), os.environ["OMP_NUM_THREADS"], os.getpriority(os.PRIO_PROCESS, 0), str(number)


def pid(number: int) -> int:
    return os.getpid()


def fall(number: int) -> float:
    """Raises for 3, and ends its process for 4."""
    if number == 3:
        raise LookupError("three is right out")
    if number == 4:
        os.kill(os.getpid(), signal.SIGKILL)
    if number == 5:
        sys.exit("five")
    return 1.0 / number


def die_once(path: str) -> int:
    """Kills its process where the file is not there yet."""
    if not Path(path).exists():
        Path(path).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return os.getpid()


def tell_pid_and_sleep(folder: str) -> None:
    Path(folder, str(os.getpid())).touch()
    time.sleep(600)


def unpicklable(number: int) -> object:
    return lambda: number


CORRIDORS = [Level((1, length), ["S" + "." * (length - 2) + "G"], f"corridor {length}") for length in range(2, 12)]
"""Levels of the tests' own puzzle."""


def corridor(word: int) -> Level:
    """A level of the toy puzzle whose name tells the word."""
    length = 3 + word % 5
    return Level((1, length), ["S" + "." * (length - 2) + "G"], f"word {word}")


def slow_corridor(word: int) -> Level:
    time.sleep(0.3)
    return corridor(word)


def sour_corridor(word: int) -> Level:
    raise LookupError(f"no level in {word}")


@dataclasses.dataclass(frozen=True)
class MakesSlowly:
    """Makes a level of every word at once, unless there is a deadline: then it is not finished by then."""

    measures: ClassVar[bool] = False

    def __call__(self, word, deadline=None):
        if deadline is None:
            return Candidate(word, "", "board", str(word).encode())
        time.sleep(max(0.0, deadline - time.monotonic()))
        return Candidate(word, UNFINISHED)


def count_up(number: int) -> Iterator[int]:
    yield from range(number)


def count_until_stopped(result: str) -> Iterator[str | int]:
    with contextlib.suppress(KeyboardInterrupt):
        for number in itertools.count():
            report(number)
            time.sleep(0.01)
    yield result


def tell_pid_and_wait(folder: str) -> Iterator[int]:
    """Tells its pid, by a file too, and never ends."""
    Path(folder, str(os.getpid())).touch()
    yield os.getpid()
    time.sleep(600)


def fall_after_one(message: str) -> Iterator[int]:
    yield 1
    raise LookupError(message)


def refuse(message: str) -> Iterator[int]:
    if message:
        raise ValueError(message)
    yield 0


def yield_lambda(number: int) -> Iterator[object]:
    yield lambda: number


def print_and_yield_pid(words: str) -> Iterator[int]:
    print(words, flush=True)
    yield os.getpid()
