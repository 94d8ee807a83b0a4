"""Conversations play the environment's own episodes, step by step, in whatever order replies arrive."""

import base64
import copy
import io
import pickle

import gymnasium as gym
import numpy as np
import pygame
import pytest
from helpers import PUZZLES, puzzle_of
from scripted_play import AGENTS, SETTINGS, own_results

import gridpuzzles_gym
from gridpuzzles_gym import Outcome
from gridpuzzles_gym.engine import kernels
from gridpuzzles_gym.engine.wording import wording_of
from gridpuzzles_gym.text.conversations import Conversation, Conversations, board_in, untrusted_level
from gridpuzzles_gym.text.scripted import AgentModel, message_with

IDS = [row.id for row in gridpuzzles_gym.ENVIRONMENTS]
ROW = "#######\n#@  $.#\n#######\n"
"""Three moves to the right solve it."""


def say(*names):
    return f"ACTIONS: {', '.join(names)}"


def row(**settings):
    conversation = Conversation("Sokoban-v0", levels=[ROW], **settings)
    conversation.start(seed=0)
    return conversation


# -- the same as the environment -----------------------------------------------------------------


@pytest.mark.parametrize("env_id", ["Wumpus-v0", "CatMouse-v0", "Sokoban-v0"])
def test_conversations_are_the_environments_episodes(env_id):
    """Rewards, ends and boards, with replies to some conversations only, of different lengths."""
    random, size = np.random.default_rng(5), 3
    conversations = Conversations(env_id, size, actions_per_reply=4, max_episode_steps=12)
    names = conversations.config.action_names
    observation = wording_of(puzzle_of(env_id)).observation
    envs = [gym.make(env_id, observation=observation, max_episode_steps=12) for _ in range(size)]
    conversations.start(seeds=range(10, 10 + size))
    seen = [env.reset(seed=seed)[0] for seed, env in enumerate(envs, start=10)]
    over = [False] * size
    while not all(over):
        for index, text in enumerate(conversations.view.write(np.stack(seen))):
            assert board_in(conversations.turn(index).text) == text
        chosen = [index for index in range(size) if not over[index] and random.integers(2)]
        plans = {index: random.integers(0, len(names), random.integers(1, 5)).tolist() for index in chosen}
        replies = {index: say(*(names[action] for action in plan)) for index, plan in plans.items()}
        turns = conversations.reply(replies)
        assert list(turns) == chosen
        for index, plan in plans.items():
            total, done = 0.0, []
            for action in plan:
                seen[index], reward, terminated, truncated, info = envs[index].step(action)
                total, over[index] = total + reward, terminated or truncated
                done.append(names[action])
                if over[index]:
                    break
            turn = turns[index]
            assert (turn.reward, turn.terminated, turn.truncated) == (total, terminated, truncated)
            assert turn.info["actions"] == tuple(done)
            if over[index]:
                assert (turn.info["outcome"], turn.info["is_success"]) == (info["outcome"], info["is_success"])


@pytest.mark.parametrize("env_id", IDS)
def test_an_agent_that_reads_only_the_text_plays_as_it_plays_by_itself(env_id):
    settings, place = SETTINGS.get(env_id, {}), IDS.index(env_id)
    conversation = Conversation(env_id, tools=place % 2 == 0, **settings)
    model = AgentModel(conversation.of, AGENTS[env_id])
    turn = conversation.start(seed=1)
    while not turn.done:
        turn = conversation.reply(model(conversation.messages))
    assert [(turn.info["score"], turn.info["steps"], turn.info["is_success"])] == own_results(env_id, [1], **settings)
    assert turn.info["invalid_replies"] == 0


def test_only_some_environments_step():
    envs = gym.make_vec("Wumpus-v0", num_envs=5, autoreset_mode="Disabled").unwrapped
    envs.reset(seed=1)
    batch = envs.batch
    before = {name: getattr(batch, name).copy() for name in ("states", "counters", "views", "random_bits")}
    batch.actions[:] = [kernels.PASS, 0, kernels.PASS, 1, kernels.PASS]
    assert batch.step_some() == 0
    assert batch.counters[kernels.ELAPSED].tolist() == [0, 1, 0, 1, 0]
    for name, values in before.items():
        for index in (0, 2, 4):
            assert np.array_equal(getattr(batch, name)[index], values[index])
    batch.actions[:] = [kernels.PASS, 9, 0, 0, 0]
    with pytest.raises(ValueError, match=r"action 9 in environment 1 is out of range"):
        batch.step_some()
    assert batch.counters[kernels.ELAPSED].tolist() == [0, 1, 0, 1, 0]


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda whole: pickle.loads(pickle.dumps(whole))])
def test_copies_go_on_alike(copied):
    conversations = Conversations("CatMouse-v0", 3, actions_per_reply=2)
    conversations.start(seeds=1)
    conversations.reply({0: say("up"), 1: "?"})
    again = copied(conversations)
    assert again.messages(1) == conversations.messages(1)
    replies = {0: say("up", "right"), 2: say("right")}
    assert again.reply(replies) == conversations.reply(replies)


