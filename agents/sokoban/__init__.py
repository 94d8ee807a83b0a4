"""Searches, heuristics and the level generator of Sokoban."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from gridpuzzles_gym.engine.puzzle import Level
from gridpuzzles_gym.engine.scene import Row
from gridpuzzles_gym.puzzles.sokoban.rules import BOXOBAN_BOX, BOXOBAN_PRIZE, BOXOBAN_STEP, PLAYER

from ..puzzle_agents import Advisor, LevelFlag, LevelMaker, Preset, PuzzleAgents, PuzzleTasks
from ..search.heuristic import Heuristic
from ..search.search import Search

if TYPE_CHECKING:
    from ..agent_kernels import Solver

__all__ = ["MEASUREMENTS", "PUZZLE_AGENTS", "generation", "heuristics", "searches"]

MEASUREMENTS = "box changes", "deadlock density"
"""Names of the measurements of a level's difficulty, apart from its shortest solutions."""


def _searches() -> Mapping[str, Search]:
    from .searches import SEARCHES

    return SEARCHES


def _heuristics() -> Mapping[str, Heuristic]:
    from .heuristics import HEURISTICS

    return HEURISTICS


def _solvers() -> Mapping[str, "Solver"]:
    from .solver.kernels import solvers

    return solvers()


def _level_maker() -> LevelMaker:
    from .generation.candidates import BOUNDS, measured
    from .generation.difficulty import Difficulty
    from .generation.generator import RECIPE_SETTINGS, SokobanSampler
    from .generation.packs import table_of

    flags = (
        LevelFlag("boxes", "number of boxes."),
        LevelFlag("simulations", "simulations per level."),
        LevelFlag("edits", "number of random edits tried to make a level harder."),
        LevelFlag("evaluation", "score of a level: measured, original or displacement.", str, "NAME"),
        LevelFlag("least_pushes", "minimum number of pushes of a solution."),
        LevelFlag("most_pushes", "maximum number of pushes of a solution."),
        LevelFlag("least_nodes", "minimum number of nodes the solver expands."),
        LevelFlag("most_nodes", "maximum number of nodes the solver expands."),
        LevelFlag("least_box_changes", "minimum number of changes from one box to another."),
    )
    return LevelMaker(SokobanSampler, RECIPE_SETTINGS, BOUNDS, measured, table_of, Difficulty, flags)


def _level_key(level: Level) -> bytes:
    from .generation.candidates import canonical_key

    return canonical_key(level.content)


def _grades(pack: str) -> Mapping[str, Sequence[float]]:
    from .generation.packs import read_numbers

    return read_numbers(pack)


def _measure() -> Callable[[Row, Row], Mapping[str, float]]:
    from .generation.difficulty import measure

    def measured(level: Row, state: Row) -> Mapping[str, float]:
        numbers = measure(level, state)
        found = numbers.box_changes, numbers.deadlock_density
        return dict(zip(MEASUREMENTS, found, strict=True)) if numbers.solved else {}

    return measured


def _tasks() -> PuzzleTasks:
    from .tasks import TASKS

    return TASKS


PUZZLE_AGENTS = PuzzleAgents(
    reward_schemes={"boxoban": (BOXOBAN_STEP, BOXOBAN_PRIZE + BOXOBAN_BOX)},
    searches=_searches,
    tasks=_tasks,
    heuristics=_heuristics,
    solvers=_solvers,
    level_maker=_level_maker,
    level_key=_level_key,
    grades=_grades,
    minima={"moves": "fewest_moves", "pushes": "pushes"},
    measure=_measure,
    measurements=MEASUREMENTS,
    generator_values={
        "size": (8, 6, 7, 9, 10, 12, 14),
        "boxes": (3, 1, 2, 4, 5, 6),
        "simulations": (100, 50, 300, 1000, 3000),
        "edits": (0, 100, 300, 1000),
        "least_pushes": (8, None, 4, 12, 16, 20, 30),
        "least_nodes": (None, 10, 30, 100, 300),
    },
    difficulties={
        "easy": {"boxes": 2, "simulations": 100, "least_pushes": 4},
        "medium": {"boxes": 3, "simulations": 100, "least_pushes": 8},
        "hard": {"boxes": 4, "simulations": 300, "least_pushes": 16},
    },
    symmetric=True,
    teachers=(Advisor("sokoban-moves", parameters={"weight": 3}), Advisor("sokoban")),
    walker=PLAYER,
    # PPO learns 7×7 boards in minutes. None of them needs more than 40 steps, and most steps after a mistake are
    # wasted; larger levels need a higher limit. Rotating and mirroring shows each level in eight ways, which helps with
    # unseen levels; and with the player in the middle it learns many times faster than from boards as they are. The
    # rewards, and so their scale, stay the same if other levels are given.
    presets={
        "Sokoban-v0": Preset(
            learner={
                "algorithm": "maskable-ppo",
                "total_steps": 12_000_000,
                "minutes": 19.5,
                "num_envs": 256,
                "n_steps": 32,
                "batch_size": 1024,
                "n_epochs": 4,
                "learning_rate": 1e-3,
                "entropy": 0.01,
                "final_entropy": 1e-3,
                "gamma": 0.97,
                "reward_scale": 0.2,
                "turned": True,
                "network": "egocentric",
                "threads": 1,
            },
            environment={"levels": "starter", "reward": "boxoban", "max_episode_steps": 40},
            taught={
                "phases": "clone=0.1,dagger=0.9",
                "total_steps": 100_000_000,
                "minutes": 28.0,
                "num_envs": 128,
                "hidden": 384,
                "depth": 2,
                "kept_states": 500_000,
            },
            unless=(),
        ),
    },
)
