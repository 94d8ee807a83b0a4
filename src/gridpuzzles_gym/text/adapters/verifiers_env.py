"""Conversations as an environment of verifiers: each task is an episode, played turn by turn.

verifiers finds it by the name ``gridpuzzles-text``:
``vf-eval gridpuzzles-text --env.taskset.env-id Sokoban-v0 -n 20 --model … --client.base-url …``.
"""

# verifiers need not be installed where types are checked.
# mypy: disable-error-code="misc, untyped-decorator"

import itertools
from collections.abc import Iterator
from typing import Any

import verifiers.v1 as vf
from openai import AsyncOpenAI
from pydantic import Field
from verifiers.v1.dialects.chat import message_to_wire

from ...engine.puzzle import Outcome
from ..conversations import Conversation, Turn

ID = "gridpuzzles-text"
"""The name by which verifiers finds this environment."""


class ChatHarnessConfig(vf.HarnessConfig):
    """The harness has no options of its own."""


class ChatHarness(vf.Harness[ChatHarnessConfig]):
    """Sends one request to the model in each turn; no program is started.

    Each turn must contain the whole conversation, as :func:`converse` does it, because the environment
    may summarize early exchanges.
    """

    APPENDS_SYSTEM_PROMPT = True
    SUPPORTS_RESUME = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def session(self, *args: Any, **kwargs: Any) -> "ChatSession":
        """Return the session of one rollout."""
        return ChatSession(self, *args, **kwargs)

    async def launch(self, *args: Any, **kwargs: Any) -> vf.ProgramResult:
        """Reply to the prompt of a task; the arguments are those of :meth:`session`."""
        session = await self.session(*args, **kwargs)
        try:
            await session.turn()
        finally:
            await session.close()
        return vf.ProgramResult(exit_code=0, stdout="", stderr="")


class ChatSession(vf.HarnessSession):
    """The turns of one rollout, through one client."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.client = AsyncOpenAI(base_url=self.endpoint, api_key=self.secret)

    async def _run(self, messages: "vf.Messages | None") -> vf.ProgramResult:
        body = {
            "model": self.ctx.model,
            "messages": [message_to_wire(message) for message in messages or self._prompt()],
        }
        tools = getattr(self.data, "tools", None)
        if tools:
            body["tools"] = tools
        # Not chat.completions.create, which takes longer to check the messages than to send them.
        await self.client.post("/chat/completions", cast_to=object, body=body)
        return vf.ProgramResult(exit_code=0, stdout="", stderr="")

    def _prompt(self) -> vf.Messages:
        system, prompt = self.harness.resolve_prompt(self.data)
        first = [] if system is None else [vf.SystemMessage(content=system)]
        return [*first, vf.UserMessage(content=prompt)] if isinstance(prompt, str) else [*first, *(prompt or [])]

    async def close(self) -> None:
        """Close the client."""
        await super().close()
        await self.client.close()


class ConversationData(vf.TaskData):
    """The data of one episode."""

    env_id: str
    seed: int | None = None
    level: int | None = None
    """The index of its level in the pack; None: the seed determines it."""
    tools: list[dict[str, Any]] | None = None
    """The tools that the model is offered, in OpenAI's form."""


class ConversationState(vf.State):
    """The state of an episode, for rewards and metrics."""

    reward: float = 0.0
    """The sum of the rewards of its turns."""
    score: float = 0.0
    """The sum of the environment's rewards."""
    steps: int = 0
    invalid_replies: int = 0
    is_success: bool = False
    outcome: str = "unfinished"


class ConversationTask(vf.Task[ConversationData, ConversationState]):
    """One episode."""

    @vf.reward
    async def episode_reward(self, trace: vf.Trace) -> float:
        """Return the sum of the rewards of the turns."""
        return float(trace.state.reward)

    @vf.metric
    async def episode_metrics(self, trace: vf.Trace) -> dict[str, float]:
        """Return whether the puzzle is solved, the environment's return, and the numbers of actions and replies."""
        state = trace.state
        return {
            "is_success": float(state.is_success),
            "score": state.score,
            "steps": float(state.steps),
            "invalid_replies": float(state.invalid_replies),
        }


class ConversationsConfig(vf.TasksetConfig):
    """The episodes and how they are played; see :class:`~gridpuzzles_gym.text.Conversations`."""

    env_id: str = "Sokoban-v0"
    """The id of the environment."""
    settings: dict[str, Any] = Field(default_factory=dict)
    """Keyword arguments of the environment, such as levels; on the command line as JSON."""
    seed: int = 0
    """The random seed of the first episode; later ones use seed+1, seed+2, …"""
    count: int | None = None
    """The number of episodes; None: unlimited."""
    each_level: bool = False
    """Play each level of the pack once, in order."""
    tools: bool = False
    """Offer the model a tool that performs actions."""
    actions_per_reply: int = 1
    """The maximum number of actions in a reply."""
    images: bool = False
    """Show the board as a picture instead of text."""
    reward: str = "environment"
    """The base reward: environment, or success for 1 or 0."""
    max_turns: int | None = None
    """The number of replies after which an episode ends; None: no limit."""
    max_invalid: int = 3
    """The number of invalid replies in a row after which an episode ends."""