# -- replies -------------------------------------------------------------------------------------


def test_a_reply_leads_to_the_next_board():
    conversation = row()
    assert conversation.turn.text == f"After 0 of 120 actions:\n{ROW.replace(' ', '-')}"
    turn = conversation.reply("I go right.\nACTIONS: right")
    assert turn.text == "Done: right.\n\nAfter 1 of 120 actions:\n#######\n#-@-$.#\n#######\n"
    assert (turn.reward, turn.done) == (-1, False)
    assert turn.info == {"actions": ("right",), "fault": "", "invalid_replies": 0, "steps": 1, "score": -1}


def test_invalid_replies_perform_nothing_and_end_the_episode_if_there_are_too_many():
    conversation = row(max_invalid=3)
    turn = conversation.reply("Let me think about it.")
    assert turn.text.startswith("Invalid reply, nothing was done: ")
    assert "up, down, left, right" in turn.info["fault"]
    assert turn.text.endswith(f"After 0 of 120 actions:\n{ROW.replace(' ', '-')}")
    assert (turn.reward, turn.done, turn.info["invalid_replies"]) == (0, False, 1)
    for reply in ("?", say("right"), "?", "?"):
        assert not conversation.reply(reply).done
    turn = conversation.reply("?")
    assert (turn.terminated, turn.truncated) == (False, True)
    assert "The game is over: too many invalid replies." in turn.text
    assert turn.info["invalid_replies"] == 5
    assert (turn.info["outcome"], turn.info["is_success"]) == (Outcome.UNFINISHED, False)


def test_turns_and_actions_are_limited():
    conversation = row(max_turns=2)
    assert not conversation.reply("?").done
    turn = conversation.reply(say("right"))
    assert (turn.terminated, turn.truncated, turn.info["outcome"]) == (False, True, Outcome.UNFINISHED)
    assert "The game is over: the limit is reached." in turn.text
    turn = row(max_turns=1, actions_per_reply=3).reply(say("right", "right", "right"))
    assert (turn.terminated, turn.truncated, turn.info["is_success"]) == (True, False, True)
    turn = row(max_episode_steps=2, actions_per_reply=3).reply(say("left", "left", "left"))
    assert (turn.info["steps"], turn.terminated, turn.truncated) == (2, False, True)


def test_prompts_depend_on_the_options():
    system = Conversation("Wumpus-v0", pits=1).of.system
    assert "one gold and 1 pit, on" in system
    assert "a dark cave of 16 squares" in system
    systems = [Conversation("CatMouse-v0", cat_blocked=blocked).of.system for blocked in (False, True)]
    assert ["caught" in system for system in systems] == [True, False]
    bait = Conversation("Bait-v0")
    assert "Without a key you can push a box off a goal too, but you stay where you are." in bait.of.system
    assert "wA*..w" in bait.start(level="wwwwww\nwA*..w\nw.k..w\nwwwwww\n").text
    assert "wAg1.w" in bait.reply(say("right")).text


def test_rewards():
    conversation = row(reward="success", actions_per_reply=3)
    assert [conversation.reply(reply).reward for reply in (say("right"), "?", say("right", "right"))] == [0, 0, 1]
    assert conversation.turn.info["score"] == 997
    conversation = Conversation("Sokoban-v0", reward="boxoban")
    assert "every action costs 0.1 points" in conversation.of.system
    conversation.start(seed=0)
    assert conversation.reply(say("up")).reward == -0.1
    with pytest.raises(ValueError, match="reward='textbook' needs climb=True"):
        Conversation("Wumpus-v0", reward="textbook")
    with pytest.raises(ValueError, match=r"allowed are 'environment', 'success'$"):
        Conversation("EightPuzzle-v0", reward="much")


# -- messages ------------------------------------------------------------------------------------


def test_messages_are_the_whole_conversation():
    conversation = row()
    first = conversation.turn.text
    conversation.reply(say("right"))
    system, *messages = conversation.messages
    assert system["content"].startswith("This is Sokoban.")
    assert "The game ends after 120 actions." in system["content"]
    assert conversation.of.reader.instructions in system["content"]
    assert messages == [
        {"role": "user", "content": first},
        {"role": "assistant", "content": "ACTIONS: right"},
        {"role": "user", "content": conversation.turn.text},
    ]


