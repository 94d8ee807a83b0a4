"""Episodes as conversations: the user shows the board, the assistant replies with actions.

All conversations of a :class:`Conversations` share one vector environment. A call of :meth:`Conversations.reply`
steps those that it replies to together, by one kernel call for each action of the longest reply; the others wait.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np

from ..engine import kernels
from ..engine.arguments import boolean, choice, integer, real, seeds_of
from ..engine.config import EnvConfig
from ..engine.levels.sources import pick_level
from ..engine.puzzle import OUTCOMES, SOLVED, UNFINISHED, Puzzle
from ..engine.wording import wording_of
from ..registration import puzzle_of_id
from .history import Exchange, Message, Reply, messages_of
from .prompts import system_prompt
from .replies import MOST_ACTIONS, REPLY_FORMATS, ReplyReader
from .rewards import Potential, shaped
from .turns import ENDINGS, Turn, with_header
from .views import View

REWARDS = ("environment", "success")
"""The base rewards: the environment's, or 1 for solving the puzzle and 0 otherwise."""
MOST_CONVERSATIONS, MOST_TURNS = 2**16, 2**31
"""The maximum numbers of conversations and of turns."""
_MOST_REPORTS = 10_000
"""The maximum number of action sequences whose report is cached."""
TILE_SIZE = 48
"""The width of a square in pictures, in pixels."""


class _Episode:
    """The state of one conversation."""

    __slots__ = ("exchanges", "in_a_row", "invalid", "picture", "potential", "turn")

    def __init__(self, turn: Turn, picture: bytes | None, potential: float) -> None:
        self.turn, self.picture, self.potential = turn, picture, potential
        self.exchanges: list[Exchange] = []
        self.invalid = self.in_a_row = 0


class _Steps(NamedTuple):
    """The result of the actions of a reply."""

    number: int
    """The number of actions that were performed."""
    reward: float
    """The sum of the environment's rewards."""
    terminated: int
    truncated: int
    outcome: int


_NO_STEPS = _Steps(0, 0.0, 0, 0, UNFINISHED)


