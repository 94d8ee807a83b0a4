"""Episodes as arrays, one after the other."""

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Arrays = npt.NDArray[Any]


class Episode(NamedTuple):
    """One episode of L steps."""

    seed: int
    observations: Arrays
    """[L + 1, ...], the first and the last one included."""
    actions: npt.NDArray[np.int64]
    """int64[L]"""
    rewards: npt.NDArray[np.float64]
    """float64[L]"""
    terminations: npt.NDArray[np.bool_]
    """bool[L]"""
    truncations: npt.NDArray[np.bool_]
    """bool[L]"""
    infos: Mapping[str, Arrays]
    """By name, [L + 1, ...]."""


@dataclasses.dataclass(frozen=True)
class Episodes:
    """The episodes of a chunk. Arrays of steps hold those of one episode after the other; so do arrays of states."""

    seeds: npt.NDArray[np.int64]
    """int64[n]"""
    lengths: npt.NDArray[np.int64]
    """int64[n]: steps."""
    results: npt.NDArray[np.float64]
    """float64[n, 3]: return, outcome, length."""
    observations: Arrays
    """[n + steps, ...]"""
    actions: npt.NDArray[np.int64]
    rewards: npt.NDArray[np.float64]
    terminations: npt.NDArray[np.bool_]
    truncations: npt.NDArray[np.bool_]
    """[steps], like the three before."""
    infos: Mapping[str, Arrays]
    """By name, [n + steps, ...]."""

    def __iter__(self) -> Iterator[Episode]:
        ends = np.cumsum(self.lengths)
        for i, (end, length) in enumerate(zip(ends.tolist(), self.lengths.tolist(), strict=True)):
            steps, states = slice(end - length, end), slice(end - length + i, end + i + 1)
            yield Episode(
                int(self.seeds[i]),
                self.observations[states],
                self.actions[steps],
                self.rewards[steps],
                self.terminations[steps],
                self.truncations[steps],
                {name: values[states] for name, values in self.infos.items()},
            )
