"""Make levels: what ``gridpuzzles generate`` does, from what was typed to what it says in the end."""

import contextlib
import dataclasses
import functools
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from rich import box
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from gridpuzzles_gym.agents.generator.bait import BaitSampler
from gridpuzzles_gym.agents.generator.candidates import Bounds, Candidate, Generated, Maker, Sampled, key_of
from gridpuzzles_gym.agents.generator.evaluating import Weights
from gridpuzzles_gym.agents.generator.gathering import Gathering, words
from gridpuzzles_gym.agents.generator.generator import Generator, Recipe
from gridpuzzles_gym.agents.generator.samplers import Drawn
from gridpuzzles_gym.agents.generator.workers import Workers

from ..engine.levels import find_levels
from ..engine.puzzle import Puzzle
from .arguments import did_you_mean, environment, known_ids, puzzle_named
from .terminal import notices

COUNT = 10
"""Levels, where neither their number nor a time is given."""
PATIENCE = 10_000
"""So many candidates passed over in a row: no more are tried."""
_BOUNDS = tuple(field.name for field in dataclasses.fields(Bounds))
_WEIGHTS = tuple(field.name for field in dataclasses.fields(Weights))
_MEDIANS = ("pushes", "moves", "nodes", "proof_nodes", "box_changes", "deadlock_density")


class Task:
    """What is to be made.

    Args:
        puzzle: The name or id of the puzzle.
        given: What was asked for, by the names of the flags.
        settings: Further settings of what makes the levels.
        avoid: Packs and files whose levels are not to come again.

    Raises:
        ValueError: Nothing makes such levels, or a value is not allowed.
    """

    def __init__(
        self, puzzle: str, given: Mapping[str, Any], settings: Mapping[str, Any], avoid: Sequence[str]
    ) -> None:
        self.puzzle = puzzle_named(puzzle)
        make, takes = _MAKERS.get(self.puzzle.name, (functools.partial(_drawn, puzzle), _sides_of(self.puzzle)))
        for name in given:
            if name not in takes:
                flags = ", ".join([*map(_flag, takes), "--set"])
                raise ValueError(f"{_flag(name)} is not for {self.puzzle.title}, which takes {flags}")
        self.maker: Maker = make({**given}, settings)
        self.known = [key_of(self.puzzle, level) for choice in avoid for level in find_levels(self.puzzle, choice)]


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _sides(given: dict[str, Any]) -> dict[str, int]:
    """Take height and width out of what was given; left out is what is not said."""
    size = given.pop("size", None)
    if size is not None and ("width" in given or "height" in given):
        raise ValueError("--size says both sides: leave --width and --height out")
    sides = {name: given.pop(name, size) for name in ("height", "width")}
    return {name: side for name, side in sides.items() if side is not None}


def _sokoban(given: dict[str, Any], settings: Mapping[str, Any]) -> Maker:
    bounds = Bounds(**{name: given.pop(name) for name in _BOUNDS if name in given})
    recipe = {**_sides(given), **given}
    known = [field.name for field in dataclasses.fields(Recipe) if field.name not in _SOKOBAN]
    weights = {}
    for name, value in settings.items():
        if name in _WEIGHTS:
            weights[name] = value
        elif name in known:
            recipe[name] = tuple(value) if isinstance(value, list) else value
        else:
            raise ValueError(f"--set {name} is not known; {did_you_mean(name, [*known, *_WEIGHTS])}")
    if weights:
        if recipe.setdefault("evaluation", "seed") != "seed":
            raise ValueError(f"--set {next(iter(weights))} is a weight of --evaluation seed")
        recipe["evaluation"] = Weights(**weights)
    return Generated(Generator(Recipe(**recipe)), bounds)


def _bait(given: dict[str, Any], settings: Mapping[str, Any]) -> Maker:
    for name in settings:
        raise ValueError(f"--set {name} is not known: Bait's levels have no further settings")
    difficulty = given.get("difficulty", "easy")
    sampler = BaitSampler(**_sides(given), difficulty=int(difficulty) if difficulty.isdecimal() else difficulty)
    return Sampled(puzzle_named("bait"), sampler)


def _drawn(puzzle: str, given: dict[str, Any], settings: Mapping[str, Any]) -> Maker:
    """Levels as the environment itself draws them, with its own settings."""
    record = puzzle_named(puzzle)
    registered = environment(puzzle)[0].kwargs if puzzle in known_ids() else {}
    sides = given if "size" in _sides_of(record) and "width" not in _sides_of(record) else _sides(given)
    for name in sides:
        if name in settings:
            raise ValueError(f"{_flag(name)} and --set {name} say the same: leave one out")
    own = {name: value for name, value in registered.items() if name != "puzzle"}
    options = {**_DRAWN_AS.get(record.name, {}), **own, **sides, **settings}
    return Sampled(record, Drawn(record, **options))


