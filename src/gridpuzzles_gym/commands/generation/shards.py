"""A level folder that is being made: shard by shard, so that any number of levels needs the memory of one shard.

A shard is written when it is full, then ``levels.json``; so a kill loses nothing that is written, and at most the shard
that is being filled. On this machine not even that: its candidates are in a journal.
"""

import contextlib
import dataclasses
import errno
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from gridpuzzles_gym.agents.candidates import Candidate
from gridpuzzles_gym.agents.level_sources.collecting import LevelCollection
from gridpuzzles_gym.agents.level_sources.known_levels import KnownLevels, number_of
from gridpuzzles_gym.agents.level_sources.makers import maker_of

from ...engine.levels.folder import CONTENTS, ROWS, Contents, Shard, checksum, read_contents, shard_file
from ...engine.levels.pool import pool_rows
from ...engine.levels.sources import MAX_LINES, SIDECAR, levels_text
from ...engine.system.files import remove_unfinished
from ...engine.system.interrupts import uninterrupted
from ...engine.system.stores import Store, open_store
from ...session.resume_record import LOCK, SUFFIX, check_request, exclusive
from .generate import Request
from .journal import Journal

TEXT, KEYS = ".txt", ".keys"
SUFFIXES = (TEXT, SIDECAR, ROWS, KEYS)
_OWN = re.compile(rf"\d{{6,}}({'|'.join(map(re.escape, (*SUFFIXES, SUFFIX, LOCK)))})")
"""The names of files of shards; others in the folder are left alone."""
SHARD_SIZE = 10_000
"""The default number of levels in a shard."""
_MORE_LINES = 8
"""The maximum number of lines of a level in addition to those of its board."""


class ShardedLevels(LevelCollection):
    """The levels of a folder that is being made; those of complete shards are on disk, the others in memory.

    Args:
        out: The folder, or its URL.
        request: What is generated.
        shard_size: The number of levels in a shard.
        resume: Go on with the levels that are there.
        force: Replace the levels that are there.

    Attributes:
        journal: Keeps the candidates of the shard that is being filled; None if the folder is elsewhere.

    Raises:
        ValueError: There is nothing to resume, it was begun with another request, it is damaged, or both options are
            given.
        OSError: There are levels and neither option is given, or the folder cannot be read or written.
    """

    def __init__(self, out: str, request: Request, shard_size: int, resume: bool = False, force: bool = False) -> None:
        puzzle, extent = request.puzzle, request.extent
        if resume and force:
            raise ValueError("--resume and --force cannot be combined")
        most = MAX_LINES // (extent[0] + _MORE_LINES)  # of which the text can be read again
        if not 1 <= shard_size <= most:
            raise ValueError(f"--shard-size {shard_size}: must be from 1 to {most:,} for boards of {extent[0]} rows")
        keys = KnownLevels(request.known)
        super().__init__(keys)
        self.puzzle, self.store = puzzle, open_store(out)
        maker = maker_of(puzzle)
        self._table = None if maker is None else maker.table
        self._stem = out.rstrip("/\\").replace("\\", "/").rpartition("/")[2] or puzzle.name
        self.request = {**request.description, "--shard-size": shard_size}
        self._contents = Contents(puzzle.name, extent, sum(puzzle.sizes(extent)), shard_size, self.request)
        folder = self.store.folder
        with contextlib.ExitStack() as held:
            if folder is not None:
                folder.parent.mkdir(parents=True, exist_ok=True)
                held.enter_context(exclusive(folder))
            self._begin(resume, force)
            self._partial = sum(shard.levels for shard in self._contents.shards if shard.levels < shard_size)
            complete = [shard for shard in self._contents.shards if shard.levels == shard_size]
            self._contents = dataclasses.replace(self._contents, shards=tuple(complete))
            self.number = self._contents.levels
            for number, shard in enumerate(complete):
                keys.add_numbers(_read_keys(self.store, number, shard))
                self.rejected = Counter(shard.rejected)
            self.journal = None if folder is None else _Journals(self, folder, resume)
            self._held = held.pop_all()

    def close(self) -> None:
        """Let other processes write the folder."""
        if self.journal is not None:
            self.journal.close()
        self._held.close()

    def _begin(self, resume: bool, force: bool) -> None:
        """Read what is there, or remove it."""
        store, names = self.store, [name for name in self.store.names() if not name.endswith(LOCK)]
        files = [name for name in names if name == CONTENTS or _OWN.fullmatch(name)]
        if resume:
            if not files:
                raise ValueError(f"{store}: there is nothing to resume; start without --resume")
            if CONTENTS in files:
                found = read_contents(store)
                check_request(f"{store}/{CONTENTS}", found.request, self.request)
                self._contents = found
        elif force and (files or not names):
            for name in sorted(files, key=lambda name: name != CONTENTS):  # first: without it there are no levels
                store.remove(name)
        elif names:
            own = "; use --resume to go on, --force to start again" if files else " and has no shards; choose another"
            why = f"the folder is not empty{own}"
            raise FileExistsError(errno.EEXIST, why, str(store))

    @property
    def begun(self) -> bool:
        """Whether there is something to resume."""
        return self.complete > 0 or (self.journal is not None and self.journal.begun)

    @property
    def complete(self) -> int:
        """The number of complete shards."""
        return len(self._contents.shards)

    def add(self, candidate: Candidate) -> bool:
        """Accept a candidate if it is good and new; write the shard if it is full.

        Raises:
            OSError: The shard cannot be written.
        """
        accepted = super().add(candidate)
        if accepted and len(self.kept) == self._contents.shard_size:
            with uninterrupted():
                self._contents = self._written()
                self.kept.clear()
                self._partial = 0
                if self.journal is not None:
                    self.journal.next()
        return accepted

    def finish(self, interrupted: bool) -> None:
        """Write the levels of the last shard, which is not full; if interrupted, keep the candidates to go on.

        If there are more of them on disk, from a run with a larger number of levels, those stay.

        Raises:
            OSError: It cannot be written.
        """
        if len(self.kept) >= max(self._partial, 1):
            self._written()
        self.number = max(self.number, self._contents.levels + self._partial)
        self.kept.clear()
        if self.journal is not None and not interrupted:
            self.journal.finish()

    def _written(self) -> Contents:
        """Write the levels in memory as the next shard; returns the contents with it."""
        contents, store, number = self._contents, self.store, self.complete
        first = number * contents.shard_size + 1
        titles = [f"{self._stem} {place}" for place in range(first, first + len(self.kept))]
        text = levels_text(titles, [level.board for level in self.kept])
        puzzle, options = self.puzzle, self.puzzle.read_options()
        levels = puzzle.parse(text, shard_file(number, TEXT))
        rows = pool_rows(puzzle, levels, contents.extent, puzzle.resolve_options(options, contents.extent, ()))
        files = {
            TEXT: text.encode(),
            ROWS: rows.astype("<i2").tobytes(),
            KEYS: np.array([number_of(level.key) for level in self.kept], "<u8").tobytes(),
        }
        if self._table is not None:
            files[SIDECAR] = self._table(titles, self.kept).encode()
        if self._partial:  # the shard was not full: a kill must not leave the contents of its old files
            store.write(CONTENTS, contents.text().encode())
        for suffix, content in files.items():
            store.write(shard_file(number, suffix), content)
        sums = {suffix: checksum(content) for suffix, content in files.items()}
        shard = Shard(len(self.kept), dict(self.rejected), sums)
        grown = dataclasses.replace(contents, shards=(*contents.shards, shard))
        store.write(CONTENTS, grown.text().encode())
        return grown


