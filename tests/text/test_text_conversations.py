"""Conversations play the environment's own episodes, step by step, in whatever order replies arrive."""

import base64
import copy
import io
import pickle

import gymnasium as gym
import numpy as np
import pygame
import pytest
from helpers import puzzle_of

import gridpuzzles_gym
from gridpuzzles_gym.agents.evaluation import compare
from gridpuzzles_gym.engine import kernels
from gridpuzzles_gym.engine.wording import wording_of
from gridpuzzles_gym.text.conversation import Conversation
from gridpuzzles_gym.text.conversations import Conversations
from gridpuzzles_gym.text.replies import REPLY_FORMATS
from gridpuzzles_gym.text.scripted import AgentModel, RandomModel, message_with
from gridpuzzles_gym.text.turns import board_in

IDS = [row.id for row in gridpuzzles_gym.ENVIRONMENTS]
ROW = "#######\n#@  $.#\n#######\n"
"""Three moves to the right solve it."""


def played(conversations, model):
    """Play until all conversations are over, and return their last turns."""
    conversations.start(seeds=0)
    while waiting := [i for i in range(conversations.count) if not conversations.turn(i).done]:
        conversations.reply({i: model(conversations.messages(i)) for i in waiting})
    return [conversations.turn(i) for i in range(conversations.count)]


# -- the same as the environment -----------------------------------------------------------------


@pytest.mark.parametrize("env_id", IDS)
def test_conversations_are_the_environments_episodes(env_id):
    """Rewards, ends and boards, with replies to some conversations only, of different lengths."""
    random = np.random.default_rng(5)
    conversations = Conversations(env_id, 6, actions_per_reply=4, max_episode_steps=25)
    names = conversations.config.action_names
    observation = wording_of(puzzle_of(env_id)).observation
    envs = [gym.make(env_id, observation=observation, max_episode_steps=25) for _ in range(6)]
    turns = conversations.start(seeds=range(10, 16))
    seen = [env.reset(seed=seed)[0] for seed, env in enumerate(envs, start=10)]
    over = [False] * 6
    for _ in range(30):
        for index, text in enumerate(conversations.view.write(np.stack(seen))):
            assert board_in(conversations.turn(index).text) == text
        chosen = [index for index in range(6) if not over[index] and random.integers(2)]
        plans = {index: random.integers(0, len(names), random.integers(1, 5)).tolist() for index in chosen}
        said = conversations.reply({index: ", ".join(names[a] for a in plan) for index, plan in plans.items()})
        assert list(said) == chosen
        for index, plan in plans.items():
            total, done = 0.0, []
            for action in plan:
                seen[index], reward, terminated, truncated, info = envs[index].step(action)
                total += reward
                done.append(names[action])
                if terminated or truncated:
                    over[index] = True
                    break
            turn = said[index]
            assert (turn.reward, turn.terminated, turn.truncated) == (total, terminated, truncated)
            assert turn.info["actions"] == tuple(done)
            assert turn.done == over[index]
            if over[index]:
                assert (turn.info["outcome"], turn.info["is_success"]) == (info["outcome"], info["is_success"])
    assert any(over)
    assert len(turns) == 6


@pytest.mark.parametrize("env_id", IDS)
@pytest.mark.parametrize("replies", REPLY_FORMATS)
def test_an_agent_that_reads_only_the_text_plays_as_well_as_ever(env_id, replies):
    agents = {"Wumpus-v0": "bayesian", "CatMouse-v0": "value-iteration", "Sokoban-v0": "sokoban"}
    settings = {"Sokoban-v0": {"levels": "starter-test"}, "FifteenPuzzle-v0": {"scramble": 12}}.get(env_id, {})
    agent = agents.get(env_id, "astar")
    view = ("board", "coordinates", "facts")[REPLY_FORMATS.index(replies) % 3]
    conversations = Conversations(env_id, 4, replies=replies, view=view, **settings)
    turns = played(conversations, AgentModel(conversations, agent))
    comparison = compare(env_id, [agent], episodes=4, seed=0, env_kwargs=settings, progress=False)
    returns = [turn.info["score"] for turn in turns]
    assert np.mean(returns) == pytest.approx(comparison.scores[0].mean_return)
    if puzzle_of(env_id).deterministic:
        assert all(turn.info["is_success"] for turn in turns)
    assert all(turn.info["invalid_replies"] == 0 for turn in turns)


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
    with pytest.raises(ValueError, match="action -1 in environment 0"):
        envs.step(np.array([kernels.PASS, 0, 0, 0, 0]))


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda whole: pickle.loads(pickle.dumps(whole))])
@pytest.mark.parametrize("env_id", IDS)
def test_copies_go_on_alike(env_id, copied):
    conversations = Conversations(env_id, 3, progress=1.0, actions_per_reply=2)
    first, *_, last = conversations.config.action_names
    conversations.start(seeds=1)
    conversations.reply({0: first, 1: "?"})
    again = copied(conversations)
    assert again.messages(1) == conversations.messages(1)
    assert again.reply({0: f"{first}, {last}", 2: last}) == conversations.reply({0: f"{first}, {last}", 2: last})


