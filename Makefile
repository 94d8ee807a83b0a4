# `make demo` and `make test` are all the set-up there is; both make .venv and install what is missing.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/installed
RUNS := runs/demo
TYPES := build/types/gridpuzzles_gym

.PHONY: demo test lint types format benchmark images install clean

install: $(STAMP)

# pip resolves against constraints.txt; torch is named first, so that its CPU build is taken.
$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt torch==2.13.0
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[train,dev]"
	touch $(STAMP)

demo: $(STAMP)  ## Two to three minutes of PPO on Wumpus World, then the comparison and a film of each agent
	$(BIN)/python -m gridpuzzles_gym.app.demo --out $(RUNS)

test: $(STAMP)  ## All tests, side by side on all cores
	SDL_VIDEODRIVER=dummy $(BIN)/python -m pytest -n auto --dist loadgroup

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(MAKE) types

types: $(STAMP)  ## mypy on the package as it is installed: src, agents and levels together
	rm -rf $(TYPES) && mkdir -p $(TYPES)
	ln -s $(CURDIR)/src/gridpuzzles_gym/* $(CURDIR)/agents $(CURDIR)/levels $(TYPES)
	$(BIN)/mypy

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

benchmark: $(STAMP)  ## The speed tables of the README
	$(BIN)/python benchmarks/stepping.py
	$(BIN)/python benchmarks/searching.py

images: $(STAMP)  ## The pictures under docs/images
	$(BIN)/python docs/make_images.py

clean:
	rm -rf $(VENV) build dist *.egg-info src/*.egg-info runs
