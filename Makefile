# Each target makes what it needs from a bare clone and reuses it afterwards.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# What an installation is made from: requirements, and the version.
PROJECT := pyproject.toml src/unseen/__init__.py
# One process per core, each with single-threaded linear algebra: the matrices of tests are small.
SINGLE := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
PYTEST := -m pytest --numprocesses auto $(PYTEST_ARGS)
LOWEST := .venv-lowest

.PHONY: demo help test test-lowest coverage chaos fuzz browser lint hooks bench docs pictures release-check clean

demo: $(VENV)/.figures ## learn, recognise what was never shown, and write a page about it
	@$(BIN)/unseen demo --force

help: ## show this
	@sed -n 's/^\([a-z-]*\):.* ## \(.*\)/\1|\2/p' Makefile | awk -F'|' '{ printf "make %-15s %s\n", $$1, $$2 }'

test: $(VENV)/.test ## run the tests; PYTEST_ARGS="tests/models -k jfa" for some of them
	$(SINGLE) $(BIN)/python $(PYTEST)

# Made anew each time, for another run may have added extras.
test-lowest: ## run the tests with the lowest versions allowed; EXTRAS=hdf5,parquet for extras besides the base
	$(PYTHON) -m venv --clear $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	$(LOWEST)/bin/python scripts/lowest_versions.py "$(EXTRAS)" > $(LOWEST)/constraints.txt
	$(LOWEST)/bin/python -m pip install --quiet --constraint $(LOWEST)/constraints.txt \
		--group test-base --editable ".$(EXTRAS:%=[%])"
	$(SINGLE) $(LOWEST)/bin/python $(PYTEST)

coverage: $(VENV)/.coverage ## run the tests and show which lines they leave out; htmlcov/index.html shows where
	$(SINGLE) $(BIN)/python $(PYTEST) --cov --cov-report=term:skip-covered --cov-report=html

# Files damaged and processes killed at random, more often than the tests do, and every operation on files failing.
chaos: $(VENV)/.test ## damage files, let disks fail and kill processes at random
	$(SINGLE) UNSEEN_KILLS=20 UNSEEN_DAMAGES=2000 UNSEEN_FAULTS=1000 $(BIN)/python -m pytest -m chaos -s $(PYTEST_ARGS)

# Damaged files for every reader, many more than the tests try.
fuzz: $(VENV)/.test ## give every reader 10,000 damaged files
	$(SINGLE) UNSEEN_FUZZ=10000 $(BIN)/python $(PYTEST) tests/fuzz

# A Chromium from the npm registry, for the tests that look at pages in one (needs Node.js).
browser: $(VENV)/.test ## get a headless Chromium and look at the report, the studio and the site in it
	npm install --silent --no-save --prefix $(VENV)/browser @sparticuz/chromium
	cd $(VENV)/browser && TMPDIR=$$PWD node -e "import('@sparticuz/chromium').then(c => c.default.executablePath())"
	$(SINGLE) $(BIN)/python -m pytest -q tests/report/test_browser.py tests/studio tests/test_site.py

lint: $(VENV)/.lint ## check style, types and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

hooks: $(VENV)/.hooks ## check the same before every commit
	$(BIN)/pre-commit install

bench: $(VENV)/.test ## measure speed; BENCH_ARGS="sweep digit-pairs" for one benchmark, BENCH_ARGS=--list for their names
	$(BIN)/python -m benchmarks $(BENCH_ARGS)

# The theme would announce its successor at every build.
docs: $(VENV)/.docs ## write guides and reference as web pages, to be opened from site/index.html
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet
	@echo "site/index.html: written"

# Those of the studio are taken in the Chromium of `make browser`.
pictures: $(VENV)/.docs $(VENV)/.test ## draw the pictures of the guides again
	$(BIN)/python docs/make_pictures.py

release-check: $(VENV)/.release ## build wheel and sdist in dist/, install each in an empty environment and try it
	rm -rf dist
	$(BIN)/python -m build --outdir dist
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl
	$(BIN)/python scripts/check_release.py dist

clean: ## remove everything made here
	rm -rf $(VENV) $(LOWEST) site dist htmlcov .coverage*
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"

$(VENV)/.base: $(PROJECT) | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

# In one go with the base, and compiled only where it is run: the demo is what a newcomer waits for.
$(VENV)/.figures: $(PROJECT) | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --no-compile --editable ".[figures]"
	@touch $@ $(VENV)/.base

# The groups of pyproject.toml.
$(addprefix $(VENV)/.,test coverage docs lint hooks release): $(VENV)/.base
	$(BIN)/python -m pip install --quiet --group $(subst $(VENV)/.,,$@)
	@touch $@
