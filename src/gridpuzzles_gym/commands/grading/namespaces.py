"""A Linux process that sees no other process, no network, and only some files and folders.

This does what bubblewrap does, for systems without it. Root uses its own rights and gives up all of them afterwards;
other users get the rights from a user namespace, where the system allows that.
"""

import ctypes
import os
import select
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

DEVICES = tuple(f"/dev/{name}" for name in ("null", "zero", "random", "urandom"))
"""The devices that the process sees."""
_NEW_NAMESPACES = 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x20000000 | 0x40000000
"""Flags of ``unshare``: mounts, control groups, host names, message queues, processes, network."""
_NEW_USER_NAMESPACE = 0x10000000
_BIND, _RECURSIVE, _PRIVATE, _NO_SETUID, _NO_DEVICES = 0x1000, 0x4000, 0x40000, 2, 4
"""Flags of ``mount``."""
_MOUNT_SETATTR, _AT_FDCWD, _AT_RECURSIVE, _READ_ONLY = 442, -100, 0x8000, 1
"""The number of the system call ``mount_setattr``, and its arguments."""
_DETACH = 2
_NOBODY = 65534
_NEW_ROOT = Path("/sys")
"""An existing folder that the process does not need; the new root is mounted over it."""
_SET_PARENT_DEATH_SIGNAL = 1
_CAPABILITY_VERSION = 0x20080522
"""The version of the structures that ``capset`` takes."""


def enter(readable: Sequence[str], scratch: str, size: int, closed: Sequence[int]) -> None:
    """Fork, and return in the child, which sees only the files, folders and devices named here.

    The parent does not return: it exits when the child ends, and kills the child when its standard input is closed.

    Args:
        readable: Files and folders that the child can read.
        scratch: The path of a new writable folder in memory, which becomes the current folder.
        size: The maximum size of that folder, in bytes.
        closed: File descriptors that the parent closes.

    Raises:
        OSError: The system does not allow it.
    """
    root = os.geteuid() == 0
    uid, gid = os.geteuid(), os.getegid()
    _call("unshare", _NEW_NAMESPACES | (0 if root else _NEW_USER_NAMESPACE))
    if not root:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
        Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")
    child = os.fork()
    if child:
        for descriptor in closed:
            os.close(descriptor)
        _watch(child)
    _call("prctl", _SET_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    _build_root(readable, scratch, size)
    if root:
        os.setgroups([])
        os.setresgid(_NOBODY, _NOBODY, _NOBODY)
        os.setresuid(_NOBODY, _NOBODY, _NOBODY)
    _call("capset", (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0), (ctypes.c_uint32 * 6)())
    os.chdir(scratch)


def _build_root(readable: Sequence[str], scratch: str, size: int) -> None:
    """Replace the root folder by one with these paths only."""
    _mount("none", "/", None, _RECURSIVE | _PRIVATE)
    _mount("tmpfs", _NEW_ROOT, "tmpfs", _NO_SETUID | _NO_DEVICES, "mode=755,size=1m")
    for path in (*readable, *DEVICES):
        inside = _NEW_ROOT / path[1:]
        folder = os.path.isdir(path)
        (inside if folder else inside.parent).mkdir(parents=True, exist_ok=True)
        if not folder:
            inside.touch()
        _mount(path, inside, None, _BIND | _RECURSIVE)
        if path not in DEVICES:
            _set_attributes(inside, _READ_ONLY | _NO_SETUID | _NO_DEVICES, _AT_RECURSIVE)
    inside = _NEW_ROOT / scratch[1:]
    inside.mkdir(parents=True)
    _mount("tmpfs", inside, "tmpfs", _NO_SETUID | _NO_DEVICES, f"mode=777,size={size},nr_inodes=4096")
    _set_attributes(_NEW_ROOT, _READ_ONLY, 0)
    os.chdir(_NEW_ROOT)
    _call("pivot_root", b".", b".")  # the old root is now mounted over the new one
    _call("umount2", b".", _DETACH)
    os.chdir("/")


def _watch(child: int) -> NoReturn:
    """Wait until the child ends, or kill it when standard input is closed; then exit with its exit code."""
    select.select([0, os.pidfd_open(child)], [], [])
    os.kill(child, signal.SIGKILL)  # harmless if it has ended, as it was not waited for yet
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os._exit(code if code >= 0 else 128 - code)


def _mount(source: str, target: str | Path, kind: str | None, flags: int, data: str | None = None) -> None:
    words = (None if word is None else os.fsencode(word) for word in (source, target, kind, data))
    source_, target_, kind_, data_ = words
    _call("mount", source_, target_, kind_, ctypes.c_ulong(flags), data_)


def _set_attributes(path: Path, wanted: int, flags: int) -> None:
    """Add attributes to a mount; unlike remounting, this keeps those that it has."""
    attributes = (ctypes.c_uint64 * 4)(wanted, 0, 0, 0)
    size = ctypes.c_size_t(ctypes.sizeof(attributes))
    _call("syscall", ctypes.c_long(_MOUNT_SETATTR), _AT_FDCWD, os.fsencode(path), flags, ctypes.byref(attributes), size)


def _call(name: str, *arguments: object) -> None:
    """Call a function of the C library; raises OSError if it fails."""
    if getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments) == -1:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