# -- replies -------------------------------------------------------------------------------------


def row(**settings):
    conversation = Conversation("Sokoban-v0", levels=[ROW], **settings)
    conversation.start(seed=0)
    return conversation


def test_a_reply_leads_to_the_next_board():
    conversation = row()
    assert conversation.turn.text == f"After 0 of 120 actions:\n{ROW.replace(' ', '-')}"
    turn = conversation.reply("I go right.\nright")
    assert turn.text == "Done: right.\n\nAfter 1 of 120 actions:\n#######\n#-@-$.#\n#######\n"
    assert (turn.reward, turn.done) == (-1, False)
    assert turn.info == {"actions": ("right",), "fault": "", "invalid_replies": 0, "steps": 1, "score": -1}


def test_several_actions_end_with_the_episode():
    conversation = row(actions_per_reply=9)
    turn = conversation.reply("right, right, right, left, left")
    assert turn.text.startswith("Done: right, right, right. You have won.\n\nAfter 3 of 120 actions:\n")
    assert (turn.reward, turn.terminated, turn.truncated) == (997, True, False)
    assert (turn.info["steps"], turn.info["outcome"], turn.info["is_success"]) == (3, "solved", True)
    with pytest.raises(ValueError, match="conversation 0 is over; start it again"):
        conversation.reply("right")
    assert conversation.start().text.startswith("After 0")


def test_an_invalid_reply_performs_nothing_and_says_what_is_allowed():
    conversation = row()
    turn = conversation.reply("Let me think about it.")
    assert turn.text.startswith("Invalid reply, nothing was done: ")
    assert "up, down, left, right" in turn.text
    assert turn.text.endswith(f"After 0 of 120 actions:\n{ROW.replace(' ', '-')}")
    assert (turn.reward, turn.done, turn.info["invalid_replies"]) == (0, False, 1)
    assert turn.info["fault"]
    turn = conversation.reply("right")
    assert (turn.info["invalid_replies"], turn.info["steps"], turn.info["fault"]) == (1, 1, "")


def test_too_many_invalid_replies_in_a_row_end_the_episode():
    conversation = row(max_invalid=3)
    for reply in ("?", "?", "right", "?", "?"):
        assert not conversation.reply(reply).done
    turn = conversation.reply("?")
    assert (turn.terminated, turn.truncated) == (False, True)
    assert "The game is over: too many invalid replies." in turn.text
    assert (turn.info["invalid_replies"], turn.info["outcome"], turn.info["is_success"]) == (5, "unfinished", False)


def test_turns_are_limited():
    conversation = row(max_turns=2)
    assert not conversation.reply("?").done
    turn = conversation.reply("right")
    assert (turn.terminated, turn.truncated, turn.info["outcome"]) == (False, True, "unfinished")
    assert "The game is over: the limit is reached." in turn.text


def test_the_last_turn_may_solve_the_level():
    conversation = row(max_turns=1, actions_per_reply=3)
    turn = conversation.reply("right, right, right")
    assert (turn.terminated, turn.truncated, turn.info["is_success"]) == (True, False, True)


def test_actions_are_limited():
    conversation = row(max_episode_steps=2, actions_per_reply=3)
    turn = conversation.reply("left, left, left")
    assert (turn.info["steps"], turn.terminated, turn.truncated) == (2, False, True)


def test_the_prompt_says_what_happens_to_a_box_on_a_goal_without_a_key():
    conversation = Conversation("Bait-v0")
    assert "Without a key you can push a box off a goal too, but you stay where you are." in conversation.of.system
    assert "wA*..w" in conversation.start(level="wwwwww\nwA*..w\nw.k..w\nwwwwww\n").text
    assert "wAg1.w" in conversation.reply("right").text


def test_the_prompt_counts_pits():
    assert "one gold and 1 pit, on" in Conversation("Wumpus-v0", pits=1).of.system


def test_the_prompt_speaks_of_being_caught_only_if_cats_catch():
    systems = [Conversation("CatMouse-v0", cat_blocked=blocked).of.system for blocked in (False, True)]
    assert ["caught" in system for system in systems] == [True, False]


# -- rewards -------------------------------------------------------------------------------------


def test_success_as_the_reward():
    conversation = row(reward="success", actions_per_reply=3)
    assert [conversation.reply(reply).reward for reply in ("right", "?", "right, right")] == [0, 0, 1]
    assert conversation.turn.info["score"] == 997


