"""Episodes in the layout of Minari's HDF5 files.

Minari's own writer takes 5 ms for an episode, as long as an agent takes for hundreds of decisions, and 30 kB of
overhead. This one writes what Minari reads as the same episodes (tested): small arrays are part of their headers, and
large ones are compressed. Files of many processes are joined by copying, which is faster than writing.
"""

import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import h5py
import numpy as np
import numpy.typing as npt
from h5py import h5a, h5d, h5f, h5g, h5o, h5p, h5s, h5t

from .episodes import Arrays, Episode

_COMPACT = 1024
"""Arrays of up to so many bytes are part of their header; larger ones are compressed."""
_PIECE = 2**20
"""Size in bytes of the parts in which larger arrays are compressed."""
_RESULTS = "results"
"""An array for :meth:`EpisodeFile.copy`, which is not part of a dataset."""
_VERSION = h5f.LIBVER_V110
"""Any HDF5 library since 1.10 (2016) reads the file."""


@contextlib.contextmanager
def one_line_errors() -> Iterator[None]:
    """Raise what HDF5 says of a file, a full disk for example, as an OSError with the file's name.

    Raises:
        OSError: A file cannot be read or written.
    """
    try:
        yield
    except (OSError, RuntimeError) as error:
        found = re.search(r"filename = '(.*?)'.*?errno = (\d+)", f"{error}\n{error.__context__}", re.DOTALL)
        if found is None:
            raise
        raise OSError(int(found[2]), os.strerror(int(found[2])), found[1]) from None


class EpisodeFile:
    """The file of a dataset's episodes, ``main_data.hdf5``; close it with a ``with`` block.

    Args:
        path: The file, which is overwritten.
    """

    def __init__(self, path: Path) -> None:
        access, creation = h5p.create(h5p.FILE_ACCESS), _undated(h5p.FILE_CREATE)
        access.set_libver_bounds(_VERSION, _VERSION)
        creation.set_link_creation_order(h5p.CRT_ORDER_TRACKED | h5p.CRT_ORDER_INDEXED)  # as Minari's files have it
        self._file = h5py.File(h5f.create(os.fsencode(path), fcpl=creation, fapl=access))
        self._types: dict[Any, Any] = {}
        self._scalar, self._group = h5s.create(h5s.SCALAR), _undated(h5p.GROUP_CREATE)
        self.episodes = self.steps = 0

    def copy(self, path: Path) -> npt.NDArray[np.float64]:
        """Append the episodes of another file.

        Returns:
            Their results, as given to :meth:`finish`.

        Raises:
            OSError: It cannot be read, or the disk is full.
        """
        with h5py.File(path, "r") as other:
            results: npt.NDArray[np.float64] = other[_RESULTS][()]
            for number in range(len(results)):
                name = f"episode_{self.episodes}".encode()
                h5o.copy(other.id, f"episode_{number}".encode(), self._file.id, name)
                group = h5g.open(self._file.id, name)
                h5a.open(group, b"id").write(np.array(self.episodes))
                self.episodes += 1
            self.steps += int(results[:, 2].sum())
        return results

    def finish(self, results: npt.NDArray[np.float64]) -> None:
        """Write the results of all episodes, float64[n, 3]: return, outcome, length."""
        self._dataset(self._file.id, _RESULTS, results)

    def append(self, episode: Episode) -> None:
        """Write an episode.

        Raises:
            OSError: The disk is full.
        """
        group = h5g.create(self._file.id, f"episode_{self.episodes}".encode(), gcpl=self._group)
        steps = len(episode.rewards)
        self._attribute(group, "id", self.episodes)
        self._attribute(group, "seed", episode.seed)
        self._attribute(group, "total_steps", steps)
        self._attribute(group, "rewards_sum", float(episode.rewards.sum()))
        for name in ("observations", "actions", "rewards", "terminations", "truncations"):
            self._dataset(group, name, getattr(episode, name))
        infos = h5g.create(group, b"infos", gcpl=self._group)
        for name, values in episode.infos.items():
            self._dataset(infos, name, values)
        self.episodes += 1
        self.steps += steps

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def _attribute(self, group: Any, name: str, value: float) -> None:
        array = np.array(value)
        h5a.create(group, name.encode(), self._type(array.dtype), self._scalar).write(array)

    def _dataset(self, group: Any, name: str, values: Arrays) -> None:
        values, kind = np.ascontiguousarray(values), self._type(values.dtype)
        layout = _undated(h5p.DATASET_CREATE)
        layout.set_fill_time(h5d.FILL_TIME_NEVER)
        if values.nbytes <= _COMPACT:
            layout.set_layout(h5d.COMPACT)
        else:
            rows = max(_PIECE // max(values[0].nbytes, 1), 1)
            layout.set_chunk((min(rows, len(values)), *values.shape[1:]))
            layout.set_deflate(1)
        dataset = h5d.create(group, name.encode(), kind, h5s.create_simple(values.shape), layout)
        dataset.write(h5s.ALL, h5s.ALL, values, kind)

    def _type(self, dtype: Any) -> Any:
        if dtype not in self._types:
            self._types[dtype] = h5t.py_create(dtype, logical=True)
        return self._types[dtype]


def _undated(kind: Any) -> Any:
    """Return properties of a new object without the time of its creation, so that equal content gives equal files."""
    properties = h5p.create(kind)
    properties.set_obj_track_times(False)
    return properties