def test_tool_calls_are_messages_with_results():
    conversation = row(tools=True)
    assert conversation.of.tools[0]["function"]["name"] == "act"
    message = message_with(["right"], tools=True)
    del message["tool_calls"][0]["id"]
    assert conversation.reply(message).info["actions"] == ("right",)
    _, _, assistant, tool, user = conversation.messages
    assert assistant["tool_calls"][0]["function"]["arguments"] == '{"actions": ["right"]}'
    assert (tool["role"], tool["tool_call_id"]) == ("tool", "call_0")
    assert assistant["tool_calls"][0]["id"] == "call_0"
    assert user["role"] == "user"


def test_pictures_instead_of_text():
    conversation = Conversation("Wumpus-v0", images=True)
    turn = conversation.start(seed=3)
    assert turn.text == "After 0 of 100 actions:\n"
    assert "picture" in conversation.messages[0]["content"]
    text, image = conversation.messages[1]["content"]
    assert text == {"type": "text", "text": turn.text}
    png = base64.b64decode(image["image_url"]["url"].removeprefix("data:image/png;base64,"))
    shown = pygame.image.load(io.BytesIO(png), "picture.png")
    hidden = gym.make("Wumpus-v0", render_mode="rgb_array", show="knowledge", tile_size=48)
    hidden.reset(seed=3)
    assert np.array_equal(pygame.surfarray.array3d(shown).swapaxes(0, 1), hidden.render())
    conversation.reply(say("forward"))
    assert conversation.messages[1]["content"][1] == image
    assert conversation.messages[3]["content"][1] != image
    conversation.close()


# -- invalid input ---------------------------------------------------------------------------------


def test_bad_settings():
    cases = [
        ({"reward": "much"}, "allowed are 'peas', 'boxoban'; or, for any environment, 'environment' and 'success'"),
        ({"count": 0}, "count=0: must be an integer from 1"),
        ({"actions_per_reply": 0}, "actions_per_reply=0: must be an integer from 1 to 1,000"),
        ({"max_turns": 0}, "max_turns=0"),
        ({"max_invalid": 0}, "max_invalid=0"),
        ({"images": 1}, "images=1"),
        ({"tools": "act"}, "tools='act'"),
        ({"observation": "planes"}, "observation= is not allowed"),
        ({"pits": 3}, "unexpected keyword argument 'pits'"),
    ]
    for settings, message in cases:
        with pytest.raises(ValueError, match=message):
            Conversations("Sokoban-v0", **settings)
    with pytest.raises(ValueError, match="CartPole-v1 is not an environment of this suite"):
        Conversations("CartPole-v1")
    for agent, settings, message in (
        ("pretrained", {}, "needs observation='egocentric', which cannot be read from the text"),
        ("bayesian", {"images": True}, "cannot see pictures; it needs images=False"),
        ("bayes", {}, "no agent 'bayes'"),
    ):
        with pytest.raises(ValueError, match=message):
            AgentModel(Conversations("Wumpus-v0", **settings), agent)


def test_bad_calls_change_nothing_for_anyone():
    conversations = Conversations("Sokoban-v0", 3)
    conversations.start([1], seeds=[4])
    before = conversations.turn(1)
    with pytest.raises(ValueError, match=r"conversation 2 has not begun; call start\(\) first"):
        conversations.reply({1: say("up"), 2: say("up")})
    assert conversations.turn(1) is before
    assert conversations.reply({1: say("up")})[1].info["steps"] == 1
    for index in (-1, 3, "0", True):
        with pytest.raises(ValueError, match="conversation="):
            conversations.start([index])
    with pytest.raises(ValueError, match="2 seeds for 1 environments"):
        conversations.start([0], seeds=[1, 2])
    assert conversations.start([]) == []
    with pytest.raises(ValueError, match="there is no board"):
        board_in("hello")


def test_a_level_that_a_caller_of_a_server_chooses_is_no_path(tmp_path, monkeypatch):
    """It is an index or a text; whatever it is else, no file is read."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret.txt").write_text("####\n#@$.#  ; root:x:0:0\n")
    puzzle = PUZZLES["sokoban"]
    assert untrusted_level(puzzle, 3) == 3
    assert untrusted_level(puzzle, "######\n#@ $.#\n######\n").extent == (3, 6)
    for level in ("secret.txt", "/etc/passwd", "file:///etc/passwd", ["a"], {}, True, 1.5, "", "#" * 10**6):
        with pytest.raises(ValueError, match="level") as raised:
            untrusted_level(puzzle, level)
        assert "root:" not in str(raised.value)
