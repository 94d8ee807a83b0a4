"""The lenient form: notations of plans, and doubts, of which none may lead to an action that was not meant."""

import json
import random

import pytest
from reply_fuzz import ACTIONS, call, check

from gridpuzzles_gym.text.replies import Reply, ReplyReader

MOVES, WUMPUS = ACTIONS["directions"], ACTIONS["wumpus"]
MOST = 12
UP, DOWN, LEFT, RIGHT = range(4)
SYMBOLS = dict(zip(MOVES, "↑↓←→", strict=True))


def read(reply, most=9, actions=MOVES):
    found = check(ReplyReader(actions, "lenient", most), reply)
    return [actions[action] for action in found.actions]


# -- what was read wrongly -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "meant"),
    [
        ("up 2, right 3", "up up right right right"),
        ("right 3", "right right right"),
        ("up 1", "up"),
        ("1: up, 2: left", "up left"),
        ("1 up\n2 left\n3 down", "up left down"),
        ("(1) up (2) left", "up left"),
        ("| 1 | up |\n| 2 | left |", "up left"),
        ("up, →, up", "up right up"),
        ("1. Up (push box)\n2. Left", "up left"),
        ('If I play {"action": "left"} I lose the box.\n\nup', "up"),
        ('If I play {"action": "left"} I lose the box.\nup', "up"),
        ("I could say <answer>left</answer>, but no:\nup", "up"),
        ('My plan was {"actions": ["down"]}, but that is wrong.\n\nFinal answer: up', "up"),
        ("1. up\n2. left\n\nFinal answer: down", "down"),
        ('{"action": "left"}\n\nNo, that is blocked.\n\n{"action": "up"}', "up"),
    ],
)
def test_reported_replies(reply, meant):
    assert read(reply) == meant.split()


@pytest.mark.parametrize(
    ("reply", "meant"),
    [
        # characters
        ("up。", "up"),
        ("up，left", "up left"),
        ("up、left。", "up left"),
        ("ＵＰ", "up"),
        ("up\u200b", "up"),
        ("\ufeffup", "up"),
        ("⬆️➡️", "up right"),
        ("⬆️ Up", "up"),
        ("Up (↑), Left (←)", "up left"),
        ("1️⃣ up 2️⃣ left", "up left"),
        ("①up②left", "up left"),
        # tokens and thoughts
        ("up<|im_end|>", "up"),
        ("up</s>", "up"),
        ("up<|eot_id|>\n", "up"),
        ("up<｜end▁of▁sentence｜>", "up"),
        ("Sure! <think>left?</think>up", "up"),
        ("up\n<think>left?</think>", "up"),
        ("left?</think>\nup", "up"),
        ("<thinking>left?</thinking>\n\nup", "up"),
        ("<|channel|>analysis<|message|>left?<|end|><|start|>assistant<|channel|>final<|message|>up<|return|>", "up"),
        # marks
        ("**Final Answer**\nup, left", "up left"),
        ("### Answer\n\nup", "up"),
        ("The answer is: up", "up"),
        ("The final answer is $\\boxed{\\text{up, left}}$.", "up left"),
        ("<answer>1. up\n2. left</answer>", "up left"),
        ("<answer>up, left</answer><|im_end|>", "up left"),
        ("My plan is:\n1. up\n2. left", "up left"),
        ("act(actions=['up', 'left'])", "up left"),
        ("['up', 'left']", "up left"),
        # JSON
        ("{“action”: “up”}", "up"),
        ('{"action": "up"}\n{"action": "left"}', "up left"),
        ('[{"action": "up"}, {"action": "left"}]', "up left"),
        ('{"actions": ["1. up", "2. left"]}', "up left"),
        ('{"actions": ["up x2", "left"]}', "up up left"),
        ('{\n  "actions": [\n    "up",\n    "left"\n  ]\n}', "up left"),
        (
            '<tool_call>\n{"name": "act", "arguments": {"actions": ["up"]}}\n</tool_call>\n'
            '<tool_call>\n{"name": "act", "arguments": {"actions": ["left"]}}\n</tool_call>',
            "up left",
        ),
        # counts, numbers, arrows
        ("3x right, up", "right right right up"),
        ("right ×3", "right right right"),
        ("right*3", "right right right"),
        ("right (3 times)", "right right right"),
        ("up 2, right 3.", "up up right right right"),
        ("1. right x3\n2. up", "right right right up"),
        ("Move 1: up. Move 2: left.", "up left"),
        ("0 2 1", "up left down"),
        ("↑ → ↓", "up right down"),
        ("up → left → down", "up left down"),
        ("up $\\rightarrow$ left", "up left"),
        # lines
        ("up,\nleft", "up left"),
        ("Up is blocked.\nleft", "left"),
        ("- The box is left of me.\n- I go up first.\nup", "up"),
        ("Right, so the box is above me.\nup", "up"),
        ("left\n\nWait, that is blocked.\n\nup", "up"),
    ],
)
def test_right_replies_are_read(reply, meant):
    assert read(reply) == meant.split()


