"""Training by Stable-Baselines3, by our own learner, or by Ray's RLlib."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..models.model_file import MODEL
from .devices.gpu_memory import within_memory
from .monitoring.report import Callback
from .own_run import OwnRun, attempt
from .run import TrainingRun, check_folder, finish
from .setting_up import with_engine
from .settings import RLLIB, SB3, Settings


def train(
    settings: Settings,
    folder: Path,
    resume: bool = False,
    start: str | Path | None = None,
    ray: str = "local",
    callbacks: Sequence[Any] = (),
) -> Path:
    """Train with a progress bar; Ctrl-C stops it and saves the model.

    Writes into ``folder``: ``model.safetensors``, ``checkpoint.npz``, ``settings.json``, ``curve.csv``,
    ``learning_curve.png`` and TensorBoard's event files.

    Args:
        settings: Settings of the run.
        folder: Output folder; created if it does not exist.
        resume: Continue from the checkpoint in ``folder`` up to ``settings.total_steps`` and ``settings.minutes``.
        start: A model whose weights are the first ones: its path, or ``"pretrained"``; None: random weights.
        ray: The Ray cluster that trains if ``settings.engine`` is ``"rllib"``: ``"auto"`` finds that of this machine,
            ``"local"`` starts one; otherwise a host and port.
        callbacks: Called with a :class:`~.monitoring.report.Report` after each update; a callback
            that returns True or raises ends the run, and the model is saved. With Stable-Baselines3 as the engine,
            also its own: instances of its ``BaseCallback``.

    Returns:
        The path of the saved model.

    Raises:
        ValueError: ``folder`` contains a model and ``resume`` is False, or no checkpoint and it is True, or the
            checkpoint of another engine; or the settings do not fit the environment, its teacher, the model to start
            from or the cluster; or the GPU has no memory for so many environments.
        ImportError: Stable-Baselines3, or Ray, is needed and not installed.
        OSError: The cluster cannot be reached.
        KeyboardInterrupt: Ctrl-C was pressed; the model is saved, if it has learned from a rollout.
    """
    check_folder(settings, folder, resume)
    settings = with_engine(settings, folder if resume else None)
    reporting: list[Callback] = [callback for callback in callbacks if callable(callback)]
    theirs = [callback for callback in callbacks if not callable(callback)]
    if theirs and settings.engine != SB3:
        raise ValueError(f"callbacks of Stable-Baselines3 need engine={SB3!r}, not {settings.engine!r}")
    if settings.engine == RLLIB:
        from .on_rllib.run import train_on_ray

        train_on_ray(settings, folder, resume, start, ray, reporting)
    else:
        within_memory(
            settings,
            lambda: finish(run_for(settings, folder, start, theirs), resume, reporting),
            lambda fewer: attempt(OwnRun(fewer, folder, start)),
        )
    return folder / MODEL


def run_for(
    settings: Settings, folder: Path, start: str | Path | None = None, callbacks: Sequence[Any] = ()
) -> TrainingRun:
    """Return a training run of this process.

    Args:
        settings: Settings of the run, with the engine ``"sb3"`` or ``"own"``: :func:`~.setting_up.with_engine`.
        folder: Output folder.
        start: A model whose weights are the first ones; None: random weights.
        callbacks: Callbacks of Stable-Baselines3, if that is the engine.

    Raises:
        ValueError: The settings do not fit the environment, its teacher or the model to start from.
        ImportError: Stable-Baselines3 is needed and not installed.
    """
    if settings.engine != SB3:
        return OwnRun(settings, folder, start)
    from .on_sb3.run import SB3Run

    return SB3Run(settings, folder, start, callbacks)
