"""A harness of verifiers that sends messages to the model unchanged, from the environment's process."""

# verifiers need not be installed where types are checked.
# mypy: disable-error-code="misc"

from typing import Any

import verifiers.v1 as vf
from openai import AsyncOpenAI
from verifiers.v1.dialects.chat import message_to_wire


class ChatHarnessConfig(vf.HarnessConfig):
    """The harness has no options of its own."""


class ChatHarness(vf.Harness[ChatHarnessConfig]):
    """Sends one request to the model in each turn; no program is started.

    Each turn must contain the whole conversation, as :func:`~.verifiers_env.converse` does it, because the environment
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
