"""A curriculum of starts in the middle of a teacher's games, near the end at first: the sampler ``backwards``.

From such starts a learner meets success by chance, and then learns the way to it from the end to the beginning
(C. Florensa et al., "Reverse curriculum generation for reinforcement learning", CoRL 2017).
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from gridpuzzles_gym.engine.arguments import integer, real
from gridpuzzles_gym.engine.levels.rows import RowLevel
from gridpuzzles_gym.engine.levels.sources import Sampler
from gridpuzzles_gym.engine.puzzle import Level, Outcome
from gridpuzzles_gym.engine.system.progress_bar import progress

from ..game import Game
from ..samplers import Curriculum
from ..samplers.base import mix, share
from ..teachers import AUTO, make_teacher

AT_ONCE = 128
"""Number of games that the teacher plays side by side."""


class Backwards(Curriculum):
    """Samples states of a teacher's won games, nearer to the beginning as more are won from them.

    Args:
        game: The game.
        own: The levels of the game, from which the others are sampled.
        teacher: A name that :func:`~..teachers.make_teacher` takes.
        games: The number of games that the teacher plays.
        usual: The share of episodes that begin at the beginning of a level, 0 to 1.
        curriculum: Parameters of :class:`~..samplers.Curriculum`; with ``uniform=1`` all states are equally probable.

    Raises:
        ValueError: There is no such teacher, it has won no game, or a number is out of range.
    """

    def __init__(
        self, game: Game, own: Sampler, teacher: str, games: int, usual: float, curriculum: Mapping[str, Any]
    ) -> None:
        self.own, self.usual = own, real("usual", usual, 0, 1)
        super().__init__(*states_of_games(game, teacher, integer("games", games, 1, 10**6)), **curriculum)

    def sample(self, random_bits: int) -> Level:
        """Return a state of a game, or one of the game's levels."""
        if share(mix(random_bits, 3)) < self.usual:
            return self.own.sample(mix(random_bits, 4))
        return super().sample(random_bits)


def states_of_games(game: Game, teacher: str, games: int, seed: int = 0) -> tuple[list[Level], list[float]]:
    """Return the states of a teacher's won games as levels, each once, and for each the number of steps to the end.

    Args:
        game: The game; its levels are sampled uniformly.
        teacher: The name of the teacher.
        games: The number of games that it plays.
        seed: Random seed of the games.
    """
    env = game.make_vec(min(games, AT_ONCE), autoreset_mode=AutoresetMode.SAME_STEP)
    try:
        adviser, batch = make_teacher(teacher, env, seed=seed), env.batch
        left: dict[bytes, float] = {}  # by the level row and the state row
        env.reset(seed=seed)
        env.action_space.seed(seed)
        played: list[list[bytes]] = [[] for _ in range(batch.size)]
        starting, counts, begun = np.ones(batch.size, np.bool_), np.ones(batch.size, np.bool_), batch.size
        with progress(games, noun=f"games of {'the teacher' if teacher == AUTO else teacher}") as advance:
            while counts.any():  # not until so many have ended: that would prefer short ones
                labels = adviser.label(batch, starting)
                actions = np.where(labels.known, labels.actions, env.action_space.sample())
                rows = np.hstack([batch.levels[: batch.size], batch.states])
                for i in np.flatnonzero(counts).tolist():
                    played[i].append(rows[i].tobytes())
                adviser.acted(actions)
                _, _, terminated, truncated, infos = env.step(actions)
                starting = terminated | truncated
                for i in np.flatnonzero(starting & counts).tolist():
                    if infos["final_info"]["outcome"][i] == Outcome.SOLVED:
                        for k, key in enumerate(played[i]):
                            left[key] = min(len(played[i]) - k, left.get(key, np.inf))
                    played[i], counts[i], begun = [], begun < games, begun + 1
                    advance()
    finally:
        env.close()
    if not left:
        raise ValueError(f"sampler 'backwards': teacher {teacher} has won none of {games:,} games")
    parts = [np.split(np.frombuffer(key, np.int16), [batch.levels.shape[1]]) for key in left]
    made = batch.puzzle, batch.extent, batch.options
    levels: list[Level] = [RowLevel(*made, (level, state), "in the middle of a game") for level, state in parts]
    return levels, list(left.values())
