"""The version, apart, so that the build reads it without importing Gymnasium."""

__version__ = "0.1.0"
