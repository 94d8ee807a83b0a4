"""Thin adapters of the conversations and tasks of :mod:`gridpuzzles_gym.text` for other libraries.

The other library must be installed: ``pip install "gridpuzzles_gym[verifiers]"`` for
:mod:`.verifiers_env`, ``pip install "gridpuzzles_gym[openenv]"`` for :mod:`.openenv_app` and :mod:`.openenv_client`.
"""
