"""Playing back: what a search finds, an agent decides or a person has done, forwards and backwards, at any pace.

Another process searches, or plays a whole episode and sends its decisions while it goes on. Every action is played in
the game by its rules.
"""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
from gymnasium.envs.registration import EnvSpec

from gridpuzzles_gym.agents.game import Game
from gridpuzzles_gym.agents.puzzle_agents import Advisor, agents_record
from gridpuzzles_gym.agents.registry import advising_agents, agents_of, observation_for, plays_by_network
from gridpuzzles_gym.agents.search.problem import Snapshot
from gridpuzzles_gym.agents.search_tables import advisors_of, searches_of
from gridpuzzles_gym.agents.thoughts import Thoughts

from ..engine.board.interaction import Square
from ..engine.messages import plural
from ..engine.puzzle import UNFINISHED, Level, Outcome, Puzzle, load_puzzle
from ..engine.scene import Scene
from .advice import Decision, Hint, Position, Request, solve_job
from .jobs import Job
from .play_session import PlaySession
from .session import PACE, Player, WatchOptions, short_name

PACES = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
"""Steps per second."""
HOLD = 1.5
"""Seconds for which the end of an episode is shown before the next one begins by itself."""
BEST = "best advice"
"""The choice of the puzzle's own advisors."""
SOLVE_SECONDS = 60.0
"""Time limit of the advisors, in seconds; a search chosen by name has none."""
LONGEST_PATH = 200
"""Maximum number of actions of a plan that are drawn."""


class RecordedActions(NamedTuple):
    """Actions that were found before, to be watched like those of an agent."""

    name: str
    """Who found them."""
    actions: Mapping[int, Sequence[int]]
    """The actions in each level, by its number from 0, or by its seed."""


class Show(NamedTuple):
    """An episode that an agent is to play; picklable."""

    spec: EnvSpec
    """The specification of the environment."""
    agent: str
    """The name of an agent, or the path of a model."""
    seed: int
    """The seed of the episode, and of the agent."""
    limit: int | None
    """The step limit."""
    level: Level | None
    """The level, if the environment has several."""
    options: WatchOptions
    """How the agent plays."""


def episode_job(show: Show) -> Iterator[Decision]:
    """Yield all decisions of an episode: the work of a job.

    Raises:
        ValueError: The agent or model is unknown, or does not play this level.
    """
    puzzle = load_puzzle(show.spec.kwargs["puzzle"])
    seen = observation_for(show.agent, puzzle, show.spec.id) or next(iter(puzzle.observations))
    env: Any = gym.make(show.spec, max_episode_steps=show.limit or -1, disable_env_checker=True, observation=seen)
    env.unwrapped.batch.interpret()
    player = Player(show.agent, env, show.seed, show.options.deterministic, show.options.trust_pickle)
    observation, _ = env.reset(seed=show.seed, options=None if show.level is None else {"level": show.level})
    over = False
    while not over:
        action = player.act(observation)
        yield Decision(action, player.thoughts())
        observation, _, terminated, truncated, _ = env.step(action)
        over = terminated or truncated


