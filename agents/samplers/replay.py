"""Prioritised level replay: levels with the most to learn are played again."""

import bisect
from typing import Any

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.arguments import integer, real
from gridpuzzles_gym.engine.levels.sources import Sampler
from gridpuzzles_gym.engine.messages import quote
from gridpuzzles_gym.engine.puzzle import Level, Outcome, Puzzle

from .base import Tagged, below, close_all, entries, extent_for, levels_of, mix, share

SCORES = ("learner", "learnability")
_LEARNING_RATE = 0.25
"""Weight of the latest episode in the estimate of a level's success rate."""


class LevelReplay:
    """Prioritised level replay (M. Jiang, E. Grefenstette and T. Rocktäschel, ICML 2021).

    Each sample is either a new level of the source or, with probability ``replay``, one that was scored before. That
    one is sampled by ``(1 - staleness) * P_S + staleness * P_C``: P_S is proportional to
    ``(1 / rank) ** (1 / temperature)``, rank 1 being the highest score, and P_C to the number of samples since the
    level was last sampled.

    The paper's score is the mean absolute advantage (GAE) over an episode: ``scores="learner"``, with a learner that
    calls :meth:`score`, as ``gridpuzzles train --sampler replay`` does. As in the authors' implementation a level
    counts as new until its first score. Our own is ``scores="learnability"``, for learners that do not support
    samplers: p (1 - p), where p estimates the level's success rate, starting from 1/2 and moving a quarter of the way
    to 1 or 0 with each episode; it is highest if success and failure are equally likely.

    Args:
        source: A sampler that makes an endless stream of levels; or levels, as an environment takes as ``levels=``.
        puzzle: An environment id, or the puzzle; required if levels have to be looked up.
        scores: ``"learner"`` or ``"learnability"``.
        temperature: The paper's β. Its value there is 0.1: the highest score then gets 99.9 % of P_S, which suits a
            few environments; hundreds would all play one level until the next update and need a higher one.
        staleness: The paper's ρ, with its value there.
        replay: Probability of a replay. None: for a pack, the share of its levels that have a score, as in the
            paper; for a sampler, a half.
        buffer: Maximum number of a sampler's levels that are stored; once full, a level with a higher score than the
            lowest replaces it. All levels of a pack are stored.

    Raises:
        ValueError: There are no levels, or a value is invalid.
    """

    def __init__(
        self,
        source: Any,
        puzzle: str | Puzzle | None = None,
        scores: str = "learnability",
        temperature: float = 1.0,
        staleness: float = 0.1,
        replay: float | None = None,
        buffer: int = 4096,
    ) -> None:
        if scores not in SCORES:
            raise ValueError(f"scores={quote(scores)} is not known; allowed are {', '.join(map(repr, SCORES))}")
        self.scores = scores
        self.temperature = real("temperature", temperature, 0.01, 1000)
        self.staleness = real("staleness", staleness, 0, 1)
        self.replay = None if replay is None else real("replay", replay, 0, 1)
        self._source = source if isinstance(source, Sampler) else None
        found = [] if self._source is not None else levels_of(source, puzzle)
        self.levels = [Tagged(level, number) for number, level in enumerate(found)]
        self.extent = extent_for([self._source] if self._source is not None else found)
        capacity = len(found) or integer("buffer", buffer, 1, 10**6)
        self._stored: list[Tagged] = []
        self._index_of: dict[int, int] = {}
        """The index in ``_stored`` of the level with a tag."""
        self._scores: npt.NDArray[np.float64] = np.zeros(capacity)
        self._played: npt.NDArray[np.int64] = np.zeros(capacity, np.int64)
        """The index of the sample that last returned this level."""
        self._rates: dict[int, float] = {}
        """Estimated success rates by tag, of stored levels."""
        self._ranked: list[tuple[float, int]] = []
        """(-score, index) of all stored levels, sorted."""
        self._new = list(range(len(found)))
        """The indices of the pack's levels without a score."""
        self._samples = 0
        self._sampled = 0
        with np.errstate(under="ignore"):
            self._rank_sums = np.cumsum(np.arange(1.0, capacity + 1) ** (-1 / self.temperature))

    # -- sampling --------------------------------------------------------------------------------

    def sample(self, random_bits: int) -> Level:
        """Return a new level, or one to replay."""
        chance = self._replay_chance()
        if chance > 0 and share(mix(random_bits, 0)) < chance:
            index = (
                self._stale(mix(random_bits, 2))
                if share(mix(random_bits, 1)) < self.staleness
                else self._high(mix(random_bits, 2))
            )
            self._played[index] = self._samples
            level = self._stored[index]
        else:
            level = self._next_new(mix(random_bits, 3))
        self._samples += 1
        return level

    def _replay_chance(self) -> float:
        if not self._stored:
            return 0.0
        if self._source is None and not self._new:
            return 1.0
        if self.replay is not None:
            return self.replay
        return len(self._stored) / len(self.levels) if self._source is None else 0.5

    def _high(self, random_bits: int) -> int:
        """Sample an index by the rank of its score."""
        sums = self._rank_sums[: len(self._stored)]
        return self._ranked[min(int(sums.searchsorted(share(random_bits) * sums[-1], "right")), len(sums) - 1)][1]

    def _stale(self, random_bits: int) -> int:
        """Sample an index by the number of samples since it was last returned."""
        sums = np.cumsum(self._samples - self._played[: len(self._stored)])
        return int(sums.searchsorted(below(random_bits, int(sums[-1])), "right"))

    def _next_new(self, random_bits: int) -> Tagged:
        if self._source is None:
            return self.levels[self._new[below(random_bits, len(self._new))]]
        self._sampled += 1
        return Tagged(self._source.sample(random_bits), self._sampled)

    def probabilities(self) -> list[tuple[Level, float]]:
        """Return the probability of each level if the next sample is a replay."""
        size = len(self._stored)
        if not size:
            return []
        by_rank = np.diff(self._rank_sums[:size], prepend=0.0) / self._rank_sums[size - 1]
        by_score = np.zeros(size)
        by_score[[index for _, index in self._ranked]] = by_rank
        ages = self._samples - self._played[:size]
        mixed = (1 - self.staleness) * by_score + self.staleness * ages / ages.sum()
        return list(zip(self._stored, mixed.tolist(), strict=True))

    # -- scores ----------------------------------------------------------------------------------

    def report(self, level: Level, outcome: Outcome, score: float) -> None:
        """Record the end of an episode; with ``scores="learnability"`` its level gets a score."""
        if not isinstance(level, Tagged):
            return  # a level that was requested explicitly
        if self._source is not None:
            self._source.report(level.origin, outcome, score)
        if self.scores == "learnability":
            rate = self._rates.get(level.tag, 0.5)
            rate += _LEARNING_RATE * ((outcome == Outcome.SOLVED) - rate)
            self._put(level, rate * (1 - rate))
            if level.tag in self._index_of:
                self._rates[level.tag] = rate

    def score(self, level: Level, value: float) -> None:
        """Record a learner's score of an episode on ``level``: the mean absolute advantage, in any unit."""
        if self.scores == "learner" and isinstance(level, Tagged):
            self._put(level, float(value))

    def _put(self, level: Tagged, score: float) -> None:
        """Set a level's score; a new level is added if there is space or its score is high enough."""
        index = self._index_of.get(level.tag)
        if index is None:
            if self._source is None and not 0 <= level.tag < len(self.levels):
                return
            index = len(self._stored)
            if index < len(self._scores):
                self._stored.append(level)
            else:
                lowest, index = self._ranked[-1]
                if score <= -lowest:
                    return
                self._ranked.pop()
                tag = self._stored[index].tag
                del self._index_of[tag]
                self._rates.pop(tag, None)
                self._stored[index] = level
            self._index_of[level.tag] = index
            self._played[index] = self._samples - 1
            if self._source is None:
                del self._new[bisect.bisect_left(self._new, level.tag)]
                self._stored[index] = self.levels[level.tag]  # the original, not a copy
        else:
            del self._ranked[bisect.bisect_left(self._ranked, (-float(self._scores[index]), index))]
        self._scores[index] = score
        bisect.insort(self._ranked, (-score, index))

    # -- inspecting and saving ----------------------------------------------------------------------

    def metrics(self) -> dict[str, float]:
        """Return the number of levels with a score, and the mean score."""
        size = len(self._stored)
        return {"scored_levels": size, "mean_score": float(self._scores[:size].mean()) if size else 0.0}

    def get_state(self) -> dict[str, Any]:
        """Return the scores, when levels were last sampled, the stored levels, and the state of the source."""
        size = len(self._stored)
        return {
            "levels": [level.tag for level in self._stored] if self._source is None else list(self._stored),
            "scores": self._scores[:size].copy(),
            "played": self._played[:size].copy(),
            "rates": dict(self._rates),
            "samples": self._samples,
            "drawn": self._sampled,
            "source": None if self._source is None else self._source.get_state(),
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Restore the result of ``get_state()``.

        Raises:
            ValueError: The state is invalid, or belongs to other levels or to a larger buffer.
        """
        saved, scores, played, rates, samples, sampled, source = entries(
            state, "levels", "scores", "played", "rates", "samples", "drawn", "source"
        )
        levels = self._found(saved)
        indices = {level.tag: index for index, level in enumerate(levels)}
        if len(levels) > len(self._scores) or len(indices) < len(levels):
            raise ValueError("not a state of this level replay: it belongs to a larger buffer, or has a level twice")
        for name, array, own in ("scores", scores, self._scores), ("played", played, self._played):
            shaped = isinstance(array, np.ndarray) and array.shape == (len(levels),) and array.dtype == own.dtype
            if not shaped or np.isnan(array).any():
                raise ValueError(f"not a state of this level replay: {name} must be a number for each of its levels")
        for name, count in ("samples", samples), ("drawn", sampled):
            if type(count) is not int or not 0 <= count < 2**62:
                raise ValueError(f"not a state of this level replay: {name} must be a non-negative integer below 2**62")
        if (played >= samples).any():
            raise ValueError("not a state of this level replay: a level was played after the last sample")
        if not isinstance(rates, dict) or not all(tag in indices and _is_rate(rate) for tag, rate in rates.items()):
            raise ValueError("not a state of this level replay: rates must be from 0 to 1, of stored levels")
        if self._source is not None:
            self._source.set_state(source)
        self._stored, self._index_of, size = levels, indices, len(levels)
        self._scores[:size], self._played[:size] = scores, played
        self._ranked = sorted((-score, index) for index, score in enumerate(self._scores[:size].tolist()))
        self._new = [number for number in range(len(self.levels)) if number not in indices]
        self._rates, self._samples, self._sampled = dict(rates), samples, sampled

    def _found(self, saved: Any) -> list[Tagged]:
        """Return the levels of a saved state: those of a pack are saved by number, those of a sampler as they are."""
        saved = saved if isinstance(saved, list) else [None]
        if self.levels and all(type(tag) is int and 0 <= tag < len(self.levels) for tag in saved):
            return [self.levels[tag] for tag in saved]
        if self._source is not None and all(isinstance(level, Tagged) for level in saved):
            return list(saved)
        raise ValueError("not a state of this level replay: it is of other levels")

    def close(self) -> None:
        """Close the source."""
        close_all([self._source])


def _is_rate(value: Any) -> bool:
    return isinstance(value, float) and 0 <= value <= 1
