"""What an agent would have done in a game that has ended: it plays the same level with the same seed."""

import time

from gridpuzzles_gym.agents.puzzle_agents import agents_record
from gridpuzzles_gym.agents.registry import advising_agents

from ...engine.board.gestures import Square
from ...engine.messages import plural
from ...engine.puzzle import Puzzle
from ...session.arguments import environment
from ...session.choices import Choice, choice_of
from ...session.game import Game
from ...session.players import AgentPlayer
from ...session.watch_options import WatchOptions

ENDS = {
    "solved": "solved it in {}",
    "died": "died after {}",
    "left": "left after {}",
    "unfinished": "run out of time after {}",
}
"""The agent's result in words, by the outcome; ``{}`` is its number of steps."""

SECONDS = 0.01
"""Maximum time for playing the agent's actions in one call of :meth:`Hindsight.poll`, in seconds."""


def has_hindsight(puzzle: Puzzle) -> bool:
    """Return whether a puzzle has chance or hidden information, and an agent that gives advice."""
    return not puzzle.deterministic and bool(advising_agents(puzzle))


class Hindsight:
    """An agent's episode, played in another process.

    The agents that give advice are tried in order until one can play the level.

    Args:
        game: The game; its puzzle must satisfy :func:`has_hindsight`. It is not changed.

    Attributes:
        agent: The name of the agent.
        known: Whether its episode has ended.
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        self._left = advising_agents(game.puzzle)
        self._player: AgentPlayer | None = None
        self._error, self._hopeless = "", False
        self.agent, self.known = self._left[0], False
        self._ask()

    def poll(self) -> bool:
        """Receive the agent's actions; return whether its episode has just ended."""
        player = self._player
        if self.known or player is None:
            return False
        player.poll()
        end = time.perf_counter() + SECONDS
        while time.perf_counter() < end and player.forward():
            pass
        if player.error and self._left:
            self._ask()
        elif player.ended:
            self._error, self.known = player.error, True
            self._hopeless = self._cannot_be_won()
        return self.known

    def _cannot_be_won(self) -> bool:
        """Return whether nobody could have won, even with all of the level visible; False if that is unknown."""
        informed_plan = agents_record(self._game.puzzle).informed_plan
        scene = self._game.scene()
        return informed_plan is not None and informed_plan()(scene.level, self._game.states[0]) is None

    @property
    def path(self) -> list[Square]:
        """The squares that the agent visited; empty before its episode has ended."""
        gestures = self._game.puzzle.gestures
        if self._player is None or not self.known or self._error or gestures is None:
            return []
        level = self._player.game.scene().level
        return [gestures.actor(level, state) for state in self._player.game.states]

    def words(self) -> str:
        """Return the agent's result in one line, and on which terms it played."""
        if self._error:
            return f"{self.agent} cannot tell: {self._error}"
        if self._player is None or not self.known:
            return f"asking {self.agent} what it would have done …"
        scene, hidden = self._player.game.scene(), self._game.puzzle.hidden
        ending = ENDS[self._player.game.outcome].format(plural(scene.steps, "step"))
        fairness = "with the same random numbers" if hidden is None else "knowing as little as you"
        nobody = "nobody could have won this; " if self._hopeless else ""
        return f"{nobody}{self.agent}, {fairness}, would have {ending}: return {scene.score:g}"

    def show(self) -> tuple[Choice, int, WatchOptions]:
        """Return the source, the number and the options for watching the same episode with nothing hidden."""
        game, hidden = self._game, self._game.puzzle.hidden
        settings = {name: value for name, value in game.settings.items() if name != "levels"}
        for name in () if hidden is None else hidden.playing:
            settings.pop(name, None)
        if game.pack is not None and game.choice is None:
            settings["levels"] = game.pack
        settings["max_episode_steps"] = self._limit
        options = WatchOptions(seed=max(game.seed - game.number, 0), episodes=1, settings=settings)
        return choice_of(game.puzzle, game.env_id, game.choice, game.title), game.number, options

    @property
    def _limit(self) -> int | None:
        """The step limit of the agent, which might never stop by itself."""
        return self._game.limit or environment(self._game.env_id)[0].max_episode_steps

    def close(self) -> None:
        """End the agent."""
        if self._player is not None:
            self._player.close()
            self._player = None

    def _ask(self) -> None:
        """Let the next agent play."""
        self.close()
        self.agent = self._left.pop(0)
        try:
            again = Game.resumed({**self._game.save(), "limit": self._limit, "taken": [], "undone": []})
            self._player = AgentPlayer(again, self.agent)
            self._player.begin()
        except (ValueError, OSError) as error:
            self._error, self.known = str(error), True
