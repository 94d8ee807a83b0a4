"""A curriculum: a window over levels sorted by difficulty that moves with the success rate."""

import math
from collections import deque
from collections.abc import Sequence
from typing import Any

from gridpuzzles_gym.engine.arguments import integer, real
from gridpuzzles_gym.engine.levels.sources import Sampler
from gridpuzzles_gym.engine.messages import quote
from gridpuzzles_gym.engine.puzzle import Level, Outcome, Puzzle

from .base import Tagged, below, close_all, entries, extent_for, levels_of, mix, share

_SHARE_IN_WINDOW = 0.1
"""Default width of the window, as a share of all levels."""


class Curriculum:
    """Samples levels, or stages, from a window over them in order of difficulty.

    The window starts at the easiest. When more than ``up`` of the last ``episodes`` in it were solved it moves forward
    by ``step``, when fewer than ``down`` were it moves back, and each move resets the count. A share of all
    samples is taken from all levels, so that earlier ones are not forgotten and harder ones are tried.

    Args:
        levels: Levels, or anything an environment takes as ``levels=``; or a list of samplers, the stages.
        difficulties: One number for each level; None: they are in order, easiest first.
        puzzle: An environment id, or the puzzle; required if levels have to be looked up.
        width: Width of the window in levels or stages; None: a tenth of the levels, or one stage.
        step: Number of levels or stages that it moves by; None: half of the width.
        up: Success rate above which it moves forward.
        down: Success rate below which it moves back.
        episodes: Number of episodes counted.
        uniform: Share of samples taken from all levels, 0 to 1.

    Raises:
        ValueError: There are no levels, or a number is out of range or missing.
    """

    def __init__(
        self,
        levels: Any,
        difficulties: Sequence[float] | None = None,
        puzzle: str | Puzzle | None = None,
        width: int | None = None,
        step: int | None = None,
        up: float = 0.8,
        down: float = 0.4,
        episodes: int = 200,
        uniform: float = 0.1,
    ) -> None:
        staged = isinstance(levels, Sequence) and any(isinstance(stage, Sampler) for stage in levels)
        parts: list[Any] = list(levels) if staged else list(levels_of(levels, puzzle))
        if staged and not all(isinstance(part, Sampler) for part in parts):
            raise ValueError("levels: must be all samplers or none")
        order = _order(difficulties, len(parts))
        parts = [parts[number] for number in order]
        self.extent = extent_for(parts)
        self._stages: list[Sampler] = parts if staged else []
        self.levels = [] if staged else [Tagged(level, number) for number, level in enumerate(parts)]
        self.size = len(parts)
        tenth = 1 if staged else max(1, round(_SHARE_IN_WINDOW * self.size))
        self.width = integer("width", tenth if width is None else width, 1, self.size)
        self.step = integer("step", max(1, self.width // 2) if step is None else step, 1, self.size)
        self.up, self.down = real("up", up, 0, 1), real("down", down, 0, 1)
        if self.down > self.up:
            raise ValueError(f"down={quote(down)}, up={quote(up)}: down must not be above up")
        self.uniform = real("uniform", uniform, 0, 1)
        self.position = 0
        self._latest: deque[bool] = deque(maxlen=integer("episodes", episodes, 1))

    def sample(self, random_bits: int) -> Level:
        """Return a level of the window, or sometimes of all."""
        everything = share(mix(random_bits, 0)) < self.uniform
        first, count = (0, self.size) if everything else (self.position, self.width)
        number = first + below(mix(random_bits, 1), count)
        if self._stages:
            return Tagged(self._stages[number].sample(mix(random_bits, 2)), number)
        return self.levels[number]

    def report(self, level: Level, outcome: Outcome, score: float) -> None:
        """Count the episode if its level is in the window, and move the window if enough are counted."""
        if not isinstance(level, Tagged) or not 0 <= level.tag < self.size:
            return  # a level that was requested explicitly
        if self._stages:
            self._stages[level.tag].report(level.origin, outcome, score)
        if not self.position <= level.tag < self.position + self.width:
            return
        self._latest.append(outcome == Outcome.SOLVED)
        if len(self._latest) < (self._latest.maxlen or 0):
            return
        rate = sum(self._latest) / len(self._latest)
        if rate > self.up:
            self._move(self.step)
        elif rate < self.down:
            self._move(-self.step)

    def _move(self, step: int) -> None:
        position = min(max(self.position + step, 0), self.size - self.width)
        if position != self.position:
            self.position = position
            self._latest.clear()

    def metrics(self) -> dict[str, float]:
        """Return the window's position from 0 to 1, and the success rate in it."""
        way = self.size - self.width
        rate = sum(self._latest) / len(self._latest) if self._latest else math.nan
        return {"curriculum": self.position / way if way else 1.0, "window_success": rate}

    def get_state(self) -> dict[str, Any]:
        """Return the window's position, the counts, and the states of the stages."""
        stages = [stage.get_state() for stage in self._stages]
        return {"position": self.position, "latest": list(self._latest), "stages": stages}

    def set_state(self, state: dict[str, Any]) -> None:
        """Restore the result of ``get_state()``.

        Raises:
            ValueError: The state is invalid or belongs to other levels.
        """
        position, latest, stages = entries(state, "position", "latest", "stages")
        window = type(position) is int and 0 <= position <= self.size - self.width
        if not window or not isinstance(stages, list) or len(stages) != len(self._stages):
            raise ValueError("not a state of this curriculum: it belongs to other levels or stages")
        if not isinstance(latest, list) or not all(type(solved) is bool for solved in latest):
            raise ValueError("not a state of this curriculum: latest must be a list of bools")
        for stage, own in zip(self._stages, stages, strict=True):
            stage.set_state(own)
        self.position = position
        self._latest = deque(latest, maxlen=self._latest.maxlen)

    def close(self) -> None:
        """Close the stages."""
        close_all(self._stages)


def _order(difficulties: Sequence[float] | None, count: int) -> list[int]:
    """Return the indices of the levels, easiest first; equally hard ones keep their order."""
    if difficulties is None:
        return list(range(count))
    numbers = [float(difficulty) for difficulty in difficulties]
    if len(numbers) != count:
        raise ValueError(f"{len(numbers)} difficulties for {count} levels: there must be one for each")
    if any(math.isnan(number) for number in numbers):
        raise ValueError(f"difficulties[{[math.isnan(number) for number in numbers].index(True)}] is not a number")
    return sorted(range(count), key=numbers.__getitem__)
