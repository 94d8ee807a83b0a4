"""The folder of a dataset: playing its episodes in any number of processes, and going on after an interruption.

    FOLDER/data/main_data.hdf5, metadata.json    the dataset, once it is complete
    FOLDER/README.md                             what it is
    FOLDER/.unfinished/request.json              until then: what is to be played,
    FOLDER/.unfinished/000000.hdf5, …             the chunks that have been played,
    FOLDER/.unfinished/data/                     and the dataset as far as it is written

A chunk's file is written atomically, and its episodes depend on nothing but the request. So a dataset is the same
byte for byte, however many processes play it, and whatever interrupted them.
"""

import contextlib
import dataclasses
import errno
import functools
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
from minari.dataset.minari_storage import METADATA_FILE_NAME, MinariStorage

from gridpuzzles_gym.engine.puzzle import SOLVED
from gridpuzzles_gym.engine.system.file_lock import locked
from gridpuzzles_gym.engine.system.files import replacing, write_text
from gridpuzzles_gym.engine.system.json_text import read_json

from ..evaluation import Score, score_of
from ..parallel import TaskExecutor, ordered
from . import describing
from .hdf5 import EpisodeFile, one_line_errors
from .recording import Recorder
from .request import CHUNK, Request

_NAME = re.compile(r"[-_\w]+-v\d+")
_UNFINISHED, _DATA, _README = ".unfinished", "data", "README.md"


class DatasetFolder:
    """A folder that holds a dataset, complete or not, or will hold one.

    Args:
        folder: Its path; the last part is the name of the dataset.

    Raises:
        ValueError: Minari does not allow that name.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = Path(os.path.abspath(folder))
        if not _NAME.fullmatch(self.folder.name):
            raise ValueError(
                f"{folder}: the name of a dataset must consist of letters, digits, - and _, and end in its version, "
                f"e.g. {dataset_name(self.folder.name)}"
            )
        self.unfinished = self.folder / _UNFINISHED

    @property
    def dataset_id(self) -> str:
        """The name by which Minari loads it: its path below Minari's folder, or the name of its own folder."""
        with contextlib.suppress(ValueError):
            return self.folder.relative_to(minari_folder()).as_posix()
        return self.folder.name

    @property
    def complete(self) -> bool:
        """Whether the dataset exists."""
        return bool((self.folder / _DATA / METADATA_FILE_NAME).is_file())

    def begun(self) -> Request | None:
        """Return what an interrupted process was to play; None if there is nothing to go on with.

        Raises:
            ValueError: That file is damaged.
        """
        try:
            file = self.unfinished / "request.json"
            return Request.from_json(read_json(file.read_bytes(), str(file)))
        except FileNotFoundError:
            return None

    def begin(self, request: Request, resume: bool = False, force: bool = False) -> None:
        """Prepare the folder for :meth:`make`.

        Args:
            request: What to play.
            resume: Go on after an interruption.
            force: Remove the dataset that is there.

        Raises:
            ValueError: There is nothing to resume, it was begun with another request, or another process is at work.
            OSError: The folder has a dataset already, or something else, or cannot be written.
        """
        if self.unfinished.is_dir():
            with locked(self.unfinished / "lock", self._refuse):
                pass  # nobody is at work: what is there may be removed
        before = self.begun()
        if self.complete or before is None:  # then this is left from an interruption at the end, or at the beginning
            shutil.rmtree(self.unfinished, ignore_errors=True)
        if resume:
            if self.complete or before is None:
                what = "the dataset is complete" if self.complete else "there is nothing to resume"
                raise ValueError(f"{self.folder}: {what}; start without --resume")
            difference = request.difference(before)
            if difference:
                raise ValueError(f"{self.folder}: cannot be resumed with another request: {difference}")
            return
        if force and (self.complete or before is not None):  # never what is not a dataset
            for part in (self.folder / _DATA, self.unfinished):
                if part.exists():
                    shutil.rmtree(part)
            (self.folder / _README).unlink(missing_ok=True)
        elif before is not None:
            raise _exists(self.folder, "an unfinished dataset is there; use --resume to go on, --force to start again")
        if self.folder.exists() and any(self.folder.iterdir()):
            raise _exists(self.folder, f"already exists{'; use --force to replace it' if self.complete else ''}")
        self.unfinished.mkdir(parents=True)
        write_text(self.unfinished / "request.json", json.dumps(request.to_json(), indent=2))

    def make(
        self,
        request: Request,
        executor: TaskExecutor,
        author: str,
        trust_pickle: bool,
        progress: Callable[[int], object],
    ) -> Score:
        """Play what is missing, and write the dataset.

        Args:
            request: What :meth:`begin` was given.
            executor: Where the episodes are played; it does not change the dataset.
            author: Who made the dataset.
            trust_pickle: Load models that can run any code.
            progress: Called with the number of episodes that are written.

        Returns:
            The results of the episodes in the dataset.

        Raises:
            ValueError: No episode is left, or another process is at work in this folder.
            OSError: A file cannot be read or written; finished episodes remain saved.
            KeyboardInterrupt: Ctrl-C; finished episodes remain saved.
        """
        with locked(self.unfinished / "lock", self._refuse):
            data = self.unfinished / _DATA
            shutil.rmtree(data, ignore_errors=True)
            spec = request.spec()
            storage = MinariStorage.new(data, env_spec=spec, data_format="hdf5")
            results: list[npt.NDArray[np.float64]] = []
            with one_line_errors(), EpisodeFile(data / "main_data.hdf5") as file:
                for number in self._chunks(request, executor, trust_pickle):
                    results.append(file.copy(_chunk_file(self.unfinished, number)))
                    progress(len(request.chunk(number)))
            if not file.episodes:
                raise ValueError(f"none of the {request.episodes:,} episodes was solved: there is no dataset to write")
            score = score_of(request.agent, np.concatenate(results), 0.0)
            counts = {"total_episodes": file.episodes, "total_steps": file.steps, "dataset_size": storage.get_size()}
            storage.update_metadata(describing.metadata(request, self.dataset_id, author, score) | counts)
            write_text(self.folder / _README, describing.readme(request, self.dataset_id, score))
            data.rename(self.folder / _DATA)
        shutil.rmtree(self.unfinished)
        return score

    def played(self, request: Request) -> int:
        """Return the number of episodes saved."""
        return sum(len(request.chunk(n)) for n in range(request.chunks) if self._played(n))

    def _played(self, number: int) -> bool:
        return _chunk_file(self.unfinished, number).exists()

    def _chunks(self, request: Request, executor: TaskExecutor, trust_pickle: bool) -> Iterator[int]:
        """Yield the numbers of all chunks in order; those that are missing are played."""
        missing = [number for number in range(request.chunks) if not self._played(number)]
        new = ordered(executor, _Work(request, trust_pickle), missing, self._keep)
        with contextlib.closing(new):
            for number in range(request.chunks):
                while not self._played(number):
                    next(new)
                yield number

    def _keep(self, number: int, content: bytes) -> None:
        with replacing(_chunk_file(self.unfinished, number)) as unfinished:
            unfinished.write_bytes(content)

    def _refuse(self) -> None:
        raise ValueError(f"{self.folder}: another process is making this dataset")


