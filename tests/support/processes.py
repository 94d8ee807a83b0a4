"""The processes that tests leave behind, or must not."""

import os
import subprocess
import time


def gone(pid):
    """Has the process ended, within some seconds, and been waited for?"""
    for _ in range(200):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


def children(parent=None):
    """The processes that this one has, or another, zombies included."""
    command = ["ps", "-o", "pid=", "--ppid", str(parent or os.getpid())]
    listing = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    return {int(pid) for pid in listing.communicate()[0].split()} - {listing.pid}
