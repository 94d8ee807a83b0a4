"""A text file that grows line by line: complete lines stay, whatever interrupts the process, and others can follow."""

import contextlib
import io
from pathlib import Path


class LineFile:
    """A text file on disk. It is opened with the first line that is added; without one, it stays as it is.

    Args:
        path: The file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._kept = 0
        self._file: io.FileIO | None = None

    @property
    def begun(self) -> bool:
        """Whether it has a complete line that was read or added."""
        return self._kept > 0

    def read(self) -> str:
        """Return the complete lines that the file has; further ones are added after them.

        Raises:
            ValueError: It is not a text.
            OSError: It cannot be read.
        """
        content = self.path.read_bytes()
        self._kept = content.rfind(b"\n") + 1
        try:
            return content[: self._kept].decode()
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            raise ValueError(f"{self.path}, line {line}: is damaged: it is not a text in UTF-8") from None

    def add(self, text: str) -> None:
        """Write complete lines to disk. Whatever the file has after the lines read and added is removed.

        Raises:
            OSError: They cannot be written.
        """
        content = text.encode()
        try:
            if self._file is None:
                self._file = self.path.open("r+b" if self._kept else "wb", buffering=0)
                if self._kept:  # a pipe has no positions
                    self._file.seek(self._kept)
                    self._cut()
            rest = content
            while rest:  # a disk that is nearly full takes a part
                rest = rest[self._file.write(rest) :]
        except OSError as error:
            self._cut()
            raise OSError(error.errno, error.strerror, str(self.path)) from None
        self._kept += len(content)

    def _cut(self) -> None:
        """Remove what follows the complete lines, unless it is in a pipe."""
        if self._file is not None:
            with contextlib.suppress(OSError):
                self._file.truncate(self._kept)

    def close(self) -> None:
        """Close the file; without a line, a file that was made here is removed."""
        if self._file is not None:
            self._file.close()
            if not self._kept and self.path.is_file():
                self.path.unlink()
