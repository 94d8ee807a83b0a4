"""Replies of language models: what is read as actions, what is not, and why."""

import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reply_fuzz import ACTIONS, call, check, run

from gridpuzzles_gym.text.action_names import LONGEST
from gridpuzzles_gym.text.replies import REPLY_FORMATS, Reply, ReplyReader

MOVES, WUMPUS = ACTIONS["directions"], ACTIONS["wumpus"]
UP, DOWN, LEFT, RIGHT = range(4)


def read(reply, form="lenient", most=5, actions=MOVES):
    return ReplyReader(actions, form, most).read(reply)


@pytest.mark.parametrize(
    ("form", "reply", "actions"),
    [
        ("plain", "up", [UP]),
        ("plain", " Up ,LEFT\n\ndown,\n", [UP, LEFT, DOWN]),
        ("plain", "2", [LEFT]),
        ("answer", "It is <answer>down</answer> or rather <answer>up, left</answer>, I think", [UP, LEFT]),
        ("answer", "<ANSWER>\nup\nright\n</Answer>", [UP, RIGHT]),
        ("answer", "<think>or <answer>down</answer></think><answer>up</answer>", [UP]),
        ("json", '{"action": "up"}', [UP]),
        ("json", '{"thought": "the ``` wall", "actions": ["up", "Left"]}', [UP, LEFT]),
        ("json", '{"actions": [0, 3]}', [UP, RIGHT]),
        ("json", 'So:\n```json\n{"actions": ["up"]}\n```\nThat is all.', [UP]),
        ("json", '```{"actions": ["up"]}```', [UP]),
        ("json", '<think>{"action": "down"}</think>\n{"action": "up"}', [UP]),
        ("tools", call('{"actions": ["up", "left"]}'), [UP, LEFT]),
        ("tools", call({"actions": ["up"]}), [UP]),
        (
            "tools",
            {"content": "both", "tool_calls": call('{"actions":["up"]}')["tool_calls"] * 2},
            [UP, UP],
        ),
        ("plain", {"role": "assistant", "content": "up", "tool_calls": None}, [UP]),
        ("plain", {"content": [{"type": "text", "text": "up"}, {"type": "text", "text": "left"}]}, [UP, LEFT]),
        ("answer", {"content": "<answer>up</answer>", "tool_calls": call('{"actions": ["down"]}')["tool_calls"]}, [UP]),
    ],
)
def test_strict_forms_read_what_they_promise(form, reply, actions):
    assert read(reply, form) == Reply(tuple(actions), "")


@pytest.mark.parametrize(
    ("form", "reply"),
    [
        ("plain", ""),
        ("plain", "up."),
        ("plain", "Action: up"),
        ("plain", "up left"),
        ("plain", "u"),
        ("plain", "up,,left"),
        ("plain", "<answer>up</answer>"),
        ("plain", "4"),
        ("plain", "up, 2"),
        ("json", '{"actions": ["up", 3]}'),
        ("plain", "-1"),
        ("plain", "up" + " " * LONGEST),
        ("plain", call('{"actions": ["up"]}')),
        ("answer", "up"),
        ("answer", "<answer>up"),
        ("answer", "<answer></answer>"),
        ("answer", "<answer>uu</answer>"),
        ("answer", "<answer>go up</answer>"),
        ("answer", "<think><answer>up</answer>"),
        ("answer", "<answer>up</answer></think>"),
        ("json", "up"),
        ("json", '["up"]'),
        ("json", '{"actions": "up"}'),
        ("json", '{"actions": []}'),
        ("json", '{"actions": [true]}'),
        ("json", '{"actions": [0.0]}'),
        ("json", '{"action": ["up"]}'),
        ("json", '{"action": "up", "actions": ["up"]}'),
        ("json", 'I say {"action": "up"}'),
        ("json", '```\n{"action": "up"}\n```\n```\n{"action": "left"}\n```'),
        ("json", '{"action": ' + "[" * 50_000),
        ("json", '{"action": ' + "9" * 5_000 + "}"),
        ("tools", "up"),
        ("tools", {"role": "assistant", "content": "up"}),
        ("tools", call('{"actions": ["up"]}', name="move")),
        ("tools", call('{"actions": "up"}')),
        ("tools", call('{"action": "up"}')),
        ("tools", call('{"actions": ["up"]')),
        ("tools", {"tool_calls": [{"function": "act"}]}),
        ("tools", {"tool_calls": "act"}),
        ("tools", {"tool_calls": [None]}),
    ],
)
def test_strict_forms_read_nothing_else(form, reply):
    found = check(ReplyReader(MOVES, form, 5), reply)
    assert found.actions == ()


