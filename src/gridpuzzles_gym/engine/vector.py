"""The native vector environment: a batch of many behind Gymnasium's VectorEnv."""

from typing import Any, ClassVar

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from . import kernels
from .arguments import boolean, choice, integer
from .batch import Batch, seeds_of
from .env import RENDER_FPS, TILE_SIZE, check_rendering, read_reset_options
from .kernels import OUTCOME, REWARD, TERMINATED, TRUNCATED
from .levels import level_source, pick_level
from .messages import quote
from .puzzle import OUTCOMES, SOLVED, Puzzle, load_puzzle

_AUTORESET = {
    AutoresetMode.DISABLED: kernels.NO_AUTORESET,
    AutoresetMode.NEXT_STEP: kernels.NEXT_STEP,
    AutoresetMode.SAME_STEP: kernels.SAME_STEP,
}
_WORDS = np.array(OUTCOMES, dtype=object)
MOST_ENVS = 2**20
Arrays = npt.NDArray[Any]


class PuzzleVectorEnv(VectorEnv[Arrays, Arrays, Arrays]):
    """Many environments of one puzzle, stepped by one compiled loop.

    Agrees bit for bit with ``SyncVectorEnv`` over :class:`~gridpuzzles_gym.engine.env.PuzzleEnv`.
    The puzzle's own figures are in all infos, ``is_success`` and ``outcome`` in those at the end of an
    episode; the action masks of the moment are computed when :meth:`action_masks` asks for them.

    Args:
        puzzle: The puzzle, or the dotted name of the module whose ``PUZZLE`` it is.
        num_envs: B, how many.
        levels: As for the single environment; one source serves all.
        observation: Which of the puzzle's observations; None is its first.
        render_mode: ``"rgb_array"`` or ``"ansi"``: :meth:`render` gives a tuple of frames; or None.
        tile_size: Pixels a square is wide in pictures.
        max_episode_steps: Steps after which an episode is truncated; None is never.
        autoreset_mode: Gymnasium's ``AutoresetMode`` or its name.
        copy: False returns the environment's own arrays, overwritten by the next step: faster.
        **options: The puzzle's own options.

    Attributes:
        setup: What it is made of, for agents.
        channels: The name of each entry along an observation's first axis.

    Raises:
        ValueError: A keyword argument is unknown or has a value that is not allowed.
    """

    metadata: dict[str, Any]
    _class_metadata: ClassVar[dict[str, Any]] = {"render_modes": ["rgb_array", "ansi"], "render_fps": RENDER_FPS}

    def __init__(
        self,
        puzzle: str | Puzzle,
        num_envs: int = 1,
        levels: Any = None,
        observation: str | None = None,
        render_mode: str | None = None,
        tile_size: int = TILE_SIZE,
        max_episode_steps: int | None = None,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        **options: Any,
    ) -> None:
        super().__init__()
        self.puzzle = load_puzzle(puzzle)
        tile_size = check_rendering(render_mode, tile_size)
        if render_mode == "human":
            raise ValueError("render_mode='human' shows one environment; a vector of them has 'rgb_array' and 'ansi'")
        self.num_envs = integer("num_envs", num_envs, 1, MOST_ENVS)
        if isinstance(autoreset_mode, AutoresetMode):
            mode = autoreset_mode
        else:
            mode = AutoresetMode(choice("autoreset_mode", autoreset_mode, [mode.value for mode in AutoresetMode]))
        self.copy, self.render_mode, self.tile_size = boolean("copy", copy), render_mode, tile_size
        self.metadata = {**self._class_metadata, "autoreset_mode": mode}
        chosen = self.puzzle.read_options(**options)
        source = level_source(self.puzzle, levels, chosen)
        self.batch = Batch(self.puzzle, chosen, observation, source, self.num_envs, max_episode_steps, _AUTORESET[mode])
        self.setup, self.options, self.channels = self.batch.setup, self.batch.options, self.batch.channels
        self.single_observation_space = self.batch.space
        self.single_action_space = gym.spaces.Discrete(len(self.batch.action_names))
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._connect()
        self._same_step = mode is AutoresetMode.SAME_STEP
        self._canvas: Any = None

    def reset(
        self,
        *,
        seed: int | list[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Arrays, dict[str, Any]]:
        """Begin new episodes.

        Args:
            seed: ``int`` gives environment ``i`` the seed ``seed + i``; or a list; None continues.
            options: ``{"reset_mask": bool[B]}`` resets only some; ``{"level": …}`` is as for the single environment.

        Raises:
            ValueError: An unknown option, a bad mask or level, or a list of another length than the batch.
        """
        read = read_reset_options(options, ("level", "reset_mask"))
        mask = self._check_mask(read["reset_mask"]) if "reset_mask" in read else None
        chosen = read.get("level")
        batch = self.batch
        level = None if chosen is None else pick_level(self.puzzle, batch.source, chosen, batch.check_fits)
        seeds = seeds_of(seed, self.num_envs)
        for i, own_seed in enumerate(seeds):
            if (mask is None or mask[i]) and (own_seed is not None or not self.batch.counters[i, kernels.SEEDED]):
                self.batch.seed(i, gym.utils.seeding.np_random(own_seed)[0])
        self.batch.reset(mask, level)
        self.batch.ends[:, slice(None) if mask is None else mask] = 0
        return self._observations(), self._metrics(mask)

    def step(self, actions: Arrays) -> tuple[Arrays, Arrays, Arrays, Arrays, dict[str, Any]]:
        """Play one action an environment.

        Args:
            actions: Integers ``[B]``; ignored where NEXT_STEP resets an environment.

        Returns:
            observations ``[B, ...]``, rewards float64 ``[B]``, terminated bool ``[B]``, truncated
            bool ``[B]``, and infos as Gymnasium's autoreset mode lays them out.

        Raises:
            ValueError: Actions of another shape or type, or out of range; nothing was changed.
            gymnasium.error.ResetNeeded: Before the first reset, or (DISABLED) after the end of an episode.
        """
        actions = np.asarray(actions)
        if actions.shape != (self.num_envs,) or actions.dtype.kind not in "iu":
            raise ValueError(
                f"actions are {actions.dtype}{list(actions.shape)}; integers of shape [{self.num_envs}] are needed"
            )
        batch = self.batch
        batch.actions[:] = actions
        ended = batch.step()
        infos = self._metrics()
        if ended:
            infos |= self._final_infos()
        answer = batch.observations, batch.scores[REWARD], self._terminated, self._truncated
        if self.copy:
            return *(array.copy() for array in answer), infos  # type: ignore[return-value]  # five in all
        return *answer, infos

    def _final_infos(self) -> dict[str, Any]:
        """What Gymnasium lays into the infos where episodes have just ended."""
        outcome = self.batch.ends[OUTCOME]
        ended = self._terminated | self._truncated
        which = ended.nonzero()[0]  # few, so that this is cheaper than masks
        words = np.empty(self.num_envs, dtype=object)  # of None
        words[which] = _WORDS[outcome[which]]
        success = outcome == SOLVED
        infos = {"is_success": success, "_is_success": ended.copy(), "outcome": words, "_outcome": ended.copy()}
        if not self._same_step:
            return infos
        infos |= self._metrics(ended, final=True)
        finals = np.empty(self.num_envs, dtype=object)
        for i in which.tolist():
            finals[i] = self.batch.final_observations[i].copy()
        return {"final_obs": finals, "_final_obs": ended, "final_info": infos, "_final_info": ended.copy()}

    def _metrics(self, which: Arrays | None = None, final: bool = False) -> dict[str, Any]:
        """The puzzle's own figures as Gymnasium lays them into the infos of some environments; None is all."""
        kinds = self.batch.metric_kinds
        metrics = self.batch.metrics[len(kinds) :] if final else self.batch.metrics[: len(kinds)]
        given = self._given
        if which is not None:
            metrics, given = metrics * which, given & which
        elif self.copy:
            metrics, given = metrics.copy(), given.copy()
        infos: dict[str, Any] = {}
        for k, (name, kind) in enumerate(kinds.items()):
            infos[name] = metrics[k].astype(kind, copy=False)
            infos["_" + name] = given[k]
        return infos

    def _observations(self) -> Arrays:
        return self.batch.observations.copy() if self.copy else self.batch.observations

    def _check_mask(self, mask: Any) -> npt.NDArray[np.bool_]:
        if not isinstance(mask, np.ndarray) or mask.shape != (self.num_envs,) or mask.dtype != np.bool_:
            raise ValueError(
                f"options['reset_mask'] must be a bool array of shape [{self.num_envs}], got {quote(mask)}"
            )
        if not mask.any():
            raise ValueError("options['reset_mask'] must be true somewhere")
        return mask

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Which actions change anything, bool[B, A]."""
        self.batch.check_started()
        return self.batch.action_masks()

    def get_state(self) -> dict[str, Any]:
        """Everything that decides what comes next in all environments; picklable."""
        return self.batch.get_state()

    def set_state(self, state: dict[str, Any]) -> None:
        """Continue from what :meth:`get_state` returned.

        Raises:
            ValueError: It is not a state that these environments can come to; nothing was changed.
        """
        self.batch.set_state(state)

    def render(self) -> tuple[Any, ...] | None:
        """One frame an environment: uint8[height, width, 3] or a text; None without a render_mode."""
        if self.render_mode is None:
            gym.logger.warn("render() needs a render_mode; pass 'rgb_array' or 'ansi' to gym.make_vec")
            return None
        scenes = [self.batch.scene(i) for i in range(self.num_envs)]
        if self.render_mode == "ansi":
            return tuple(self.puzzle.ansi(scene) for scene in scenes)
        if self._canvas is None:
            from .canvas import Canvas

            self._canvas = Canvas(self.puzzle, self.tile_size)
        return tuple(self._canvas.picture(scene) for scene in scenes)

    def close_extras(self, **kwargs: Any) -> None:
        """Let go of the off-screen surface, and end what a sampler of levels runs beside."""
        self.batch.close()
        if self._canvas is not None:
            self._canvas.close()
            self._canvas = None

    def _connect(self) -> None:
        flags = self.batch.ends.view(np.bool_)
        self._terminated, self._truncated = flags[TERMINATED], flags[TRUNCATED]
        self._given = np.ones((len(self.batch.metric_kinds), self.num_envs), np.bool_)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_canvas": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._connect()