class Playback:
    """Actions that are played in a game.

    Args:
        game: The game, which is changed.
        name: Who has found or decides the actions.
        job: Yields them, as decisions or as a hint; None if they are known.
        actions: Known actions.

    Attributes:
        first: The number of actions in the game before these.
        decisions: The known actions, with what was thought.
        paused: Whether actions are only played by :meth:`forward` and :meth:`back`.
        pace: Actions per second.
        snapshot: The progress of a search; None before its first report.
        hint: The result of a search; None if there is none yet, or an agent plays.
        error: Why there are no more actions; empty if nothing went wrong.
    """

    def __init__(self, game: PlaySession, name: str, job: Job | None = None, actions: Sequence[int] = ()) -> None:
        self.game, self.name, self.first = game, name, len(game.actions)
        self.decisions = _as_decisions(actions)
        self.paused, self.pace = False, PACE
        self.snapshot: Snapshot | None = None
        self.hint: Hint | None = None
        self.error = ""
        self._job, self._due = job, 0.0

    @property
    def at(self) -> int:
        """The number of actions played."""
        return len(self.game.actions) - self.first

    @property
    def _next(self) -> Decision | None:
        """The decision in the current state."""
        return self.decisions[self.at] if self.at < len(self.decisions) and not self.game.over else None

    @property
    def thoughts(self) -> Thoughts:
        """What is thought of the current state; nothing while the next action is unknown, and at the end."""
        return Thoughts() if self._next is None else self._next.thoughts

    @property
    def busy(self) -> bool:
        """Whether more actions may become known."""
        return self._job is not None

    @property
    def searching(self) -> bool:
        """Whether a search is running."""
        return self.busy and self.hint is None and not self.decisions

    @property
    def ended(self) -> bool:
        """Whether there is nothing more to play."""
        return self.game.over or (self._next is None and not self.busy)

    def poll(self) -> bool:
        """Receive actions; return whether there were any, or there will be no more."""
        job = self._job
        if job is None:
            return False
        updates = job.poll()
        for update in updates:
            if isinstance(update, Decision):
                self.decisions.append(update)
            elif isinstance(update, Hint):
                self.hint = update
                self.decisions += _as_decisions(update.plan)
                self.error = update.message if update.result is None else ""
            else:
                self.snapshot = update
        if job.done:
            self.error, self._job = job.error or self.error, None
        return bool(updates) or job.done

    def forward(self) -> bool:
        """Play the next action; return False if it is not known yet, or there is none."""
        game, decision = self.game, self._next
        if decision is None:
            return False
        if game.undone and game.undone[0] == decision.action:
            game.redo()  # with the same result, even in a puzzle with chance
        else:
            game.hint(decision.action)
            game.every_action = True  # one that changes nothing is a step, too
            game.play(decision.action)
            game.every_action = False
        return True

    def back(self) -> bool:
        """Undo the last action; return False if none of them is left."""
        return self.at > 0 and self.game.undo()

    def seek(self, at: int) -> None:
        """Go to the position after so many of the known actions; 0 undoes all."""
        while self.at < at and self.forward():
            pass
        while self.at > at and self.back():
            pass

    def tick(self, seconds: float) -> bool:
        """Let time pass: receive actions and play those that are due; return whether anything changed."""
        changed = self.poll()
        if not self.paused and not self.ended:
            self._due += seconds * self.pace
            while self._due >= 1 and self.forward():
                self._due -= 1
                changed = True
            self._due = min(self._due, 1.0)  # a slow agent does not have to catch up
        return changed

    def faster(self, steps: int = 1) -> None:
        """Change the pace to the next in :data:`PACES`, or by several of them; negative is slower."""
        nearest = min(range(len(PACES)), key=lambda k: abs(PACES[k] - self.pace))
        self.pace = PACES[min(max(nearest + steps, 0), len(PACES) - 1)]

    def stop(self) -> None:
        """Stop a search; it returns the best that it has found so far."""
        if self._job is not None:
            self._job.stop()

    def close(self) -> None:
        """End the search or the agent; the game stays open."""
        if self._job is not None:
            self._job.cancel()
            self._job = None

    def words(self) -> str:
        """Return its state in one line."""
        hint, count = self.hint, plural(len(self.decisions), "move")
        if self.error or self.game.over:
            return self.error or self.game.summary()
        if self.searching:
            return f"{self.name}: {_progress(self.snapshot)}"
        if hint is None or hint.result is None:
            return f"{self.name}: step {self.at}"
        if not hint.solves:
            return hint.message + (f"; {count} to the best position; step {self.at}" if self.decisions else "")
        effort = f"{plural(hint.result.expanded, 'position')} in {hint.result.seconds:.2f} s"
        return f"{hint.source}: {count}, {effort}; step {self.at}"


def replay(game: PlaySession, name: str) -> Playback:
    """Play all actions of a game again from its start, undone ones too."""
    game.restart()
    return Playback(game, name, None, game.undone)