def test_the_rewards_of_the_environments_option():
    conversation = Conversation("Sokoban-v0", reward="boxoban")
    assert "every action costs 0.1 points" in conversation.of.system
    conversation.start(seed=0)
    assert conversation.reply("up").reward == -0.1
    assert "climbing out with the gold gives 1000" in Conversation("Wumpus-v0", reward="textbook", climb=True).of.system
    with pytest.raises(ValueError, match="reward='textbook' needs climb=True"):
        Conversation("Wumpus-v0", reward="textbook")
    with pytest.raises(ValueError, match=r"allowed are 'environment', 'success'$"):
        Conversation("EightPuzzle-v0", reward="much")


def test_progress_is_added_to_the_reward():
    conversation = row(reward="success", progress=0.5, actions_per_reply=3)
    assert [conversation.reply(reply).reward for reply in ("right", "left", "?", "right, right")] == [0.5, -0.5, 0, 1]
    assert conversation.reply("right").reward == 1.5


# -- messages ------------------------------------------------------------------------------------


def test_messages_are_the_whole_conversation():
    conversation = row()
    first = conversation.turn.text
    conversation.reply("right")
    system, *messages = conversation.messages
    assert system["role"] == "system"
    assert system["content"].startswith("This is Sokoban.")
    assert "The game ends after 120 actions." in system["content"]
    assert conversation.of.reader.instructions in system["content"]
    assert messages == [
        {"role": "user", "content": first},
        {"role": "assistant", "content": "right"},
        {"role": "user", "content": conversation.turn.text},
    ]


@pytest.mark.parametrize(("history", "summary", "length"), [(0, "Before: right, left.", 2), (1, "Before: right.", 4)])
def test_early_exchanges_are_summed_up(history, summary, length):
    conversation = row(history=history)
    assert "Before" not in conversation.messages[1]["content"]
    conversation.reply("right")
    conversation.reply("left")
    messages = conversation.messages
    assert len(messages) == length
    assert messages[1]["content"].startswith(f"{summary}\n\n")
    assert messages[-1]["content"].endswith(conversation.turn.text)


def test_a_long_history_is_cut():
    conversation = row(history=0, actions_per_reply=60, max_episode_steps=200)
    conversation.reply("?")
    assert conversation.messages[1]["content"].startswith("Before: 1 reply, no action.\n\n")
    conversation.reply(", ".join(["left"] * 60))
    assert conversation.messages[1]["content"].startswith(f"Before: 10 actions, then {', '.join(['left'] * 50)}.\n\n")


def test_tool_calls_are_messages_with_results():
    conversation = row(replies="tools")
    assert conversation.of.tools[0]["function"]["name"] == "act"
    conversation.reply(message_with("tools", ["right"]))
    _, _, assistant, tool, user = conversation.messages
    assert assistant["tool_calls"][0]["function"]["arguments"] == '{"actions": ["right"]}'
    assert (tool["role"], tool["tool_call_id"]) == ("tool", assistant["tool_calls"][0]["id"])
    assert user["role"] == "user"


@pytest.mark.parametrize("reply", [5, None, {"role": "system"}, {"content": 3, "tool_calls": [None]}])
def test_replies_that_are_none_are_messages_of_the_assistant(reply):
    conversation = row()
    assert conversation.reply(reply).info["fault"]
    message = conversation.messages[2]
    assert message["role"] == "assistant"
    if not isinstance(reply, dict):
        assert message["content"] == str(reply)


def test_tool_calls_without_an_id_get_one():
    conversation = row(replies="tools")
    message = message_with("tools", ["right"])
    del message["tool_calls"][0]["id"]
    conversation.reply(message)
    *_, assistant, tool, _ = conversation.messages
    assert assistant["tool_calls"][0]["id"] == tool["tool_call_id"] == "call_0"


def test_pictures_instead_of_text():
    conversation = Conversation("Wumpus-v0", images=True)
    turn = conversation.start(seed=3)
    assert turn.text == "After 0 of 100 actions:\n"
    assert "picture" in conversation.messages[0]["content"]
    text, image = conversation.messages[1]["content"]
    assert text == {"type": "text", "text": turn.text}
    prefix = "data:image/png;base64,"
    assert image["image_url"]["url"].startswith(prefix)
    png = base64.b64decode(image["image_url"]["url"].removeprefix(prefix))
    shown = pygame.image.load(io.BytesIO(png), "picture.png")
    hidden = gym.make("Wumpus-v0", render_mode="rgb_array", show="knowledge", tile_size=48)
    hidden.reset(seed=3)
    assert np.array_equal(pygame.surfarray.array3d(shown).swapaxes(0, 1), hidden.render())
    conversation.reply("forward")
    assert conversation.messages[1]["content"][1] == image
    assert conversation.messages[3]["content"][1] != image
    conversation.close()


