"""The native vector environment: Gymnasium's VectorEnv on a batch of environments."""

from typing import Any, ClassVar

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from . import kernels
from .arguments import boolean, choice, integer, seeds_of
from .batch import Batch
from .env import RENDER_FPS, TILE_SIZE, check_rendering, read_reset_options
from .levels.sources import level_source, pick_level
from .messages import quote
from .observations import ObservationFormat
from .puzzle import Puzzle, load_puzzle
from .results import Results
from .spec import HasSpec

_AUTORESET = {
    AutoresetMode.DISABLED: kernels.NO_AUTORESET,
    AutoresetMode.NEXT_STEP: kernels.NEXT_STEP,
    AutoresetMode.SAME_STEP: kernels.SAME_STEP,
}
DEVICES = ("cpu", "cuda")
MOST_ENVS = 2**20
Arrays = npt.NDArray[Any]


_OF_ONE = {name: f"single_{name}" for name in ("observation_space", "action_space")}
"""The attributes of the single environment that have another name in the vector environment."""
_BY_ENVIRONMENT = ("action_masks", "render")
"""The methods with one result for each environment."""


class PuzzleVectorEnv(HasSpec, VectorEnv[Arrays, Arrays, Arrays]):
    """Many environments of one puzzle, stepped by one compiled loop.

    The results are identical to those of ``SyncVectorEnv`` over :class:`~gridpuzzles_gym.engine.env.PuzzleEnv`. All
    infos contain the puzzle's metrics, and those at the end of an episode ``is_success`` and ``outcome``; action masks
    are computed only when :meth:`action_masks` is called, or at every step with ``masks=True``.

    Args:
        puzzle: The puzzle, or the dotted name of the module that holds its ``PUZZLE``.
        num_envs: B, the number of environments.
        levels: The level source, as for the single environment; all environments share it.
        observation: The name of one of the puzzle's observations, or ``"pixels"``; None selects the first.
        render_mode: ``"rgb_array"``, ``"ansi"`` or None; :meth:`render` returns a tuple of frames.
        tile_size: The width of a square in pictures, in pixels, as for the single environment.
        panel: False shows the board only, as for the single environment.
        max_episode_steps: The number of steps after which an episode is truncated; None or -1 for no limit.
        autoreset_mode: Gymnasium's ``AutoresetMode`` or its name.
        copy: False returns the environment's own arrays, which the next step overwrites; this is faster.
        masks: Whether infos contain ``action_mask``, int8[B, A], as those of the single environment do. It is that of
            the observation returned; ``final_info`` has none.
        tile: The width of a square in observed pixels, as for the single environment.
        flat: Whether observations have one axis instead of the puzzle's.
        dtype: The type of observations, as for the single environment; if it is not the puzzle's, they are always
            copied.
        strict: Whether an invalid level among valid ones is an error; otherwise it is left out, and a
            :class:`~gridpuzzles_gym.engine.levels.level_text.LevelWarning` says so.
        device: ``"cuda"`` keeps and steps the environments on an NVIDIA GPU and returns PyTorch tensors on it; it needs
            the extra ``cuda``. See :mod:`~gridpuzzles_gym.engine.cuda.batch`.
        **options: The puzzle's own options.

    Attributes:
        config: The environment's configuration, for agents.
        channels: The name of each entry along an observation's first axis, or of each colour.
        autoreset_mode: Gymnasium's ``AutoresetMode``.

    Raises:
        ValueError: A keyword argument is unknown or has an invalid value; or there is no GPU for ``device="cuda"``, or
            it has no memory for as many environments.
        ModuleNotFoundError: ``device="cuda"``, and its extra is not installed.
    """

    metadata: dict[str, Any]
    _canvas: Any = None
    _class_metadata: ClassVar[dict[str, Any]] = {"render_modes": ["rgb_array", "ansi"], "render_fps": RENDER_FPS}

    def __init__(
        self,
        puzzle: str | Puzzle,
        num_envs: int = 1,
        levels: Any = None,
        observation: str | None = None,
        render_mode: str | None = None,
        tile_size: int = TILE_SIZE,
        panel: bool = True,
        max_episode_steps: int | None = None,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        masks: bool = False,
        tile: int | None = None,
        flat: bool = False,
        dtype: Any = None,
        strict: bool = False,
        device: str = "cpu",
        **options: Any,
    ) -> None:
        super().__init__()
        self.device = choice("device", device, DEVICES)
        self.puzzle = load_puzzle(puzzle)
        self._set_rendering(render_mode, tile_size, panel)
        self.num_envs = integer("num_envs", num_envs, 1, MOST_ENVS)
        if isinstance(autoreset_mode, AutoresetMode):
            mode = autoreset_mode
        else:
            mode = AutoresetMode(choice("autoreset_mode", autoreset_mode, [mode.value for mode in AutoresetMode]))
        self.copy, self.autoreset_mode = boolean("copy", copy), mode
        self.metadata = {**self._class_metadata, "autoreset_mode": mode}
        chosen = self.puzzle.read_options(**options)
        source = level_source(self.puzzle, levels, chosen, boolean("strict", strict))
        self.batch = _classes(self.device)[0](
            self.puzzle,
            chosen,
            observation,
            source,
            self.num_envs,
            max_episode_steps,
            _AUTORESET[mode],
            boolean("masks", masks),
            tile,
        )
        self.config, self.options, self.channels = self.batch.config, self.batch.options, self.batch.channels
        self.observation_format = ObservationFormat(flat, dtype)
        self.single_observation_space = self.observation_format.space(self.batch.space)
        self.single_action_space = gym.spaces.Discrete(len(self.batch.action_names))
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._connect()

    def _set_rendering(self, render_mode: str | None, tile_size: int, panel: bool) -> None:
        tile_size, panel = check_rendering(render_mode, tile_size), boolean("panel", panel)
        if render_mode == "human":
            raise ValueError(
                "render_mode='human' needs a single environment; allowed for a vector environment are "
                "'rgb_array', 'ansi' and None"
            )
        self._close_canvas()
        self.render_mode, self.tile_size, self.panel = render_mode, tile_size, panel

    def reset(
        self,
        *,
        seed: int | list[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Arrays, dict[str, Any]]:
        """Begin new episodes.

        Args:
            seed: An integer gives environment ``i`` the seed ``seed + i``; a list gives one seed per environment; None
                continues the current random sequences.
            options: ``{"reset_mask": bool[B]}`` resets only some environments; ``{"level": …}`` selects the level, as
                for the single environment.

        Raises:
            ValueError: An option is unknown, the level is invalid, the mask has the wrong shape or selects no
                environment, or the length of the list is not B.
            TypeError: The mask is not an array of bool.
        """
        read = read_reset_options(options, ("level", "reset_mask"))
        mask = self._check_mask(self._results.as_array(read["reset_mask"])) if "reset_mask" in read else None
        chosen = read.get("level")
        batch = self.batch
        level = None if chosen is None else pick_level(self.puzzle, batch.source, chosen, batch.check_fits)
        seeds = seeds_of(seed, self.num_envs)
        for i, own_seed in enumerate(seeds):
            if (mask is None or mask[i]) and (own_seed is not None or not self.batch.counters[kernels.SEEDED, i]):
                self.batch.seed(i, gym.utils.seeding.np_random(own_seed)[0])
        self.batch.reset(mask, level)
        self.batch.ends[:, slice(None) if mask is None else mask] = 0
        return self._results.observations(), self._results.infos(mask)

    def step(self, actions: Arrays) -> tuple[Arrays, Arrays, Arrays, Arrays, dict[str, Any]]:
        """Apply one action per environment.

        Args:
            actions: Integers ``[B]``; ignored for environments that NEXT_STEP resets.

        Returns:
            observations ``[B, ...]``, rewards float64 ``[B]``, terminated bool ``[B]``, truncated bool ``[B]``, and
            infos in the layout of the autoreset mode.

        Raises:
            ValueError: The actions have a wrong shape or type, or are out of range; nothing was changed (on a GPU, see
                :mod:`~gridpuzzles_gym.engine.cuda.batch`).
            gymnasium.error.ResetNeeded: Before the first reset, or (DISABLED) after the end of an episode.
        """
        return self._results.step(actions)

    def _check_mask(self, mask: Any) -> npt.NDArray[np.bool_]:
        message = f"options['reset_mask'] must be a bool array of shape [{self.num_envs}], got {quote(mask)}"
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
            raise TypeError(message)
        if mask.shape != (self.num_envs,):
            raise ValueError(message)
        if not mask.any():
            raise ValueError("options['reset_mask'] must select at least one environment")
        return mask

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the legal actions, those that change anything, bool[B, A]."""
        self.batch.check_started()
        return self.batch.action_masks()

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Call a method and return its result for each environment, or read an attribute: as in ``SyncVectorEnv``.

        Args:
            name: ``"action_masks"``, ``"render"`` or the name of an attribute of the single environment.
            *args: The arguments of the method; there are none for an attribute.
            **kwargs: Its keyword arguments.

        Raises:
            AttributeError: There is no such attribute, or it is a method of all environments together.
        """
        value = getattr(self, _OF_ONE.get(name, name))
        if not callable(value):
            return (value,) * self.num_envs
        if name not in _BY_ENVIRONMENT:
            raise AttributeError(f"{name!r} has no result for each environment")
        result = value(*args, **kwargs)
        return (None,) * self.num_envs if result is None else tuple(result)

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Return an attribute of each environment; see :meth:`call`."""
        return self.call(name)

    def get_state(self) -> dict[str, Any]:
        """Return everything that determines the future of all environments; picklable."""
        return self.batch.get_state()

    def set_state(self, state: dict[str, Any]) -> None:
        """Continue from a state that :meth:`get_state` returned.

        Raises:
            ValueError: These environments cannot reach that state; nothing was changed.
        """
        self.batch.set_state(state)

    def render(self) -> tuple[Any, ...] | None:
        """Return one frame per environment, uint8[height, width, 3] or a text; None without a ``render_mode``."""
        if self.render_mode is None:
            gym.logger.warn("render() needs a render_mode; pass 'rgb_array' or 'ansi' to gym.make_vec")
            return None
        scenes = [self.batch.scene(i) for i in range(self.num_envs)]
        if self.render_mode == "ansi":
            return tuple(self.puzzle.ansi(scene) for scene in scenes)
        if self._canvas is None:
            from .pictures.canvas import Canvas

            self._canvas = Canvas(self.puzzle, self.tile_size, panel=self.panel)
        return tuple(self._canvas.picture(scene) for scene in scenes)

    def close_extras(self, **kwargs: Any) -> None:
        """Close the off-screen surface and the level sampler."""
        if hasattr(self, "batch"):  # not if the constructor raised: Gymnasium 1.2 closes what it deletes
            self.batch.close()
        self._close_canvas()

    def _close_canvas(self) -> None:
        if self._canvas is not None:
            self._canvas.close()
            self._canvas = None

    def _connect(self) -> None:
        same_step = self.autoreset_mode is AutoresetMode.SAME_STEP
        self._results = _classes(self.device)[1](self.batch, self.observation_format, self.copy, same_step)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_canvas": None, "_results": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._connect()


def _classes(device: str) -> tuple[type[Batch], type[Results]]:
    """Return the classes of the batch and of its results: all that differs between devices."""
    if device == "cpu":
        return Batch, Results
    from .cuda.batch import CudaBatch, CudaResults

    return CudaBatch, CudaResults
