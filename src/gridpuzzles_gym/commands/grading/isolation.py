"""How an agent's process is isolated, by what the system offers."""

import dataclasses
import functools
import importlib
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from .namespaces import DEVICES

SCRATCH = "/scratch"
"""The folder that an isolated agent may write to."""
SCRATCH_SIZE = 64 * 2**20
"""The maximum size of that folder, in bytes."""
_SYSTEM = ("/usr", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/etc/localtime", "/proc/cpuinfo")
"""Files of Linux that programs need: libraries, the local time, the processor's features."""
_PACKAGES = "gridpuzzles_gym", "gridpuzzles_gym.agents", "gridpuzzles_gym.levels"
_INSTALLED = "site-packages", "dist-packages"
_BUBBLEWRAP = "bwrap"


@dataclasses.dataclass(frozen=True)
class Isolation:
    """A way to isolate an agent's process."""

    name: str
    """``namespaces``, ``bubblewrap`` or ``none``."""
    description: str
    """One sentence."""

    @property
    def sandbox(self) -> bool:
        """Whether it restricts agents at all."""
        return self is not NONE

    def command(self, arguments: Sequence[str]) -> list[str]:
        """Return the command that runs Python with some arguments."""
        python = [sys.executable, "-P", *arguments]
        return [*_bubblewrap(), *python] if self is BUBBLEWRAP else python


NAMESPACES = Isolation("namespaces", "Sandbox: namespaces and seccomp of Linux.")
BUBBLEWRAP = Isolation("bubblewrap", "Sandbox: bubblewrap, and seccomp of Linux.")
NONE = Isolation("none", "No sandbox: this system allows none. Run only agents that you trust.")
SANDBOXES = NAMESPACES, BUBBLEWRAP
"""The sandboxes, the best first."""


@functools.cache
def readable_paths() -> tuple[str, ...]:
    """Return the files and folders that an isolated agent can read: libraries, Python and its installed packages."""
    packages = [path for name in _PACKAGES for path in importlib.import_module(name).__path__]
    installed = [path for path in sys.path if os.path.basename(path) in _INSTALLED]
    python = [sys.prefix, sys.base_prefix, sys.exec_prefix]
    wanted = {os.path.abspath(path) for path in (*_SYSTEM, *python, *installed, *packages) if os.path.exists(path)}
    paths = sorted(Path(path) for path in wanted if path != "/")
    return tuple(str(path) for path in paths if not wanted & {str(parent) for parent in path.parents})


def _bubblewrap() -> list[str]:
    """Return the beginning of a command that runs under bubblewrap."""
    program = shutil.which(_BUBBLEWRAP)
    if program is None:
        raise FileNotFoundError("bubblewrap is not installed")
    readable = [word for path in readable_paths() for word in ("--ro-bind", path, path)]
    devices = [word for path in DEVICES for word in ("--dev-bind", path, path)]
    return [
        program, "--unshare-all", "--unshare-user", "--die-with-parent", "--new-session", "--cap-drop", "ALL",
        *readable, *devices, "--size", str(SCRATCH_SIZE), "--tmpfs", SCRATCH, "--remount-ro", "/",
        "--chdir", SCRATCH, "--",
    ]  # fmt: skip
