"""Single-turn tasks of gridpuzzles_gym, where verifiers looks for an environment: ``vf-eval gridpuzzles-tasks``.

verifiers finds an environment by the name of a module at the top level.
"""

from gridpuzzles_gym.text.adapters.verifiers_env import ChatHarness, load_environment
from gridpuzzles_gym.text.adapters.verifiers_tasks import ItemEnv, ItemTaskset

__all__ = ["ChatHarness", "ItemEnv", "ItemTaskset", "load_environment"]