class _Journals:
    """The journals of the shards of a folder, one after the other; see :class:`~.generation.journal.Journal`.

    Attributes:
        candidates: Those that the journal of the first shard to be filled has.
    """

    def __init__(self, levels: ShardedLevels, folder: Path, resume: bool) -> None:
        self._levels, self._folder = levels, folder
        folder.mkdir(parents=True, exist_ok=True)
        now = shard_file(levels.complete, "")
        for path in (*folder.glob(f"*{SUFFIX}"), *folder.glob(f"*{LOCK}")):
            if path.stem != now and _OWN.fullmatch(path.name):  # killed just after the shard was written
                path.unlink()
        for name in (CONTENTS, *(shard_file(levels.complete, suffix) for suffix in SUFFIXES)):
            remove_unfinished(folder / name)  # killed while it was written
        self._now = self._of_shard(resume)
        self.candidates = self._now.candidates

    def _of_shard(self, resume: bool) -> Journal:
        """The journal of the shard that is being filled."""
        out = self._folder / shard_file(self._levels.complete, "")
        resume = resume and out.with_name(out.name + SUFFIX).exists()
        return Journal(out, self._levels.puzzle, self._levels.request, resume, force=not resume)

    @property
    def begun(self) -> bool:
        """Whether the journal has a candidate."""
        return self._now.begun

    def add(self, candidate: Candidate) -> None:
        """Write a candidate to disk; raises OSError."""
        self._now.add(candidate)

    def next(self) -> None:
        """Go on to the next shard: the last one is written."""
        self._now.finish()
        self._now.close()
        self._now = self._of_shard(resume=False)

    def finish(self) -> None:
        """Delete the journal: the levels are written."""
        self._now.finish()

    def close(self) -> None:
        """Close the journal, which is kept unless it is finished."""
        self._now.close()


def _read_keys(store: Store, number: int, shard: Shard) -> "np.ndarray[Any, np.dtype[np.uint64]]":
    """The keys of the levels of a shard.

    Raises:
        ValueError: The file is damaged.
        OSError: It cannot be read.
    """
    name = shard_file(number, KEYS)
    content = store.read(name)
    if checksum(content) != shard.files.get(KEYS):
        raise ValueError(f"{store}/{name} is damaged: its checksum is not the one in {CONTENTS}")
    return np.frombuffer(content, "<u8").astype(np.uint64)