@pytest.mark.parametrize(
    ("reply", "actions"),
    [
        ("**Action:** Up!", [UP]),
        ("I could go left, but up is better.\n\nFinal answer: up", [UP]),
        ("Up, then left and down; right -> up | left => down → up", None),
        ("up, then left and down", [UP, LEFT, DOWN]),
        ("up -> left | down; right", [UP, LEFT, DOWN, RIGHT]),
        ("up left\tdown", [UP, LEFT, DOWN]),
        ("- up\n- left", [UP, LEFT]),
        ("1. up\n2) left", [UP, LEFT]),
        ("My plan:\n1. up\n2. left", [UP, LEFT]),
        ("> `up`", [UP]),
        ("“up”.", [UP]),
        ('["up", "left"]', [UP, LEFT]),
        ("I see a wall.\n```\nup\n```", [UP]),
        ("My next move: **left**", [LEFT]),
        ("\\boxed{\\text{up}}", [UP]),
        ("uurd", [UP, UP, RIGHT, DOWN]),
        ("U R", [UP, RIGHT]),
        ("I say <answer>Up, up -> left</answer>.", [UP, UP, LEFT]),
        ("<answer>lurd</answer>", [LEFT, UP, RIGHT, DOWN]),
        ("So be it: <answer>up", [UP]),
        ('<answer>{"actions": ["up"]}</answer>', [UP]),
        ('I choose {x}.\n{"action": "up"}', [UP]),
        ('Not {"action": "down"}, this it is:\nAction: {"note": {"n": 1}, "actions": ["up", "l"]}', [UP, LEFT]),
        ('<tool_call>\n{"name": "act", "arguments": {"actions": ["up"]}}\n</tool_call>', [UP]),
        ("<think>up or down?</think>\n\nleft", [LEFT]),
        (call('{"actions": ["up"]}'), [UP]),
        (call('{"actions": "up, left"}'), [UP, LEFT]),
        ({"role": "assistant", "content": "up", "tool_calls": []}, [UP]),
    ],
)
def test_the_lenient_form_reads_what_people_would(reply, actions):
    if actions is None:
        assert "8 actions; at most 5" in read(reply).fault
    else:
        assert read(reply) == Reply(tuple(actions), "")


@pytest.mark.parametrize(
    "reply",
    [
        "I go up",
        "The best move is up",
        "up or left",
        "up-left",
        "up/left",
        "up?",
        "not up",
        "Action: up the stairs",
        "down the road",
        "<answer>I go up</answer> up",
        '{"action": "go up"} up',
        "up\nThat is my move.",
        "<answer>up</answer> and that is all",
        'I choose {"action": "up"} because it is near',
        "<think>up",
        "  \n\n",
        "---",
        "then",
        "Action:",
        {"content": None},
        {"content": "up", "tool_calls": [{"function": {"name": "move", "arguments": "{}"}}]},
        {},
        None,
        7,
    ],
)
def test_words_of_prose_are_never_actions(reply):
    assert check(ReplyReader(MOVES, "lenient", 5), reply).actions == ()


@pytest.mark.parametrize(
    ("reply", "actions"),
    [
        ("turn_left", [0]),
        ("Turn-Right forward", [1, 2]),
        ("TurnLeft, grab", [0, 3]),
        ("turn left turn left forward", [0, 0, 2]),
        ("left", []),
        ("turn", []),
        ("turn left left", []),
        ("tr", []),
    ],
)
def test_names_of_several_words(reply, actions):
    assert read(reply, actions=WUMPUS).actions == tuple(actions)


def test_letters_are_for_the_four_directions_and_waiting_only():
    assert read("uw", actions=ACTIONS["bait"]).actions == (0, 4)
    assert not read("uw").actions
    assert not read("u", actions=("up", "down", "left", "right", "jump")).actions


def test_words_that_can_be_read_in_several_ways_need_commas():
    names = ("turn", "left", "turn left", "left turn left")
    assert "several ways" in read("turn left", actions=names).fault
    assert read("turn, left", actions=names).actions == (0, 1)
    assert read("turn left now, yes", actions=names).fault
    assert read("stand up", actions=("stand", "stand up")).actions == (1,)


def test_faults_say_what_is_wrong_and_what_is_allowed():
    assert read("jump").fault == "invalid action 'jump': allowed are up, down, left, right"
    assert read("up, up", most=1).fault == "the reply has 2 actions; at most 1 action is allowed"
    assert read("x" * 1000, "plain").fault.endswith("allowed are up, down, left, right")
    assert "</think>" in read("<think>hm").fault
    assert "<answer>" in read("up", "answer").fault
    assert "unknown tool 'move'" in read(call("{}", name="move"), "tools").fault


