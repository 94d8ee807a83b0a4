"""An agent by what people call it: a name in the table, or the path of a trained model."""

from pathlib import Path
from typing import Any

from gridpuzzles_gym.engine.puzzle import Puzzle

from .policy import AGENTS, Policy, make_agent


def agents_of(puzzle: Puzzle) -> list[str]:
    """The names of the agents that play a puzzle."""
    return [name for name, entry in AGENTS.items() if entry.puzzle in (None, puzzle.name)]


def observation_for(agent: str, puzzle: Puzzle) -> str | None:
    """Which ``observation=`` an agent's environment must have; None is the puzzle's default, or any.

    Args:
        agent: A key of the table of agents, a ``model.zip``, or the folder of a run.
        puzzle: The puzzle it is to play.

    Raises:
        ValueError: There is no such agent or model.
    """
    if agent in AGENTS:
        return AGENTS[agent].observation
    if not agent.endswith(".zip") and not Path(agent).exists():
        names = ", ".join(agents_of(puzzle))
        raise ValueError(f"no agent {agent!r} and no such file; {puzzle.title} has {names}, and trained models")
    from .training.ppo import observation_of

    return observation_of(agent)


def load_agent(agent: str, env: Any, seed: int = 0) -> Policy:
    """The agent, ready to play ``env`` (made with the observation that :func:`observation_for` tells).

    Args:
        agent: As for :func:`observation_for`.
        env: One of the suite's environments, single or vector.
        seed: Of the agent's own randomness.

    Raises:
        ValueError: There is no such agent or model, or it does not play this environment.
    """
    if agent in AGENTS:
        return make_agent(agent, env, seed)
    from .training.ppo import load_policy

    return load_policy(agent, env, seed)
