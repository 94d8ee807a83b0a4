"""Episodes as conversations: the user shows the board, the assistant replies with actions.

All conversations of a :class:`Conversations` share one vector environment. A call of :meth:`Conversations.reply`
steps those that it replies to together, by one kernel call for each action of the longest reply; the others wait.
"""

import base64
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np

from ..engine import kernels
from ..engine.arguments import boolean, choice, integer, seeds_of
from ..engine.config import EnvConfig
from ..engine.levels.sources import pick_level
from ..engine.messages import quote
from ..engine.puzzle import DIED, LEFT, SOLVED, UNFINISHED, Puzzle
from ..engine.wording import wording_of
from ..registration import puzzle_of_id
from .replies import ReplyReader
from .views import View

Message = dict[str, Any]
"""A chat message: ``role``, ``content`` (a text, or a list of parts), and other fields of an assistant's message."""
Reply = str | Mapping[str, Any]
"""A model's reply: a text, or an assistant message."""
REWARDS = ("environment", "success")
"""The base rewards: the environment's, or 1 for solving the puzzle and 0 otherwise."""
MOST_CONVERSATIONS, MOST_TURNS = 2**16, 2**31
"""The maximum numbers of conversations and of turns."""
TILE_SIZE = 48
"""The width of a square in pictures, in pixels."""
LONGEST_LEVEL = 100_000
"""The maximum length of a level text that the caller of a server chooses, in characters."""
ENDINGS: dict[int, str] = {
    SOLVED: "You have won.",
    DIED: "You have died.",
    LEFT: "You have left without winning.",
    UNFINISHED: "The game is over: the limit is reached.",
}
"""The sentence at the end of an episode, by outcome."""
_HEADER = re.compile(r"^After \d+(?: of \d+)? actions:\n", re.MULTILINE)


class Turn(NamedTuple):
    """The user's next message, and the result of the last reply."""

    text: str
    """The actions performed or the fault of the reply; then the board."""
    reward: float
    """The reward of this turn; 0 at the start."""
    terminated: bool
    """Whether the episode has ended by the rules."""
    truncated: bool
    """Whether it was ended by a limit on actions, turns, or invalid replies."""
    info: Mapping[str, Any]
    """``actions``: the names of those performed in this turn; ``fault``: what was wrong with the reply, or empty;
    ``invalid_replies`` and ``steps``: their numbers in this episode; ``score``: the sum of the environment's rewards in
    this episode; at its end also ``outcome`` and ``is_success``."""

    @property
    def done(self) -> bool:
        """Whether the conversation is over."""
        return self.terminated or self.truncated


class Exchange(NamedTuple):
    """A message of the user, the model's reply, and the actions performed."""

    text: str
    """The user's text."""
    picture: bytes | None
    """The board as a PNG; None if it is in the text."""
    reply: Reply
    actions: tuple[str, ...]
    """The names of the actions that were performed."""


