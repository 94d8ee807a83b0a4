"""Drives the app by posted key and mouse events, as a person would, without a display."""

import time
from collections.abc import Callable
from typing import Any

import pygame

from gridpuzzles_gym.play.progress import Progress
from gridpuzzles_gym.play.window.app import App

FRAME = 1 / 60


class InlineJob:
    """Work in this process, an update a poll: no process is started, and the kernels are interpreted."""

    def __init__(self, work: Callable[[Any], Any], item: Any) -> None:
        self._updates = work(item)
        self.done, self.error = False, ""

    def poll(self) -> list[Any]:
        """The next update."""
        if self.done:
            return []
        try:
            return [next(self._updates)]
        except StopIteration:
            pass
        except Exception as error:
            self.error = " ".join(str(error).split())
        self.done = True
        return []

    def stop(self) -> None:
        """Nothing runs between two polls."""

    def cancel(self) -> None:
        """End it."""
        self.done = True


def run_jobs_inline(patch: Any) -> None:
    """Let all jobs of the app run in this process."""
    from gridpuzzles_gym.play import advice, level_maker, playback
    from gridpuzzles_gym.play.window import editor

    for module in (advice, level_maker, playback, editor):
        patch.setattr(module, "Job", InlineJob)
    patch.setattr(advice, "report", lambda update: None)


def until(condition: Callable[[], object], tick: Callable[[], object], seconds: float = 60.0) -> None:
    """Let time pass until something is so; fail if it never is."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never happens"
        tick()
        time.sleep(0.01)


class Driver:
    """The app in an invisible window.

    Args:
        folder: Where progress is kept.
        size: The window's size.
        teaches: Whether the rules are shown before the first game of a puzzle.
    """

    def __init__(self, folder: Any, size: tuple[int, int] = (1280, 800), teaches: bool = False) -> None:
        pygame.display.init()
        pygame.event.clear()
        self.app = App(Progress(folder), size)
        self.app.teaches = teaches

    @property
    def top(self) -> Any:
        """The screen that has the keyboard."""
        return self.app.top

    @property
    def name(self) -> str:
        """The name of its class."""
        return type(self.top).__name__

    def post(self, *events: pygame.event.Event) -> None:
        """Post events one by one, each with a frame."""
        for event in events:
            pygame.event.post(event)
            if self.app.stack:
                self.app.frame(pygame.event.get(), FRAME)

    def settle(self, seconds: float = 60) -> None:
        """Let time pass until nothing moves and nobody waits: movements quickly, jobs as long as they take."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if not self.app.stack or not (self.top.dirty or self.top.moving or self.top.waiting):
                return
            if not (self.top.dirty or self.top.moving):
                time.sleep(0.001)
            self.app.frame(pygame.event.get(), FRAME)
        raise AssertionError(f"{self.name} never comes to rest")

    def resize(self, size: tuple[int, int]) -> None:
        """Give the window another size, as its border is dragged."""
        pygame.display.set_mode(size, pygame.RESIZABLE)
        self.post(pygame.event.Event(pygame.VIDEORESIZE, size=size, w=size[0], h=size[1]))

    def press(self, *names: str, mod: int = 0) -> None:
        """Press keys by pygame's names, with modifiers; each is settled."""
        for name in names:
            key = pygame.key.key_code(name)
            text = name if len(name) == 1 else ""
            self.post(
                pygame.event.Event(pygame.KEYDOWN, key=key, mod=mod, unicode=text, scancode=0),
                pygame.event.Event(pygame.KEYUP, key=key, mod=0, unicode="", scancode=0),
            )
            self.settle()

    def move(self, point: tuple[int, int], *, pressed: bool = False) -> None:
        """Move the mouse."""
        pygame.mouse.set_pos(point)
        self.post(pygame.event.Event(pygame.MOUSEMOTION, pos=point, rel=(0, 0), buttons=(int(pressed), 0, 0)))

    def click(self, point: tuple[int, int], button: int = 1) -> None:
        """Click at a point."""
        self.drag(point, point, button)

    def drag(self, start: tuple[int, int], end: tuple[int, int], button: int = 1) -> None:
        """Press the button at one point and release it at another."""
        self.move(start)
        self.post(pygame.event.Event(pygame.MOUSEBUTTONDOWN, pos=start, button=button))
        if start != end:
            self.move(end, pressed=True)
        self.post(pygame.event.Event(pygame.MOUSEBUTTONUP, pos=end, button=button))
        self.settle()

    def choose(self, label: str) -> None:
        """Move the keyboard's choice to the button whose label begins with this text by Tab, and press Enter."""
        for _ in range(200):
            self.press("tab")
            spot = self.top.focus.spot(self.top.spots())
            button = next((each for each in self.buttons() if each.rect == spot.rect), None)
            if button is not None and button.label.startswith(label):
                self.press("return")
                return
        raise AssertionError(f"{label!r} on {self.name} is not reached by Tab")

    def push(self, label: str) -> None:
        """Click the button whose label begins with this text."""
        found = [element for element in self.buttons() if element.label.startswith(label)]
        assert found, f"no button {label!r} on {self.name}; there are {self.labels()}"
        self.click(found[0].get_abs_rect().center)

    def pick(self, menu: str, label: str) -> None:
        """Open the menu that shows this text, and click an entry."""
        self.push(menu)
        assert self.name == "MenuScreen"
        self.push(label)

    def buttons(self) -> list[Any]:
        """The buttons of the top screen."""
        elements = self.top.ui.get_root_container().elements
        return [each for each in elements if hasattr(each, "label") and each.is_enabled]

    def labels(self) -> list[str]:
        """Their labels."""
        return [each.label for each in self.buttons()]

    def square(self, row: int, column: int) -> tuple[int, int]:
        """The middle of a square of the board, in the window."""
        return tuple(self.top.view.square(row, column).center)