class Conversations:
    """Many episodes of one environment, each a conversation.

    Args:
        env_id: A registered id.
        count: The number of conversations, which are numbered from 0.
        view: How the board is written: one of :data:`~.views.VIEWS`.
        replies: How replies are read: one of :data:`~.replies.REPLY_FORMATS`.
        actions_per_reply: The maximum number of actions in a reply.
        history: The number of past exchanges that :meth:`messages` returns in full, while earlier ones are summed up in
            a sentence; None: all.
        images: Show the board as a PNG instead of text.
        reward: The base reward of a turn, one of :data:`REWARDS`; or the environment's with this value of its own
            ``reward=``, such as ``"boxoban"``.
        progress: The weight of potential-based shaping: the reduction of the cost of the cheapest solution by the turn,
            computed by a solver (:mod:`.rewards`), is added to the reward. The optimal policies stay the same.
        max_turns: The number of replies after which an episode is truncated; None: no limit.
        max_invalid: The number of invalid replies in a row after which an episode is truncated.
        **settings: Keyword arguments of the environment, such as ``levels=`` or ``max_episode_steps=``, but not
            ``observation=``.

    Attributes:
        env_id: The id of the environment.
        settings: Its keyword arguments.
        config: Its configuration.
        view: How observations are written, a :class:`~.View`.
        reader: How replies are read, a :class:`~.ReplyReader`.
        system: The system prompt.
        tools: The tools that a model is offered, in OpenAI's form; None if replies are not tool calls.

    Raises:
        ValueError: An argument is invalid.
    """

    def __init__(
        self,
        env_id: str,
        count: int = 1,
        *,
        view: str = "board",
        replies: str = "lenient",
        actions_per_reply: int = 1,
        history: int | None = None,
        images: bool = False,
        reward: str = "environment",
        progress: float = 0.0,
        max_turns: int | None = None,
        max_invalid: int = 3,
        **settings: Any,
    ) -> None:
        if "observation" in settings:
            raise ValueError("observation= is not allowed: view= selects how a conversation shows the board")
        self.count = integer("count", count, 1, MOST_CONVERSATIONS)
        self.images = boolean("images", images)
        self.history = None if history is None else integer("history", history, 0, MOST_TURNS)
        self.progress = float(real("progress", progress, -1e9, 1e9))
        self.max_turns = None if max_turns is None else integer("max_turns", max_turns, 1, MOST_TURNS)
        self.max_invalid = integer("max_invalid", max_invalid, 1, MOST_TURNS)
        puzzle = puzzle_of_id(env_id)
        if reward not in REWARDS and hasattr(puzzle.options, "reward"):
            settings, reward = {**settings, "reward": _own_reward(puzzle, reward)}, "environment"
        self.reward = choice("reward", reward, REWARDS)
        self.env_id, self.settings = env_id, settings
        wording = wording_of(puzzle)
        envs: Any = gym.make_vec(
            env_id, num_envs=self.count, autoreset_mode="Disabled", observation=wording.observation, **settings
        )
        self.envs = envs.unwrapped
        self.config: EnvConfig = self.envs.config
        self.view = View(self.config, view)
        most = integer("actions_per_reply", actions_per_reply, 1, MOST_ACTIONS)
        self.reader = ReplyReader(self.config.action_names, choice("replies", replies, REPLY_FORMATS), most)
        self.system = system_prompt(self.config, None if images else self.view, self.reader)
        self.tools = self.reader.tools
        self._batch, self._names = self.envs.batch, self.config.action_names
        self._potential = Potential(self.config) if self.progress else None
        self._episodes: list[_Episode | None] = [None] * self.count
        self._reports: dict[tuple[int, ...], tuple[tuple[str, ...], str]] = {}
        self._canvas: Any = None

    # -- playing ---------------------------------------------------------------------------------

    def start(
        self,
        which: Iterable[int] | None = None,
        seeds: int | Sequence[int | None] | None = None,
        level: Any = None,
    ) -> list[Turn]:
        """Begin new episodes.

        Args:
            which: The numbers of the conversations to begin; None: all.
            seeds: The random seed of each; an integer is that of the first, later ones use seed+1, seed+2, …; None
                continues the current random sequences.
            level: The level for all of them, as for ``reset(options={"level": …})``; None: the next of ``levels=``.

        Returns:
            The first turn of each of these conversations, in the order of ``which``.

        Raises:
            ValueError: A number, a seed or the level is invalid.
        """
        chosen = list(range(self.count)) if which is None else list(which)
        for index in chosen:
            self._check(index)
        seed_of = dict(zip(chosen, seeds_of(seeds, len(chosen)), strict=True))
        batch, mask = self._batch, np.zeros(self.count, np.bool_)
        mask[chosen] = True
        given = None if level is None else pick_level(self.config.puzzle, batch.source, level, batch.check_fits)
        for index, seed in seed_of.items():
            if seed is not None or not batch.counters[kernels.SEEDED, index]:
                batch.seed(index, gym.utils.seeding.np_random(seed)[0])
        batch.reset(mask, given)
        batch.ends[:, mask] = 0
        info = {"actions": (), "fault": "", "invalid_replies": 0, "steps": 0, "score": 0.0}
        turns = [
            Turn(with_header(board, 0, self.config.limit), 0.0, False, False, info) for board in self._boards(chosen)
        ]
        for index, turn in zip(chosen, turns, strict=True):
            self._episodes[index] = _Episode(
                turn, self.picture(index) if self.images else None, self._potential_of(index)
            )
        return turns

    def reply(self, replies: Mapping[int, Reply]) -> dict[int, Turn]:
        """Perform replies in some conversations.

        Args:
            replies: The model's reply in each of them: a text, or an assistant message in OpenAI's form.

        Returns:
            The next turn of each of them. An invalid reply performs no action; the text of the turn then says what is
            wrong and what is allowed.

        Raises:
            ValueError: There is no such conversation, it has not begun, or it is over; no reply was performed.
        """
        episodes = {index: self._episode(index) for index in replies}
        for index, episode in episodes.items():
            if episode.turn.done:
                raise ValueError(f"conversation {index} is over; start it again before the next reply")
        read = {index: self.reader.read(reply) for index, reply in replies.items()}
        performed = self._perform({index: found.actions for index, found in read.items() if found.actions})
        chosen = list(replies)
        scores = self._batch.scores[kernels.RETURN, chosen].tolist()
        elapsed = self._batch.counters[kernels.ELAPSED, chosen].tolist()
        turns = {}
        for (index, episode), score, steps, board in zip(
            episodes.items(), scores, elapsed, self._boards(chosen), strict=True
        ):
            fault, done = read[index].fault, performed.get(index, _NO_STEPS)
            names, report = self._report(read[index].actions[: done.number])
            if fault:
                episode.invalid += 1
                episode.in_a_row += 1
            else:
                episode.in_a_row = 0
            gave_up = episode.in_a_row >= self.max_invalid
            too_long = self.max_turns is not None and len(episode.exchanges) + 1 >= self.max_turns
            truncated = not done.terminated and (bool(done.truncated) or gave_up or too_long)
            info = {
                "actions": names, "fault": fault, "invalid_replies": episode.invalid, "steps": steps, "score": score,
            }  # fmt: skip
            if fault:
                report = f"Invalid reply, nothing was done: {fault}"
            if done.terminated or truncated:
                info |= {"outcome": OUTCOMES[done.outcome], "is_success": done.outcome == SOLVED}
                report += " The game is over: too many invalid replies." if gave_up else f" {ENDINGS[info['outcome']]}"
            text = f"{report}\n\n{with_header(board, steps, self.config.limit)}"
            reward = self._reward(index, episode, done)
            turn = Turn(text, reward, bool(done.terminated), truncated, info)
            episode.exchanges.append(Exchange(episode.turn.text, episode.picture, replies[index], names))
            episode.turn = turns[index] = turn
            if self.images:
                episode.picture = self.picture(index)
        return turns

    def _perform(self, plans: Mapping[int, Sequence[int]]) -> dict[int, _Steps]:
        """Perform the actions in ``plans``, at least one for each conversation, until its episode ends."""
        batch, results, active, done = self._batch, dict.fromkeys(plans, _NO_STEPS), list(plans), 0
        while active:
            batch.actions[:] = kernels.PASS
            batch.actions[active] = [plans[index][done] for index in active]
            batch.step_some()
            done += 1
            rewards, ends = batch.scores[kernels.REWARD, active].tolist(), batch.ends[:, active].T.tolist()
            for index, reward, (terminated, truncated, outcome, *_) in zip(active, rewards, ends, strict=True):
                results[index] = _Steps(done, results[index].reward + reward, terminated, truncated, outcome)
            active = [
                index
                for index in active
                if done < len(plans[index]) and not (results[index].terminated or results[index].truncated)
            ]
        return results

    def _report(self, actions: tuple[int, ...]) -> tuple[tuple[str, ...], str]:
        """Return the names of performed actions, and the sentence that reports them."""
        found = self._reports.get(actions)
        if found is None:
            names = tuple(self._names[action] for action in actions)
            found = names, f"Done: {', '.join(names)}."
            if len(self._reports) < _MOST_REPORTS:
                self._reports[actions] = found
        return found

    def _reward(self, index: int, episode: _Episode, done: _Steps) -> float:
        reward = done.reward if self.reward == "environment" else float(done.outcome == SOLVED)
        if self._potential is not None:
            before, episode.potential = episode.potential, self._potential_of(index)
            reward = shaped(reward, before, episode.potential, self.progress)
        return reward

    def _potential_of(self, index: int) -> float:
        if self._potential is None:
            return 0.0
        return self._potential(self._batch.levels[index], self._batch.states[index])

    # -- messages --------------------------------------------------------------------------------

    def _boards(self, chosen: Sequence[int]) -> list[str]:
        """Return the boards as text; empty texts if they are shown as pictures."""
        return [""] * len(chosen) if self.images else self.view.write(self._batch.observations[chosen])

    def picture(self, index: int) -> bytes:
        """Return the board as the player sees it, as a PNG."""
        if self._canvas is None:
            from ..engine.pictures.canvas import Canvas

            self._canvas = Canvas(self.config.puzzle, TILE_SIZE)
        self._check(index)
        png: bytes = self._canvas.png(self.config.puzzle.concealed(self._batch.scene(index)))
        return png

    def messages(self, index: int) -> list[Message]:
        """Return the messages to which the model must reply in a conversation, in OpenAI's chat form.

        Raises:
            ValueError: There is no such conversation, or it has not begun.
        """
        episode = self._episode(index)
        return messages_of(self.system, episode.exchanges, episode.turn.text, episode.picture, self.history)

    def turn(self, index: int) -> Turn:
        """Return the last turn of a conversation.

        Raises:
            ValueError: There is no such conversation, or it has not begun.
        """
        return self._episode(index).turn

    def close(self) -> None:
        """Close the environments."""
        self.envs.close()
        if self._canvas is not None:
            self._canvas.close()
            self._canvas = None

    def _check(self, index: int) -> None:
        if type(index) is not int or not 0 <= index < self.count:
            integer("conversation", index, 0, self.count - 1)

    def _episode(self, index: int) -> _Episode:
        self._check(index)
        episode = self._episodes[index]
        if episode is None:
            raise ValueError(f"conversation {index} has not begun; call start() first")
        return episode


def _own_reward(puzzle: Puzzle, reward: Any) -> Any:
    """Return a value of the environment's ``reward=``; raises ValueError if it is invalid."""
    try:
        puzzle.read_options(reward=reward)
    except ValueError as error:
        if "is not known" in str(error):
            raise ValueError(f"{error}; or, for any environment, {' and '.join(map(repr, REWARDS))}") from None
    return reward
