"""Proposes the next settings, by Optuna's TPE sampler (https://optuna.org)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import optuna
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.samplers import TPESampler
from optuna.trial import Trial, TrialState

from .search_space import Choice, Range, Space


class Proposals:
    """Proposes settings, and learns from their scores.

    The proposal of a number depends on the seed and on the scores known so far. Optuna samples the first ten at random,
    so they depend on the seed only.

    Args:
        space: The settings that are searched.
        seed: Random seed.
    """

    def __init__(self, space: Space, seed: int) -> None:
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self._space, self._seed = space, seed
        self._distributions = {name: _distribution(values) for name, values in space.items()}
        self._study = optuna.create_study(direction="maximize")
        self._asked: dict[int, Trial] = {}

    def propose(self, number: int, chosen: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the settings of a trial.

        Args:
            number: The number of the trial.
            chosen: Its settings, if they are known already.
        """
        word = int(np.random.SeedSequence([self._seed, number]).generate_state(1)[0])
        self._study.sampler = TPESampler(seed=word, constant_liar=True)
        if chosen is not None:
            self._study.enqueue_trial(dict(chosen))
        trial = self._study.ask(self._distributions)
        self._asked[number] = trial
        return {name: values.rounded(trial.params[name]) for name, values in self._space.items()}

    def finish(self, number: int, score: float | None) -> None:
        """Learn the score of a trial that was proposed; None: it failed."""
        trial = self._asked.pop(number)
        if score is None:
            self._study.tell(trial, state=TrialState.FAIL)
        else:
            self._study.tell(trial, score)

    def add(self, chosen: Mapping[str, Any], score: float) -> None:
        """Learn the score of an earlier trial."""
        self._study.add_trial(
            optuna.trial.create_trial(params=dict(chosen), distributions=self._distributions, value=score)
        )


def _distribution(values: Range | Choice) -> BaseDistribution:
    if isinstance(values, Choice):
        return CategoricalDistribution(values.values)
    if isinstance(values.low, int) and isinstance(values.high, int):
        return IntDistribution(values.low, values.high, log=values.log)
    return FloatDistribution(values.low, values.high, log=values.log)
