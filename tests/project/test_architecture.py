"""The house rules of the source, read from the source: who imports whom, and how much there may be."""

import ast
import functools
import importlib.util
import re

import pytest
from helpers import REPOSITORY, SOURCE, python

import gridpuzzles_gym

AGENTS = REPOSITORY / "agents"
MOST_LINES = 61_000
"""The maximum number of lines of src and agents: it only grows with a commit that says what the lines are worth."""


def modules():
    """Dotted name → file, of everything that is installed."""
    found = {}
    for folder, prefix in ((SOURCE, "gridpuzzles_gym"), (AGENTS, "gridpuzzles_gym.agents")):
        for file in sorted(folder.rglob("*.py")):
            parts = [prefix, *file.relative_to(folder).with_suffix("").parts]
            found[".".join(part for part in parts if part != "__init__")] = file
    return found


MODULES = modules()


@functools.cache
def imports(name, everywhere=True):
    """Every dotted name that a module imports; not ``everywhere``: only when it is itself imported."""
    file = MODULES[name]
    package = name if file.name == "__init__.py" else name.rpartition(".")[0]
    found = set()
    waiting = [ast.parse(file.read_bytes())]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            base = importlib.util.resolve_name(base, package) if node.level else base
            found |= {base, *(f"{base}.{alias.name}" for alias in node.names)}
        later = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        if everywhere or not later:
            waiting.extend(ast.iter_child_nodes(node))
    return found


def within(name, package):
    return name == package or name.startswith(package + ".")


def of(package):
    return [name for name in MODULES if within(name, package)]


def puzzle_names():
    return sorted(path.name for path in (SOURCE / "puzzles").iterdir() if (path / "__init__.py").exists())


FLOORS = (
    ("engine",),
    ("puzzles",),
    ("registration",),
    ("agents",),
    ("text", "web"),
    ("play",),
    ("play.window",),
    ("cli", "notebook"),
)
"""Packages from the ground up: imports go to lower floors, or stay within one package."""


def floor(name):
    """The floor of a module, counted from the ground, and its package."""
    part = name.removeprefix("gridpuzzles_gym").lstrip(".")
    parts = [(height, part) for height, parts in enumerate(FLOORS) for part in parts]
    return next(((height, package) for height, package in reversed(parts) if within(part, package)), None)


def test_imports_run_down_only():
    """cli → play.window → play → web, text → agents → puzzles → engine, imports inside functions too."""
    for name in MODULES:
        here = floor(name)
        for target in imports(name) if here else ():
            found = floor(target) if within(target, "gridpuzzles_gym") else None
            assert found is None or found[1] == here[1] or found[0] < here[0], f"{name} imports {target}"
    found = {name.split(".")[1] for name in MODULES if "." in name}
    assert found <= {part for parts in FLOORS for part in parts} | {"_version", "__main__"}


def test_only_a_puzzles_own_folders_name_it():
    """What differs between puzzles is in their records: no module elsewhere imports one puzzle or its agents."""
    for name in MODULES:
        for puzzle in puzzle_names():
            own = [f"gridpuzzles_gym.{part}.{puzzle}" for part in ("puzzles", "agents")]
            if any(within(name, folder) for folder in own):
                continue
            found = [target for target in imports(name) if any(within(target, folder) for folder in own)]
            assert not found, f"{name} imports {found}"


def test_a_puzzle_imports_no_other_puzzle():
    for puzzle in puzzle_names():
        for name in of(f"gridpuzzles_gym.puzzles.{puzzle}"):
            for other in puzzle_names():
                foreign = [target for target in imports(name) if within(target, f"gridpuzzles_gym.puzzles.{other}")]
                assert other == puzzle or not foreign, f"{name} imports {foreign}"


def test_nothing_imports_in_a_circle():
    """Imports inside functions count. That importing a part of a package runs its ``__init__`` first does not."""
    arrows = {name: {part for part in imports(name) if part in MODULES and not within(name, part)} for name in MODULES}
    while arrows:
        free = [name for name, targets in arrows.items() if not targets & arrows.keys()]
        assert free, f"a circle among {sorted(arrows)}"
        for name in free:
            del arrows[name]


