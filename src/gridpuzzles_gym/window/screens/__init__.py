"""The screens, one class each; :mod:`~gridpuzzles_gym.window.app` shows a stack of them in one window."""
