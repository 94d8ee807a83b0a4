"""Attributes and methods of the single environment, read through the vector environment: a result for each."""

from typing import Any

from .messages import quote

_OF_ONE = {name: f"single_{name}" for name in ("observation_space", "action_space")}
"""The attributes of the single environment that have another name in the vector environment."""
_BY_ENVIRONMENT = ("action_masks", "render")
"""The methods with one result for each environment."""
_SETTABLE = ("render_mode", "tile_size", "panel")
"""The attributes that can be set."""


class SharedAttributes:
    """Base of the native vector environment, whose environments share all attributes."""

    num_envs: int

    def _set_rendering(self, render_mode: str | None, tile_size: int, panel: bool) -> None:
        raise NotImplementedError

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
            raise AttributeError(
                f"{name!r} has no result for each environment; methods that have one are {', '.join(_BY_ENVIRONMENT)}"
            )
        result = value(*args, **kwargs)
        return (None,) * self.num_envs if result is None else tuple(result)

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Return an attribute of each environment; see :meth:`call`."""
        return self.call(name)

    def set_attr(self, name: str, values: Any) -> None:
        """Set an attribute of all environments; they share one value.

        Args:
            name: ``"render_mode"``, ``"tile_size"`` or ``"panel"``.
            values: The value, or a list with one for each environment, all equal.

        Raises:
            AttributeError: It cannot be set.
            ValueError: The value is invalid, or they are not the same for all environments.
        """
        if name not in _SETTABLE:
            raise AttributeError(f"{name!r} cannot be set; attributes that can be are {', '.join(_SETTABLE)}")
        if isinstance(values, list | tuple):
            if len(values) != self.num_envs or any(value != values[0] for value in values):
                raise ValueError(f"{name}={quote(values)}: must be one value, or {self.num_envs} equal ones")
            values = values[0]
        self._set_rendering(**{each: getattr(self, each) for each in _SETTABLE} | {name: values})
