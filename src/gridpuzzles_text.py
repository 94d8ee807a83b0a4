"""Episodes of gridpuzzles_gym as conversations, where verifiers looks for an environment: ``vf-eval gridpuzzles-text``.

verifiers finds an environment by the name of a module at the top level.
"""

from gridpuzzles_gym.text.adapters.verifiers_env import (
    ChatHarness,
    ConversationEnv,
    ConversationTaskset,
    load_environment,
)

__all__ = ["ChatHarness", "ConversationEnv", "ConversationTaskset", "load_environment"]