def solver_names(game: PlaySession) -> list[str]:
    """Return who can solve a game: the puzzle's advisors, its searches, its agents."""
    searches = list(searches_of(game.puzzle))
    others = [name for name in agents_of(game.puzzle) if name not in searches]
    return [*([BEST] if advisors_of(game.puzzle) else []), *searches, *others]


def solve(game: PlaySession, name: str) -> Playback:
    """Let a search or an agent go on from the current position of a game.

    Args:
        game: The game.
        name: One of :func:`solver_names`.

    Raises:
        OSError: No process can be started.
    """
    advisors, seconds = ((), SOLVE_SECONDS) if name == BEST else ((Advisor(name),), None)
    return Playback(game, name, Job(solve_job, Request(Position.of(game), advisors, seconds)))


def play_agent(game: PlaySession, agent: str, options: WatchOptions) -> Playback:
    """Let an agent play the whole episode at whose start a game is.

    Args:
        game: The game.
        agent: The name of an agent, or the path of a model.
        options: How it plays.

    Raises:
        OSError: No process can be started.
    """
    level, spec = None, game.env.spec
    assert spec is not None
    if plays_by_network(agent) and game.puzzle.deterministic and game.pack is not None:
        # A model plays boards of the size that it was trained on, often the largest of a pack.
        spec, level = dataclasses.replace(spec, kwargs={**spec.kwargs, "levels": game.game.source}), game.level
    show = Show(spec, agent, game.seed, game.limit, level, options)
    return Playback(game, short_name(agent), Job(episode_job, show))


def _as_decisions(actions: Sequence[int]) -> list[Decision]:
    """Return a plan as decisions."""
    plan = tuple(actions)
    return [Decision(action, Thoughts(plan=plan[k:])) for k, action in enumerate(plan)]


def _progress(snapshot: Snapshot | None) -> str:
    if snapshot is None:
        return "searching …"
    return f"{snapshot.seconds:.0f} s, {plural(snapshot.expanded, 'position')}"


class WatchedEpisodes:
    """An agent that plays one episode after the other.

    The episodes are those of a comparison: number ``n`` has the seed ``seed + n``, and the levels of a pack are played
    in turn.

    Args:
        game: The game.
        agent: The name of an agent, the path of a model, or actions that were found before.
        options: How it is watched.
        number: As for :class:`~.play_session.PlaySession`.

    Attributes:
        playback: The current episode.
        log: One line for each finished episode.
        returns: The outcome and the sum of rewards of each finished episode, by its seed.

    Raises:
        ValueError: A setting is invalid.
        OSError: No process can be started.
    """

    def __init__(
        self, game: Game, agent: str | RecordedActions, options: WatchOptions, number: int | None = None
    ) -> None:
        self.game = PlaySession(game, number, game.limit, options.seed)
        self.agent, self.puzzle, self._options = agent, self.game.puzzle, options
        # What a puzzle hides from its player is shown here, unless the settings say otherwise.
        hidden = {} if self.puzzle.hidden is None else self.puzzle.hidden.revealed
        self._reveals = not hidden.keys() & game.settings.keys()
        self.returns: dict[int, tuple[Outcome, float]] = {}
        self.log: list[str] = []
        self._held = 0.0
        self.playback = self._begin()
        self.playback.pace = options.fps or PACE

    def _begin(self) -> Playback:
        """Let the agent play the game's current level."""
        agent, options = self.agent, self._options
        if isinstance(agent, RecordedActions):
            return Playback(self.game, agent.name, None, agent.actions.get(self.game.number, ()))
        return play_agent(self.game, agent, options)

    @property
    def continues(self) -> bool:
        """Whether the next episode begins by itself."""
        wanted = self._options.episodes is None or len(self.returns) < self._options.episodes
        return self.playback.ended and wanted and not self.playback.paused and not self.playback.error

    def tick(self, seconds: float) -> bool:
        """Let time pass, for the current episode or until the next; return whether anything changed."""
        changed = self.playback.tick(seconds)
        self._note_end()
        if self.continues:
            self._held += seconds
            if self._held >= HOLD:
                self.game.go_on()
                self._restart()
                changed = True
        return changed

    def go_to(self, number: int) -> None:
        """Play another level from its start.

        Raises:
            ValueError: There is no level with this number.
            OSError: No process can be started.
        """
        self.game.go_to(number)
        self._restart()

    def close(self) -> None:
        """End the agent and close the game."""
        self._note_end()
        self.playback.close()
        self.game.close()

    def _restart(self) -> None:
        before = self.playback
        before.close()
        self.playback, self._held = self._begin(), 0.0
        self.playback.pace, self.playback.paused = before.pace, before.paused

    def _note_end(self) -> None:
        """Save the result at the end."""
        game = self.game
        if self.playback.ended:
            if game.seed not in self.returns and not self.playback.error:
                self.log.append(f"{game.summary()} ({game.label()})")
            self.returns[game.seed] = game.outcome, float(game.scene().score)

    def scene(self, notes: bool = True) -> Scene:
        """Return the scene, with notes on what the agent thinks."""
        scene = self.game.scene(dict(self.playback.thoughts.notes) if notes else {})
        return self.puzzle.revealed(scene) if self._reveals else scene

    def tally(self) -> str:
        """Return the results of all episodes so far in one line; empty before the first end."""
        if not self.returns:
            return ""
        solved = sum(outcome == Outcome.SOLVED for outcome, _ in self.returns.values())
        mean = sum(returned for _, returned in self.returns.values()) / len(self.returns)
        return f"solved {solved} of {len(self.returns)}, mean return {mean:g}"


