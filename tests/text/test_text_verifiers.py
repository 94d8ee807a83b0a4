"""The environments for verifiers, played by the library through a local chat endpoint."""

import asyncio
import contextlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("verifiers.v1", reason="needs the extra verifiers: make test-llm")

import verifiers.v1 as vf
from llm_server import LLMServer
from scripted_play import AGENTS, CERTAIN, SETTINGS, own_results

from gridpuzzles_gym.text.adapters import verifiers_env
from gridpuzzles_gym.text.adapters.verifiers_env import (
    ChatHarness,
    load_environment,
)
from gridpuzzles_gym.text.conversations import Conversation
from gridpuzzles_gym.text.scripted import AgentModel
from gridpuzzles_gym.text.tasks import TaskDataset

pytestmark = pytest.mark.compiled

ROW = "#######\n#@  $.#\n#######\n"
"""Three moves to the right solve it."""


def play(env, url):
    """The finished episodes of all tasks."""

    async def run():
        context = vf.ModelContext(
            model="scripted",
            client=vf.EvalClientConfig(base_url=url, api_key_var="NO_KEY"),
            sampling=vf.SamplingConfig(),
        )
        async with env.serving():
            slots = [slot for task in env.taskset for slot in env.slots(task, 1)]
            return await asyncio.gather(*(env.run_slot(slot, context) for slot in slots))

    return asyncio.run(run())


def traces(env, model, faults=()):
    """The traces of all episodes with this model; none of them failed."""
    with LLMServer(model, faults) as server:
        episodes = play(env, server.url)
    assert all(episode.ok for episode in episodes), [(e.errors, [t.errors for t in e.traces]) for e in episodes]
    return [episode.traces[0] for episode in episodes]


def conversations_of(env):
    conversation = env.taskset.conversation()
    env.taskset.give_back(conversation)
    return conversation.of


# -- episodes -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("env_id", ["Wumpus-v0", "Sokoban-v0", "CatMouse-v0"])
def test_an_agent_behind_an_endpoint_plays_as_it_plays_by_itself(env_id):
    env = load_environment(env_id, count=2, seed=1, **SETTINGS.get(env_id, {}))
    found = traces(env, AgentModel(conversations_of(env), AGENTS[env_id]))
    own = own_results(env_id, (1, 2), **SETTINGS.get(env_id, {}))
    assert [(t.metrics["score"], t.metrics["steps"], t.metrics["is_success"] == 1) for t in found] == own
    assert [trace.reward for trace in found] == [score for score, _, _ in own]
    assert [trace.num_turns for trace in found] == [steps for _, steps, _ in own]
    if env_id in CERTAIN:
        assert all(trace.state.is_success and trace.state.outcome == "solved" for trace in found)


def test_replies_are_judged_by_turns_and_rewards_add_up():
    replies = iter(["ACTIONS: right", "fly", "ACTIONS: right", "ACTIONS: right"])
    env = load_environment("Sokoban-v0", count=1, levels=ROW)
    (trace,) = traces(env, lambda messages: next(replies))
    assert trace.metrics == {"is_success": 1, "score": 997, "steps": 3, "invalid_replies": 1}
    assert trace.reward == 997


def test_tool_calls():
    env = load_environment("Sokoban-v0", count=1, tools=True, levels=ROW)
    model = AgentModel(conversations_of(env), "sokoban")
    with LLMServer(model) as server:
        (episode,) = play(env, server.url)
    assert episode.traces[0].metrics["is_success"] == 1
    tools = server.received[-1].body["tools"]
    assert [tool["function"]["name"] for tool in tools] == ["act"]
    roles = [message["role"] for message in server.received[-1].body["messages"]]
    assert roles == ["system", "user", "assistant", "tool", "user", "assistant", "tool", "user"]


