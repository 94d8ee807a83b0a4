"""The phases of a training run: behaviour cloning, DAgger, PPO, each with its share of the run.

``clone``   the teacher plays, the learner imitates it; one environment in eight is played by the learner, to
            measure its success
``dagger``  the learner plays, and imitates what the teacher would do in the states it reaches (S. Ross, G. Gordon and
            D. Bagnell, AISTATS 2011)
``ppo``     the learner plays and learns from rewards; with a teacher, it is at first also pulled towards the teacher's
            actions (kickstarting: S. Schmitt et al., 2018)
"""

import math
from typing import NamedTuple

from gridpuzzles_gym.engine.messages import quote

CLONE, DAGGER, PPO = "clone", "dagger", "ppo"
KINDS = (CLONE, DAGGER, PPO)
_ALONE = ((PPO, 1.0),)
_TAUGHT = ((CLONE, 0.2), (DAGGER, 0.5), (PPO, 0.3))


class Moment(NamedTuple):
    """A moment of a run."""

    phase: str
    share: float
    """The completed share of the phase, 0 to 1; clone and dagger count as one."""


def read_phases(text: str, taught: bool) -> tuple[tuple[str, float], ...]:
    """Parse ``"clone=0.2,dagger=0.5,ppo=0.3"`` into phases and their shares, which sum to 1.

    Args:
        text: Phases with positive numbers, in this order; ``"auto"`` is the default.
        taught: Whether there is a teacher.

    Raises:
        ValueError: A phase is unknown, given twice, out of order, without a positive number, or needs a teacher.
    """
    if not isinstance(text, str):
        raise ValueError(f"phases={quote(text)}: must be a text")
    if text == "auto":
        return _TAUGHT if taught else _ALONE
    phases: dict[str, float] = {}
    for part in text.split(","):
        name, _, value = (piece.strip() for piece in part.partition("="))
        try:
            share = float(value)
        except ValueError:
            share = math.nan
        if name not in KINDS or not 0 < share < math.inf:
            raise ValueError(
                f"phases={quote(text)}: expected phases with positive numbers, such as clone=1,dagger=2,ppo=1"
            )
        if any(KINDS.index(name) <= KINDS.index(other) for other in phases):
            raise ValueError(f"phases={quote(text)}: each phase at most once, in the order {', '.join(KINDS)}")
        if name != PPO and not taught:
            raise ValueError(f"phases={quote(text)}: {name} needs a teacher")
        phases[name] = share
    total = sum(phases.values())
    return tuple((name, share / total) for name, share in phases.items())


def moment(phases: tuple[tuple[str, float], ...], share: float) -> Moment:
    """Return the phase after a share of the run, 0 to 1."""
    begun = 0.0
    for name, length in phases:
        if share < begun + length or name == phases[-1][0]:
            break
        begun += length
    cloning = [length for kind, length in phases if kind != PPO]
    first, whole = (begun, length) if name == PPO else (0.0, sum(cloning))
    return Moment(name, min(max((share - first) / whole, 0.0), 1.0))
