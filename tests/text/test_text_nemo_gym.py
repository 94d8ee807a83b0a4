"""The resources server for NeMo Gym, played by the library's own agent in one process."""

import asyncio
import json
from unittest.mock import MagicMock

import pytest

pytest.importorskip("nemo_gym.base_resources_server", reason="needs NeMo Gym: pip install nemo-gym")

import httpx
import yaml
from helpers import REPOSITORY
from nemo_gym.config_types import ModelServerRef, ResourcesServerRef
from nemo_gym.server_utils import ServerClient
from responses_api_agents.gymnasium_agent.app import GymnasiumAgent, GymnasiumAgentConfig, GymnasiumAgentRunRequest
from scripted_play import AGENTS, CERTAIN, SETTINGS, own_results

import gridpuzzles_gym
from gridpuzzles_gym.text.adapters.nemo_gym_server import ConversationServer, ConversationServerConfig, rows
from gridpuzzles_gym.text.conversations import Conversations
from gridpuzzles_gym.text.scripted import AgentModel

IDS = [row.id for row in gridpuzzles_gym.ENVIRONMENTS]
ROW = "#######\n#@  $.#\n#######\n"
"""Three moves to the right solve it."""
NO_SERVER = {"host": "", "port": 0, "entrypoint": "", "name": "gridpuzzles"}


def server_of(env_id, sessions=8, **options):
    config = ConversationServerConfig(**NO_SERVER, env_id=env_id, sessions=sessions, options=options)
    return ConversationServer(config=config, server_client=MagicMock(spec=ServerClient))


class Reply:
    """A response as the library's client has it."""

    def __init__(self, data, cookies=None):
        self.data, self.cookies, self.status, self.ok = data, cookies or {}, 200, True

    async def read(self):
        return json.dumps(self.data).encode()

    async def json(self):
        return self.data


def response_of(message):
    """An assistant message in the form of the Responses API."""
    output = [
        {
            "id": call["id"],
            "call_id": call["id"],
            "type": "function_call",
            "name": call["function"]["name"],
            "arguments": call["function"]["arguments"],
            "status": "completed",
        }
        for call in message.get("tool_calls") or ()
    ]
    if message["content"] is not None:
        text = {"type": "output_text", "text": message["content"], "annotations": []}
        output.append({"id": "m", "type": "message", "role": "assistant", "status": "completed", "content": [text]})
    more = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
    return {"id": "r", "object": "response", "created_at": 0.0, "model": "scripted", "output": output, **more}


def chat_of(items):
    """The user's messages among the input of the Responses API; an agent needs no others."""
    return [{"role": item["role"], "content": item["content"]} for item in items if item.get("role") == "user"]


def play(server, model, lines, most=1000):
    """The results of the library's agent for all rows, played at once."""

    async def run():
        transport = httpx.ASGITransport(server.setup_webserver())

        async def post(server_name, url_path, json, cookies=None):
            if server_name == "policy_model":
                return Reply(response_of(model(chat_of(json.model_dump()["input"]))))
            async with httpx.AsyncClient(transport=transport, base_url="http://test", cookies=cookies) as client:
                answer = await client.post(url_path, json=json)
                answer.raise_for_status()
                return Reply(answer.json(), dict(answer.cookies) or cookies)

        config = GymnasiumAgentConfig(
            **NO_SERVER,
            resources_server=ResourcesServerRef(type="resources_servers", name="gridpuzzles"),
            model_server=ModelServerRef(type="responses_api_models", name="policy_model"),
            max_steps=most,
        )
        agent = GymnasiumAgent(config=config, server_client=MagicMock(spec=ServerClient, post=post))
        request = MagicMock(cookies={})
        return await asyncio.gather(*(agent.run(request, GymnasiumAgentRunRequest(**line)) for line in lines))

    return asyncio.run(run())


@pytest.mark.parametrize("env_id", IDS)
def test_an_agent_plays_as_it_plays_by_itself(env_id):
    settings = SETTINGS.get(env_id, {})
    server, model = server_of(env_id, **settings), AgentModel(Conversations(env_id, **settings), AGENTS[env_id])
    found = play(server, model, rows(env_id, 3, seed=1, **settings))
    own = own_results(env_id, (1, 2, 3), **settings)
    assert [(run.info["score"], run.info["steps"], run.info["is_success"]) for run in found] == own
    assert [run.reward for run in found] == [score for score, _, _ in own]
    if env_id in CERTAIN:
        assert all(run.terminated and run.info["is_success"] for run in found)


def test_tool_calls():
    settings = {"replies": "tools", "levels": ROW}
    lines = rows("Sokoban-v0", 1, **settings)
    assert lines[0]["responses_create_params"]["tools"][0]["name"] == "act"
    model = AgentModel(Conversations("Sokoban-v0", **settings), "sokoban")
    (run,) = play(server_of("Sokoban-v0", **settings), model, lines)
    assert run.info["is_success"]
    kinds = [item.type for item in run.response.output]
    assert kinds[:3] == ["function_call", "function_call_output", "message"]


def test_noise_is_counted():
    (run,) = play(
        server_of("Sokoban-v0", max_invalid=2), lambda _: {"role": "assistant", "content": "?"}, rows("Sokoban-v0", 1)
    )
    assert (run.truncated, run.info["invalid_replies"], run.reward) == (True, 2, 0)


def test_sessions_that_are_dropped_free_their_conversations():
    """The library's agent stops after a number of replies without a word."""
    server = server_of("EightPuzzle-v0", sessions=2)
    for _ in range(4):
        runs = play(server, lambda _: {"role": "assistant", "content": "up"}, rows("EightPuzzle-v0", 2), most=2)
        assert [run.info["steps"] for run in runs] == [2, 2]


def test_errors_are_statuses():
    async def statuses():
        transport = httpx.ASGITransport(server_of("Sokoban-v0").setup_webserver())
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            asked = {"responses_create_params": {"input": "x"}}
            early = await client.post("/step", json={**asked, "response": response_of({"content": "up"})})
            wrong = await client.post("/reset", json={**asked, "level": "####\n"})
            right = await client.post("/reset", json={**asked, "level": ROW})
            return early, wrong, right

    early, wrong, right = asyncio.run(statuses())
    assert (early.status_code, early.json()["detail"]) == (400, "the session has no episode: /reset comes first")
    assert wrong.status_code == 400
    assert "@--$." in right.json()["observation"]


def test_the_configuration_of_the_example():
    folder = REPOSITORY / "examples" / "nemo_gym" / "resources_servers" / "gridpuzzles"
    servers = yaml.safe_load((folder / "configs" / "gridpuzzles.yaml").read_text())
    given = servers["gridpuzzles"]["resources_servers"]["gridpuzzles"]
    config = ConversationServerConfig(**{**NO_SERVER, **given})
    assert (folder / given["entrypoint"]).exists()
    server = ConversationServer(config=config, server_client=MagicMock(spec=ServerClient))
    (run,) = play(server, lambda _: {"role": "assistant", "content": "up"}, rows(config.env_id, 1, **config.options))
    assert run.reward == 0
    assert servers["gridpuzzles_agent"]["responses_api_agents"]["gymnasium_agent"]["max_steps"] >= run.info["steps"]