@pytest.mark.parametrize("form", REPLY_FORMATS)
@pytest.mark.parametrize("most", [1, 4])
@pytest.mark.parametrize("names", ACTIONS.values())
def test_the_example_in_the_instructions_is_a_valid_reply(form, most, names):
    reader = ReplyReader(names, form, most)
    how, _, example = reader.instructions.partition("For example:")
    assert all(name in how for name in names)
    reply = example.strip("\n")
    if form == "tools":
        reply = call('{"actions": ' + reply.removeprefix(" act(actions=").removesuffix(")") + "}")
    assert len(reader.read(reply).actions) == min(most, 3)


def test_only_the_form_tools_has_tools():
    (tool,) = ReplyReader(WUMPUS, "tools", 3).tools
    actions = tool["function"]["parameters"]["properties"]["actions"]
    assert tool["function"]["name"] == "act"
    assert actions["items"]["enum"] == list(WUMPUS)
    assert (actions["minItems"], actions["maxItems"]) == (1, 3)
    json.dumps(tool)
    assert all(ReplyReader(MOVES, form).tools is None for form in REPLY_FORMATS if form != "tools")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"form": "xml"}, "allowed are 'lenient'"),
        ({"most": 0}, "most=0: must be an integer from 1"),
        ({"actions": ("up", "Up")}, "must differ"),
        ({"actions": ("up, down",)}, "must be words"),
        ({"actions": ("",)}, "must be words"),
    ],
)
def test_invalid_arguments(changes, message):
    with pytest.raises(ValueError, match=message):
        ReplyReader(**{"actions": MOVES, **changes})


def test_a_reader_can_be_pickled():
    assert pickle.loads(pickle.dumps(ReplyReader(MOVES, most=2))).read("up, left").actions == (UP, LEFT)


def test_many_different_short_replies_take_no_memory():
    reader = ReplyReader(MOVES)
    for number in range(25_000):
        reader.read(f"move {number}")
    assert len(reader._cache) <= 10_000


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "{",
            '{"action":',
            '{"actions": [',
            '"action" :',
            "[",
            "(",
            "-",
            "*",
            " ",
            "\n",
            "\t",
            "up,",
            "up ",
            "u",
            "1. ",
        ),
        *("<answer>", "</answer>", "<answer>up</answer>", "<think>", "</think>", "```", "\\boxed{", "the ", "action: "),
        *('{"a":', "then ", "->", "turn ", "İ", "\x00", "\\"),
    ],
)
def test_megabytes_take_no_longer_than_their_length(piece):
    text = piece * (2_000_000 // len(piece))
    for form in REPLY_FORMATS:
        reader = ReplyReader(WUMPUS, form, 5)
        for reply in (text, text + "\nup", {"content": text}, call(text), call({"actions": [text]}), call({"x": text})):
            assert check(reader, reply) is not None  # work that grows with the square of the length would not end


def test_a_reply_is_read_once():
    reader = ReplyReader(MOVES)
    assert reader.read("up") is reader.read("up")


def test_fuzzed_replies():
    valid = run(6_000)
    assert min(valid.values()) > 50  # of every form, some are valid


TEXTS = st.text() | st.lists(
    st.sampled_from(["up", "<answer>", "</answer>", '{"action":', "}", '"', " ", "\n", ","])
).map("".join)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS | st.binary(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.sampled_from(["action", "actions", "function", "name", "text"]), inner)
    ),
    max_leaves=8,
)


@given(
    reply=TEXTS | st.fixed_dictionaries({}, optional={"content": VALUES, "tool_calls": VALUES}) | VALUES.map(str),
    form=st.sampled_from(REPLY_FORMATS),
    names=st.sampled_from(list(ACTIONS.values())),
)
def test_no_reply_raises_an_error(reply, form, names):
    check(ReplyReader(names, form, 2), reply)


@given(st.lists(st.sampled_from(WUMPUS), min_size=1, max_size=5), st.sampled_from(REPLY_FORMATS))
def test_every_form_reads_the_actions_that_were_written(actions, form):
    listed, content = ", ".join(actions), json.dumps({"actions": actions})
    reply = {
        "plain": listed,
        "answer": f"Well. <answer>{listed}</answer>",
        "json": content,
        "tools": call(content),
        "lenient": f"Well.\n{listed}",
    }[form]
    assert read(reply, form, 5, WUMPUS).actions == tuple(map(WUMPUS.index, actions))


def test_the_fault_of_a_reply_without_json_says_what_is_allowed():
    reader = ReplyReader(("up", "down"), "json")
    for reply in ("I go up", "", "```a``` ```b```"):
        assert reader.read(reply).fault.endswith("; allowed are up, down"), reader.read(reply)
