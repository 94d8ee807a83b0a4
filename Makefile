# Every target that needs .venv creates it and installs what is missing; no other set-up is needed.
PYTHON ?= python3
PYTHONS ?= installed
VENV := .venv
BIN := $(VENV)/bin
DEMO := $(VENV)/installed-demo
STAMP := $(VENV)/installed
DOCS := $(VENV)/installed-docs
SITE := build/site
CHECKED := build/checked-site
RAY := .venv-ray
LLM := .venv-llm
OPENENV := .venv-openenv
RUNS := runs/demo
TYPES := build/types/gridpuzzles_gym

# Byte code is kept whatever the user's setting: each process would compile our modules again, and pytest all tests.
PYTEST := PYTHONDONTWRITEBYTECODE= SDL_VIDEODRIVER=dummy $(BIN)/python -m pytest -n auto --dist loadgroup --no-loadscope-reorder

.PHONY: demo test test-all test-ray test-llm ecosystem lint types format benchmark images web rows docs check-docs release-check install clean

install: $(STAMP)

# Versions come from constraints.txt; its torch is a CPU build. Byte code is compiled on all cores, where pip would use
# one; the few files that are not Python of this version do not matter.
$(DEMO): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --no-compile --constraint constraints.txt torch==2.13.0 --editable ".[app,media,train]"
	$(BIN)/python -m compileall -q -j 0 $(VENV)/lib src agents > $(VENV)/compileall.log || true
	touch $(DEMO)

$(STAMP): $(DEMO)
	$(BIN)/python -m pip install --quiet --no-compile --constraint constraints.txt --editable ".[app,data,llm,media,train,web,dev]"
	$(BIN)/python -m compileall -q -j 0 $(VENV)/lib > $(VENV)/compileall.log || true
	touch $(STAMP)

demo: $(DEMO)  ## Compare all agents on Wumpus World, train PPO for a minute, and record them all
	$(BIN)/python -m gridpuzzles_gym.cli.demo --out $(RUNS)

test: $(STAMP)  ## The tests to run between commits: kernels are interpreted, nothing takes seconds
	$(PYTEST) -m "not extended"

# The searches are also run with machine code, where the first tests interpret them.
test-all: $(STAMP)  ## The rest of the tests, and many more examples of each property
	$(PYTEST) -m "extended or property" --hypothesis-profile sweep
	$(PYTEST) -m "not extended" --compiled tests/search tests/sokoban

test-ray: $(RAY)/installed  ## What runs on Ray, and the contract with the oldest Gymnasium, in .venv-ray
	SDL_VIDEODRIVER=dummy $(RAY)/bin/python -m pytest tests/agents/test_ray.py tests/engine/test_contract.py

# The oldest Gymnasium that we support, which RLlib pins, is another one than in constraints.txt.
$(RAY)/installed: pyproject.toml constraints-ray.txt
	$(PYTHON) -m venv $(RAY)
	$(RAY)/bin/python -m pip install --quiet --constraint constraints-ray.txt torch==2.13.0
	$(RAY)/bin/python -m pip install --quiet --constraint constraints-ray.txt --editable ".[ray,data,train]" pytest hypothesis
	touch $(RAY)/installed

test-llm: $(LLM)/installed $(OPENENV)/installed  ## The adapters for verifiers and OpenEnv, in .venv-llm and .venv-openenv
	SDL_VIDEODRIVER=dummy $(LLM)/bin/python -m pytest tests/text/test_text_verifiers.py
	SDL_VIDEODRIVER=dummy $(OPENENV)/bin/python -m pytest tests/text/test_text_openenv.py

# Each has an environment of its own: verifiers 0.4 needs mcp 2, and OpenEnv needs fastmcp 3, which needs mcp 1.
$(LLM)/installed $(OPENENV)/installed: pyproject.toml constraints-llm.txt
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --constraint constraints-llm.txt --editable ".[$(EXTRA)]" pytest
	touch $@

$(LLM)/installed: EXTRA := verifiers
$(OPENENV)/installed: EXTRA := openenv

ecosystem: $(STAMP)  ## The examples in every library of the field, each in an environment of its own; makes docs/libraries.md
	$(BIN)/python tests/ecosystem/run.py $(LIBRARIES)

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(MAKE) types

types: $(STAMP)  ## mypy on the package as installed (src, agents and levels in one folder), and on a script that uses it
	rm -rf $(TYPES) && mkdir -p $(TYPES)
	ln -s $(CURDIR)/src/gridpuzzles_gym/* $(CURDIR)/agents $(CURDIR)/levels $(TYPES)
	$(BIN)/mypy
	$(BIN)/mypy --strict --follow-imports silent tests/support/user_script.py

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

benchmark: $(STAMP)  ## The speed tables of docs/speed.md and docs/searches.md
	$(BIN)/python benchmarks/stepping.py
	$(BIN)/python benchmarks/searching.py

web: $(STAMP)  ## The modules of the site that are older than the rules they are compiled from
	$(BIN)/python -m gridpuzzles_gym.web

rows: $(STAMP)  ## The rows of the large bundled packs, after an edit of their texts or of the rules
	$(BIN)/python -m gridpuzzles_gym.cli.pack_rows

# Pages are read again each time: with a cache, Sphinx makes no pages of the modules that a new page lists.
docs: $(DOCS)  ## The documentation as a site: pages, films, notebooks, the reference; then every link of it is checked
	rm -rf build/site-cache docs/reference/generated
	SDL_VIDEODRIVER=dummy $(BIN)/python -m sphinx -b html -d build/site-cache -j auto -W --keep-going docs $(SITE)
	$(BIN)/python -m docs.site.checking $(SITE)

check-docs: $(DOCS)  ## All docstrings, pages and links of the site, built without films and without running notebooks, from nothing: only what is read warns
	rm -rf $(CHECKED) build/check-cache docs/reference/generated
	SDL_VIDEODRIVER=dummy $(BIN)/python -m sphinx -q -b html -t check -d build/check-cache -j auto -W --keep-going docs $(CHECKED)
	$(BIN)/python -m docs.site.checking $(CHECKED)

$(DOCS): $(STAMP)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[docs]"
	touch $(DOCS)

release-check:  ## Builds the distributions into dist and tries them in empty environments; PYTHONS=all needs every Python
	$(PYTHON) tests/project/release_check.py --pythons $(PYTHONS)

images: $(STAMP)  ## The pictures in docs/images
	$(BIN)/python docs/make_images.py

clean:
	rm -rf $(VENV) $(RAY) $(LLM) $(OPENENV) .venv-ecosystem build dist *.egg-info src/*.egg-info runs docs/environments/films docs/reference/generated
