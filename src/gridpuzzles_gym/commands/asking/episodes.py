"""Whole episodes as conversations, with the same seeds and levels as in comparisons of agents."""

import hashlib
import time
from collections.abc import Callable, Mapping
from typing import Any

from gridpuzzles_gym.agents.playing import AGENT_SEED
from gridpuzzles_gym.agents.registry import RANDOM

from ...text.conversations import Conversations
from ...text.history import Message
from ...text.scripted import AgentModel, RandomModel
from ...text.turns import Turn
from ..grading.contest import Contest
from .endpoint import Completion
from .faults import RefusedError
from .journal import Record
from .retrying import Ask

PICTURE = "[picture]"
"""The text in place of a picture in the record of a conversation."""


class Episodes:
    """Episodes of a contest, as :class:`~.asking.work.Work`.

    Args:
        contest: The episodes.
        workers: Maximum number of episodes at the same time.
        levels: The name of their levels, for the record; empty: the environment's own levels.
        conversation: Arguments of :class:`~gridpuzzles_gym.text.Conversations`.

    Attributes:
        conversations: One conversation for each worker.

    Raises:
        ValueError: An argument is invalid.
    """

    noun = "episode"

    def __init__(self, contest: Contest, workers: int, levels: str, conversation: Mapping[str, Any]) -> None:
        self.contest, self.count = contest, contest.episodes
        self._levels, self._conversation = levels, dict(conversation)
        self.conversations = Conversations(contest.env_id, workers, **self._conversation, **contest.env_kwargs)

    def options(self) -> dict[str, Any]:
        """Return the options that determine the episodes, as a JSON object."""
        settings = dict(self.contest.env_kwargs)
        if self._levels:
            del settings["levels"]
        return {
            "env": self.contest.env_id,
            "seed": self.contest.seed,
            "levels": self._levels,
            "each_level_once": self.contest.every_level,
            "level_contents": self._digest(),
            "settings": settings,
            **self._conversation,
        }

    def _digest(self) -> str:
        """Return a digest of the levels, as files can change; empty if they are generated or in a level folder."""
        config = self.conversations.config
        if not isinstance(config.levels, tuple) or not config.levels:
            return ""
        found = hashlib.sha256()
        for level in config.levels:
            for row in config.puzzle.encode(level, config.extent, config.options):
                found.update(row.tobytes())
        return found.hexdigest()

    async def play(self, number: int, worker: int, ask: Ask) -> Record:
        """Play an episode; see :meth:`.asking.work.Work.play`."""
        conversations, seed = self.conversations, self.contest.seed + number
        began, tokens, counted, error = time.monotonic(), {"prompt": 0, "completion": 0}, True, ""
        turn = conversations.start([worker], [seed])[0]
        if self.contest.every_level:
            turn = conversations.start([worker], [None], number)[0]
        level = conversations.envs.batch.level_played(worker)
        messages: list[Message] = [{"role": "system", "content": conversations.system}, self._user(turn)]
        turns = 0
        while not turn.done:
            try:
                found = await ask(conversations.messages(worker), conversations.tools)
            except RefusedError as refused:
                if not turns:
                    raise
                error = str(refused)
                break
            turns += 1
            turn = conversations.reply({worker: found.message})[worker]
            messages += _assistant(found, turn), self._user(turn)
            if found.tokens is None:
                counted = False
            else:
                tokens = {name: tokens[name] + found.tokens[name] for name in tokens}
        return Record(
            index=number,
            success=bool(turn.info.get("is_success", False)),
            score=float(turn.info["score"]),
            outcome=turn.info.get("outcome", "unfinished"),
            steps=int(turn.info["steps"]),
            turns=turns,
            invalid_replies=int(turn.info["invalid_replies"]),
            level=level.name if level is not None else "",
            seed=seed,
            tokens=tokens if counted else None,
            seconds=round(time.monotonic() - began, 3),
            error=error,
            messages=messages,
        )

    def _user(self, turn: Turn) -> Message:
        return {"role": "user", "content": f"{turn.text}{PICTURE}" if self.conversations.images else turn.text}

    def scripted(self, name: str, number: int) -> Callable[[list[Message]], Message]:
        """Return a scripted model: random replies, or an agent that sees only the messages."""
        seed = AGENT_SEED + self.contest.seed + number
        if name == RANDOM.name:
            return RandomModel(self.conversations, seed)
        return AgentModel(self.conversations, name, seed)

    def close(self) -> None:
        """Close the environments."""
        self.conversations.close()


def _assistant(found: Completion, turn: Turn) -> Message:
    """Return a reply for the record."""
    return {**found.recorded(), "actions": list(turn.info["actions"]), "fault": turn.info["fault"]}
