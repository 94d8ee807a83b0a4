"""Where generated levels go while they are made: a file (or the terminal) at the end, or a folder in shards."""

from typing import Protocol, Self

from gridpuzzles_gym.agents.level_sources.collecting import LevelCollection

from .generate import Record, Request
from .journal import Journal
from .shards import SHARD_SIZE, ShardedLevels
from .target import Target


class Output(Protocol):
    """Where the levels go."""

    @property
    def levels(self) -> LevelCollection:
        """What gets the candidates."""

    @property
    def journal(self) -> Record | None:
        """The journal that stores candidates on disk until their levels are written, if they are written to disk."""

    @property
    def begun(self) -> bool:
        """Whether there is something to resume."""

    def write(self, interrupted: bool, printed: bool) -> list[str]:
        """Write what is not written yet; returns what was written.

        Args:
            interrupted: Keep the candidates, to go on.
            printed: Print the levels, if they go nowhere else.

        Raises:
            OSError: It cannot be written.
        """

    def titles(self) -> list[str]:
        """Return the titles of the levels in memory."""

    def __enter__(self) -> Self:
        """Close the files at the end of the block."""

    def __exit__(self, *error: object) -> None: ...


class FileOutput:
    """A level file, or the terminal.

    Args:
        target: Writes the levels.
        request: What is generated.
        resume: Go on with what was begun.
        force: Replace what was begun.

    Raises:
        ValueError, OSError: As :class:`Journal`.
    """

    def __init__(self, target: Target, request: Request, resume: bool, force: bool) -> None:
        self._target, self.levels = target, LevelCollection(request.known)
        self.journal: Journal | None = None
        if target.out is not None:
            self.journal = Journal(target.out, request.puzzle, request.description, resume, force)

    @property
    def begun(self) -> bool:
        """Whether there is something to resume."""
        return self.journal is not None and self.journal.begun

    def write(self, interrupted: bool, printed: bool) -> list[str]:
        """Write what is not written yet: :meth:`Output.write`."""
        written = self._target.write(self.levels.kept, printed)
        if self.journal is not None and not interrupted:
            self.journal.finish()
        return [str(path) for path in written]

    def titles(self) -> list[str]:
        """Return the titles of the levels."""
        return self._target.titles(self.levels.kept)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self.journal is not None:
            self.journal.close()


class FolderOutput:
    """A level folder.

    Args:
        out: The folder, or its URL.
        request: What is generated.
        shard_size: The number of levels in a shard; None is the default.
        resume: Go on with what was begun.
        force: Replace what was begun.

    Raises:
        ValueError, OSError: As :class:`.ShardedLevels`.
    """

    def __init__(self, out: str, request: Request, shard_size: int | None, resume: bool, force: bool) -> None:
        self._out = out
        size = SHARD_SIZE if shard_size is None else shard_size
        self.levels = ShardedLevels(out, request, size, resume, force)
        self.journal = self.levels.journal

    @property
    def begun(self) -> bool:
        """Whether there is something to resume."""
        return self.levels.begun

    def write(self, interrupted: bool, printed: bool) -> list[str]:
        """Write what is not written yet: :meth:`Output.write`."""
        self.levels.finish(interrupted)
        return [self._out] if self.levels.number else []

    def titles(self) -> list[str]:
        """Return no titles, because no level is in memory any more."""
        return []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.levels.close()
