"""The screens of the app, one class each, on a stack that :mod:`~gridpuzzles_gym.window.app` shows in one window."""
