"""Thin adapters of the conversations and tasks of :mod:`gridpuzzles_gym.text` for other libraries.

The other library must be installed: ``pip install "gridpuzzles_gym[verifiers]"`` for
:mod:`.verifiers_env`, ``pip install "gridpuzzles_gym[openenv]"`` for :mod:`.openenv_app` and :mod:`.openenv_client`.
"""

__all__ = [
    "nemo_gym_server",
    "openenv_app",
    "openenv_client",
    "openenv_server",
    "openenv_types",
    "verifiers_env",
    "verifiers_tasks",
]
