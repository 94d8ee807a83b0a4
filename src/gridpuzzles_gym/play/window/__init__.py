"""The window: its screens, and how it fails; this file does not import pygame."""

import datetime
import traceback

from ..._version import __version__


class NoWindowError(OSError):
    """No window can be opened."""


class CrashError(RuntimeError):
    """A bug has ended the window; the message says where its traceback is."""


def crash(error: Exception) -> CrashError:
    """Write the traceback of an error to the user's log file, and return the error that names the file."""
    import platformdirs

    what = "".join(traceback.format_exception_only(error)).strip()
    file = platformdirs.user_log_path("gridpuzzles_gym") / "window.log"
    try:
        if not file.is_absolute():
            raise FileNotFoundError("this user has no home folder")
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8", errors="backslashreplace") as log:
            log.write(f"{datetime.datetime.now():%Y-%m-%d %H:%M:%S}, gridpuzzles_gym {__version__}\n")
            log.write("".join(traceback.format_exception(error)) + "\n")
    except OSError:
        return CrashError(f"{what} (this is a bug: please report it with the output of --debug)")
    return CrashError(f"{what} (this is a bug: please report it with {file})")
