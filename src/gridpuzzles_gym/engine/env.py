"""The single environment: Gymnasium's Env on a batch of size one."""

from operator import index
from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt

from .arguments import boolean, choice, integer
from .batch_of_one import BatchOfOne
from .kernels import OUTCOME, SEEDED, SUCCESS, TERMINATED, TRUNCATED
from .levels.sources import level_source, pick_level
from .messages import quote
from .observations import ObservationFormat, free_buffers
from .puzzle import UNFINISHED, Puzzle, load_puzzle
from .scene import Scene
from .spec import HasSpec

RENDER_MODES = ("human", "rgb_array", "ansi")
RENDER_FPS = 8
TILE_SIZE = 96
Observed = npt.NDArray[Any]


class PuzzleEnv(HasSpec, gym.Env[Observed, int]):
    """A single environment of any puzzle.

    Args:
        puzzle: The puzzle, or the dotted name of the module that holds its ``PUZZLE``.
        levels: The levels to play: a bundled pack's name, a file, a folder, level text, a list of these, or a sampler
            (:func:`~gridpuzzles_gym.engine.levels.sources.level_source`); None: the puzzle's own.
        observation: The name of one of the puzzle's observations, or ``"pixels"``; None selects the first.
        render_mode: ``"human"``, a window; ``"rgb_array"``, an array, without a display; ``"ansi"``, text; or None.
        tile_size: The width of a square in pictures, in pixels; larger if only a part of the board is shown, smaller if
            the picture would have over 2**24 pixels.
        panel: False shows the board only: all of it, with squares of the same size for every level.
        tile: The width of a square in observed pixels; None: 8, or what the puzzle's picture needs.
        flat: Whether observations have one axis instead of the puzzle's.
        dtype: The type of observations, such as ``"float32"``; None: the puzzle's.
        strict: Whether an invalid level among valid ones is an error; otherwise it is left out, and a
            :class:`~gridpuzzles_gym.engine.levels.level_text.LevelWarning` says so.
        **options: The puzzle's own options.

    Attributes:
        config: The environment's configuration, for agents.
        channels: The name of each entry along the observation's first axis, or of each colour.
        notes: Short texts to draw on squares ``(row, column)``, e.g. an agent's estimates.

    Raises:
        ValueError: A keyword argument is unknown or has an invalid value.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - as Gymnasium declares it
        "render_modes": list(RENDER_MODES),
        "render_fps": RENDER_FPS,
    }

    def __init__(
        self,
        puzzle: str | Puzzle,
        levels: Any = None,
        observation: str | None = None,
        render_mode: str | None = None,
        tile_size: int = TILE_SIZE,
        panel: bool = True,
        tile: int | None = None,
        flat: bool = False,
        dtype: Any = None,
        strict: bool = False,
        **options: Any,
    ) -> None:
        self.puzzle = load_puzzle(puzzle)
        tile_size = check_rendering(render_mode, tile_size)
        chosen = self.puzzle.read_options(**options)
        source = level_source(self.puzzle, levels, chosen, boolean("strict", strict))
        self.batch = BatchOfOne(self.puzzle, chosen, observation, source, tile)
        self.config, self.options, self.channels = self.batch.config, self.batch.options, self.batch.channels
        self.observation_format = ObservationFormat(flat, dtype)
        self.observation_space = self.observation_format.space(self.batch.space)
        self.action_space: gym.spaces.Discrete[Any] = gym.spaces.Discrete(len(self.batch.action_names))
        self.render_mode, self.tile_size, self.panel = render_mode, tile_size, boolean("panel", panel)
        self.notes: dict[tuple[int, int], str] = {}
        self._action: int | None = None
        self._canvas: Any = None
        self._connect()

    def _connect(self) -> None:
        """Prepare what every step uses."""
        batch = self.batch
        self._ends, self._mask = batch.ends[:, 0], batch.masks[0]
        self._see = self.observation_format.reader(batch.observations[0], copy=True)
        self._buffers = free_buffers(batch.observations[0], self._mask, self.observation_format)
        # In what the kernel returns, the metrics come after the number of ended episodes and the reward.
        self._metrics = tuple(enumerate(batch.metric_kinds, 2))
        known = {"action_mask": None, "is_success": False, "outcome": UNFINISHED}
        self._unfinished: dict[str, Any] = {**known, **dict.fromkeys(batch.metric_kinds)}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observed, dict[str, Any]]:
        """Begin an episode.

        Args:
            seed: The random seed of this and all later episodes; None continues the current random sequence.
            options: ``{"level": …}`` selects the level: a text, a bundled level's name, a path, or an index.

        Raises:
            ValueError: An option is unknown, or the level is invalid or does not fit this environment.
        """
        chosen = read_reset_options(options, ("level",)).get("level")
        batch = self.batch
        level = None if chosen is None else pick_level(self.puzzle, batch.source, chosen, batch.check_fits)
        super().reset(seed=seed)
        if seed is not None or not self.batch.counters[SEEDED, 0]:
            self.batch.seed(0, self.np_random)
        self.batch.reset(level=level)
        self._action, self.notes = None, {}
        if self.render_mode == "human":
            self.render()
        return self._see(), self._info(self._mask.copy(), batch.numbers)

    def step(self, action: int) -> tuple[Observed, float, bool, bool, dict[str, Any]]:
        """Apply one action.

        Raises:
            ValueError: The action is not an integer in range; nothing was changed.
            gymnasium.error.ResetNeeded: Before the first reset, or after the end of an episode.
        """
        buffer = next(self._buffers)
        try:
            number = index(action)
        except TypeError:
            raise _no_action(action) from None
        try:
            numbers = self.batch.step_one(number, buffer.address)
        except OverflowError:
            raise _no_action(action) from None
        self._action = number
        if self.render_mode == "human":
            self.render()
        observation, mask = buffer.observation, buffer.mask  # local variables are called faster
        info = self._info(mask(), numbers)
        if not numbers[0]:
            return observation(), numbers[1], False, False, info
        ends = self._ends.tolist()
        info["is_success"], info["outcome"] = ends[SUCCESS] == 1, ends[OUTCOME]
        return observation(), numbers[1], ends[TERMINATED] == 1, ends[TRUNCATED] == 1, info

    def _info(self, mask: npt.NDArray[np.int8], numbers: tuple[Any, ...]) -> dict[str, Any]:
        # The outcome is included at every step, because only Gymnasium's TimeLimit wrapper knows when it truncates.
        info = self._unfinished.copy()  # has all keys already: a dictionary that grows takes twice as long
        info["action_mask"] = mask
        for k, name in self._metrics:  # takes half the time of a zip
            info[name] = numbers[k]
        return info

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the legal actions, those that change anything, bool[A]; sb3-contrib's MaskablePPO calls this."""
        self.batch.check_started()
        masks: npt.NDArray[np.bool_] = self._mask == 1
        return masks

    def get_keys_to_action(self) -> dict[tuple[int, ...], int]:
        """Return the action of each key of the keyboard (pygame's codes), for ``gymnasium.utils.play.play``.

        That function takes an action in every frame unless it is called with ``wait_on_player=True``.
        """
        from .pictures.canvas import key_code

        names = {name: action for name, action in self.puzzle.keys.items() if action < self.action_space.n}
        return {(key_code(name),): action for name, action in names.items()}

    def get_state(self) -> dict[str, Any]:
        """Return everything that determines the future of the environment, including its random state; picklable.

        The step count of a TimeLimit wrapper is not included.
        """
        return {**self.batch.get_state(), "action": self._action}

    def set_state(self, state: dict[str, Any]) -> None:
        """Continue from a state that :meth:`get_state` returned.

        Raises:
            ValueError: This environment cannot reach that state; nothing was changed.
        """
        action = state.get("action") if isinstance(state, dict) else None
        self._check_action(action)
        self.batch.set_state(state)
        self._action = action

    def _check_action(self, action: Any) -> None:
        """Raise ValueError unless the last action is None or valid."""
        if action is not None and (type(action) is not int or not 0 <= action < len(self.batch.action_names)):
            raise ValueError(f"not a state of this environment: invalid action {quote(action)}")

    def scene(self) -> Scene:
        """Return the scene of the current state, for drawing."""
        return self.batch.scene(0, action=self._action, notes=self.notes)

    def render(self) -> Any:
        """Render the current state according to ``render_mode``.

        Returns:
            uint8[height, width, 3] for ``"rgb_array"``, a text for ``"ansi"``, None otherwise.
        """
        if self.render_mode is None:
            gym.logger.warn("render() needs a render_mode; pass one of " + ", ".join(RENDER_MODES) + " to gym.make")
            return None
        scene = self.scene()
        if self.render_mode == "ansi":
            return self.puzzle.ansi(scene)
        if self._canvas is None:
            from .pictures.canvas import Canvas

            self._canvas = Canvas(self.puzzle, self.tile_size, panel=self.panel)
        if self.render_mode == "rgb_array":
            return self._canvas.picture(scene)
        self._canvas.show(scene, RENDER_FPS)
        return None

    def close(self) -> None:
        """Close the window, if one is open, and the level sampler."""
        self.batch.close()
        if self._canvas is not None:
            self._canvas.close()
            self._canvas = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_canvas": None, "_buffers": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._check_action(self._action)
        self._connect()

    def __str__(self) -> str:
        return f"<{type(self).__name__}<{self.spec.id if self.spec else self.puzzle.name}>>"


def _no_action(action: Any) -> ValueError:
    return ValueError(f"action {quote(action)} is a {type(action).__name__}; it must be a small integer")


def check_rendering(render_mode: str | None, tile_size: int) -> int:
    """Return ``tile_size`` as an int; raises ValueError if it or ``render_mode`` is invalid."""
    if render_mode is not None:
        choice("render_mode", render_mode, RENDER_MODES, " and None")
    return integer("tile_size", tile_size, 8, 512, " pixels")


def read_reset_options(options: dict[str, Any] | None, allowed: tuple[str, ...]) -> dict[str, Any]:
    """Return a copy of ``reset``'s options; raises ValueError if one is unknown."""
    read = dict(options or {})
    for name in read:
        if name not in allowed:
            raise ValueError(f"unknown reset option {quote(name)}; allowed are {', '.join(map(repr, allowed))}")
    return read
