"""The episodes of a chunk, with everything that happens in them."""

from typing import Any

import numpy as np

from gridpuzzles_gym.engine.kernels import OUTCOME
from gridpuzzles_gym.engine.puzzle import OUTCOMES, SOLVED
from gridpuzzles_gym.engine.vector import PuzzleVectorEnv

from ..playing import Arrays, Numbers, Player
from .episodes import Episodes
from .request import Request

_WORDS = np.array([word.encode() for word in OUTCOMES])


class Recorder:
    """The agent of a request, whose episodes are recorded.

    Args:
        request: What to play.
        size: The maximum number of episodes at the same time.
        trust_pickle: Load models that can run any code.

    Raises:
        ValueError: The agent does not play this environment.
    """

    def __init__(self, request: Request, size: int, trust_pickle: bool = False) -> None:
        self.request = request
        self._player = Player(request.env_id, request.env_kwargs, request.agent, size, trust_pickle)

    def play(self, seeds: range) -> Episodes:
        """Play one episode from each seed.

        Args:
            seeds: As many seeds as there are environments, or fewer.
        """
        log = _Log()
        self._player.play(seeds, self.request.deterministic, log=log)
        return log.episodes(seeds)

    def close(self) -> None:
        """Close the environments."""
        self._player.close()


class _Log:
    """What happens in the episodes, in order of time; each entry has the numbers of its episodes."""

    def __init__(self) -> None:
        self.seen: list[dict[str, Arrays]] = []
        self.done: list[dict[str, Arrays]] = []

    def see(self, env: PuzzleVectorEnv, going: Numbers, observations: Arrays, infos: dict[str, Any]) -> None:
        """Record the states of some episodes."""
        batch, metrics = env.batch, env.batch.metric_kinds
        outcomes = batch.ends[OUTCOME, going]
        self.seen.append(
            {
                "episode": going,
                "observations": observations[going],
                "action_mask": env.action_masks()[going].astype(np.int8),
                "is_success": outcomes == SOLVED,
                "outcome": outcomes,
                **{name: infos[name][going] for name in metrics},
            }
        )

    def act(self, going: Numbers, *arrays: Arrays) -> None:
        """Record steps: the actions, rewards, terminations and truncations of all environments."""
        names = "actions", "rewards", "terminations", "truncations"
        self.done.append({"episode": going} | {name: a[going] for name, a in zip(names, arrays, strict=True)})

    def episodes(self, seeds: range) -> Episodes:
        """Return the episodes."""
        seen, done = _sorted(self.seen), _sorted(self.done)
        lengths = np.bincount(done.pop("episode"), minlength=len(seeds))
        ends = np.cumsum(lengths)
        returns = np.add.reduceat(done["rewards"], ends - lengths)
        outcomes = seen.pop("outcome")
        del seen["episode"]
        return Episodes(
            seeds=np.array(seeds, np.int64),
            lengths=lengths,
            results=np.stack([returns, outcomes[ends + np.arange(len(seeds))], lengths], axis=1),
            observations=seen.pop("observations"),
            infos={**seen, "outcome": _WORDS[outcomes]},
            **done,
        )


def _sorted(entries: list[dict[str, Arrays]]) -> dict[str, Arrays]:
    """Return entries joined, the rows of one episode after those of another."""
    joined = {name: np.concatenate([entry[name] for entry in entries]) for name in entries[0]}
    order = np.argsort(joined["episode"], kind="stable")
    return {name: values[order] for name, values in joined.items()}
