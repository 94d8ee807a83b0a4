"""The work behind the command line: one file a command, and a folder where a command has many."""

__all__ = ["grading", "solve"]
