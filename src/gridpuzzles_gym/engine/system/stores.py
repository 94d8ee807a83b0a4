"""Folders for named files, on this machine or, by the package fsspec, anywhere else: ``s3://bucket/levels``."""

import errno
import io
import os
import re
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from .files import write_bytes

_URL = re.compile(r"[A-Za-z][\w+.-]*(::[\w+.-]+)*://[^\r\n]*")
"""One line that begins with a scheme, or with several for fsspec's chains of them."""


class Store(Protocol):
    """A folder whose files are read and written whole; ``str()`` of it is its path or URL."""

    @property
    def folder(self) -> Path | None:
        """The folder, if it is on this machine."""

    def read(self, name: str) -> bytes:
        """Return the content of a file; raises FileNotFoundError if there is none, or another OSError."""

    def open(self, name: str) -> BinaryIO:
        """Open a file for reading in parts; raises OSErrors as :meth:`read`."""

    def write(self, name: str, content: bytes) -> None:
        """Write or replace a file; other processes see it whole or not at all. Raises OSError."""

    def remove(self, name: str) -> None:
        """Remove a file, if it exists; raises OSError."""

    def names(self) -> list[str]:
        """Return the names of its files, sorted; empty if the folder does not exist. Raises OSError."""


def is_url(path: str | os.PathLike[str]) -> bool:
    """Whether this is the URL of a folder elsewhere, not a path or a level text."""
    return isinstance(path, str) and _URL.fullmatch(path) is not None


def open_store(path: str | os.PathLike[str]) -> Store:
    """Return the store for a path or a URL; it need not exist.

    Raises:
        ValueError: The package fsspec, or the one that it needs for this URL, is not installed, or it knows no such
            URLs.
        OSError: There is no connection.
    """
    return _Remote(str(path)) if is_url(path) else _Local(Path(path))


class _Local:
    """A folder of this machine."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __str__(self) -> str:
        return str(self.folder)

    def read(self, name: str) -> bytes:
        with self.open(name) as file:
            return file.read()

    def open(self, name: str) -> BinaryIO:
        path = self.folder / name
        if path.exists() and not path.is_file():  # opening a pipe waits for its other end
            raise OSError(errno.EINVAL, "it is not a file", str(path))
        return path.open("rb")

    def write(self, name: str, content: bytes) -> None:
        write_bytes(self.folder / name, content)

    def remove(self, name: str) -> None:
        (self.folder / name).unlink(missing_ok=True)

    def names(self) -> list[str]:
        return sorted(path.name for path in self.folder.iterdir()) if self.folder.is_dir() else []


class _Remote:
    """A folder that fsspec opens. Its errors become OSErrors, whatever error the storage raises."""

    folder = None

    def __init__(self, url: str) -> None:
        try:
            import fsspec
        except ImportError:
            raise ValueError(f"{url}: files elsewhere need the package fsspec: pip install fsspec") from None
        self.url = url.rstrip("/")
        try:
            self._files: Any
            self._files, self._root = fsspec.core.url_to_fs(self.url)
        except ImportError as error:  # it says which package to install
            raise ValueError(f"{url}: {error}") from None
        except Exception as error:
            raise _failed(url, error) from None

    def __str__(self) -> str:
        return self.url

    def read(self, name: str) -> bytes:
        content: bytes = self._try(name, lambda path: self._files.cat_file(path))
        return content

    def open(self, name: str) -> BinaryIO:
        return io.BytesIO(self.read(name))

    def write(self, name: str, content: bytes) -> None:
        def put(path: str) -> None:
            self._files.makedirs(self._root, exist_ok=True)
            self._files.pipe_file(path, content)

        self._try(name, put)

    def remove(self, name: str) -> None:
        if self._try(name, lambda path: self._files.exists(path)):
            self._try(name, lambda path: self._files.rm_file(path))

    def names(self) -> list[str]:
        self._files.invalidate_cache()
        try:
            return sorted(path.rpartition("/")[2] for path in self._try("", lambda path: self._files.ls(path, False)))
        except FileNotFoundError:
            return []

    def _try(self, name: str, work: Any) -> Any:
        try:
            return work(f"{self._root}/{name}".rstrip("/"))
        except FileNotFoundError:
            raise FileNotFoundError(f"{self.url}/{name} does not exist") from None
        except Exception as error:
            raise _failed(f"{self.url}/{name}", error) from None


def _failed(url: str, error: Exception) -> Exception:
    """The error to raise instead of one of fsspec, or of a library that it uses."""
    if isinstance(error, ValueError):  # no such protocol
        return ValueError(f"{url}: {error}")
    return OSError(f"{url} cannot be used: {type(error).__name__}: {error}")
