"""What is public: the pages of the reference list it, and pages, examples and notebooks use nothing else."""

import importlib
import inspect
import json
import re
import sys
from importlib.util import find_spec

from helpers import REPOSITORY, SOURCE

if str(REPOSITORY) not in sys.path:
    sys.path.append(str(REPOSITORY))

from docs.site.environment_pages import REFERENCE, puzzles
from docs.site.reference import public_modules, puzzle_modules, puzzles_page

GENERAL = list(public_modules("gridpuzzles_gym"))
OF_PUZZLES = [name for puzzle in puzzles() for name in puzzle_modules(puzzle)]
PACKAGES = {name.rpartition(".")[0] for name in (*GENERAL, *OF_PUZZLES)} - {""}
PACKAGES |= {name for name in (*GENERAL, *OF_PUZZLES) if find_spec(name).submodule_search_locations}
PUBLIC = {*GENERAL, *OF_PUZZLES, *PACKAGES}
USERS = [REPOSITORY / "README.md", *(REPOSITORY / "levels").glob("*.md"), *(REPOSITORY / "docs").rglob("*.md")]
USERS += [*(REPOSITORY / "docs").rglob("*.ipynb"), *(REPOSITORY / "examples").rglob("*.py")]
USERS += (REPOSITORY / "examples").rglob("*.md")
USERS = [path for path in USERS if path.parent != REFERENCE.parent and "generated" not in path.parts]


def listed(page):
    """The modules that a page of the reference lists."""
    return re.findall(r"^   (gridpuzzles_gym[\w.]*)$", page, re.M)


def test_the_reference_lists_each_public_module_once_and_no_other():
    pages = [path.read_text() for path in REFERENCE.parent.glob("*.md") if path != REFERENCE]
    assert sorted(name for page in pages for name in listed(page)) == sorted(GENERAL)
    assert listed(puzzles_page(puzzles())) == OF_PUZZLES


def test_all_that_a_package_lists_exists():
    for package in sorted(PACKAGES):
        module = importlib.import_module(package)
        missing = [name for name in module.__all__ if not find_spec(f"{package}.{name}") and not hasattr(module, name)]
        assert not missing, package


def test_each_other_package_says_that_it_is_private():
    for folder, prefix in ((SOURCE, "gridpuzzles_gym"), (REPOSITORY / "agents", "gridpuzzles_gym.agents")):
        for file in folder.rglob("__init__.py"):
            name = ".".join([prefix, *file.parent.relative_to(folder).parts])
            first = file.read_text(encoding="utf-8").partition("\n")[0]
            inside = name.rpartition(".")[0] not in {*PACKAGES, ""}
            assert name in PACKAGES or inside or first.rstrip('"').endswith(" Private."), name
            assert name not in PACKAGES or "Private." not in first, name


def is_own(value, module):
    """Whether a module has this value from nowhere else."""
    if inspect.isclass(value) or inspect.isroutine(value):
        return value.__module__ == module
    return not inspect.ismodule(value)


def names_of(module):
    """The public names of a module; None where its library is not installed."""
    try:
        values = vars(importlib.import_module(module))
    except ModuleNotFoundError:
        return None
    own = [name for name, value in values.items() if not name.startswith("_") and is_own(value, module)]
    return [*values.get("__all__", own), *values.get("_LAZY", ())]


def is_public(address):
    """Whether a module, a name in it, or what is in that, is public."""
    module, names = address, []
    while module not in PUBLIC:
        module, _, name = module.rpartition(".")
        names.append(name)
    public = names_of(module) if names else None
    return public is None or names[-1] in public


def addresses(path):
    """What a file imports from the package, and what else of it the file names, except commands for developers."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        text = "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])
    for module, names in re.findall(r"from (gridpuzzles_gym[\w.]*) import (\([^)]*\)|[^\n]*)", text):
        plain = re.sub(r"#.*| as \w+|\.\.\. ", "", names)
        yield from (f"{module}.{name}" for name in re.findall(r"\w+", plain))
    yield from re.findall(r"(?<![\w/])(?<!-m )gridpuzzles_gym(?:\.\w+)+", text)


def test_pages_examples_and_notebooks_use_what_is_public():
    assert [(path.name, name) for path in USERS for name in addresses(path) if not is_public(name)] == []


def test_what_is_private_is_noticed():
    assert is_public("gridpuzzles_gym.agents.search.problem.Problem.of")
    assert is_public("gridpuzzles_gym.engine.compile")
    assert not is_public("gridpuzzles_gym.engine.compile.kernel_cache")
    assert not is_public("gridpuzzles_gym.engine.compile.compilation.Function")
    assert not is_public("gridpuzzles_gym.agents.search.problem.Puzzle")
    assert not is_public("gridpuzzles_gym.play.arguments.environment")