@dataclasses.dataclass(frozen=True)
class _Work:
    """Plays a chunk; returns the content of its file, as other machines may have other disks."""

    request: Request
    trust_pickle: bool

    def __call__(self, number: int) -> bytes:
        episodes = self._recorder.play(self.request.chunk(number))
        kept = (episodes.results[:, 1] == SOLVED) | (not self.request.only_successes)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "chunk.hdf5")
            with one_line_errors(), EpisodeFile(path) as file:
                for episode, wanted in zip(episodes, kept, strict=True):
                    if wanted:
                        file.append(episode)
                file.finish(episodes.results[kept])
            return path.read_bytes()

    @functools.cached_property
    def _recorder(self) -> Recorder:
        return Recorder(self.request, min(CHUNK, self.request.episodes), self.trust_pickle)


def dataset_name(text: str) -> str:
    """Return a text as the name of the first version of a dataset."""
    return f"{re.sub(r'[^-_a-zA-Z0-9]+', '-', text).strip('-') or 'demonstrations'}-v0"


def minari_folder() -> Path:
    """Return the folder in which Minari looks for datasets; its own function would create it."""
    return Path(os.path.abspath(os.environ.get("MINARI_DATASETS_PATH") or Path.home() / ".minari" / "datasets"))


def _chunk_file(folder: Path, number: int) -> Path:
    return folder / f"{number:06}.hdf5"


def _exists(folder: Path, why: str) -> FileExistsError:
    return FileExistsError(errno.EEXIST, why, str(folder))