@pytest.mark.parametrize(
    "reply",
    [
        # counts, or numbers of steps, or of actions
        *("1 up, 2 left", "2 up, 3 right", "up 1, left 2", "up (1)\nleft (2)\ndown (3)", "up, 2, left", "up 2 right 3"),
        *("1. up 2\n2. left 1", "up 2x left", "right3", "2: left", "1. 3\n2. 0", "1.", "up 0", "up 2. left 3.", "1.5"),
        *(
            "1. up\n1. left",
            "1. up\n3. left",
            "2. left",
            "1. up 2. 3. left",
            '["up", 2]',
            "|Action|n|\n|---|---|\n|up|2|",
        ),
        *("Up (twice)", "right (to the wall)", "Left (or right)", "up (not left)", "up ()"),
        # arrows
        *("up →", "→ up", "up → → left", "up ↓ left", "↑ → left", "2 → 3", "-> up", "up ->"),
        # parts of plans
        *("1. Up - push the box\n2. Left", "1. up\n2. go round\n3. left", "up\ngo round the box\nleft", "3x\nright"),
        *("up, left, ...", "up, left, …", "up, left, etc.", "1. up\n2. left\n...\n5. down", "up and", "and up"),
        *("Up: pushes the box\nLeft", "- up\n- push the box\n- left", "up,,left", "up\n\nleft", "up\n\nup, left"),
        *("\\boxed{up}, \\boxed{left}", "<answer>up</answer>\n<answer>left</answer>", "<answer>up</answer>\nleft"),
        *('{"action": "left"}\n\n{"action": "up"}', 'First {"action": "left"}\n{"action": "up"}'),
        "up, left\nup, left",
        # choices
        *(
            "I have two options:\n- up\n- left",
            "Possible moves:\n1. up\n2. left",
            "- up\n\nor\n\n- left",
            "up\n\nor\n\nleft",
        ),
        *("- [ ] up\n- [x] left", "1. up, left, down\n2. left, up, up", "~~left~~ up", "Action: up\nAction: left"),
        # no answer
        *('If I play {"action": "left"} I lose.', "I could play <answer>left</answer>, but", "Okay <think> left"),
        *("up<|im_end|>\n<|im_start|>user\nleft is blocked", "Wrong answer: up", "Not \\boxed{up}, I think", "up👍"),
    ],
)
def test_doubts_are_faults(reply):
    assert read(reply) == []


def test_symbols_are_for_puzzles_with_four_directions():
    assert read("forward → grab", actions=WUMPUS) == ["forward", "grab"]
    assert read("forward, →, grab", actions=WUMPUS) == []
    assert read("↑", actions=ACTIONS["bait"]) == ["up"]


def test_names_of_several_words_have_counts_and_steps():
    assert read("turn left x2, forward (3)", actions=WUMPUS) == ["turn left"] * 2 + ["forward"] * 3
    assert read("1. Turn-left\n2. forward", actions=WUMPUS) == ["turn left", "forward"]
    assert read("move 1, move 2", actions=("move 1", "move 2")) == ["move 1", "move 2"]


def test_a_call_of_the_tool_is_read_like_a_list():
    assert read(call({"actions": ["up", "2"]})) == []
    assert read(call({"actions": ["0", "2"]})) == ["up", "left"]


def test_faults_say_what_to_write():
    reader = ReplyReader(MOVES, "lenient", 5)
    for reply in ("up, →→ left", "up 1, left 2", "up\n\nleft", "Action: up\nAction: left"):
        assert "one line that has nothing but actions, separated by commas" in reader.read(reply).fault
    assert reader.read("up, 2").fault.startswith("numbers mixed with names of actions: write the name of each action")


# -- plans in all notations ----------------------------------------------------------------------------


def runs(plan):
    """A plan as pairs of a name and how often it follows itself."""
    found = []
    for name in plan:
        if found and found[-1][0] == name:
            found[-1] = name, found[-1][1] + 1
        else:
            found.append((name, 1))
    return found


