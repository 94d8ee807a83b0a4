"""The node store against a Python dictionary, the frontier against heapq."""

import functools
import heapq

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import int16, int64

from gridpuzzles_gym.agents.search import nodes as store
from gridpuzzles_gym.agents.search.best_first import has_space, new_frontier, pop, push, widened
from gridpuzzles_gym.agents.search.nodes import NODES, bytes_of, grown, keep_only, new_nodes, path_to
from gridpuzzles_gym.engine.compile.compilation import compiled

rows = st.integers(1, 9).flatmap(
    lambda width: st.lists(
        st.lists(st.sampled_from([-(2**15), -1, 0, 1, 2**15 - 1]), min_size=width, max_size=width), min_size=1
    )
)


@functools.cache
def kernels():
    """(add, find): rows into the store while there is room, and look one up."""
    find_or_add, find, has_capacity = store.find_or_add, store.find, store.has_capacity

    def add(nodes, states, first, numbers):
        for k in range(first, states.shape[0]):
            if not has_capacity(nodes, 1):
                return k
            numbers[k], _ = find_or_add(nodes, states[k])
        return states.shape[0]

    def look(nodes, state):
        return find(nodes, state)

    return (
        compiled(add, "test-nodes-add", int64(NODES, int16[:, ::1], int64, int64[::1])),
        compiled(look, "test-nodes-find", int64(NODES, int16[::1])),
    )


def filled(states, capacity=2):
    """The store after these states were met, and the number each was given."""
    add, _ = kernels()
    nodes = new_nodes(states[0], capacity)
    numbers = np.full(len(states), -1)
    done = 0
    while True:
        done = add(nodes, states, done, numbers)
        if done == len(states):
            return nodes, numbers
        nodes = grown(nodes, np.inf)


@given(rows)
def test_the_store_is_a_dictionary(states):
    _, find = kernels()
    states = np.array(states, np.int16)
    nodes, numbers = filled(states)
    known = {}
    for state in states:
        known.setdefault(state.tobytes(), len(known))
    assert numbers.tolist() == [known[state.tobytes()] for state in states]
    assert nodes.used[0] == len(known)
    for state in states:
        np.testing.assert_array_equal(nodes.states[known[state.tobytes()]], state)
        assert find(nodes, state) == known[state.tobytes()]
    stranger = np.full(states.shape[1], 12345, np.int16)
    assert find(nodes, stranger) == -1
    slots = nodes.table[nodes.table != 0] & np.uint64(0xFFFFFFFF)
    assert sorted(slots.tolist()) == list(range(1, len(known) + 1))


@settings(max_examples=30)
@given(rows, st.data())
def test_forgetting_keeps_what_was_to_be_kept(states, data):
    _, find = kernels()
    states = np.unique(np.array(states, np.int16), axis=0)
    nodes, _ = filled(states)
    which = data.draw(st.lists(st.sampled_from(range(len(states))), unique=True, min_size=1))
    nodes.costs[: len(states)] = np.arange(len(states)) * 10
    keep_only(nodes, np.array(which))
    assert [find(nodes, state) for state in states] == [
        which.index(number) if number in which else -1 for number in range(len(states))
    ]
    assert nodes.costs[: len(which)].tolist() == [10 * number for number in which]


def test_growth_stays_within_the_memory():
    nodes = new_nodes(np.zeros(4, np.int16), 1024)
    held = bytes_of(nodes)
    for memory in (1.5 * held, 2.5 * held, 2.9 * held, 3 * held, 10 * held):
        larger = grown(nodes, memory)
        if larger is not None:
            assert bytes_of(larger) + held <= memory
            assert len(larger.parents) > 1024
    assert grown(nodes, held) is None
    both = held + bytes_of(grown(nodes, np.inf))
    assert bytes_of(grown(nodes, both)) == both - held > bytes_of(grown(nodes, both - 1))
    assert len(grown(nodes, np.inf).parents) >= 2048


def test_a_path_is_followed_back():
    nodes = new_nodes(np.zeros(1, np.int16))
    nodes.parents[1:4], nodes.actions[1:4] = [0, 1, 1], [7, 8, 9]
    assert path_to(nodes, 0) == ()
    assert path_to(nodes, 3) == (7, 9)


@given(st.lists(st.one_of(st.integers(-(2**62), 2**62), st.none())))
def test_the_frontier_is_a_heap(commands):
    """A number is pushed, None pops."""
    frontier = new_frontier(1)
    pop(frontier)
    heap = []
    for number, command in enumerate(commands):
        if command is not None:
            if not has_space(frontier, 1):
                frontier = widened(frontier)
            push(frontier, command, number)
            heapq.heappush(heap, command)
        elif heap:
            assert commands[pop(frontier)] == heapq.heappop(heap)
    assert frontier.size[0] == len(heap)


@pytest.mark.parametrize("wrong", [{"capacity": 0}])
def test_the_start_fits_into_a_store(wrong):
    with pytest.raises(IndexError):
        new_nodes(np.zeros(1, np.int16), **wrong)
