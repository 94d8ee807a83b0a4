"""An agent that plans every action by Gumbel AlphaZero's search over the real rules, guided by a trained network."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.arguments import integer, real
from gridpuzzles_gym.engine.config import config_of
from gridpuzzles_gym.engine.puzzle import UNFINISHED
from gridpuzzles_gym.engine.scene import Row

from .policy import State, as_batch, seed_bits, starts_of
from .search.guided.evaluator import Evaluator
from .search.guided.gumbel import VALUE_SCALE, plan
from .search.guided.tree import Branch
from .thoughts import Thoughts

SIMULATIONS = 32
"""Default number of simulations for each action."""


class PlanningAgent:
    """Searches before every action, in all environments of a batch at the same time; see :mod:`.search.guided.gumbel`.

    It knows the rules and what the observation shows, but not what chance will decide. It maximises the discounted
    return in the rewards that the network was trained with.

    Args:
        env: One of the suite's environments, single or vector, wrapped or not; its observation shows the full state.
        model: The network.
        seed: Random seed; environment ``i`` of a batch uses ``seed + i``.
        simulations: The number of simulations for each action.
        value_scale: How strongly the network's values count against its policy. Less is better where the policy is
            nearly certain of the right action, and the values are not as good.

    Raises:
        ValueError: The observation does not show the full state, ``simulations`` is not a positive integer, or
            ``value_scale`` is not a number from 0 to 100.
    """

    def __init__(
        self,
        env: Any,
        model: Evaluator,
        seed: int = 0,
        simulations: int = SIMULATIONS,
        value_scale: float = VALUE_SCALE,
    ) -> None:
        config = config_of(env)
        config.require_full_state()
        self.config, self.model, self.seed = config, model, seed
        self.simulations = integer("simulations", simulations, 1, 100_000)
        self.value_scale = real("value_scale", value_scale, 0, 100)
        self.shape = config.space.shape or ()

    def predict(
        self,
        observation: npt.NDArray[Any],
        state: State | None = None,
        episode_start: npt.NDArray[np.bool_] | None = None,
        deterministic: bool = False,
    ) -> tuple[npt.NDArray[np.int64] | np.int64, State]:
        """Choose actions: those it thinks best, or with Gumbel noise unless ``deterministic``.

        In a deterministic puzzle it does not return to a state of the episode while the network sees another way.

        The state holds, for each environment: the number of actions chosen int64[B], and what led to the last one: the
        improved policy float64[B, A] and the expected return float64[B]; the states seen in its episode, object[B]; and
        what the search found below that action, object[B], with which the next one begins.

        Raises:
            ValueError: The observation has another shape, or shows no valid state of the puzzle.
        """
        views, single = as_batch(observation, self.shape)
        count, config = len(views), self.config
        starts = starts_of(episode_start, count)
        played = np.zeros(count, np.int64) if state is None else state[0] + 1
        seen = np.full(count, frozenset(), np.object_) if state is None else state[3].copy()
        branches = np.full(count, None, np.object_) if state is None else state[4].copy()
        branches[starts] = None
        bits = seed_bits(self.seed, count)
        shape = (count, len(config.action_names))
        gumbels = np.zeros(shape)
        for i in range(count):
            random = np.random.default_rng((int(bits[i]), int(played[i])))
            bits[i] = random.integers(1, 2**64, dtype=np.uint64)
            if not deterministic:
                gumbels[i] = random.gumbel(size=shape[1])
        puzzle, options = config.puzzle, self.model.options  # it maximises what its values are of
        rows = [puzzle.decode(config.observation, view, config.extent, options) for view in views]
        going = [i for i, row in enumerate(rows) if puzzle.rules.outcome(*row) == UNFINISHED]
        actions, policies, values = np.zeros(count, np.int64), np.full(shape, 1 / shape[1]), np.zeros(count)
        if going:
            levels, states = (np.stack([rows[i][part] for i in going]) for part in (0, 1))
            refused = np.zeros((len(going), shape[1]), np.bool_)
            if puzzle.deterministic:
                for k, i in enumerate(going):
                    seen[i] = frozenset({states[k].tobytes()}) if starts[i] else seen[i] | {states[k].tobytes()}
                    refused[k] = [after in seen[i] for after in self._following(levels[k], states[k])]
            found = plan(
                puzzle, levels, states, self.model, self.simulations, bits[going], gumbels[going], refused,
                branches[going].tolist(), self.value_scale,
            )  # fmt: skip
            actions[going], policies[going], values[going], tree = found
            for k, i in enumerate(going):
                branches[i] = Branch(tree, k, int(actions[i]))
        return actions[0] if single else actions, (played, policies, values, seen, branches)

    def _following(self, level: Row, state: Row) -> Iterator[bytes]:
        """Yield the bytes of the state after each action, in a deterministic puzzle."""
        for action in range(len(self.config.action_names)):
            after = state.copy()
            self.config.puzzle.rules.step(level, after, action, np.ones(1, np.uint64))
            yield after.tobytes()

    def thoughts(self, observation: npt.NDArray[Any], state: State | None, i: int = 0) -> Thoughts:
        """Return the improved policy and the expected return: :meth:`~.thoughts.Explaining.thoughts`."""
        if state is None:
            _, state = self.predict(observation)
        _, policies, values, *_ = state
        figures = {"simulations": f"{self.simulations:,}", "expected return": f"{values[i]:+.4g}"}
        return Thoughts(probabilities=tuple(policies[i].tolist()), figures=figures)
