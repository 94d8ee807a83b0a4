"""Baselines of single-turn tasks: agents of the suite play the positions, and their actions are scored as a reply."""

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

from gridpuzzles_gym.agents.playing import AGENT_SEED
from gridpuzzles_gym.agents.registry import observation_for

from ...registration import puzzle_of_id
from ...session.session import Player
from ...text.tasks import Item, TaskDataset
from ..grading.contest import Contest
from .items import PASSED
from .journal import Record
from .references import chosen_references

PLAYED = ("plan", "shortest-plan", "best-action")
"""The tasks that are answered by actions."""


def chosen_agents(dataset: TaskDataset, names: Sequence[str] | None) -> list[str]:
    """Return the agents to compare a model with.

    Args:
        dataset: The tasks.
        names: Agents or models; None: random and the best of the puzzle, or none if they cannot be compared.

    Raises:
        ValueError: One of them is unknown, or does not play this environment; or agents do not answer such tasks.
    """
    puzzle = puzzle_of_id(dataset.env_id)
    if dataset.task.name not in PLAYED or not puzzle.deterministic:
        if names:
            raise ValueError(
                f"--baseline {names[0]}: agents are compared in the tasks {', '.join(PLAYED)} of puzzles without chance"
            )
        return []
    return chosen_references(_contest(dataset[0]), names)


def play_items(
    dataset: TaskDataset, names: Sequence[str], done: Sequence[int], begin: Callable[[str, int], Callable[[], object]]
) -> dict[str, list[Record]]:
    """Score agents in the tasks that a model has finished.

    Args:
        dataset: The tasks.
        names: The agents.
        done: The numbers of these tasks.
        begin: Called with the name of each agent and the number of tasks; returns a function to call after each.

    Raises:
        KeyboardInterrupt: Ctrl-C.
    """
    found: dict[str, list[Record]] = {}
    for name in names:
        advance, found[name] = begin(name, len(done)), []
        for number in done:
            actions = _play(dataset[number], name, AGENT_SEED + number)
            score = dataset.score(number, ", ".join(actions))
            found[name].append(Record(number, score >= PASSED, score, steps=len(actions)))
            advance()
    return found


def _play(item: Item, name: str, seed: int) -> list[str]:
    """Return the names of an agent's actions, at most as many as the task allows."""
    contest = _contest(item, max_episode_steps=item.info.get("most_actions", 1))
    observation = observation_for(name, contest.puzzle, item.env_id)
    with contextlib.closing(contest.env(observation)) as env:
        inner: Any = env.unwrapped
        names, player, actions, over = inner.config.action_names, Player(name, env, seed), [], False
        seen, _ = env.reset(seed=0)
        while not over:
            actions.append(player.act(seen))
            seen, _, terminated, truncated, _ = env.step(actions[-1])
            over = terminated or truncated
    return [names[action] for action in actions]


def _contest(item: Item, **more: Any) -> Contest:
    """Return the contest of agents in the position of a task."""
    arguments = {**item.info["settings"], "levels": item.level, **more}
    return Contest(item.env_id, puzzle_of_id(item.env_id), arguments, 1, 0, True)
