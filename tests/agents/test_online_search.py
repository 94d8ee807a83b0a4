"""The online-search agent: its decisions, its marks, its memory."""

import gymnasium as gym
import numpy as np
import pytest

import gridpuzzles_gym  # noqa: F401  (registers the environments)
from gridpuzzles_gym import Outcome
from gridpuzzles_gym.agents.wumpus import online_search as m
from gridpuzzles_gym.agents.wumpus.online_search import OnlineSearch
from gridpuzzles_gym.puzzles.wumpus import rules

STEPS = ["left", "right", "forward", "grab", "release", "shoot", "climb"]


def play(cave, marks="original", risk=True, steps=100, seed=0, **options):
    """Play one cave; the words of all actions, the squares walked (row, column), the last info, memory and agent."""
    env = gym.make("Wumpus-v0", levels=cave + "\n", observation="percepts", **options)
    agent = OnlineSearch.for_env(env.unwrapped, seed, marks, risk)
    observation, info = env.reset(seed=seed)
    state, words, path = None, [], []
    width = env.unwrapped.batch.extent[1]
    for _ in range(steps):
        action, state = agent.predict(observation, state)
        square = env.unwrapped.batch.states[0, rules.SQUARE]
        path.append(divmod(int(square), width))
        words.append(STEPS[action])
        observation, _, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            break
    return words, path, info, state, agent


# -- what it decides -----------------------------------------------------------------------------


def test_goes_to_a_safe_neighbour_ahead_first_then_grabs_and_goes_home():
    words, _, info, _, _ = play("...\n...\nA.G")
    assert words == ["forward", "forward", "grab", "left", "left", "forward", "forward"]
    assert info["outcome"] == Outcome.SOLVED


def test_goes_home_by_the_shortest_path_of_visited_squares():
    words, path, info, _, _ = play(".#G\n...\n.#.\nA#.")
    assert info["outcome"] == Outcome.SOLVED
    grab = words.index("grab")
    assert (0, 0) in path[:grab]  # a dead end that the way home leaves out
    home = [path[i] for i in range(grab, len(words)) if words[i] == "forward"]
    assert home == [(0, 2), (1, 2), (1, 1), (1, 0), (2, 0)]


def test_searches_over_visited_squares_for_the_nearest_safe_one():
    # The breeze at the end of the corridor turns it round; safe squares are left only next to those visited before.
    words, path, info, _, _ = play("G..P\nA..P")
    first = "forward forward left left forward right forward left forward grab left forward"
    assert " ".join(words) == first
    assert path[2:8] == [(1, 2), (1, 2), (1, 2), (1, 1), (1, 1), (0, 1)]
    assert info["outcome"] == Outcome.SOLVED


def test_shoots_a_certain_wumpus_along_the_row():
    words, _, info, state, _ = play("A..WG", marks="sound")
    assert words[:6] == ["forward", "forward", "shoot", "forward", "forward", "grab"]
    assert state.rows[0, m.DEAD] == 1
    assert info["outcome"] == Outcome.SOLVED


# -- what it concludes ---------------------------------------------------------------------------


def concluded(marks, height, width, felt):
    """The marks after visiting squares with these percepts: {(row, column): "" or letters S and B}."""
    settings = np.array([height, width, marks == "sound", 1, 0], np.int64)
    memory = np.zeros(m.MARKS + 2 * height * width, np.int16)
    m.begin(settings, memory, (height - 1) * width, rules.EAST)
    for (row, column), letters in felt.items():
        bits = m.VISITED | ("S" in letters) * m.STENCH | ("B" in letters) * m.BREEZE
        memory[m.MARKS + row * width + column] |= bits
    m.conclude(settings, memory)
    return memory[m.MARKS :][: height * width].reshape(height, width)


def test_seeds_flaw_two_breezes_make_a_certain_pit_where_there_may_be_none():
    # (1, 1) is next to both breezes, but pits in (0, 0) and (2, 2) explain them as well.
    felt = {(2, 0): "", (1, 0): "B", (2, 1): "B"}
    assert concluded("original", 3, 3, felt)[1, 1] & m.SURE_PIT
    assert not concluded("sound", 3, 3, felt)[1, 1] & m.SURE_PIT
    assert concluded("sound", 3, 3, felt)[1, 1] & m.MAYBE_PIT


def test_sound_marks_prove_a_pit_by_the_only_explanation_left():
    felt = {(2, 0): "", (2, 1): "B", (1, 0): "", (1, 1): ""}
    marks = concluded("sound", 3, 3, felt)
    assert marks[2, 2] & m.SURE_PIT
    assert marks[1, 2] & m.SAFE
    assert not concluded("original", 3, 3, felt)[2, 2] & m.SURE_PIT


def test_sound_marks_find_the_one_wumpus_and_clear_the_others():
    marks = concluded("sound", 3, 3, {(2, 0): "", (2, 1): "S", (1, 0): "S"})
    assert marks[1, 1] & m.SURE_WUMPUS
    assert marks[2, 2] & m.SAFE
    assert marks[0, 0] & m.SAFE
    hasty = concluded("original", 3, 3, {(2, 0): "", (2, 1): "S", (1, 0): "S"})
    assert hasty[1, 1] & m.SURE_WUMPUS
    assert hasty[2, 2] & m.MAYBE_WUMPUS