def _sides_of(puzzle: Puzzle) -> Sequence[str]:
    """The flags for the size of a board, of a puzzle that draws its own."""
    names = [field.name for field in dataclasses.fields(puzzle.options)]
    return _SIDES if "width" in names else ("size",) if "size" in names else ()


_DRAWN_AS = {"cat_mouse": {"maze": "random"}}
"""Settings without which an environment draws nothing."""
_SIDES = ("size", "width", "height")
_SOKOBAN = (*_SIDES, "boxes", "simulations", "evaluation", *_BOUNDS)
_MAKERS: dict[str, tuple[Callable[[dict[str, Any], Mapping[str, Any]], Maker], Sequence[str]]] = {
    "sokoban": (_sokoban, _SOKOBAN),
    "bait": (_bait, (*_SIDES, "difficulty")),
}
"""By the puzzle's name: what makes the maker of its levels, and the flags that it takes; others draw their own."""


@dataclasses.dataclass(frozen=True)
class Harvest:
    """What was made."""

    kept: Sequence[Candidate]
    passed_over: Counter[str]
    """How many candidates were, by the reason why."""
    seconds: float
    workers: int
    given_up: bool
    """Was nearly all passed over in the end?"""
    interrupted: bool
    """By Ctrl-C."""


def gather(
    maker: Maker, known: Iterable[bytes], seed: int, count: int | None, seconds: float | None, workers: int
) -> Harvest:
    """Make levels until there are enough, time is up, or somebody presses Ctrl-C.

    Args:
        maker: Makes a candidate of a word.
        known: Keys of levels that are not to come again.
        seed: Of the words.
        count: How many levels.
        seconds: How long, in all; the candidate under way is finished.
        workers: Processes; 1 is this one alone. They have no say in what the levels are.

    Raises:
        ValueError: A number is out of range.
    """
    if count is not None and count < 1:
        raise ValueError(f"--count {count}: a positive integer is needed")
    if seconds is not None and not seconds > 0:
        raise ValueError(f"--seconds {seconds:g}: a positive number is needed")
    if count is None and seconds is None:
        count = COUNT
    gathering, idle, interrupted = Gathering(known), 0, False
    begun = time.monotonic()
    with _bar(gathering, count, seconds) as show, Workers(maker, workers if workers > 1 else 0) as crew:
        try:
            for _, candidate in crew.ordered(words(seed)):
                idle = 0 if gathering.add(candidate) else idle + 1
                show()
                if len(gathering.kept) == count or idle == PATIENCE:
                    break
                if seconds is not None and time.monotonic() - begun >= seconds:
                    break
        except KeyboardInterrupt:
            interrupted = True
    past = time.monotonic() - begun
    return Harvest(gathering.kept, gathering.passed_over, past, workers, idle == PATIENCE, interrupted)


@contextlib.contextmanager
def _bar(gathering: Gathering, count: int | None, seconds: float | None) -> Iterator[Callable[[], None]]:
    """A line on the terminal, where there is one; to be called after each candidate."""
    columns = BarColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn()
    with Progress(*columns, console=notices, transient=True, disable=not notices.is_terminal) as bar:
        task, begun = bar.add_task("making", total=1.0), time.monotonic()

        def show() -> None:
            made, past = len(gathering.kept), time.monotonic() - begun
            part = max(made / count if count else 0.0, past / seconds if seconds else 0.0)
            best = f", best score {gathering.best:.4g}" if gathering.best else ""
            words = f"{made:,} made, {made / gathering.tried:.0%} of those tried, {made / past:.2g} a second{best}"
            bar.update(task, completed=part, description=words)

        yield show


def summary(harvest: Harvest) -> Table:
    """What there is to say of it in the end."""
    table = Table(box=box.SIMPLE_HEAD, show_header=False, padding=(0, 1, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column()
    made, over = len(harvest.kept), harvest.passed_over.total()
    table.add_row("levels", f"{made:,}")
    if over:
        table.add_row(
            "passed over", ", ".join(f"{number:,} {why}" for why, number in harvest.passed_over.most_common())
        )
    if harvest.given_up:
        table.add_row("given up", f"after {PATIENCE:,} in a row that were passed over")
    processes = f", {harvest.workers} processes" if harvest.workers > 1 else ""
    each = f", {harvest.seconds / made:.3g} a level" if made else ""
    table.add_row("seconds", f"{harvest.seconds:.1f}{each}{processes}")
    measured = [candidate.difficulty for candidate in harvest.kept if candidate.difficulty]
    if measured:
        table.add_row("median score", f"{np.median([candidate.score for candidate in harvest.kept]):.4g}")
        for name in _MEDIANS:
            median = np.median([getattr(difficulty, name) for difficulty in measured])
            table.add_row(f"median {name.replace('_', ' ')}", f"{median:.3g}" if median < 1 else f"{median:,g}")
    return table
