"""A demonstration: a search or an agent continues a person's game, forwards and backwards, at any pace; or a replay.

Every action is played in the game itself, so the person can take over at any point, and undo the actions.
"""

from gridpuzzles_gym.agents.puzzle_agents import Advisor
from gridpuzzles_gym.agents.registry import agents_of, is_model
from gridpuzzles_gym.agents.search.progress import Snapshot
from gridpuzzles_gym.agents.search_tables import advisors_of, searches_of

from ...engine.messages import plural
from ...session.game import Game
from ...session.jobs import Job
from ...session.session import short_name
from ...session.watching import next_pace
from .advice import Hint, Position, Request, advising

BEST = "best advice"
"""The choice of the puzzle's own advisors."""
SECONDS = 60.0
"""Time limit of the advisors, in seconds; a search chosen by name has none."""


def choices_for(game: Game) -> list[str]:
    """Return the names of the choices: the puzzle's advisors, its searches, its agents."""
    searches = list(searches_of(game.puzzle))
    others = [name for name in agents_of(game.puzzle) if name not in searches]
    return [*([BEST] if advisors_of(game.puzzle) else []), *searches, *others]


class Demonstration:
    """A search or an agent that plays from a game's current position.

    Args:
        game: The game, which is changed.
        choice: One of :func:`choices_for`, or the path of a trained model; the name of what is replayed.
        replays: Whether the actions of the game are replayed from its start; nothing is searched for.

    Attributes:
        paused: Whether actions are only played by :meth:`forward` and :meth:`back`.
        pace: Actions per second.
        snapshot: The search's progress; None before its first report.
        hint: The last result; None before there is one.
        error: Why there is no result; empty if nothing went wrong.
    """

    def __init__(self, game: Game, choice: str, replays: bool = False) -> None:
        self.game, self.choice, self.replays = game, choice, replays
        if replays:
            game.restart()
        self.first = len(game.taken)
        self.paused, self.pace = False, 4.0
        self.snapshot: Snapshot | None = None
        self.hint: Hint | None = None
        self.error = ""
        self._searches = replays or choice == BEST or choice in searches_of(game.puzzle)
        self._due = 0.0
        self._plan: list[int] = game.undone if replays else []
        self._job: Job | None = None
        if not replays:
            self._ask()

    # -- asking ----------------------------------------------------------------------------------------

    @property
    def thinking(self) -> bool:
        """Whether a result is awaited."""
        return self._job is not None

    @property
    def searching(self) -> bool:
        """Whether a search is running."""
        return self.thinking and self.hint is None

    def _ask(self) -> None:
        advisors = () if self.choice == BEST else (Advisor(self.choice),)
        seconds = SECONDS if self.choice == BEST else None
        self._job = Job(advising, Request(Position.of(self.game), advisors, seconds))

    def _ask_next(self) -> None:
        """Ask an agent for its next action."""
        if not (self._searches or self.thinking or self.error or self.game.over):
            self._ask()

    def stop(self) -> None:
        """Stop the search; it returns the best that it has found so far."""
        if self._job is not None:
            self._job.stop()

    def poll(self) -> bool:
        """Receive results; return whether there were any."""
        job = self._job
        if job is None:
            return False
        updates = job.poll()
        for update in updates:
            if isinstance(update, Hint):
                self.hint = update
                self._plan += update.plan
                self._searches = self._searches and update.result is not None
                self.error = update.message if update.result is None else ""
            else:
                self.snapshot = update
        if job.done:
            self.error, self._job = job.error or self.error, None
        return bool(updates) or job.done

    # -- playing ---------------------------------------------------------------------------------------

    @property
    def at(self) -> int:
        """The number of actions played."""
        return len(self.game.taken) - self.first

    @property
    def length(self) -> int | None:
        """The number of actions known; None if an agent decides one at a time."""
        return len(self._plan) if self._searches else None

    @property
    def plan(self) -> list[int]:
        """The known actions that are not played yet."""
        return self._plan[self.at :]

    @property
    def ended(self) -> bool:
        """Whether there is nothing more to play."""
        nothing = not self.plan and not self.thinking
        return self.game.over or (nothing and (self._searches or bool(self.error)))

    def forward(self) -> bool:
        """Play the next action; return False if it is not known yet, or there is none."""
        game, plan = self.game, self.plan
        if game.over:
            return False
        if not plan:
            self._ask_next()
            return False
        if game.undone and game.undone[0] == plan[0]:
            game.redo()  # with the same result, even in a puzzle with chance
        else:
            game.hint(plan[0])
            game.every_action = True  # one that changes nothing is a step, too
            game.play(plan[0])
            game.every_action = False
        if len(plan) == 1:
            self._ask_next()
        return True

    def back(self) -> bool:
        """Undo the last action; return False if none of them is left."""
        return self.at > 0 and self.game.undo()

    def seek(self, at: int) -> None:
        """Go to the position after so many of the known actions."""
        while self.at < at and self.forward():
            pass
        while self.at > at and self.back():
            pass

    def withdraw(self) -> None:
        """Undo all actions of the demonstration; they can be redone."""
        self.seek(0)

    def tick(self, seconds: float) -> bool:
        """Receive results and play the actions that are due; return whether anything changed."""
        changed = self.poll()
        if not self.paused and not self.ended:
            self._due = min(self._due + seconds * self.pace, 8.0)
            while self._due >= 1 and self.forward():
                self._due -= 1
                changed = True
            if self.thinking or self.ended:
                self._due = min(self._due, 1.0)
        return changed

    def faster(self, steps: int) -> None:
        """Change the pace by so many entries of :data:`~gridpuzzles_gym.session.watching.PACES`; negative is slower."""
        self.pace = next_pace(self.pace, steps)

    def close(self) -> None:
        """End the search."""
        if self._job is not None:
            self._job.cancel()
            self._job = None

    # -- in words --------------------------------------------------------------------------------------

    def words(self) -> str:
        """Return the state of the demonstration in one line."""
        name = short_name(self.choice) if is_model(self.choice) else self.choice
        if self.error:
            return self.error
        if self.replays:
            return f"{name}: {plural(len(self._plan), 'move')}; step {self.at}"
        if self.searching:
            return f"{name}: {_progress(self.snapshot)}"
        hint = self.hint
        if hint is None or self.game.over:
            return self.game.summary() if self.game.over else name
        source = hint.source if self.choice == BEST else name
        if not self._searches:
            return f"{source} plays: step {self.at}"
        known = f"{source}: {plural(len(self._plan), 'move')}" if hint.solves else hint.message
        if not hint.solves and self._plan:
            known += f"; {plural(len(self._plan), 'move')} to the best position"
        if hint.result is not None and hint.solves:
            known += f", {plural(hint.result.expanded, 'position')} in {hint.result.seconds:.2f} s"
        return f"{known}; step {self.at}" if self._plan else known


def _progress(snapshot: Snapshot | None) -> str:
    if snapshot is None:
        return "searching …"
    rate = snapshot.expanded / snapshot.seconds / 1e6
    known = f"{snapshot.seconds:.0f} s, {plural(snapshot.expanded, 'position')}, {rate:.2f} million a second"
    if snapshot.solution is not None:
        return f"{known}; solution of {plural(snapshot.solution, 'move')}"
    return known if snapshot.nearest is None else f"{known}; nearest to the goal: {snapshot.nearest}"
