"""A client of an OpenEnv server of conversations (:mod:`.openenv_app`)."""

# openenv need not be installed where types are checked.
# mypy: disable-error-code="misc"

from typing import Any

from openenv.core.client_types import StepResult
from openenv.core.env_client import EnvClient

from .openenv_types import TextAction, TextObservation, TextState


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
