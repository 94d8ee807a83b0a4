"""The settings that a sweep searches, and their allowed values: ``learning_rate=1e-4..1e-2:log``."""

import dataclasses
import math
import typing
from collections.abc import Mapping, Sequence
from typing import Any

from gridpuzzles_gym.engine.messages import did_you_mean, quote

from ..settings import Settings

_FIXED = frozenset(
    {"env_id", "env_kwargs", "sampler", "teacher", "phases", "total_steps", "minutes", "checkpoint_minutes"}
    | {"seed", "threads", "device", "engine", "env_runners", "learners"}
)
"""Settings that cannot be searched: trials that differ in these cannot be compared, or train the same model."""
SEARCHABLE = tuple(field.name for field in dataclasses.fields(Settings) if field.name not in _FIXED)
"""The settings that can be searched."""
_KINDS = {name: typing.get_type_hints(Settings)[name] for name in SEARCHABLE}
_WORDS: dict[Any, str] = {int: "an integer", float: "a number", bool: "True or False"}
_FORM = "NAME=LOW..HIGH, NAME=LOW..HIGH:log or NAME=A,B,…"
_DIGITS = 3
"""Significant digits of the numbers that are tried."""


@dataclasses.dataclass(frozen=True)
class Range:
    """All numbers from ``low`` to ``high``, both included; integers if these are integers."""

    low: float
    high: float
    log: bool = False
    """Whether each order of magnitude is equally likely, instead of each number."""

    def __contains__(self, value: object) -> bool:
        return isinstance(value, int | float) and self.low <= value <= self.high

    def __str__(self) -> str:
        return f"{_text(self.low)}..{_text(self.high)}{':log' if self.log else ''}"

    def ends(self) -> tuple[Any, ...]:
        """Return the values at the ends."""
        return self.low, self.high

    def rounded(self, value: Any) -> Any:
        """Return a value of the range with few digits."""
        return value if isinstance(value, int) else min(max(float(f"{value:.{_DIGITS}g}"), self.low), self.high)


@dataclasses.dataclass(frozen=True)
class Choice:
    """One of several values."""

    values: tuple[Any, ...]

    def __contains__(self, value: object) -> bool:
        return value in self.values

    def __str__(self) -> str:
        return ",".join(_text(value) for value in self.values)

    def ends(self) -> tuple[Any, ...]:
        """Return all values."""
        return self.values

    def rounded(self, value: Any) -> Any:
        """Return the value."""
        return value


Space = Mapping[str, Range | Choice]
"""The settings that are searched, by name."""


def default_space(settings: Settings, fixed: Sequence[str] = ()) -> dict[str, Range | Choice]:
    """Return the default space: the most important settings of PPO, around given ones.

    Args:
        settings: The settings, which are in this space.
        fixed: Names to leave out.
    """
    rate, entropy, size = settings.learning_rate, settings.entropy, settings.batch_size
    space: dict[str, Range | Choice] = {"learning_rate": _around(rate, 5)}
    if entropy > 0:
        space["entropy"] = _around(entropy, 10)
    space["n_epochs"] = Range(1, max(4, 2 * settings.n_epochs))
    space["batch_size"] = Choice(tuple(sorted({max(size // 2, 1), size, 2 * size, 4 * size})))
    space["clip_range"] = Range(min(0.1, settings.clip_range), max(0.4, settings.clip_range))
    space["gamma"] = Range(min(0.95, settings.gamma), max(0.995, settings.gamma))
    space["gae_lambda"] = Range(min(0.85, settings.gae_lambda), max(0.99, settings.gae_lambda))
    return {name: values for name, values in space.items() if name not in fixed}


def read_space(texts: Sequence[str], settings: Settings) -> dict[str, Range | Choice]:
    """Parse a space.

    Args:
        texts: Of each setting ``NAME=LOW..HIGH``, ``NAME=LOW..HIGH:log`` or ``NAME=A,B,…``.
        settings: The other settings of all trials; each value must be valid together with them.

    Raises:
        ValueError: A name is unknown, cannot be searched or is given twice, or its values are invalid.
    """
    space: dict[str, Range | Choice] = {}
    for text in texts:
        name, equals, values = (part.strip() for part in text.partition("="))
        where = f"--search {text}"
        if not equals:
            raise ValueError(f"{where}: must have the form {_FORM}")
        if name in _FIXED:
            raise ValueError(f"{where}: {name} cannot be searched; allowed are {', '.join(SEARCHABLE)}")
        if name not in SEARCHABLE:
            raise ValueError(f"{where}: unknown setting {quote(name)}; {did_you_mean(name, SEARCHABLE)}")
        if name in space:
            raise ValueError(f"{where}: {name} is given twice")
        space[name] = _range(where, name, values) if ".." in values else _choice(where, name, values)
        for value in space[name].ends():
            try:
                dataclasses.replace(settings, **{name: value})
            except ValueError as error:
                raise ValueError(f"{where}: {error}") from None
    return space


def written(space: Space) -> list[str]:
    """Return a space as the texts that :func:`read_space` reads."""
    return [f"{name}={values}" for name, values in space.items()]


def _around(value: float, factor: float) -> Range:
    return Range(float(f"{value / factor:.{_DIGITS}g}"), float(f"{value * factor:.{_DIGITS}g}"), log=True)


def _range(where: str, name: str, text: str) -> Range:
    numbers, colon, scale = text.partition(":")
    if _KINDS[name] not in (int, float):
        raise ValueError(f"{where}: {name} is not a number; must have the form NAME=A,B,…")
    if colon and scale != "log":
        raise ValueError(f"{where}: {quote(scale)} after the range is unknown; must be log")
    low, high = (_value(where, name, part.strip()) for part in numbers.split("..", 1))
    if not low < high:
        raise ValueError(f"{where}: the first number must be less than the second")
    if colon and low <= 0:
        raise ValueError(f"{where}: a logarithmic range must begin above 0")
    return Range(low, high, bool(colon))


def _choice(where: str, name: str, text: str) -> Choice:
    values = tuple(_value(where, name, part.strip()) for part in text.split(","))
    if len(values) < 2:
        raise ValueError(f"{where}: must have the form {_FORM}, with two values or more; --hyper sets one value")
    if len(set(values)) < len(values):
        raise ValueError(f"{where}: a value is given twice")
    return Choice(values)


def _value(where: str, name: str, text: str) -> Any:
    """Parse a value of a setting."""
    kind = _KINDS[name]
    try:
        if kind is bool:
            return {"true": True, "false": False}[text.lower()]
        value = kind(text)
        if kind is float and not math.isfinite(value):
            raise ValueError
    except (ValueError, KeyError):
        raise ValueError(f"{where}: {quote(text)} must be {_WORDS[kind]}") from None
    return value


def _text(value: Any) -> str:
    return f"{value:.12g}" if isinstance(value, float) else str(value)
