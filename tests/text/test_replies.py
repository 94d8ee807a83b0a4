"""Replies of language models: what is read as actions, what is not, and why."""

import json

from hypothesis import given
from hypothesis import strategies as st

from gridpuzzles_gym.text.replies import LONGEST_FAULT, Reply, ReplyReader, read_choice

MOVES = ("up", "down", "left", "right")
WUMPUS = ("turn left", "turn right", "forward", "grab", "release", "shoot")
UP, DOWN, LEFT, RIGHT = range(4)


def call(arguments, name="act"):
    """A message with a tool call."""
    return {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": name, "arguments": arguments}}]}


VALID = [
    ("ACTIONS: up", [UP]),
    ("I could go left, or\nACTIONS: left\nbut no.\n\nActions: Up,RIGHT ,  down\n", [UP, RIGHT, DOWN]),
    ("**ACTIONS:** `up`, left.", [UP, LEFT]),
    ("ACTIONS: uurd", [UP, UP, RIGHT, DOWN]),
    ("ACTIONS: u, R", [UP, RIGHT]),
    ("ACTIONS: ↑→ ↓, left", [UP, RIGHT, DOWN, LEFT]),
    ("<think>ACTIONS: left or\n</think>\nACTIONS: up", [UP]),
    ("it begins in the prompt</think>ACTIONS: up", [UP]),
    ("```\nACTIONS: up\n```", [UP]),
    ('{"actions": ["up", "Left"]}', [UP, LEFT]),
    ('```json\n{"thought": "the ``` wall",\n "actions": ["uu"]}\n```', [UP, UP]),
    ('<think>{"actions": ["down"]}</think>\n{"actions": ["up"]}', [UP]),
    (call('{"actions": ["up", "left"]}'), [UP, LEFT]),
    (call({"actions": ["up"]}), [UP]),
    ({"content": "both", "tool_calls": call('{"actions":["up"]}')["tool_calls"] * 2}, [UP, UP]),
    ({"content": [{"type": "text", "text": "So:"}, {"type": "text", "text": "ACTIONS: up"}]}, [UP]),
]
INVALID = [
    ("", "the reply is empty"),
    ("up", "the last line must begin with ACTIONS:, or the reply be a JSON object; it is 'up'"),
    ("ACTIONS: up\nThat is my move.", "it is 'That is my move.'"),
    ("ACTIONS:", "no action"),
    ("ACTIONS: up,,left", "there is no action between two commas"),
    ("ACTIONS: go up", "invalid action 'go up'"),
    ("ACTIONS: 0", "invalid action '0'"),
    ("ACTIONS: up, up, up, up, up, up", "the reply has 6 actions; at most 5 actions are allowed"),
    ("<think>ACTIONS: up", "the reply ends before </think>"),
    ("I say {'actions': ['up']}", "the last line must begin with ACTIONS:"),
    ('{"actions": "up"}', 'must be {"actions": [names]}'),
    ('{"actions": [0]}', 'must be {"actions": [names]}'),
    ('{"actions": []}', "no action"),
    ('{"action": ["up"]}', 'must be {"actions": [names]}'),
    ('{"actions": ["up"]', "not valid JSON"),
    ('{"actions": ' + "[" * 40_000 + "]" * 40_000 + "}", "nested too deeply"),
    (call('{"actions": ["up"]}', name="move"), "a tool call must have the function act"),
    (call("["), "not valid JSON"),
    ({"tool_calls": "act"}, "a tool call must have the function act"),
    ({"content": None}, "the reply is empty"),
    (None, "must be a text or a message, not None"),
    (7, "must be a text or a message, not 7"),
]


def test_what_is_read_and_what_is_not():
    reader, wrong = ReplyReader(MOVES, 5), []
    for reply, actions in VALID:
        found = reader.read(reply)
        wrong += [(reply, found)] * (found != Reply(tuple(actions), ""))
    for reply, why in INVALID:
        found = reader.read(reply)
        valid = found.actions or why not in found.fault or "allowed are" not in found.fault
        wrong += [(reply, found)] * bool(valid or len(found.fault) > LONGEST_FAULT or "\n" in found.fault)
    assert wrong == []


def test_names_of_several_words_and_letters_for_directions_only():
    wumpus = ReplyReader(WUMPUS, 5)
    assert wumpus.read("ACTIONS: turn_left, Turn-Right, forward").actions == (0, 1, 2)
    assert [wumpus.read(f"ACTIONS: {each}").actions for each in ("left", "tr", "↑", "turn left forward")] == [()] * 4
    assert ReplyReader((*MOVES, "wait"), 5).read("ACTIONS: uw").actions == (0, 4)
    assert not ReplyReader((*MOVES, "jump"), 5).read("ACTIONS: u").actions
    assert ReplyReader((*MOVES, "jump"), 5).read("ACTIONS: ↓").actions == (1,)


def test_the_example_in_the_instructions_is_a_valid_reply():
    for names in (MOVES, WUMPUS):
        for most in (1, 4):
            reader = ReplyReader(names, most)
            how, _, example = reader.instructions.partition("For example:")
            assert all(name in how for name in names)
            assert len(reader.read(example).actions) == min(most, 3)
            tools = ReplyReader(names, most, tools=True)
            arguments = tools.instructions.partition("act(actions=")[2].removesuffix(")")
            assert len(tools.read(call(f'{{"actions": {arguments}}}')).actions) == min(most, 3)


def test_the_tool():
    assert ReplyReader(WUMPUS, 3).tools is None
    (tool,) = ReplyReader(WUMPUS, 3, tools=True).tools
    actions = tool["function"]["parameters"]["properties"]["actions"]
    assert (tool["function"]["name"], actions["items"]["enum"], actions["maxItems"]) == ("act", list(WUMPUS), 3)
    json.dumps(tool)


def test_choices():
    cases = {
        "ANSWER: yes": "yes", "I thought yes, but\n**Answer:** No.": "no", '{"answer": "YES"}': "yes",
        "<think>ANSWER: no</think>\nANSWER: yes": "yes", "yes": None, "ANSWER: yes or no": None, "": None,
        "ANSWER: no\nor yes": None, '{"answer": 1}': None, "[1]": None,
    }  # fmt: skip
    assert {reply: read_choice(reply, ("yes", "no")) for reply in cases} == cases
    assert read_choice({"content": [{"text": "ANSWER: no"}]}, ("yes", "no")) == "no"
    assert read_choice(17, ("yes", "no")) is None


TEXTS = st.text() | st.lists(st.sampled_from(["up", "ACTIONS:", "</think>", '{"actions":', "}", '"', "\n", ","])).map(
    "".join
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["actions", "function", "name", "text"]), inner),
    max_leaves=8,
)


@given(TEXTS | st.fixed_dictionaries({}, optional={"content": VALUES, "tool_calls": VALUES}) | VALUES)
def test_no_reply_raises_an_error(reply):
    found = ReplyReader(MOVES, 2).read(reply)
    assert bool(found.actions) != bool(found.fault)
    assert len(found.fault) <= LONGEST_FAULT
    assert "\n" not in found.fault
    read_choice(reply, ("yes", "no"))
