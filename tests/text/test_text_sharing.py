"""Sessions that share conversations: replies together, ends, errors; and the server's command without its library."""

import asyncio
import sys

import pytest
from helpers import run_async

from gridpuzzles_gym.text.adapters import openenv_server
from gridpuzzles_gym.text.adapters.shared_conversations import SharedConversations
from gridpuzzles_gym.text.conversation import Conversation
from gridpuzzles_gym.text.conversations import Conversations

ROW = "#######\n#@  $.#\n#######\n"
"""Three moves to the right solve it."""


class Counting(Conversations):
    """Conversations that count their calls."""

    calls = 0

    def reply(self, replies):
        self.calls += 1
        return super().reply(replies)


def test_replies_of_the_same_moment_are_one_call():
    conversations = Counting("EightPuzzle-v0", 8)
    shared = SharedConversations(conversations)
    indices = [shared.borrow() for _ in range(8)]
    for index in indices:
        shared.start(index, index, None)

    async def reply():
        return await asyncio.gather(*(shared.reply_soon(index, "up") for index in indices))

    turns = run_async(reply())
    assert conversations.calls == 1
    for index, turn in zip(indices, turns, strict=True):
        alone = Conversation("EightPuzzle-v0")
        alone.start(seed=index)
        assert turn == alone.reply("up")
    with pytest.raises(ValueError, match="all 8 conversations are in use; try again later"):
        shared.borrow()
    shared.give_back(3)
    assert shared.borrow() == 3


def test_a_session_that_is_over_or_gone_harms_no_other():
    shared = SharedConversations(Conversations("Sokoban-v0", 4, levels=ROW))
    for index in range(3):
        shared.start(index, None, None)
    for _ in range(3):
        over = shared.reply(0, "right")
    assert over.done

    async def reply():
        tasks = [asyncio.create_task(shared.reply_soon(index, "right")) for index in range(4)]
        await asyncio.sleep(0)
        tasks[1].cancel()
        return await asyncio.gather(*tasks, return_exceptions=True)

    late, gone, well, early = run_async(reply())
    assert "conversation 0 is over" in str(late)
    assert isinstance(gone, asyncio.CancelledError)
    assert well.info["steps"] == 1
    assert "conversation 3 has not begun" in str(early)
    assert shared.conversations.turn(1).info["steps"] == 0


def test_a_conversation_has_one_reply_at_a_time():
    shared = SharedConversations(Conversations("Sokoban-v0", 1, levels=ROW))
    shared.start(0, None, None)

    async def reply():
        return await asyncio.gather(*(shared.reply_soon(0, "right") for _ in range(2)), return_exceptions=True)

    first, second = run_async(reply())
    assert first.info["steps"] == 1
    assert isinstance(second, ValueError)
    assert "conversation 0 has a reply already" in str(second)
    assert shared.conversations.turn(0).info["steps"] == 1


def test_a_reply_is_not_performed_in_the_episode_of_another_session():
    shared = SharedConversations(Conversations("Sokoban-v0", 1, levels=ROW))
    shared.start(shared.borrow(), None, None)

    async def reply():
        task = asyncio.create_task(shared.reply_soon(0, "right"))
        await asyncio.sleep(0)
        shared.give_back(0)
        shared.start(shared.borrow(), None, None)
        return await asyncio.gather(task, return_exceptions=True)

    (late,) = run_async(reply())
    assert "the session is over" in str(late)
    assert shared.conversations.turn(0).info["steps"] == 0


def test_an_error_reaches_every_session_that_waits():
    conversations = Conversations("Sokoban-v0", 2, levels=ROW)
    shared = SharedConversations(conversations)
    conversations.start()

    def fail(replies):
        raise RuntimeError("broken")

    conversations.reply = fail

    async def reply():
        return await asyncio.gather(*(shared.reply_soon(index, "up") for index in (0, 1)), return_exceptions=True)

    assert [str(error) for error in run_async(reply())] == ["broken"] * 2


def test_the_command_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(SystemExit) as ended:
        openenv_server.main(["Sokoban-v0"])
    assert ended.value.code == 2
    assert 'uvicorn is not installed; to install it: pip install "gridpuzzles_gym[openenv]"' in capsys.readouterr().err
