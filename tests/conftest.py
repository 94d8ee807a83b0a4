"""Run the tests without a display or a sound card, and let them import their helpers by name."""

import os
import sys
from pathlib import Path

import pytest

os.environ["SDL_VIDEODRIVER"] = "dummy"
os.environ["SDL_AUDIODRIVER"] = "dummy"
os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")

_HERE = str(Path(__file__).parent)
if _HERE not in sys.path:
    sys.path.insert(0, _HERE)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Slow tests begin first, so that no core waits for them at the end."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)
