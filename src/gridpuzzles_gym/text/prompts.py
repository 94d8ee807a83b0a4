"""System prompts: the rules of a puzzle, the legend of the board, and how to reply."""

from ..engine.config import EnvConfig
from ..engine.wording import wording_of
from .replies import ReplyReader
from .views import View

PICTURE = "Each message shows the board as a picture."


def rules_text(config: EnvConfig) -> str:
    """Return the rules of a puzzle with the options of an environment, in sentences; the actions are explained.

    Args:
        config: The environment's configuration, ``env.unwrapped.config``.

    Raises:
        ValueError: The puzzle has no wording.
    """
    return wording_of(config.puzzle).rules(config)


def system_prompt(config: EnvConfig, view: View | None, reader: ReplyReader) -> str:
    """Return the first message of a conversation.

    Args:
        config: The environment's configuration; the prompt includes its step limit.
        view: How observations are written; None: they are shown as pictures.
        reader: How replies are read.
    """
    legend = PICTURE if view is None else f"Each message shows the board as text:\n\n{view.legend}"
    limit = "" if config.limit is None else f"The game ends after {config.limit} actions."
    return "\n\n".join(filter(None, (rules_text(config), legend, limit, reader.instructions)))
