"""What the scripts with a training loop of their own share: their arguments, progress bar, Ctrl-C and saving."""

import argparse
import dataclasses
import shlex
import sys
import time
from collections.abc import Callable
from pathlib import Path

from rich.progress import BarColumn, Progress, TextColumn

from gridpuzzles_gym.agents.models.model_file import MODEL, Model, read_model, write_model
from gridpuzzles_gym.agents.models.pretrained import PRETRAINED, model_to_start
from gridpuzzles_gym.agents.training.learner import Learner
from gridpuzzles_gym.agents.training.provenance import described
from gridpuzzles_gym.agents.training.settings import Settings
from gridpuzzles_gym.engine.config import EnvConfig

SAVING = 60
"""Seconds between two copies of the model."""


def parser_of(text: str, minutes: float) -> argparse.ArgumentParser:
    """Return a parser of the arguments that all scripts have.

    Args:
        text: The script's description.
        minutes: How long it trains by default.
    """
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="folder of the model")
    parser.add_argument(
        "--start", default=PRETRAINED, metavar="MODEL", help="model to begin with; default: the suite's"
    )
    parser.add_argument(
        "--minutes", type=float, default=minutes, help=f"minutes of processor time; default: {minutes:g}"
    )
    parser.add_argument("--threads", type=_positive, default=1, help="threads of PyTorch; default: 1")
    parser.add_argument("--seed", type=int, default=0)
    return parser


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text} is not a positive integer")
    return int(text)


def first_model(given: argparse.Namespace, env_id: str) -> Model:
    """Return the model to begin with."""
    return read_model(model_to_start(given.start, env_id))


def train(
    given: argparse.Namespace,
    settings: Settings,
    config: EnvConfig,
    learner: Learner,
    improve: Callable[[float], tuple[int, str]],
) -> None:
    """Improve a network for some minutes; the model is saved every :data:`SAVING` seconds, and at the end or at Ctrl-C.

    Args:
        given: The script's arguments.
        settings: Settings of the run.
        config: What the network plays.
        learner: The network.
        improve: Called with the share of the time that has passed, again and again; returns the number of steps so far,
            and what to show next to the bar.
    """
    start = first_model(given, settings.env_id).description
    command = f"python -m benchmarks.learning.{Path(sys.argv[0]).stem} {shlex.join(sys.argv[1:])}"
    cpu = f"CPU, {given.threads} thread{'s' if given.threads > 1 else ''}"
    device = start.device if start.device.startswith(cpu) else f"{cpu}; before, {start.device}"
    begun = saved = time.process_time()

    def keep(steps: int) -> None:
        seconds = time.process_time() - begun
        steps += start.steps
        about = described(settings, config, learner.network, steps, seconds, device, str(given.start))
        minutes = round(start.minutes + about.minutes, 2)
        given.out.mkdir(parents=True, exist_ok=True)
        about = dataclasses.replace(about, minutes=minutes, command=command)
        write_model(given.out / MODEL, Model(about, learner.arrays()))

    columns = BarColumn(), TextColumn("{task.completed:.1f} of {task.total:.0f} minutes{task.description}")
    steps = 0
    try:
        with Progress(*columns) as progress:
            bar = progress.add_task("", total=given.minutes)
            while (minutes := (time.process_time() - begun) / 60) < given.minutes:
                steps, text = improve(minutes / given.minutes)
                progress.update(bar, completed=minutes, description=f", {text}")
                if time.process_time() > saved + SAVING:
                    keep(steps)
                    saved = time.process_time()
    except KeyboardInterrupt:
        print(f"stopped; --start {given.out} goes on")
    keep(steps)