def path_of(scene: Scene, puzzle: Puzzle, plan: Sequence[int]) -> list[Square]:
    """Return the squares of the piece that the player moves if a plan is carried out, beginning with the current one.

    Empty if the puzzle has chance in it, where a plan says nothing, or does not say which piece that is.
    """
    if not plan or not puzzle.deterministic or puzzle.gestures is None:
        return []
    state, random_bits = scene.state.copy(), np.ones(1, np.uint64)
    squares = [puzzle.gestures.actor(scene.level, state)]
    for action in plan[:LONGEST_PATH]:
        if puzzle.rules.outcome(scene.level, state) != UNFINISHED:
            break
        puzzle.rules.step(scene.level, state, action, random_bits)
        squares.append(puzzle.gestures.actor(scene.level, state))
    return squares


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

    def __init__(self, game: PlaySession) -> None:
        self._game = game
        self._left = advising_agents(game.puzzle)
        self._player: Playback | None = None
        self._error, self._hopeless = "", False
        self.agent, self.known = self._left[0], False
        self._ask()

    def poll(self) -> bool:
        """Receive the agent's actions; return whether its episode has just ended."""
        player = self._player
        if self.known or player is None:
            return False
        player.poll()
        while player.forward():
            pass
        if player.error and self._left:
            self._ask()
        elif player.ended:
            self._error, self.known = player.error, True
            self._hopeless = self._cannot_be_won()
        return self.known

    def _cannot_be_won(self) -> bool:
        """Return whether nobody could have won, even with all of the level visible; False if that is unknown."""
        shortest_plan = agents_record(self._game.puzzle).shortest_plan
        scene = self._game.scene()
        return shortest_plan is not None and shortest_plan()(scene.level, self._game.states[0]) is None

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
        fairness = "with the same random numbers" if self._game.puzzle.hidden is None else "knowing as little as you"
        nobody = "nobody could have won this; " if self._hopeless else ""
        return f"{nobody}{self.agent}, {fairness}: {self._player.game.summary()}"

    def close(self) -> None:
        """End the agent."""
        if self._player is not None:
            self._player.close()
            self._player.game.close()
            self._player = None

    def _ask(self) -> None:
        """Let the next agent play."""
        self.close()
        self.agent = self._left.pop(0)
        try:
            limit = self._game.limit or self._game.game.spec.max_episode_steps  # it might never stop
            again = PlaySession.resumed({**self._game.save(), "limit": limit, "taken": [], "undone": []})
            self._player = play_agent(again, self.agent, WatchOptions())
        except (ValueError, OSError) as error:
            self._error, self.known = str(error), True