def test_a_picture_of_one_while_others_have_not_begun():
    conversations = Conversations("Sokoban-v0", 3, images=True, levels=ROW)
    conversations.start([1])
    conversations.reply({1: "right"})
    assert conversations.messages(1)[-1]["content"][1]["type"] == "image_url"
    with pytest.raises(gym.error.ResetNeeded):
        conversations.picture(0)
    conversations.close()


# -- models --------------------------------------------------------------------------------------


def test_a_random_model_plays_every_action_as_often():
    conversations = Conversations("Wumpus-v0", 20, replies="json")
    model = RandomModel(conversations, seed=1)
    said = [model([])["content"] for _ in range(3000)]
    counts = np.array([said.count(f'{{"actions": ["{name}"]}}') for name in conversations.config.action_names])
    assert counts.sum() == 3000
    assert counts.min() > 400
    assert RandomModel(conversations, seed=1)([])["content"] == said[0]


@pytest.mark.parametrize("env_id", ["Sokoban-v0", "EightPuzzle-v0", "CatMouse-v0"])
def test_a_trained_model_knows_which_actions_are_possible_from_the_text(env_id):
    conversation = Conversation(env_id)
    model = AgentModel(conversation.of, "pretrained")
    turn, env = conversation.start(seed=3), gym.make(env_id)
    env.reset(seed=3)
    for _ in range(5):
        action = conversation.of.config.action_names.index(model(conversation.messages)["content"])
        assert env.unwrapped.action_masks()[action]
        env.step(action)
        turn = conversation.reply(conversation.of.config.action_names[action])
        if turn.done:
            break
    assert turn.info["steps"] >= 1


def test_an_agent_that_needs_more_than_the_text_is_refused():
    with pytest.raises(ValueError, match="needs observation='egocentric', which cannot be read from the text"):
        AgentModel(Conversations("Wumpus-v0"), "pretrained")
    with pytest.raises(ValueError, match="cannot see pictures; it needs images=False"):
        AgentModel(Conversations("Wumpus-v0", images=True), "bayesian")
    with pytest.raises(ValueError, match="no agent 'bayes'"):
        AgentModel(Conversations("Wumpus-v0"), "bayes")


# -- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"view": "map"}, "view='map' is not known"),
        ({"replies": "prose"}, "replies='prose' is not known"),
        ({"reward": "much"}, "allowed are 'peas', 'boxoban'; or, for any environment, 'environment' and 'success'"),
        ({"count": 0}, "count=0: must be an integer from 1"),
        ({"actions_per_reply": 0}, "actions_per_reply=0: must be an integer from 1 to 1,000"),
        ({"history": -1}, "history=-1: must be an integer from 0"),
        ({"progress": float("nan")}, "progress=nan: must be a number"),
        ({"max_turns": 0}, "max_turns=0"),
        ({"max_invalid": 0}, "max_invalid=0"),
        ({"images": 1}, "images=1"),
        ({"observation": "planes"}, "observation= is not allowed"),
        ({"pits": 3}, "unexpected keyword argument 'pits'"),
    ],
)
def test_bad_settings(settings, message):
    with pytest.raises(ValueError, match=message):
        Conversations("Sokoban-v0", **settings)


def test_an_environment_of_another_package_is_refused():
    with pytest.raises(ValueError, match="CartPole-v1 is not an environment of this suite"):
        Conversations("CartPole-v1")


def test_bad_calls():
    conversations = Conversations("Sokoban-v0", 3)
    with pytest.raises(ValueError, match=r"conversation 1 has not begun; call start\(\) first"):
        conversations.reply({1: "up"})
    conversations.start([1], seeds=[4])
    assert conversations.reply({1: "up"})[1].info["steps"] == 1
    for index in (-1, 3, "0", True):
        with pytest.raises(ValueError, match="conversation="):
            conversations.start([index])
    with pytest.raises(ValueError, match="2 seeds for 1 environments"):
        conversations.start([0], seeds=[1, 2])
    with pytest.raises(ValueError, match="no level"):
        conversations.start([0], level="no such level")
    assert conversations.start([]) == []
    with pytest.raises(ValueError, match="there is no board"):
        board_in("hello")


def test_bad_replies_change_nothing_for_anyone():
    conversations = Conversations("Sokoban-v0", 2)
    conversations.start([0], seeds=1)
    before = conversations.turn(0)
    with pytest.raises(ValueError, match="conversation 1 has not begun"):
        conversations.reply({0: "up", 1: "up"})
    assert conversations.turn(0) is before
    assert conversations.envs.batch.counters[kernels.ELAPSED, 0] == 0
