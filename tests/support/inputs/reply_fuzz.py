"""Random replies of every form: good ones, changed ones, any text, any JSON, messages with calls of tools.

As a program: ``python tests/support/run.py tests/support/inputs/reply_fuzz.py 1000000``
reads that many with every form, and
reports the time.
"""

import collections
import json
import random
import sys
import time

from gridpuzzles_gym.text.replies import REPLY_FORMATS, ReplyReader

ACTIONS = {
    "directions": ("up", "down", "left", "right"),
    "bait": ("up", "down", "left", "right", "wait"),
    "wumpus": ("turn left", "turn right", "forward", "grab", "release", "shoot", "climb"),
}
PIECES = [
    *"{}[]<>\"'`*_-#.,;:|!?()\\\n\t /=+0123456789udlrw",
    *("<answer>", "</answer>", "<think>", "</think>", "```", "```json\n", "->", " then ", " and ", "Action: "),
    *(
        '{"actions": [',
        '"action":',
        "null",
        "\\boxed{",
        "up",
        "turn_left",
        "Final answer:",
        "\x00",
        "\ud800",
        "é",
        "→",
        "‮",
    ),
]
ODD = [
    None,
    True,
    0,
    -1,
    3,
    10**30,
    1.5,
    float("nan"),
    "",
    "up",
    "u",
    [],
    {},
    ["up"],
    [["up"]],
    {"actions": ["up"]},
    b"up",
]


def good(rng, names):
    """A reply as models write it, with one to three actions, in any of the forms."""
    chosen = [rng.choice(names) for _ in range(rng.randint(1, 3))]
    listed, content = rng.choice([", ", "\n", " -> ", " "]).join(chosen), json.dumps({"actions": chosen})
    return rng.choice(
        [
            listed,
            f"I think that this is best.\n\nAction: {listed}",
            f"<think>Perhaps {chosen[0]}?</think>\n<answer>{listed}</answer>",
            content,
            f"Here it is:\n```json\n{content}\n```",
            call(content),
            f"**{listed}**",
        ]
    )


def call(arguments, name="act"):
    """An assistant message with one call."""
    function = {"name": name, "arguments": arguments}
    return {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "type": "function", "function": function}]}


def value(rng, depth=0):
    """Any JSON value, and some that are not."""
    if depth > 3 or rng.random() < 0.5:
        return rng.choice(ODD)
    if rng.random() < 0.5:
        return [value(rng, depth + 1) for _ in range(rng.randint(0, 3))]
    keys = ("action", "actions", "content", "tool_calls", "function", "name", "arguments", "text", "type", "act")
    return {rng.choice(keys): value(rng, depth + 1) for _ in range(rng.randint(0, 4))}


def changed(rng, text):
    """A text with up to four pieces removed, inserted, doubled or moved."""
    for _ in range(rng.randint(1, 4)):
        place, end = sorted(rng.randint(0, len(text)) for _ in range(2))
        text = rng.choice(
            [
                text[:place] + text[end:],
                text[:place] + rng.choice(PIECES) + text[place:],
                text[:end] + text[place:],
                text[end:] + text[:end],
                text.swapcase(),
            ]
        )
    return text


def changed_message(rng, message):
    """A message with something in it replaced."""
    message = json.loads(json.dumps(message))
    function = message["tool_calls"][0]["function"]
    place, key = rng.choice(
        [
            (function, "arguments"),
            (function, "name"),
            (message, "tool_calls"),
            (message, "content"),
            (message["tool_calls"], 0),
        ]
    )
    text = isinstance(place[key], str) and rng.random() < 0.7
    place[key] = changed(rng, place[key]) if text else value(rng)
    return message


def random_reply(rng, names):
    """A reply of any kind."""
    kind = rng.random()
    if kind < 0.6:
        reply = good(rng, names)
        if kind < 0.05:
            return reply
        return changed(rng, reply) if isinstance(reply, str) else changed_message(rng, reply)
    if kind < 0.7:
        return "".join(rng.choice(PIECES) for _ in range(rng.randint(0, 30)))
    if kind < 0.8:
        return "".join(chr(rng.randrange(0x110000)) for _ in range(rng.randint(0, 20)))
    if kind < 0.9:
        return {"role": "assistant", **{key: value(rng) for key in ("content", "tool_calls") if rng.random() < 0.8}}
    return str(value(rng)) if kind < 0.95 else json.dumps(value(rng), default=str)


def check(reader, reply):
    """Read a reply, and check what is promised of every result; returns it."""
    found = reader.read(reply)
    assert bool(found.actions) != bool(found.fault), (reply, found)
    assert len(found.actions) <= reader.most
    assert all(type(action) is int and 0 <= action < len(reader.names.names) for action in found.actions)
    assert len(found.fault) <= 200, found.fault
    assert found.fault.isprintable(), found.fault
    found.fault.encode()
    return found


def run(count, seed=0):
    """Check that many replies with every form; returns the number of valid ones by form."""
    rng = random.Random(seed)
    readers = [
        [ReplyReader(names, form, most) for form in REPLY_FORMATS] for names in ACTIONS.values() for most in (1, 3)
    ]
    valid = collections.Counter()
    for number in range(count):
        row = readers[number % len(readers)]
        reply = random_reply(rng, row[0].names.names)
        for reader in row:
            valid[reader.form] += bool(check(reader, reply).actions)
    return valid


if __name__ == "__main__":
    total, began = int(sys.argv[1]), time.perf_counter()
    print(f"valid: {dict(run(total))} of {total:,} replies, no error; {time.perf_counter() - began:.0f} s")
