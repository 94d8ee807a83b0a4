"""A batch of environments as arrays, stepped by one kernel: the basis of both Gymnasium classes.

    array     dtype    shape         holds
    actions   int64    [B]           the next action of each environment
    levels    int16    [2B, L]       each environment's level, then its queued level
    starts    int16    [B, S]        the start state of each queued level
    befores   int16    [B, S]        each environment's state before the last step of the batch
    states    int16    [B, S]        each environment's state
    random_bits  uint64  [B]         each environment's random state
    counters  int32    [6, B]        PLACE ELAPSED ENDED QUEUED FINAL_LENGTH SEEDED
    metrics   int64    [2F, B]       the puzzle's F metrics of this episode, then of the last finished episode
    scores    float64  [3, B]        REWARD RETURN FINAL_RETURN
    ends      int8     [5, B]        TERMINATED TRUNCATED OUTCOME EITHER SUCCESS
    idle      int8     [B]           whether the last step has left out an environment: 0, WAITS or PASSES
    due       int64    [B + 1]       the environments whose episode the last step has ended; the rest is scratch memory
    views     *        [2B, C, H*W]  each environment's observation, as written by the rules; then, with SAME_STEP
                                     (otherwise only B rows), the last observation of the finished episode;
                                     of "pixels", int16[2B, L + S]: level and state
    masks     int8     [B, A]        legal actions, if they were requested; otherwise empty
    blocks    int64    [M]           the addresses of the pool's blocks, each int16[K / M, L + S]
    control   int64    [6 + n]       COMMAND ACTIONS LIMIT AUTORESET POOL BLOCK, then the puzzle's settings

``observations`` and ``final_observations`` are the halves of ``views``, or of their pictures, in the space's shape.
The pool is the K levels given by ``levels=``, each a level row and a start row, which are only read; K is 0 if
instances are generated or sampled.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from gymnasium.error import ResetNeeded

from . import kernels, saving
from .arguments import choice, step_limit
from .compile.compilation import entry, is_worth_compiling, tiered
from .compile.memory import frame_of
from .config import EnvConfig
from .kernels import ELAPSED, OUTCOME, PLACE, RETURN, make_mask_batch, make_observe_batch
from .levels.level_queue import LevelQueue
from .levels.pool import Encoder, Pool
from .levels.sources import LevelSource
from .pictures.pixels import Painter, chosen_observation
from .puzzle import Level, Outcome, Puzzle
from .random import initial_bits
from .scene import Row, Scene


class Endings(NamedTuple):
    """The results of the last finished episodes of n environments."""

    outcomes: npt.NDArray[np.int8]
    """int8[n]: values of :class:`~gridpuzzles_gym.engine.puzzle.Outcome`."""
    returns: npt.NDArray[np.float64]
    """float64[n]: sums of rewards."""
    lengths: npt.NDArray[np.int32]
    """int32[n]: actions taken."""


class Batch:
    """Arrays for ``size`` environments of one puzzle, stepped and reset together.

    Args:
        puzzle: The puzzle.
        options: The puzzle's own options.
        observation: A key of ``puzzle.observations``, or ``"pixels"``; None selects the first.
        source: The level source.
        size: B, the number of environments.
        limit: The number of steps after which an episode is truncated; None or -1 for no limit.
        autoreset: NO_AUTORESET, NEXT_STEP or SAME_STEP.
        masks: Whether to update ``masks`` at every step.
        tile: The width of a square, in pixels, if they are observed; None: that of the puzzle's picture.

    Raises:
        ValueError: ``observation`` is unknown, or ``tile`` or the limit is invalid.
    """

    def __init__(
        self,
        puzzle: Puzzle,
        options: Any,
        observation: str | None,
        source: LevelSource,
        size: int,
        limit: int | None = None,
        autoreset: int = kernels.NO_AUTORESET,
        masks: bool = False,
        tile: int | None = None,
    ) -> None:
        observation, tile = chosen_observation(puzzle, observation, tile, source.extent)
        self._arguments: tuple[Any, ...] = (puzzle, options, observation, source, size, limit, autoreset, masks, tile)
        options = puzzle.resolve_options(options, source.extent, source.known)
        self.puzzle, self.options, self.observation, self.source = puzzle, options, observation, source
        self.size, self.extent, limit = size, source.extent, step_limit(limit)
        self.config = EnvConfig(puzzle, options, observation, self.extent, source.levels, source.sampler, limit, tile)
        self.action_names = puzzle.actions(options)
        self.space, self.channels = self.config.space, self.config.seen.channels(self.extent)
        level_size, state_size = puzzle.row_lengths(self.extent)
        self.pool = Pool(puzzle, source.levels, self.extent, options)
        self.actions = np.zeros(size, np.int64)
        self.levels = np.zeros((2 * size, level_size), np.int16)
        self.starts = np.zeros((size, state_size), np.int16)
        self.befores = np.zeros((size, state_size), np.int16)
        self.states = np.zeros((size, state_size), np.int16)
        self.random_bits = np.zeros(size, np.uint64)
        self.level_random_bits = np.zeros(size, np.uint64)
        self.metric_kinds = dict(puzzle.metric_kinds(options))
        self.counters = np.zeros((6, size), np.int32)
        self.counters[PLACE] = -1
        self.metrics = np.zeros((2 * len(self.metric_kinds), size), np.int64)
        self.scores = np.zeros((3, size), np.float64)
        self.ends = np.zeros((5, size), np.int8)
        self.idle = np.zeros(size, np.int8)
        self.due = np.zeros(size + 1, np.int64)
        count = 2 * size if autoreset == kernels.SAME_STEP else size
        self._painter = None if tile is None else Painter(puzzle, options, self.extent, tile, count)
        self.views = kernels.views_for(self.space, count) if self._painter is None else self._painter.rows
        self.masks = np.zeros((size if masks else 0, len(self.action_names)), np.int8)
        self.blocks = self.pool.addresses
        command = [kernels.STEP, len(self.action_names), limit or 0, autoreset, len(source.levels), self.pool.block]
        settings = () if puzzle.generation is None else puzzle.generation.settings(options)
        self.control = np.array([*command, *settings], np.int64)
        self.encode = Encoder(puzzle, self.extent, options)
        rows = self.levels[size:], self.starts
        self._queue = LevelQueue(source.sampler, self.encode, *rows, self.counters, self.level_random_bits)
        self._begun = np.zeros(size, bool)
        self.started = False
        self._connect()

    def _connect(self) -> None:
        seen = self.views.reshape(-1, *(self.space.shape or ())) if self._painter is None else self._painter.pixels
        self.observations, self.final_observations = seen[: self.size], seen[self.size :]
        self._frame = frame_of(getattr(self, name) for name in kernels.FRAME)
        self._step_with(self._first_steps)

    def _step_with(self, step: Callable[..., Any]) -> None:
        self._step_batch = step if self._painter is None else self._painter.following(step)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy by constructor arguments and state; the state is checked when it is restored."""
        return _restored, (type(self), self._arguments, self._saved())

    # -- the kernel ------------------------------------------------------------------------------

    def _kernel(self) -> Any:
        return kernels.kernel(kernels.make_step_batch, self.puzzle, self.observation)

    def _first_steps(self, *arguments: Any) -> Any:
        """Compile, but not before the first call, and for a single environment not before it is worth it."""
        kernel = self._kernel()
        if self.size == 1 and not is_worth_compiling(kernel, *arguments):
            return kernel.interpret(*arguments)
        self._step_with(step := entry(kernel, *arguments))
        return step(*arguments)

    def interpret(self) -> None:
        """Step with the rules as plain Python: a thousand times slower, but without compiling.

        Use it for episodes played by hand.
        """
        self._step_with(self._kernel().py_func)

    def _command(self, command: int) -> int:
        self.control[kernels.COMMAND] = command
        try:
            return self._run()
        finally:
            self.control[kernels.COMMAND] = kernels.STEP

    def _run(self) -> int:
        return int(self._step_batch(self._frame, self.views))

    # -- playing ---------------------------------------------------------------------------------

    def step_some(self) -> int:
        """Like :meth:`step`, but environments whose action is ``kernels.PASS`` stay as they are, and need no reset."""
        passing = self.actions == kernels.PASS
        if not (self._begun | passing).all():
            raise ResetNeeded("call reset() first")
        count = self._command(kernels.STEP_SOME)
        self._follow(count)
        return count

    def step(self) -> int:
        """Apply ``actions``, one per environment, and return the number of episodes that ended.

        Raises:
            ValueError: An action is out of range; nothing was changed.
            ResetNeeded: An environment was never reset, or its episode has ended and there is no autoreset.
        """
        if not self.started:
            self.check_started()
        count = self._run()
        if count < 0 or self._queue.waiting or self._queue.playing:
            self._follow(count)
        return count

    def reset(self, which: npt.NDArray[np.bool_] | None = None, level: Level | None = None) -> None:
        """Begin new episodes.

        Args:
            which: bool[B], the environments to reset; None resets all.
            level: The level to play; None takes the next level of the source.
        """
        chosen = range(self.size) if which is None else np.flatnonzero(which).tolist()
        if level is not None or self.source.sampler is not None:
            self._queue.prepare(chosen, level, self.scores[RETURN])
        self.actions[:] = 1 if which is None else which
        self._command(kernels.RESET)
        if not self.started:
            self._begun |= self.actions == 1
            self.started = bool(self._begun.all())
        self._queue.take(chosen)

    def seed(self, i: int, np_random: np.random.Generator) -> None:
        """Seed environment ``i``, and discard a level that was sampled for it with the previous seed."""
        self.random_bits[i] = initial_bits(np_random)
        self.level_random_bits[i] = initial_bits(np_random)
        self.counters[kernels.SEEDED, i] = 1
        self._queue.discard(i)

    def check_fits(self, level: Level) -> None:
        """Raise LevelError unless the level can be played in these environments."""
        self.encode(level)

    def _follow(self, count: int) -> None:
        """Report finished episodes to the sampler, and track which levels are in play; or raise."""
        if count < 0:
            raise kernels.error_of(count, self.actions, self.action_names)
        for i in self.due[:count].tolist():
            self._queue.report(i, Outcome(self.ends[OUTCOME, i]), self.scores[kernels.FINAL_RETURN, i])
        self._queue.take(self._queue.begun())

    def close(self) -> None:
        """Close the sampler if it has a method ``close``; its next sample starts it again."""
        self._queue.close()

    def endings(self, which: npt.NDArray[np.intp]) -> Endings:
        """Return the results of the last finished episodes of the environments ``which`` (int[n])."""
        finals = self.scores[kernels.FINAL_RETURN, which], self.counters[kernels.FINAL_LENGTH, which]
        return Endings(self.ends[OUTCOME, which], *finals)

    # -- looking ---------------------------------------------------------------------------------

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the legal actions, those that change anything, bool[B, A]."""
        masks = np.empty((self.size, len(self.action_names)), np.bool_)
        kernel = kernels.kernel(make_mask_batch, self.puzzle)
        if self.size == 1:
            tiered(kernel, self.levels, self.states, masks)
        else:
            kernel(self.levels, self.states, masks)
        return masks

    def observed_as(self, observation: str) -> npt.NDArray[Any]:
        """Return another observation of all current states, [B, ...], e.g. for an agent that needs to see more.

        Args:
            observation: A key of ``puzzle.observations``.

        Raises:
            ValueError: It is unknown.
        """
        space = self.puzzle.observations[choice("observation", observation, self.puzzle.observations)].space
        views = kernels.views_for(space(self.extent), self.size)
        kernel = kernels.kernel(make_observe_batch, self.puzzle, observation)
        kernel(self.levels, self.states, views)
        return views.reshape(self.size, *(space(self.extent).shape or ()))

    def scene(self, i: int, **more: Any) -> Scene:
        """Return the scene of environment ``i``, for drawing; it must have been reset, the others need not."""
        if not self._begun[i]:
            raise ResetNeeded("call reset() first")
        playing = self.level_played(i)
        return Scene(
            level=self.levels[i].copy(),
            state=self.states[i].copy(),
            before=self.befores[i].copy() if self.counters[ELAPSED, i] else None,
            start=self._start(i, playing),
            options=self.options,
            score=float(self.scores[RETURN, i]),
            steps=int(self.counters[ELAPSED, i]),
            title=playing.name if playing is not None else "",
            metrics=dict(zip(self.metric_kinds, self.metrics[:, i].tolist(), strict=False)),
            **more,
        )

    def _start(self, i: int, playing: Level | None) -> Row | None:
        """Return the start state of environment ``i``, if its level was given."""
        if playing is None:
            return None
        place = int(self.counters[PLACE, i])
        return self.encode(playing)[1] if place < 0 else self.pool.rows(place)[1]

    def check_started(self) -> None:
        """Raise ResetNeeded unless every environment has been reset once."""
        if not self.started:
            raise ResetNeeded("call reset() first")

    # -- saving ----------------------------------------------------------------------------------

    def get_state(self) -> dict[str, Any]:
        """Return everything that determines the future of all environments: a picklable dict of copies."""
        self.check_started()
        return self._saved()

    def _saved(self) -> dict[str, Any]:
        return {name: getattr(self, name).copy() for name in saving.ARRAYS} | {
            "levels": self.levels[: self.size].copy(),
            "begun": self._begun.copy(),
            "playing": [self.level_played(i) for i in range(self.size)],
            "waiting": dict(self._queue.waiting),
            "sampler": None if self.source.sampler is None else self.source.sampler.get_state(),
        }

    def level_played(self, i: int) -> Level | None:
        """Return the level that environment ``i`` plays; None if it was generated."""
        place = int(self.counters[PLACE, i])
        return self._queue.playing.get(i) if place < 0 else self.source.levels[place]

    def set_state(self, saved: dict[str, Any]) -> None:
        """Continue from a state that :meth:`get_state` returned.

        Raises:
            ValueError: This batch cannot reach that state; nothing was changed.
        """
        new = saving.checked(self, saved)
        if self.source.sampler is not None:
            saving.set_sampler(self.source.sampler, new["sampler"])
        for name in saving.ARRAYS:
            getattr(self, name)[...] = new[name]
        begun = new["begun"]
        self.levels[: self.size] = new["levels"]
        self.counters[PLACE] = -1
        self._queue.restore(new["playing"], new["waiting"])
        self._begun[:] = begun
        self.started = bool(begun.all())
        if begun.any():
            self.actions[:] = begun
            self._command(kernels.OBSERVE)


def _restored(kind: type[Batch], arguments: tuple[Any, ...], saved: dict[str, Any]) -> Batch:
    """Restore a batch from a pickle."""
    batch = kind(*arguments)
    batch.set_state(saved)
    return batch
