"""A process of Linux that sees no other process, no network, and of all files only some folders.

It is what bubblewrap does, for systems without it. Root does it with its own rights and gives up all of them
afterwards; other users get the rights by a user namespace, where the system allows that.
"""

import ctypes
import os
import select
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

DEVICES = tuple(f"/dev/{name}" for name in ("null", "zero", "random", "urandom"))
"""The devices that it sees."""
_UNSHARED = 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x20000000 | 0x40000000
"""Mounts, control groups, host names, messages, processes, network."""
_USER = 0x10000000
_BIND, _RECURSIVE, _PRIVATE, _NO_SETUID, _NO_DEVICES = 0x1000, 0x4000, 0x40000, 2, 4
"""Flags of ``mount``."""
_SET_ATTRIBUTES, _HERE, _BELOW_TOO, _READ_ONLY = 442, -100, 0x8000, 1
"""The number of the system call ``mount_setattr``, and its arguments."""
_DETACH = 2
_NOBODY = 65534
_BASE = Path("/sys")
"""A folder that exists and that nobody needs, over which the new root is built."""
_SET_PARENT_DEATH_SIGNAL = 1
_CAPABILITIES = 0x20080522
"""The version of the structures of ``capset``."""


def enter(view: Sequence[str], scratch: str, size: int, closed: Sequence[int]) -> None:
    """Go on in a new process, in which everything that is not named is absent; this one ends when that one has ended.

    When this process's standard input is closed, it ends the other one.

    Args:
        view: Files and folders that can be read.
        scratch: The path of a new folder in memory, which can be written to; it becomes the current folder.
        size: Its maximum size, in bytes.
        closed: Descriptors that are closed here.

    Raises:
        OSError: The system does not allow it.
    """
    root = os.geteuid() == 0
    uid, gid = os.geteuid(), os.getegid()
    _call("unshare", _UNSHARED | (0 if root else _USER))
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
    _build(view, scratch, size)
    if root:
        os.setgroups([])
        os.setresgid(_NOBODY, _NOBODY, _NOBODY)
        os.setresuid(_NOBODY, _NOBODY, _NOBODY)
    _call("capset", (ctypes.c_uint32 * 2)(_CAPABILITIES, 0), (ctypes.c_uint32 * 6)())
    os.chdir(scratch)


def _build(view: Sequence[str], scratch: str, size: int) -> None:
    """Replace the root folder."""
    _mount("none", "/", None, _RECURSIVE | _PRIVATE)
    _mount("tmpfs", _BASE, "tmpfs", _NO_SETUID | _NO_DEVICES, "mode=755,size=1m")
    for path in (*view, *DEVICES):
        inside = _BASE / path[1:]
        folder = os.path.isdir(path)
        (inside if folder else inside.parent).mkdir(parents=True, exist_ok=True)
        if not folder:
            inside.touch()
        _mount(path, inside, None, _BIND | _RECURSIVE)
        if path not in DEVICES:
            _set_attributes(inside, _READ_ONLY | _NO_SETUID | _NO_DEVICES, _BELOW_TOO)
    inside = _BASE / scratch[1:]
    inside.mkdir(parents=True)
    _mount("tmpfs", inside, "tmpfs", _NO_SETUID | _NO_DEVICES, f"mode=777,size={size},nr_inodes=4096")
    _set_attributes(_BASE, _READ_ONLY, 0)
    os.chdir(_BASE)
    _call("pivot_root", b".", b".")  # the old root now lies over the new one
    _call("umount2", b".", _DETACH)
    os.chdir("/")


def _watch(child: int) -> NoReturn:
    """Wait for the end of the child, or end it when standard input is closed; then exit as it did."""
    select.select([0, os.pidfd_open(child)], [], [])
    os.kill(child, signal.SIGKILL)  # nothing happens if it has ended: nobody has waited for it
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os._exit(code if code >= 0 else 128 - code)


def _mount(source: str, target: str | Path, kind: str | None, flags: int, data: str | None = None) -> None:
    words = (None if word is None else os.fsencode(word) for word in (source, target, kind, data))
    source_, target_, kind_, data_ = words
    _call("mount", source_, target_, kind_, ctypes.c_ulong(flags), data_)


def _set_attributes(path: Path, wanted: int, flags: int) -> None:
    """Set attributes of a mount; unlike mounting it again, this keeps those that it has."""
    attributes = (ctypes.c_uint64 * 4)(wanted, 0, 0, 0)
    size = ctypes.c_size_t(ctypes.sizeof(attributes))
    _call("syscall", ctypes.c_long(_SET_ATTRIBUTES), _HERE, os.fsencode(path), flags, ctypes.byref(attributes), size)


def _call(name: str, *arguments: object) -> None:
    """Call a function of the C library; raises OSError if it fails."""
    if getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments) == -1:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
