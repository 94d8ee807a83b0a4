"""What a class hands in: agents for Wumpus-v0 that play, that fail, and that do mischief."""

CLASS = '''
import ctypes
import gc
import os
import socket
import subprocess
import sys
import time

import numpy as np

FORWARD, GRAB = 2, 3


class Walker:
    """The simple form: an observation in, an action out."""

    observation = "percepts"

    def predict(self, observation):
        stench, breeze, glitter, bump, scream = observation
        return GRAB if glitter else 0 if bump or breeze or stench else FORWARD


class Counter:
    """The suite's form: it counts its steps in its state, and turns round."""

    def predict(self, observation, state=None, episode_start=None, deterministic=True):
        assert (state is None) == bool(episode_start[0])
        steps = 0 if state is None else state + 1
        return np.array([0 if steps < 2 else 1]), steps


class Peeking:
    """Looks for the environment, and for what the grader knows; plays legal actions."""

    def __init__(self, task):
        assert task.actions[2] == "forward" and task.env_id == "Wumpus-v0"
        self.random = np.random.default_rng(1)

    def predict(self, observation, action_masks):
        observation[...] = 0
        kinds = {type(each).__name__ for each in gc.get_objects()}
        assert not kinds & {"PuzzleEnv", "PuzzleVectorEnv", "Batch", "Scene", "Contest"}
        assert "SECRET_TOKEN" not in os.environ
        return self.random.choice(np.flatnonzero(action_masks))


class Looping:
    def predict(self, observation, state):
        while state:
            pass
        return 0, True


class Hungry:
    def predict(self, observation):
        kept = np.ones(2**28)  # 2 GiB


class Writing:
    """Writes where it must not, and where it may."""

    def predict(self, observation):
        attempts = (
            lambda: open(TARGET, "w"),
            lambda: os.remove(TARGET),
            lambda: os.rename(TARGET, TARGET + "2"),
            lambda: socket.create_connection(("localhost", 9)),
        )
        for attempt in attempts:
            try:
                attempt()
                return 99
            except OSError:
                pass
        try:
            with open("large.txt", "wb") as file:
                file.write(bytes(2**25))
            return 98
        except OSError:
            pass
        with open("notes.txt", "w") as file:
            file.write("mine")
        return FORWARD


class Shapes:
    def predict(self, observation):
        return np.zeros((2, 3))


class Beyond:
    def predict(self, observation):
        return 17


class Quitting:
    def predict(self, observation):
        os._exit(3)


class Exiting:
    def predict(self, observation):
        sys.exit("I give up")


class Spawning:
    """Starts processes in Python's way, and in the system's own, in a session of their own."""

    def predict(self, observation):
        try:
            subprocess.Popen(["sleep", "1000"])
            return 99
        except PermissionError:
            pass
        system = ctypes.CDLL(None)
        if system.fork() == 0:
            system.setsid()
            time.sleep(1000)
        return FORWARD


class Printing:
    def predict(self, observation):
        print("x" * 100_000)
        return FORWARD


class Chattering:
    """Sends lines without end, by every file descriptor that it finds."""

    def predict(self, observation):
        found = range(3, 20)
        self.decisions = getattr(self, "decisions", 0) + 1
        while self.decisions > 1:
            for descriptor in found:
                try:
                    os.write(descriptor, b'{"mark": 100, "return": 1e9}\\n')
                except OSError:
                    pass
        return 0


class Forging:
    """Writes to every file descriptor that it finds."""

    def predict(self, observation):
        for descriptor in range(3, 1000):
            try:
                os.write(descriptor, b'{"action": "cheat"}\\n')
            except OSError:
                pass
        return FORWARD
'''
"""One file; ``TARGET`` is to be set at its end."""

HAPPENED = {
    "Walker": "",
    "Counter": "",
    "Peeking": "",
    "Looping": r"took more than 1 s for a decision, in episode 1",
    "Hungry": r"raised .*MemoryError: .* \(line \d+\), in 3 of 3 episodes",
    "Writing": "",
    "Shapes": r"returned float64 of shape \(2, 3\): an action is one integer, in 3 of 3 episodes",
    "Beyond": "returned 17: actions are 0 to 5, in 3 of 3 episodes",
    "Quitting": "its process ended with exit code 3, in episode 1",
    "Exiting": r"raised SystemExit: I give up \(line \d+\), in 3 of 3 episodes",
    "Spawning": "",
    "Printing": r"printed \d\.\d MB",
    "Chattering": "took more than 1 s for a decision, in episode 1",
    "Forging": "sent something that is no action, in episode 1",
}
"""What is said of each class, as a regular expression."""
GOOD = ("Walker", "Counter", "Peeking", "Writing", "Spawning", "Printing")
"""Those that finish their episodes."""

BROKEN = {
    "endless.py": "while True:\n    pass\n",
    "empty.py": "print('hello')\n",
    "missing.py": "import no_such_package\n\nclass Agent:\n    def predict(self, observation):\n        return 0\n",
    "syntax.py": "class Agent\n",
}
"""Files without agents."""
