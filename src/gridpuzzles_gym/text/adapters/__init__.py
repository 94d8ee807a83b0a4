"""Thin adapters of the conversations and tasks of :mod:`gridpuzzles_gym.text` for other libraries.

The other library must be installed: ``pip install "gridpuzzles_gym[verifiers]"`` for
:mod:`.verifiers_env`, ``pip install "gridpuzzles_gym[openenv]"`` for :mod:`.openenv_server` and :mod:`.openenv_client`.
"""

__all__ = ["openenv_client", "openenv_server", "verifiers_env", "verifiers_tasks"]