NOTATIONS = {
    "commas": ", ".join,
    "lines": "\n".join,
    "spaces": " ".join,
    "arrows between": " -> ".join,
    "symbols between": " → ".join,
    "then": ", then ".join,
    "bullets": lambda plan: "\n".join(f"- {name}" for name in plan),
    "1.": lambda plan: "\n".join(f"{step}. {name}" for step, name in enumerate(plan, 1)),
    "1)": lambda plan: " ".join(f"{step}) {name}" for step, name in enumerate(plan, 1)),
    "(1)": lambda plan: " ".join(f"({step}) {name}" for step, name in enumerate(plan, 1)),
    "1:": lambda plan: ", ".join(f"{step}: {name}" for step, name in enumerate(plan, 1)),
    "Step 1:": lambda plan: "\n".join(f"**Step {step}:** {name.title()}." for step, name in enumerate(plan, 1)),
    "table": lambda plan: "\n".join(
        ["| Step | Action |", "|---|---|", *(f"| {step} | {name} |" for step, name in enumerate(plan, 1))]
    ),
    "x3": lambda plan: ", ".join(f"{name} x{count}" for name, count in runs(plan)),
    "3x": lambda plan: ", ".join(f"{count}x {name}" for name, count in runs(plan)),
    "(x3)": lambda plan: ", ".join(f"{name} (x{count})" for name, count in runs(plan)),
    "1. x3": lambda plan: "\n".join(f"{step}. {name} x{count}" for step, (name, count) in enumerate(runs(plan), 1)),
    "json": lambda plan: json.dumps({"actions": plan}),
    "json in a fence": lambda plan: f"I push.\n```json\n{json.dumps({'actions': plan}, indent=1)}\n```",
    "json lines": lambda plan: "\n".join(json.dumps({"action": name}) for name in plan),
    "answer": lambda plan: f"Well. <answer>{', '.join(plan)}</answer>",
    "boxed": lambda plan: f"Thus $\\boxed{{\\text{{{', '.join(plan)}}}}}$",
    "label": lambda plan: f"The wall is above me.\nFinal answer: {', '.join(plan)}",
    "symbols": lambda plan: "".join(SYMBOLS[name] for name in plan),
    "symbols and commas": lambda plan: ", ".join(SYMBOLS[name] for name in plan),
    "letters": lambda plan: "".join(name[0] for name in plan),
}
DIRECTIONS_ONLY = {"symbols", "symbols and commas", "letters"}
COUNTED = {"x3", "3x", "(x3)", "1. x3"}


def plans(number, seed):
    rng = random.Random(seed)
    for _ in range(number):
        names = rng.choice([MOVES, WUMPUS])
        yield rng, names, [rng.choice(names) for _ in range(rng.randint(1, 9))]


@pytest.mark.parametrize("notation", NOTATIONS)
def test_a_plan_is_read_as_it_was_written(notation):
    for _, names, plan in plans(100, seed=1):
        if names is MOVES or notation not in DIRECTIONS_ONLY:
            assert read(NOTATIONS[notation](plan), MOST, names) == plan


def corrupted(rng, text, digits):
    """A text with one error of writing that adds no action, removes none, and changes no count.

    A line break, a mark or a stray sign is put somewhere; two neighbours that are not both letters or digits are
    swapped; or one character that is not part of a word is lost. Where no number is a count, a digit may be added too.
    """
    place = rng.randrange(len(text))
    kind = rng.randrange(3)
    if kind == 0:
        signs = [*"\n\t ,;:.|*_#`\"'()[]{}<>/?&+~-=\\$", "->", "\n\n", "or", "not", "…", "👍", "</answer>", "```"]
        return text[:place] + rng.choice(signs + ["7", "1", "2. "] * digits) + text[place:]
    pair = text[place : place + 2]
    if kind == 1 and not (pair.isalnum() or "\\" in pair):
        return text[:place] + pair[::-1] + text[place + 2 :]
    if (text[place].isalnum() and not digits) or text[place].isalpha():
        return text[:place] + " " + text[place:]
    return text[:place] + text[place + 1 :]


@pytest.mark.parametrize("notation", sorted(NOTATIONS.keys() - DIRECTIONS_ONLY))
def test_a_plan_with_an_error_is_read_as_it_was_meant_or_is_a_fault(notation):
    read_right = 0
    for rng, names, plan in plans(150, seed=2):
        reply = NOTATIONS[notation](plan)
        for _ in range(4):
            wrong = corrupted(rng, reply, notation not in COUNTED)
            found = read(wrong, MOST, names)
            assert found in ([], plan), (reply, wrong, found)
            read_right += found == plan
    assert read_right > 30


def test_the_end_of_a_numbered_plan_is_not_a_plan():
    for rng, names, plan in plans(200, seed=3):
        for notation in ("1.", "1)", "(1)", "1:", "Step 1:", "table"):
            reply = NOTATIONS[notation](plan)
            cut = reply[rng.randrange(1, len(reply)) :]
            if any(map(str.isdigit, cut)):
                assert read(cut, MOST, names) in ([], plan), (notation, reply, cut)


def test_no_reply_is_read_as_another_number_of_actions_than_allowed():
    reader = ReplyReader(MOVES, "lenient", 3)
    assert reader.read("right x4").fault == "the reply has 4 actions; at most 3 actions are allowed"
    assert reader.read("right x999999").fault.startswith("the reply has over 1,000 actions")
    assert reader.read("up x3") == Reply((UP,) * 3, "")