def test_puzzles_and_engine_do_not_name_the_layers_above_them():
    """Not even in a string: only docstrings refer upwards."""
    above = re.compile(r"^gridpuzzles_gym\.(agents|text|web|play|cli)\b")
    for name in (*of("gridpuzzles_gym.engine"), *of("gridpuzzles_gym.puzzles")):
        texts = [
            node.value for node in ast.walk(ast.parse(MODULES[name].read_bytes())) if isinstance(node, ast.Constant)
        ]
        found = [text for text in texts if isinstance(text, str) and above.match(text)]
        assert not found, f"{name} names {found}"


def test_the_engine_knows_no_puzzles_name():
    titles = {row.id.partition("-")[0].lower() for row in gridpuzzles_gym.ENVIRONMENTS}
    names = titles | set(puzzle_names())
    for name in of("gridpuzzles_gym.engine"):
        text = MODULES[name].read_text(encoding="utf-8").lower()
        found = [word for word in names if word in text]
        assert not found, f"{name} names {found}"


def test_agents_import_siblings_relatively():
    """Their folder is ``agents/`` in the repository and ``gridpuzzles_gym.agents`` when installed."""
    for name in of("gridpuzzles_gym.agents"):
        for node in ast.walk(ast.parse(MODULES[name].read_bytes())):
            if isinstance(node, ast.ImportFrom) and not node.level:
                assert not within(node.module, "gridpuzzles_gym.agents"), f"{name} imports {node.module}"
                assert not within(node.module, "agents"), f"{name} imports {node.module}"


def test_the_source_does_not_grow():
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES.values())
    assert lines <= MOST_LINES, "say in the commit what they are worth, and raise the number"


def test_pygame_stays_where_pictures_are_made():
    drawing = ("canvas", "drawing", "painting", "panel")
    allowed = {f"gridpuzzles_gym.engine.pictures.{part}" for part in drawing}
    for name in MODULES:
        if any(within(target, "pygame") for target in imports(name)):
            top_floor = any(within(name, f"gridpuzzles_gym.{part}") for part in ("play", "cli"))
            assert top_floor or name in allowed, f"{name} imports pygame"


def test_typer_stays_with_the_command_line():
    """What windows and other programs use too is below it."""
    assert any("typer" in imports(name) for name in of("gridpuzzles_gym.cli"))
    for name in MODULES:
        parsers = [target for target in imports(name) if target.partition(".")[0] in ("typer", "click")]
        assert within(name, "gridpuzzles_gym.cli") or not parsers, f"{name} imports {parsers}"


def test_torch_stays_with_the_training():
    heavy = ("torch", "stable_baselines3", "sb3_contrib", "tensorboard", "matplotlib", "imageio")
    for name in MODULES:
        if not within(name, "gridpuzzles_gym.agents.training"):
            found = [target for target in imports(name, everywhere=False) if target.partition(".")[0] in heavy]
            assert not found, f"{name} imports {found}"


@pytest.mark.extended
def test_importing_the_package_imports_nothing_heavy():
    code = "import sys, gridpuzzles_gym; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    loaded = python(code).split()
    assert "gymnasium" in loaded
    assert not {"numba", "pygame", "torch", "stable_baselines3", "matplotlib"} & set(loaded)


@pytest.mark.extended
def test_playing_without_pictures_imports_no_pygame():
    code = """
import sys, gymnasium as gym, gridpuzzles_gym
for id in [row.id for row in gridpuzzles_gym.ENVIRONMENTS]:
    env = gym.make(id)
    env.reset(seed=0)
    env.step(0)
print(*sorted({name.partition('.')[0] for name in sys.modules}))
"""
    loaded = python(code).split()
    assert "numba" in loaded
    assert not {"pygame", "torch"} & set(loaded)


def test_shared_code_of_tests_is_in_modules_of_its_own():
    """Importing a test file would collect its tests twice, and run its work at import."""
    tests = REPOSITORY / "tests"
    for path in tests.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        froms = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        names = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
        assert not [name for name in (*froms, *names) if name.startswith("test_")], path.name
