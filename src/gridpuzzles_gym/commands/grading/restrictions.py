"""Resource limits of an agent's process, and the system calls that it may not make.

The system-call filter is Linux's seccomp. An agent has one process, so a limit of address space limits all its memory:
calls that create other processes or memory outside the address space are refused, as are those that read other
processes or the user's keys.
"""

import contextlib
import ctypes
import errno
import os
import platform
import struct
import sys

LARGEST_FILE = 16 * 2**20
"""The maximum size of a file, in bytes."""
MOST_FILES = 256
"""The maximum number of open files."""
MOST_THREADS = 4096
"""The maximum number of threads of the user who runs the agent."""
_SET_NO_NEW_PRIVILEGES, _SET_SECCOMP, _FILTER = 38, 22, 2
"""Options of Linux's ``prctl``."""
_ALLOW, _REFUSE, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
"""Results of a filter; ``_REFUSE`` is combined with an error number."""
_LOAD, _IS, _AT_LEAST, _HAS, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
"""Instructions of a filter (``linux/filter.h``): load a word, and jump if it is equal, at least, or has a bit."""
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
"""Offsets of the filter's input (``struct seccomp_data``)."""
_THREAD = 0x10000
"""The flag of ``clone`` for a thread."""
_CLONE3, _IO_URING_SETUP = 435, 425
_OTHER_ABI = 0x40000000
"""Higher numbers belong to x32, which has all calls a second time."""
_MACHINES = "x86_64", "aarch64"
_ARCHITECTURES, _CLONE = (0xC000003E, 0xC00000B7), (56, 220)
"""For each machine: its number in ``linux/audit.h``, and the number of ``clone``."""
_REFUSED_CALLS: dict[str, tuple[int, ...]] = {
    # new processes, and namespaces that would give rights
    "fork": (57,), "vfork": (58,), "unshare": (272, 97), "setns": (308, 268),
    # memory outside the address space
    "shmget": (29, 194), "msgget": (68, 186), "semget": (64, 190), "mq_open": (240, 180), "memfd_create": (319, 279),
    # other processes, and the keys of the user
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219),
    # large parts of the kernel that no agent needs
    "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282),
}  # fmt: skip
"""The numbers of the refused system calls for each machine; aarch64 has no ``fork`` and ``vfork``."""


def set_limits(memory: int, seconds: float) -> None:
    """Limit this process.

    Args:
        memory: The maximum size of its address space, in MiB.
        seconds: The maximum processor time, in seconds.
    """
    import resource  # not on Windows, where templates work all the same

    limits = {
        "RLIMIT_AS": memory * 2**20,
        "RLIMIT_CPU": int(seconds) + 1,
        "RLIMIT_FSIZE": LARGEST_FILE,
        "RLIMIT_NOFILE": MOST_FILES,
        "RLIMIT_NPROC": MOST_THREADS,
        "RLIMIT_CORE": 0,
    }
    for name, value in limits.items():
        kind = getattr(resource, name)
        highest = resource.getrlimit(kind)[1]
        value = value if highest == resource.RLIM_INFINITY else min(value, highest)
        with contextlib.suppress(ValueError, OSError):  # macOS cannot limit address space
            resource.setrlimit(kind, (value, value))


def refuse_calls() -> None:
    """Make the kernel refuse some system calls; this cannot be undone.

    Raises:
        OSError: This system has no such filter.
    """
    machine = platform.machine()
    if sys.platform != "linux" or machine not in _MACHINES:
        raise OSError(f"no filter of system calls for {sys.platform} on {machine}")
    code = _filter_program(_MACHINES.index(machine))
    program = ctypes.create_string_buffer(code, len(code))
    described = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(program))
    system = ctypes.CDLL(None, use_errno=True)
    for option, value, more in ((_SET_NO_NEW_PRIVILEGES, 1, None), (_SET_SECCOMP, _FILTER, described)):
        if system.prctl(option, value, more, 0, 0):
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))


def _filter_program(machine: int) -> bytes:
    """Return the filter; an instruction is an operation, the jumps if true and if false, and a number."""
    refuse, allow = (_RETURN, 0, 0, _REFUSE | errno.EPERM), (_RETURN, 0, 0, _ALLOW)
    steps = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_IS, 1, 0, _ARCHITECTURES[machine]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _OTHER_ABI),
        refuse,
    ]
    for numbers in _REFUSED_CALLS.values():
        for number in numbers[machine : machine + 1]:
            steps += [(_IS, 0, 1, number), refuse]
    for number in (_CLONE3, _IO_URING_SETUP):  # "does not exist": the C library then uses clone, which can be filtered
        steps += [(_IS, 0, 1, number), (_RETURN, 0, 0, _REFUSE | errno.ENOSYS)]
    steps += [(_IS, 0, 3, _CLONE[machine]), (_LOAD, 0, 0, _FIRST_ARGUMENT), (_HAS, 1, 0, _THREAD), refuse, allow]
    return b"".join(struct.pack("HBBI", *step) for step in steps)
