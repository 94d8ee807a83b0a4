"""A client of an OpenEnv server of conversations (:mod:`.openenv_server`), and the messages between them."""

# openenv need not be installed where types are checked.
# mypy: disable-error-code="misc"

from typing import Any

from openenv.core.client_types import StepResult
from openenv.core.env_client import EnvClient
from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field


class TextAction(Action):
    """A reply."""

    reply: str | dict[str, Any] = Field(description="A text, or an assistant message in OpenAI's form")


class TextObservation(Observation):
    """A turn of the user; ``reward`` is the reward of the turn, ``done`` whether the episode is over."""

    text: str = Field(description="What the user says: what was done or what was wrong, then the board")
    image: str | None = Field(default=None, description="The board as a PNG in a data URL; None if it is in the text")
    system: str | None = Field(default=None, description="The system prompt; None except at the start of an episode")
    tools: list[dict[str, Any]] | None = Field(default=None, description="The model's tools; None except at the start")
    fault: str = Field(default="", description="What was wrong with the reply; empty if it was valid")
    actions: list[str] = Field(default_factory=list, description="The actions that were performed in this turn")
    steps: int = Field(default=0, description="The number of actions in this episode")
    invalid_replies: int = Field(default=0, description="The number of invalid replies in this episode")
    score: float = Field(default=0.0, description="The sum of the environment's rewards in this episode")
    truncated: bool = Field(default=False, description="Whether a limit ended the episode, not the rules")
    outcome: str | None = Field(default=None, description="How the episode ended; None before its end")
    is_success: bool | None = Field(default=None, description="Whether the puzzle is solved; None before the end")


class TextState(State):
    """The state of a session's episode; ``step_count`` is the number of replies."""

    env_id: str = Field(default="", description="The id of the environment")
    seed: int | None = Field(default=None, description="The random seed of the episode, if one was given")
    messages: list[dict[str, Any]] = Field(
        default_factory=list, description="The conversation as OpenAI's chat messages"
    )


class TextClient(EnvClient[TextAction, TextObservation, TextState]):
    """One session; its arguments are those of OpenEnv's clients, and ``reset`` takes ``seed`` and ``level``.

    For example::

        with TextClient("http://localhost:8000").sync() as client:
            result = client.reset(seed=0)
            while not result.done:
                result = client.step(TextAction(reply="up"))
    """

    def _step_payload(self, action: TextAction) -> dict[str, Any]:
        return {"reply": action.reply}

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[TextObservation]:
        done, reward = payload["done"], payload["reward"]
        observation = TextObservation(**payload["observation"], done=done, reward=reward)
        return StepResult(observation=observation, reward=reward, done=done)

    def _parse_state(self, payload: dict[str, Any]) -> TextState:
        return TextState(**payload)
