"""Single-turn tasks as an environment of verifiers, scored exactly.

verifiers finds it by the name ``gridpuzzles-tasks``:
``vf-eval gridpuzzles-tasks --env.taskset.kind plan --env.taskset.env-id Sokoban-v0 -n 20 --model …``.
"""

# verifiers need not be installed where types are checked.
# mypy: disable-error-code="misc, untyped-decorator"

import dataclasses
from collections.abc import Iterator
from typing import Any

import verifiers.v1 as vf
from pydantic import Field

from ..tasks import TaskDataset, score

ID = "gridpuzzles-tasks"
"""The name by which verifiers finds this environment."""


class ItemData(vf.TaskData):
    """The data of one item."""

    item: dict[str, Any]
    """The fields of an :class:`~gridpuzzles_gym.text.tasks.Item`, with its answer and its difficulty."""


class ItemTask(vf.Task[ItemData]):
    """One item."""

    @vf.reward
    async def exact_score(self, trace: vf.Trace) -> float:
        """Return the score of the reply, from 0 to 1."""
        return score(self.data.item, trace.last_reply)

    async def validate(self, runtime: vf.Runtime) -> bool:
        """Whether the known answer has the full score."""
        return score(self.data.item, self.data.item["answer"]) == 1.0


class ItemsConfig(vf.TasksetConfig):
    """The items; see :class:`~gridpuzzles_gym.text.tasks.TaskDataset`."""

    kind: str = "plan"
    """The task: plan, best-action or solvable."""
    env_id: str = "Sokoban-v0"
    """The id of the environment."""
    size: int = 1000
    """The number of items."""
    seed: int = 0
    """The random seed of the items."""
    difficulty: str = "easy"
    """The difficulty of the items: easy, medium or hard."""
    levels: dict[str, Any] = Field(default_factory=dict)
    """Settings of the puzzle's level maker and of the puzzle."""
    settings: dict[str, Any] = Field(default_factory=dict)
    """Further settings of the task."""


class ItemTaskset(vf.Taskset[ItemTask, ItemsConfig]):
    """The items of one data set; they are made while they are loaded.

    Raises:
        ValueError: There is no such task, environment or setting, or a value is invalid.
    """

    def __init__(self, config: ItemsConfig) -> None:
        super().__init__(config)
        self.dataset = TaskDataset(
            config.kind,
            config.env_id,
            config.size,
            config.seed,
            config.difficulty,
            levels=config.levels,
            **config.settings,
        )

    def load(self) -> Iterator[ItemTask]:
        """Yield the items."""
        for item in self.dataset:
            yield ItemTask(
                ItemData(
                    name=f"{item.task} {item.env_id}#{item.index}",
                    system_prompt=item.system,
                    prompt=item.user,
                    item=dataclasses.asdict(item),
                ),
                self.config.task,
            )


class ItemEnvConfig(vf.EnvConfig):
    """One agent, whose program runs in this process."""

    agent: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())


class ItemEnv(vf.Env[ItemEnvConfig]):
    """The model replies once."""

    async def run(self, task: vf.Task, agents: vf.Agents) -> None:
        """Ask for the reply to one item."""
        await agents.agent.run(task)
