"""The conversations and tasks of :mod:`gridpuzzles_gym.text` in the forms of other libraries; each is thin.

The library that an adapter is for must be installed: ``pip install "gridpuzzles_gym[verifiers]"`` for
:mod:`.verifiers_env`, ``pip install "gridpuzzles_gym[openenv]"`` for :mod:`.openenv_app` and :mod:`.openenv_client`.
"""
