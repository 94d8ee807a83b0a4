"""Advice: hints that lead to the goal, say where there is none, and come quickly."""

import time

import gymnasium as gym
import numpy as np
import pytest
from helpers import CORRIDOR

from gridpuzzles_gym.agents.policy import Recollecting, act_after
from gridpuzzles_gym.agents.puzzle_agents import Advisor
from gridpuzzles_gym.agents.registry import load_agent
from gridpuzzles_gym.play.advice import OVER, UNSOLVABLE, Advice, Hint, Position, Request, advise
from gridpuzzles_gym.play.play_session import PlaySession

ROOM = "#####\n#@  #\n# $ #\n#  .#\n#####\n"


def ask(game, **more):
    return advise(Request(Position.of(game), **more))


def follow(game, most=150):
    """Do what the hints say; returns the last hint."""
    for _ in range(most):
        if game.over:
            break
        hint = ask(game)
        if hint.action is None:
            return hint
        for action in hint.plan:
            game.play(action)
    return hint


@pytest.mark.parametrize(
    ("env_id", "level"),
    [("Sokoban-v0", ROOM), ("Bait-v0", "wwwwww\nwA..kw\nw.1.0w\nw...gw\nwwwwww\n")],
)
def test_hints_lead_to_the_goal(env_id, level):
    game = PlaySession.of(env_id, level)
    follow(game)
    assert game.solved
    assert ask(game).message == OVER


def test_what_cannot_be_solved_is_said_to_be():
    game = PlaySession.of("Sokoban-v0", ROOM)
    for action in (1, 1, 3, 0):  # the box is pushed to the wall
        game.play(action)
    assert ask(game).message == UNSOLVABLE


@pytest.mark.parametrize("name", ["bayesian", "online-search", "online-search-sound"])
def test_an_agent_that_gets_its_own_actions_repeats_its_decisions(name):
    env = gym.make("Wumpus-v0", size=(2, 3), pits=1)
    policy = load_agent(name, env)
    assert isinstance(policy, Recollecting)
    for seed in range(3):
        views, actions, memory, starting = [env.reset(seed=seed)[0]], [], None, np.ones(1, bool)
        while len(actions) < 12:
            action, memory = policy.predict(views[-1], memory, starting)
            starting = np.zeros(1, bool)
            assert act_after(policy, views.__getitem__, actions).action == action
            actions.append(int(action))
            view, _, terminated, _, _ = env.step(int(action))
            views.append(view)
            if terminated:
                break


@pytest.mark.compiled
@pytest.mark.extended
def test_the_next_advisor_is_asked():
    game = PlaySession.of("CatMouse-v0", seed=6, maze="random", size=21, cats=3)
    assert ask(game).source == "uct"  # value iteration refuses
    with pytest.raises(ValueError, match="table of"):
        ask(game, advisors=(Advisor("value-iteration"),))
    game = PlaySession.of("Bait-v0", "lessons", 3)
    assert ask(game).source == "greedy"
    game.go_to(4)
    assert ask(game, advisors=(Advisor("greedy", share=0.01), Advisor("breadth-first"))).source == "breadth-first"
    game = PlaySession.of("FifteenPuzzle-v0", "fifteen", 0)
    assert (ask(game).source, len(ask(game).plan)) == ("tile-ida-star", 12)


def hint_of(advice, seconds=30):
    until = time.monotonic() + seconds
    while advice.waiting:
        if (hint := advice.poll()) is not None:
            return hint
        assert time.monotonic() < until
        time.sleep(0.005)
    return None


def test_a_solution_is_kept_while_the_player_follows_it(inline_jobs):
    game = PlaySession.of("Sokoban-v0", CORRIDOR + "\n#####\n#@$.#\n#####\n")
    advice = Advice(game)
    assert advice.ask() is None
    assert advice.waiting
    first = hint_of(advice)
    assert isinstance(first, Hint)
    assert first.solves
    for k, action in enumerate(first.plan):
        hint = advice.ask()
        assert not advice.waiting
        assert hint.plan == first.plan[k:]
        assert len(hint.states) == len(hint.plan) + 1
        game.play(action)
    assert game.solved
    game.undo()
    game.undo()
    assert advice.ask().plan == first.plan[-2:]
    game.go_to(1)
    assert advice.ask() is None
    assert hint_of(advice).plan != first.plan
    game.go_to(0)
    assert advice.ask().plan == first.plan


def test_the_latest_question_is_answered(inline_jobs):
    game = PlaySession.of("Sokoban-v0", "#" * 8 + "\n#@ $  .#\n#      #\n" + "#" * 8 + "\n")
    advice = Advice(game)
    assert advice.ask() is None
    game.play(1)
    assert advice.ask() is None
    hint = hint_of(advice)
    follower = [*hint.plan]
    for action in follower:
        game.play(action)
    assert game.solved
    game.restart()
    unasked = Advice(game)
    unasked.ask()
    game.play(1)
    assert hint_of(unasked) is None  # it was for another position
    assert unasked.ask() is None
    unasked.cancel()
    assert not unasked.waiting
