"""Short synthesised sounds; silent without a sound device."""

import contextlib
import os
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pygame

RATE = 22_050
"""Samples per second."""
VOLUME = 0.25
# Each sound is a sequence of notes: (frequency in hertz, duration in seconds).
NOTES: dict[str, tuple[tuple[float, float], ...]] = {
    "move": ((220.0, 0.03),),
    "solved": ((523.25, 0.09), (659.25, 0.09), (783.99, 0.09), (1046.5, 0.22)),
    "died": ((196.0, 0.14), (155.56, 0.14), (116.54, 0.3)),
    "refused": ((110.0, 0.06),),
}


class Sounds:
    """Plays sounds by name; the first one opens the device."""

    def __init__(self) -> None:
        self._made: dict[str, pygame.mixer.Sound] | None = None

    def play(self, name: str) -> None:
        """Play one of :data:`NOTES`, if there is a device."""
        if self._made is None:
            self._made = _open()
        if name in self._made:
            self._made[name].play()


def _open() -> dict[str, pygame.mixer.Sound]:
    """Open the device and return all sounds; none without a device."""
    try:
        with _silent_stderr():
            pygame.mixer.init(RATE, -16, 1, 512)
        return {name: pygame.mixer.Sound(buffer=samples(notes).tobytes()) for name, notes in NOTES.items()}
    except (pygame.error, NotImplementedError):
        return {}


def samples(notes: tuple[tuple[float, float], ...]) -> npt.NDArray[np.int16]:
    """Return the samples of notes, each fading out: int16[n]."""
    parts = []
    for frequency, seconds in notes:
        time = np.arange(round(RATE * seconds)) / RATE
        fading = np.exp(-4 * time / seconds) * np.minimum(time * 400, 1)
        parts.append(fading * (np.sin(2 * np.pi * frequency * time) + 0.3 * np.sin(4 * np.pi * frequency * time)))
    return np.asarray(32767 / 1.3 * VOLUME * np.concatenate(parts), np.int16)


@contextlib.contextmanager
def _silent_stderr() -> Iterator[None]:
    """Discard what sound libraries write to standard error when there is no device."""
    try:
        saved = os.dup(2)
    except OSError:  # standard error is closed
        yield
        return
    try:
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), 2)
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)
