"""Where the command ``gridpuzzles`` begins: before anything large is imported.

Until the command runs, and after it has, Ctrl-C simply ends the process; inside, the command decides.
This module lies beside the package because importing any part of that imports Gymnasium first.
"""

import signal
import sys


def main() -> None:
    """The entry point ``gridpuzzles``."""
    hears = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # not so where a script runs it with `&`
    if hears:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from gridpuzzles_gym.cli import run

    if hears:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    code = run()
    if hears:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(code)


if __name__ == "__main__":
    main()