CONVERSATION_FIELDS = (
    "tools",
    "actions_per_reply",
    "images",
    "reward",
    "max_turns",
    "max_invalid",
)
"""The fields that are passed on to a conversation."""


class ConversationTaskset(vf.Taskset[ConversationTask, ConversationsConfig]):
    """The episodes of one environment.

    Raises:
        ValueError: An argument of the conversations is invalid, or there is no pack whose levels are to be played.
    """

    INFINITE = True

    def __init__(self, config: ConversationsConfig) -> None:
        super().__init__(config)
        self._idle: list[Conversation] = []
        first = self.conversation()
        self.give_back(first)
        self._levels = len(first.of.config.levels)
        if config.each_level and not self._levels:
            raise ValueError(f"each_level needs a pack of levels; the levels of {config.env_id} are generated")
        self._count = self._levels if config.each_level and config.count is None else config.count
        self._system, self._tools = first.of.system, first.of.tools

    @property
    def bounded(self) -> bool:
        """Whether the number of episodes is limited."""
        return self._count is not None or bool(super().bounded)

    def conversation(self) -> Conversation:
        """Return an unused conversation, to be returned by :meth:`give_back`."""
        if self._idle:
            return self._idle.pop()
        config = self.config
        return Conversation(
            config.env_id, **{name: getattr(config, name) for name in CONVERSATION_FIELDS}, **config.settings
        )

    def give_back(self, conversation: Conversation) -> None:
        """Return a conversation for reuse."""
        self._idle.append(conversation)

    def load(self) -> Iterator[ConversationTask]:
        """Yield the tasks, one for each episode."""
        config = self.config
        for index in itertools.count() if self._count is None else range(self._count):
            level = index % self._levels if config.each_level else None
            seed = config.seed + index
            yield ConversationTask(
                ConversationData(
                    name=f"{config.env_id} {f'seed {seed}' if level is None else f'level {level}'}",
                    system_prompt=self._system,
                    tools=self._tools,
                    env_id=config.env_id,
                    seed=seed,
                    level=level,
                ),
                config.task,
            )


class ConversationEnvConfig(vf.EnvConfig):
    """One agent, whose program runs in this process."""

    agent: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())


class ConversationEnv(vf.Env[ConversationEnvConfig]):
    """An environment that acts as the user of the conversation."""

    async def run(self, task: vf.Task, agents: vf.Agents) -> None:
        """Play one episode."""
        conversation = self.taskset.conversation()
        async with agents.agent.interaction(task) as interaction:
            await converse(conversation, task.data, interaction, isinstance(agents.agent.harness, ChatHarness))
        self.taskset.give_back(conversation)


async def converse(
    conversation: Conversation, data: ConversationData, interaction: vf.Interaction, whole: bool = True
) -> None:
    """Play one episode, until it ends or the interaction reaches a limit.

    Args:
        conversation: The conversation, which is restarted.
        data: The seed, the level and the system prompt.
        interaction: The interaction with the model; its state is updated.
        whole: Whether each turn contains the whole conversation, as :class:`ChatHarness` needs it; other harnesses
            store the past themselves and get new messages only.

    Raises:
        ValueError: There are tools, without ``whole``.
    """
    if not whole and conversation.of.tools:
        raise ValueError("tools=True needs the harness of gridpuzzles-text")
    turn, seen = conversation.start(seed=data.seed, level=data.level), 1
    while not turn.done:
        messages = conversation.messages
        new = [{"role": "system", "content": data.system_prompt}, *messages[1:]] if whole else messages[seen:]
        segment = await interaction.turn(new)
        if segment.terminated:
            return
        turn, seen = conversation.reply(message_to_wire(segment.messages[-1])), len(messages) + 1
        record(interaction.trace.state, turn)


def record(state: ConversationState, turn: Turn) -> None:
    """Add a turn to the state of an episode."""
    state.reward += turn.reward
    state.score, state.steps = turn.info["score"], turn.info["steps"]
    state.invalid_replies = turn.info["invalid_replies"]
    if turn.done:
        state.is_success, state.outcome = turn.info["is_success"], str(Outcome(turn.info["outcome"]))


def load_environment(env_id: str = "Sokoban-v0", task: str | None = None, **options: Any) -> vf.Env:
    """Return an environment for verifiers.

    Args:
        env_id: The id of the environment of the suite.
        task: A single-turn task, a key of :data:`~gridpuzzles_gym.text.tasks.TASKS`; None: whole episodes.
        **options: Fields of :class:`ConversationsConfig`, or of :class:`~.verifiers_tasks.ItemsConfig` for a task;
            others are keyword arguments of the environment.

    Raises:
        ValueError: An option has an invalid value.
    """
    from . import verifiers_tasks as tasks

    name, taskset = (ID, ConversationsConfig) if task is None else (tasks.ID, tasks.ItemsConfig)
    fields: dict[str, Any] = {} if task is None else {"kind": task}
    for option, value in options.items():
        (fields if option in taskset.model_fields else fields.setdefault("settings", {}))[option] = value
    config = taskset(id=name, env_id=env_id, **fields)
    return vf.load_environment((ConversationEnvConfig if task is None else tasks.ItemEnvConfig)(taskset=config))
