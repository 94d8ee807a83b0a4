"""The version, in its own file so that the build can read it without importing Gymnasium."""

__version__ = "0.1.0"