class _Episode:
    """The state of one conversation."""

    __slots__ = ("exchanges", "in_a_row", "invalid", "picture", "turn")

    def __init__(self, turn: Turn, picture: bytes | None) -> None:
        self.turn, self.picture = turn, picture
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
        tools: Whether the model is offered a tool that performs actions, instead of writing them.
        actions_per_reply: The maximum number of actions in a reply.
        images: Show the board as a PNG instead of text.
        reward: The base reward of a turn, one of :data:`REWARDS`; or the environment's with this value of its own
            ``reward=``, such as ``"boxoban"``.
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
        tools: The tools that a model is offered, in OpenAI's form; None if there are none.

    Raises:
        ValueError: An argument is invalid.
    """

    def __init__(
        self,
        env_id: str,
        count: int = 1,
        *,
        tools: bool = False,
        actions_per_reply: int = 1,
        images: bool = False,
        reward: str = "environment",
        max_turns: int | None = None,
        max_invalid: int = 3,
        **settings: Any,
    ) -> None:
        if "observation" in settings:
            raise ValueError("observation= is not allowed: a conversation shows the board as text, or with images=True")
        self.count = integer("count", count, 1, MOST_CONVERSATIONS)
        self.images = boolean("images", images)
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
        self.view = View(self.config)
        self.reader = ReplyReader(self.config.action_names, actions_per_reply, boolean("tools", tools))
        legend = "a picture." if images else f"text:\n\n{self.view.legend}"
        limit = "" if self.config.limit is None else f"The game ends after {self.config.limit} actions."
        parts = wording.rules(self.config), f"Each message shows the board as {legend}", limit, self.reader.instructions
        self.system = "\n\n".join(filter(None, parts))
        self.tools = self.reader.tools
        self._batch, self._names = self.envs.batch, self.config.action_names
        self._episodes: list[_Episode | None] = [None] * self.count
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
        turns = [Turn(self._with_header(board, 0), 0.0, False, False, info) for board in self._boards(chosen)]
        for index, turn in zip(chosen, turns, strict=True):
            self._episodes[index] = _Episode(turn, self.picture(index) if self.images else None)
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
            names = tuple(self._names[action] for action in read[index].actions[: done.number])
            report = f"Done: {', '.join(names)}."
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
                info |= {"outcome": done.outcome, "is_success": done.outcome == SOLVED}
                report += " The game is over: too many invalid replies." if gave_up else f" {ENDINGS[done.outcome]}"
            text = f"{report}\n\n{self._with_header(board, steps)}"
            reward = done.reward if self.reward == "environment" else float(done.outcome == SOLVED)
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

    # -- messages --------------------------------------------------------------------------------

    def _boards(self, chosen: Sequence[int]) -> list[str]:
        """Return the boards as text; empty texts if they are shown as pictures."""
        return [""] * len(chosen) if self.images else self.view.write(self._batch.observations[chosen])

    def _with_header(self, board: str, steps: int) -> str:
        """Return a board below a line with the number of actions so far."""
        limit = self.config.limit
        return f"After {steps}{'' if limit is None else f' of {limit}'} actions:\n{board}"

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
        messages: list[Message] = [{"role": "system", "content": self.system}]
        for exchange in episode.exchanges:
            messages += _user_message(exchange.text, exchange.picture), *_assistant_messages(exchange.reply)
        return [*messages, _user_message(episode.turn.text, episode.picture)]

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


class Conversation:
    """One episode as a conversation: :class:`Conversations` of size one.

    Args:
        env_id: A registered id.
        **settings: The other arguments of :class:`Conversations`.

    Attributes:
        of: The :class:`Conversations` of size one, with ``config``, ``system``, ``tools`` and others.

    Raises:
        ValueError: An argument is invalid.
    """

    def __init__(self, env_id: str, **settings: Any) -> None:
        self.of = Conversations(env_id, 1, **settings)

    def start(self, seed: int | None = None, level: Any = None) -> Turn:
        """Begin an episode and return its first turn.

        Args:
            seed: The random seed; None continues the current random sequence.
            level: The level, as for ``reset(options={"level": …})``; None: the next of ``levels=``.

        Raises:
            ValueError: The level is invalid.
        """
        return self.of.start([0], [seed], level)[0]

    def reply(self, reply: Reply) -> Turn:
        """Perform a model's reply, a text or an assistant message in OpenAI's form, and return the next turn.

        Raises:
            ValueError: The conversation has not begun, or it is over.
        """
        return self.of.reply({0: reply})[0]

    @property
    def messages(self) -> list[Message]:
        """The messages to which the model must reply; raises ValueError before the start."""
        return self.of.messages(0)

    @property
    def turn(self) -> Turn:
        """The last turn; raises ValueError before the start."""
        return self.of.turn(0)

    def close(self) -> None:
        """Close the environment."""
        self.of.close()


def untrusted_level(puzzle: Puzzle, level: Any) -> Any:
    """Return what the caller of a server may pass to ``start(level=…)``: an index, or a level text, never a path.

    Args:
        puzzle: The puzzle.
        level: The caller's value. A text is read as level text; no file or folder of that name is looked for.

    Raises:
        ValueError: It is neither, or the text has no level.
    """
    if type(level) is int:
        return level
    if not isinstance(level, str):
        raise ValueError(f"level={quote(level)} is a {type(level).__name__}; allowed are a level text, or an index")
    if len(level) > LONGEST_LEVEL or level.count("\n") > LONGEST_LEVEL // 50:
        raise ValueError(f"a level text of {len(level):,} characters; the maximum is {LONGEST_LEVEL:,}, in 2,000 lines")
    levels = puzzle.parse(level, "level text")
    if not levels:
        raise ValueError(f"no level in {quote(level)}")
    return levels[0]


def board_in(text: str) -> str:
    """Return the board in a message of the user: the text after the line "After … actions:".

    Raises:
        ValueError: There is no such line.
    """
    header = _HEADER.search(text)
    if header is None:
        raise ValueError("there is no board in the message: no line 'After … actions:'")
    return text[header.end() :]


def _user_message(text: str, picture: bytes | None) -> Message:
    """Return a message of the user; its content has parts if there is a picture."""
    if picture is None:
        return {"role": "user", "content": text}
    address = f"data:image/png;base64,{base64.b64encode(picture).decode()}"
    parts = [{"type": "text", "text": text}, {"type": "image_url", "image_url": {"url": address}}]
    return {"role": "user", "content": parts}


def _assistant_messages(reply: Reply) -> list[Message]:
    """Return a reply as messages: the assistant's, and the result of each tool call, which is the same for all.

    An invalid reply, neither a text nor a message, becomes a text.
    """
    if not isinstance(reply, Mapping):
        return [{"role": "assistant", "content": str(reply)}]
    message = {**reply, "role": "assistant"}
    calls = message.get("tool_calls")
    if not isinstance(calls, list):
        return [message]
    named = [
        {**call, "id": call.get("id") or f"call_{place}"}
        for place, call in enumerate(calls)
        if isinstance(call, Mapping)
    ]
    message["tool_calls"] = named
    return [message, *({"role": "tool", "tool_call_id": call["id"], "content": "received"} for call in named)]
