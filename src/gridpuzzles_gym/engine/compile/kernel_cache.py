"""The disk cache of machine code, in place of numba's, whose files do not follow edits of rules.

    ROOT/name/digest/signature.kernel    32 bytes: SHA-256 of the kernel's digests and of the rest; then a pickle
    ROOT/name/lock                       held by the process that compiles

A file with a wrong checksum, or that cannot be loaded for any other reason, is deleted, and the kernel is compiled
again. If nothing can be written, kernels are compiled without being cached.
"""

import contextlib
import hashlib
import os
import re
import shutil
import warnings
from pathlib import Path
from typing import Any

from ..system.files import cache_root, locked, write_bytes
from ..system.process import Interruption
from ..system.progress_bar import notice
from .kernel_digest import kernel_digest, signature_digest
from .numba_internals import packed, processor_of, unpacked

MOST_VERSIONS = 8
"""The maximum number of cached versions of each kernel, for other checkouts, other options and recent edits."""
_CHECKSUM = hashlib.sha256().digest_size


class KernelCache:
    """The disk cache of one kernel, which numba's dispatcher uses within :meth:`compiling`.

    Args:
        function: The kernel.
        options: The compiler's options.
        name: The name of the kernel's folder.
        title: The name shown to users while it is compiled.
    """

    cache_path = None
    """Numba reads it for its statistics."""

    def __init__(self, function: Any, options: Any, name: str, title: str) -> None:
        self._function, self._options, self._title = function, options, title
        self._name = re.sub(r"[^\w.-]", "_", name)

    @contextlib.contextmanager
    def compiling(self, ctrl_c: Interruption) -> Any:
        """Enclose the dispatcher's loading, or compiling and saving; locks and notices are released at its end.

        Args:
            ctrl_c: Records Ctrl-C during the block, and lets a second one end the process while it compiles.
        """
        self._ctrl_c = ctrl_c
        with contextlib.ExitStack() as self._held:
            yield

    def has(self, signature: Any, codegen: Any) -> bool:
        """Whether there is a file for this signature; it may still turn out to be unusable."""
        path = self._path(signature, codegen)
        return path is not None and path.exists()

    def load_overload(self, signature: Any, target: Any) -> Any:
        """Load the compiled kernel from disk; None, with the kernel's lock held, if it must be compiled."""
        target.refresh()
        path = self._path(signature, target.codegen())
        found = None if path is None else _load(path, signature, target)
        if found is None and path is not None:
            self._wait_for_turn(path)
            found = _load(path, signature, target)
        if found is None:
            self._stop_if_wanted()
            self._ctrl_c.second = "end"
            self._held.enter_context(notice(f"compiling {self._title}, once"))
        return found

    def save_overload(self, signature: Any, result: Any) -> None:
        """Save a compiled kernel, if possible."""
        path = self._path(signature, result.codegen)
        content = None if path is None else packed(result, _arguments(signature))
        if path is not None and content is not None:
            with contextlib.suppress(OSError):
                path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                write_bytes(path, _checksum(path, content) + content, mode=0o600)
                _discard_old(path.parent)

    def _path(self, signature: Any, codegen: Any) -> Path | None:
        root = cache_root()
        if root is None:
            return None
        digest = kernel_digest(self._function, self._options)
        key = hashlib.sha256(f"{signature_digest(signature)} {processor_of(codegen)}".encode()).hexdigest()[:32]
        return root / self._name / digest / f"{key}.kernel"

    def _wait_for_turn(self, path: Path) -> None:
        """Acquire this kernel's lock until the block of :meth:`compiling` ends."""
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with notice(f"another process is compiling {self._title}"):
            self._held.enter_context(locked(path.parent.parent / "lock", self._stop_if_wanted))

    def _stop_if_wanted(self) -> None:
        if self._ctrl_c.wanted:
            raise KeyboardInterrupt


def _load(path: Path, signature: Any, target: Any) -> Any:
    """Load the compiled kernel from a file; None if it does not exist or cannot be used."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    try:
        if content[:_CHECKSUM] != _checksum(path, content[_CHECKSUM:]):
            raise ValueError("its checksum is wrong")
        found = unpacked(content[_CHECKSUM:], target, _arguments(signature))
        with contextlib.suppress(OSError):
            os.utime(path.parent)
        return found
    except Exception as error:  # numba and pickle may raise anything on an unusable file
        warnings.warn(f"machine code {path} cannot be used ({error}); it is compiled again", stacklevel=2)
        with contextlib.suppress(OSError):
            path.unlink()
        return None


def _checksum(path: Path, payload: bytes) -> bytes:
    """Return the checksum of a payload and of the digests in its path, so that no file can be taken for another."""
    return hashlib.sha256("/".join(path.parts[-2:]).encode() + b"\0" + payload).digest()


def _discard_old(folder: Path) -> None:
    """Delete the least recently used versions of the kernel, but never this one."""
    versions = sorted(filter(Path.is_dir, folder.parent.iterdir()), key=lambda each: each.stat().st_mtime)
    for version in versions[:-MOST_VERSIONS]:
        if version != folder:
            shutil.rmtree(version, ignore_errors=True)


def _arguments(signature: Any) -> tuple[Any, ...]:
    return getattr(signature, "args", signature)  # type: ignore[no-any-return]