def test_each_level_once():
    env = load_environment("Bait-v0", each_level=True, levels="lessons")
    tasks = list(env.taskset)
    assert [task.data.level for task in tasks] == list(range(len(conversations_of(env).config.levels)))
    assert len({task.key for task in tasks}) == len(tasks)
    with pytest.raises(ValueError, match="each_level needs a pack of levels; the levels of EightPuzzle-v0 are gener"):
        load_environment("EightPuzzle-v0", each_level=True)


class Interaction:
    """An interaction with a harness that keeps the past itself."""

    def __init__(self, replies):
        self.replies, self.got = iter(replies), []
        self.trace = type("Trace", (), {"state": verifiers_env.ConversationState()})

    async def turn(self, messages):
        self.got.append(messages)
        return vf.Segment(messages=[vf.AssistantMessage(content=next(self.replies))])


def test_another_harness_gets_what_is_new():
    conversation, interaction = Conversation("Sokoban-v0", levels=ROW), Interaction(["ACTIONS: right"] * 3)
    data = verifiers_env.ConversationData(env_id="Sokoban-v0", seed=0, system_prompt=conversation.of.system)
    asyncio.run(verifiers_env.converse(conversation, data, interaction, whole=False))
    assert [[message["role"] for message in messages] for messages in interaction.got] == [["user"]] * 3
    assert interaction.trace.state.is_success
    with pytest.raises(ValueError, match=r"needs? the harness of gridpuzzles-text"):
        asyncio.run(verifiers_env.converse(Conversation("Sokoban-v0", tools=True), data, interaction, whole=False))


# -- tasks --------------------------------------------------------------------------------------------------------


TASKS = [("plan", "EightPuzzle-v0"), ("solvable", "Bait-v0"), ("best-action", "CatMouse-v0")]


@pytest.mark.parametrize(("task", "env_id"), TASKS)
def test_answers_have_the_full_score_and_noise_has_none(task, env_id):
    env = load_environment(env_id, task=task, size=3, seed=2)
    answers = {item.user: item.answer for item in TaskDataset(task, env_id, size=3, seed=2)}
    found = traces(env, lambda messages: answers[messages[-1]["content"]])
    assert [trace.reward for trace in found] == [1, 1, 1]
    assert [trace.num_turns for trace in found] == [1, 1, 1]
    assert [trace.reward for trace in traces(env, lambda messages: "I cannot tell.")] == [0, 0, 0]


# -- as the library finds them ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["gridpuzzles-text", "gridpuzzles-tasks"])
def test_the_library_finds_environments_by_their_names(name):
    config = vf.resolve_env_config({"taskset": {"id": name}})
    env = vf.load_environment(config)
    assert isinstance(env.taskset, vf.Taskset)
    assert vf.default_harness_id(name) == name
    assert all(isinstance(harness, ChatHarness) for harness in env._harnesses.values())


@pytest.mark.parametrize(
    ("name", "options", "reward"),
    [
        ("gridpuzzles-text", {"settings": json.dumps({"levels": ROW}), "reward": "success"}, 1),
        ("gridpuzzles-tasks", {"kind": "plan", "size": "2"}, 0),
    ],
)
def test_vf_eval(tmp_path, name, options, reward):
    command = Path(sys.executable).with_name("vf-eval")
    flags = [part for option, value in options.items() for part in (f"--env.taskset.{option}", value)]
    with LLMServer(lambda messages: "ACTIONS: right") as server:
        client = ["--client.base-url", server.url, "--client.api-key-var", "NO_KEY", "--model", "scripted"]
        ran = subprocess.run(
            [command, name, *flags, *client, "-n", "2", "--no-push", "--no-rich", "-o", tmp_path, "--run.dir", "run"],
            capture_output=True,
            text=True,
        )
    assert ran.returncode == 0, ran.stderr
    records = [json.loads(line) for line in (tmp_path / "run" / "traces.jsonl").read_text().splitlines()]
    with contextlib.suppress(KeyError):
        records = [trace for episode in records for trace in episode["traces"]]
    assert len(records) == 2
    assert [sum(reward["score"] for reward in record["rewards"].values()) for record in records] == [reward] * 2
