"""What an agent would have done: it plays the level of a game that has ended, with the same seed and from the start."""

import time
from typing import Any

from gridpuzzles_gym.agents.registry import advising_agents

from ...engine.board.gestures import Square
from ...engine.messages import plural
from ...engine.puzzle import Puzzle
from ...session.arguments import environment
from ...session.choices import Choice, choice_of
from ...session.game import Game
from ...session.players import AgentPlayer

ENDS = {
    "solved": "solved it in {}",
    "died": "died after {}",
    "left": "left after {}",
    "unfinished": "run out of time after {}",
}
"""What an agent would have done, by the outcome; ``{}`` is its number of steps."""

SECONDS = 0.01
"""How long the agent's actions are played here before the window is drawn again."""


def is_told(puzzle: Puzzle) -> bool:
    """Is there something to tell: does the puzzle hide anything, or have chance in it, and does an agent advise?"""
    return not puzzle.deterministic and bool(advising_agents(puzzle))


class Hindsight:
    """An agent's episode, played in another process.

    The agents that give advice are asked in their order: one that cannot play the level is followed by the next.

    Args:
        game: The game; it must be of a puzzle for which :func:`is_told`. It is not changed.

    Attributes:
        agent: The name of the agent.
        known: Has its episode ended?
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        self._left = advising_agents(game.puzzle)
        self._lane: AgentPlayer | None = None
        self._error = ""
        self.agent, self.known = self._left[0], False
        self._ask()

    def poll(self) -> bool:
        """Receive what the agent does; return whether all of it is now known."""
        lane = self._lane
        if self.known or lane is None:
            return False
        lane.poll()
        end = time.perf_counter() + SECONDS
        while time.perf_counter() < end and lane.forward():
            pass
        if lane.error and self._left:
            self._ask()
        elif lane.ended:
            self._error, self.known = lane.error, True
        return self.known

    @property
    def path(self) -> list[Square]:
        """The squares that the agent would have been on; empty while they are not known."""
        gestures = self._game.puzzle.gestures
        if self._lane is None or not self.known or self._error or gestures is None:
            return []
        level = self._lane.game.scene().level
        return [gestures.actor(level, state) for state in self._lane.game.states]

    def words(self) -> str:
        """Return what the agent would have done, in one line, and how fair the comparison is."""
        if self._error:
            return f"{self.agent} cannot tell: {self._error}"
        if self._lane is None or not self.known:
            return f"asking {self.agent} what it would have done …"
        scene, hidden = self._lane.game.scene(), self._game.puzzle.hidden
        ending = ENDS[self._lane.game.outcome].format(plural(scene.steps, "step"))
        fairness = "with the same random numbers" if hidden is None else "knowing as little as you"
        return f"{self.agent}, {fairness}, would have {ending}: return {scene.score:g}"

    def show(self) -> tuple[Choice, int, dict[str, Any]]:
        """Return the source, the number and the settings with which the same episode is watched, nothing hidden."""
        game, hidden = self._game, self._game.puzzle.hidden
        settings = {name: value for name, value in game.settings.items() if name != "levels"}
        for name in () if hidden is None else hidden.playing:
            settings.pop(name, None)
        if game.pack is not None and game.choice is None:
            settings["levels"] = game.pack
        settings |= {"seed": game.first_seed, "max_episode_steps": self._limit}
        return choice_of(game.puzzle, game.env_id, game.choice, game.title), game.number, settings

    @property
    def _limit(self) -> int | None:
        """The step limit of the agent, which may not stop by itself."""
        return self._game.limit or environment(self._game.env_id)[0].max_episode_steps

    def close(self) -> None:
        """End the agent."""
        if self._lane is not None:
            self._lane.close()
            self._lane = None

    def _ask(self) -> None:
        """Let the next agent play."""
        self.close()
        self.agent = self._left.pop(0)
        try:
            again = Game.resumed({**self._game.save(), "limit": self._limit, "taken": [], "undone": []})
            self._lane = AgentPlayer(again, self.agent)
            self._lane.begin()
        except (ValueError, OSError) as error:
            self._error, self.known = str(error), True
