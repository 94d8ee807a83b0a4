"""The entry point of the command ``gridpuzzles``, which runs before anything large is imported.

Before and after the command runs, Ctrl-C ends the process at once; while it runs, the command handles Ctrl-C.
This module is outside the package because importing any part of the package imports Gymnasium first.
"""

import signal
import sys


def main() -> None:
    """Run the command and exit with its status."""
    # False if a script started the command with `&`: the shell then ignores Ctrl-C for it.
    interruptible = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if interruptible:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from gridpuzzles_gym.cli import run

    if interruptible:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    code = run()
    if interruptible:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(code)


if __name__ == "__main__":
    main()
