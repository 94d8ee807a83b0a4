"""The disk cache of machine code, a replacement for numba's own that verifies checksums before loading.

    ROOT/name/digest/signature.kernel    32 bytes: SHA-256 of the kernel's digests and of the rest; then a pickle
    ROOT/name/lock                       held by the process that compiles

A file with a wrong checksum, or that cannot be loaded for any other reason, is deleted, and the kernel is compiled
again. If nothing can be written, kernels are compiled without being cached.

Machine code is linked by names, which numba makes unique within a process by counting functions. Files of different
processes meet in one, where two kernels with the same name and count would be taken for each other when they are passed
to a third as functions. So names are made with random numbers instead.
"""

import contextlib
import functools
import hashlib
import os
import re
import secrets
import shutil
import warnings
from pathlib import Path
from typing import Any

from numba.core.bytecode import FunctionIdentity
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps, loads

from ..system.file_lock import locked
from ..system.files import write_bytes
from ..system.interrupts import Interruption
from .cache_folder import cache_root
from .compile_notice import notice
from .compile_thread import saving
from .kernel_digest import UnknownCodeError, kernel_digest, signature_digest

MOST_VERSIONS = 8
"""The maximum number of cached versions of each kernel, for other checkouts, other options and recent edits."""
_CHECKSUM = hashlib.sha256().digest_size

_NUMBERS = iter(functools.partial(secrets.randbits, 62), -1)  # endless, because -1 never occurs
FunctionIdentity._unique_ids = _NUMBERS  # type: ignore[assignment]  # numba only takes the next of them


class KernelCache(_Cache):
    """The disk cache of one kernel, as numba's dispatcher uses it within :meth:`compiling`.

    Args:
        function: The kernel.
        options: The compiler's options.
        name: The name of the kernel's folder.
        title: The name shown to users while it is compiled.
    """

    def __init__(self, function: Any, options: Any, name: str, title: str) -> None:
        self._function, self._options, self._title = function, options, title
        self._name = re.sub(r"[^\w.-]", "_", name)
        self._interruption = Interruption()
        self._enabled = True

    @contextlib.contextmanager
    def compiling(self, interruption: Interruption) -> Any:
        """Enclose the dispatcher's loading, or compiling and saving; locks and notices are released at its end.

        Args:
            interruption: Records Ctrl-C during the block.
        """
        self._interruption = interruption
        with contextlib.ExitStack() as self._held:
            yield

    def has(self, signature: Any, codegen: Any) -> bool:
        """Whether there is a file for this signature; it may still turn out to be unusable."""
        path = self._path(signature, codegen)
        return path is not None and path.exists()

    # -- what numba calls --------------------------------------------------------------------------------

    @property
    def cache_path(self) -> str | None:
        """The folder of all versions of this kernel; None if nothing can be cached."""
        root = cache_root()
        return None if root is None else str(root / self._name)

    def enable(self) -> None:
        """Enable the cache."""
        self._enabled = True

    def disable(self) -> None:
        """Disable the cache."""
        self._enabled = False

    def flush(self) -> None:
        """Delete all cached versions of this kernel."""
        if self.cache_path is not None:
            shutil.rmtree(self.cache_path, ignore_errors=True)

    def load_overload(self, signature: Any, target: Any) -> Any:
        """Load the compiled kernel from disk; None, with the kernel's lock held, if it must be compiled."""
        target.refresh()
        path = self._path(signature, target.codegen())
        found = None if path is None else _load(path, target)
        if found is None and path is not None:
            self._wait_for_turn(path)
            found = _load(path, target)
        if found is None:
            self._held.enter_context(notice(f"compiling {self._title}, once"))
        return found

    def save_overload(self, signature: Any, result: Any) -> None:
        """Save a compiled kernel, if possible."""
        path = self._path(signature, result.codegen)
        if path is not None and not result.library.has_dynamic_globals:
            payload = dumps(result._reduce())
            with saving, contextlib.suppress(OSError):
                _save(path, payload)
                _discard_old(path.parent)

    # ----------------------------------------------------------------------------------------------------

    def _path(self, signature: Any, codegen: Any) -> Path | None:
        root = cache_root() if self._enabled else None
        if root is None:
            return None
        try:
            digest, types = kernel_digest(self._function, self._options), signature_digest(signature)
        except UnknownCodeError:
            return None
        key = hashlib.sha256(f"{types} {codegen.magic_tuple()}".encode()).hexdigest()[:32]
        return root / self._name / digest / f"{key}.kernel"

    def _wait_for_turn(self, path: Path) -> None:
        """Acquire this kernel's lock until the block of :meth:`compiling` ends."""
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with contextlib.ExitStack() as waiting:
            noticed = False

            def wait() -> None:
                nonlocal noticed
                if self._interruption.wanted:
                    raise KeyboardInterrupt
                if not noticed:
                    noticed = True
                    words = f"another process is compiling {self._title}"
                    waiting.enter_context(notice(words))

            self._held.enter_context(locked(path.parent.parent / "lock", wait))


def _load(path: Path, target: Any) -> Any:
    """Load the compiled kernel from a file; None if it does not exist or cannot be used."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    try:
        if content[:_CHECKSUM] != _checksum(path, content[_CHECKSUM:]):
            raise ValueError("its checksum is wrong")
        found = CompileResult._rebuild(target, *loads(content[_CHECKSUM:]))
        with contextlib.suppress(OSError):
            os.utime(path.parent)
        return found
    except Exception as error:  # numba and pickle may raise anything on an unusable file
        warnings.warn(f"machine code {path} cannot be used ({error}); it is compiled again", stacklevel=2)
        with contextlib.suppress(OSError):
            path.unlink()
        return None


def _save(path: Path, payload: bytes) -> None:
    """Write a cache file."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_bytes(path, _checksum(path, payload) + payload, mode=0o600)


def _checksum(path: Path, payload: bytes) -> bytes:
    """Return the checksum of a payload and of the digests in its path, so that no file can be taken for another."""
    return hashlib.sha256("/".join(path.parts[-2:]).encode() + b"\0" + payload).digest()


def _discard_old(folder: Path) -> None:
    """Delete the least recently used versions of the kernel, but never this one."""
    versions = sorted(filter(Path.is_dir, folder.parent.iterdir()), key=lambda each: each.stat().st_mtime)
    for version in versions[:-MOST_VERSIONS]:
        if version != folder:
            shutil.rmtree(version, ignore_errors=True)
