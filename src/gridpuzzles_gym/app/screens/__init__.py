"""The screens of the app, one class each, on a stack that :mod:`.app` shows in one window."""