@pytest.mark.parametrize("marks", ["original", "sound"])
def test_a_scream_lifts_every_suspicion_of_the_wumpus(marks):
    settings = np.array([1, 5, marks == "sound", 1, 0], np.int64)
    memory = np.zeros(m.MARKS + 10, np.int16)
    m.begin(settings, memory, 0, rules.EAST)
    m.perceive(settings, memory, np.array([1, 0, 0, 0, 0], np.int8))
    assert memory[m.MARKS + 1] & (m.MAYBE_WUMPUS | m.SURE_WUMPUS)
    memory[m.LAST] = rules.SHOOT
    m.perceive(settings, memory, np.array([1, 0, 0, 0, 1], np.int8))
    assert memory[m.DEAD] == 1
    assert memory[m.MARKS + 1] & (m.SAFE | m.MAYBE_WUMPUS | m.SURE_WUMPUS) == m.SAFE


@pytest.mark.compiled
@pytest.mark.extended
@pytest.mark.parametrize("options", [{}, {"pit_probability": 0.2}, {"size": 6, "pits": 5}])
def test_sound_conclusions_are_true_of_the_hidden_cave(options):
    env, agent, state = vector(500, "percepts", "sound", **options)
    observation, _ = env.reset(seed=3)
    batch = env.unwrapped.batch
    squares = batch.extent[0] * batch.extent[1]
    starting, checked = np.ones(500, bool), 0
    for _ in range(150):
        actions, state = agent.predict(observation, state, starting)
        cells = batch.levels[: batch.size, rules.CELLS :]
        alive = batch.states[:, rules.ALIVE, None] == 1
        marks = state.rows[:, m.MARKS : m.MARKS + squares]
        pits, wumpus = cells & rules.PIT != 0, (cells & rules.WUMPUS != 0) & alive
        assert (state.rows[:, m.SQUARE] == batch.states[:, rules.SQUARE]).all()
        assert (state.rows[:, m.FACING] == batch.states[:, rules.FACING]).all()
        assert not ((marks & m.SAFE != 0) & (pits | wumpus)).any()
        assert not ((marks & m.SURE_PIT != 0) & ~pits).any()
        assert not ((marks & m.SURE_WUMPUS != 0) & ~wumpus).any()
        checked += (marks & (m.SURE_PIT | m.SURE_WUMPUS) != 0).sum()
        observation, _, terminated, truncated, _ = env.step(actions)
        starting = terminated | truncated
    assert checked > 1000


# -- how it remembers -----------------------------------------------------------------------------------


def vector(count, observation, marks="original", risk=True, **options):
    env = gym.make_vec("Wumpus-v0", num_envs=count, observation=observation, autoreset_mode="SameStep", **options)
    return env, OnlineSearch.for_env(env.unwrapped, 0, marks, risk), None


def statistics(agent, env, per_env=4):
    """Mean return, success and death rates over the first episodes of each environment (so that none is favoured)."""
    observation, _ = env.reset(seed=11)
    state, starting = None, np.ones(env.num_envs, bool)
    returns, outcomes, score = [], [], np.zeros(env.num_envs)
    played = np.zeros(env.num_envs, int)
    while (played < per_env).any():
        actions, state = agent.predict(observation, state, starting)
        observation, rewards, terminated, truncated, info = env.step(actions)
        score += rewards
        starting = terminated | truncated
        for i in np.flatnonzero(starting & (played < per_env)):
            returns.append(score[i])
            outcomes.append(info["final_info"]["outcome"][i])
        played[starting] += 1
        score[starting] = 0
    return (
        np.mean(returns),
        outcomes.count(Outcome.SOLVED) / len(outcomes),
        outcomes.count(Outcome.DIED) / len(outcomes),
    )


@pytest.mark.compiled
@pytest.mark.extended
@pytest.mark.parametrize(
    ("marks", "risk", "least", "most", "success"),
    [("original", True, -230, -40, 0.44), ("sound", True, -70, 110, 0.52), ("sound", False, 170, 280, 0.30)],
)
def test_statistics_over_random_caves(marks, risk, least, most, success):
    env, agent, _ = vector(1000, "percepts", marks, risk)
    score, solved, died = statistics(agent, env)
    assert least < score < most
    assert abs(solved - success) < 0.04
    assert died < 0.61 if risk else died == 0


def test_batch_equals_single():
    env, agent, state = vector(8, "percepts")
    observation, _ = env.reset(seed=5)
    singles = [OnlineSearch.for_env(env.unwrapped, i) for i in range(8)]
    states, starting = [None] * 8, np.ones(8, bool)
    for _ in range(200):
        actions, state = agent.predict(observation, state, starting)
        for i, single in enumerate(singles):
            action, states[i] = single.predict(observation[i], states[i], starting[i : i + 1])
            assert action == actions[i]
        observation, _, terminated, truncated, _ = env.step(actions)
        starting = terminated | truncated
