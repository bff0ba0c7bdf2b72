# Every target sets up what it needs: a Python 3.11+, make, git and a package index are enough.
# PYTHON=python3.12 chooses the interpreter, ARGS="-k name" goes to pytest, JOBS=4 sets the number of test workers.

PYTHON ?= python3
JOBS ?= auto
ARGS ?=
DATA ?=
UPGRADE ?=

VENV := .venv
BIN := $(VENV)/bin
LOCKED := $(VENV)/.locked
READY := $(VENV)/.ready
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq
PYTEST := -m pytest -n $(JOBS) --dist worksteal
UV := .venv-lock/bin/uv
RANKER := .venv-ranker

.PHONY: help demo test lint format coverage audit licences bench soak api lock packaging ranker test-web conformance clean
.DELETE_ON_ERROR:

help:
	@echo "make demo         see it work, in a scratch home"
	@echo "make test         all tests, in parallel and in random order"
	@echo "make lint         ruff and mypy; make format mends the layout"
	@echo "make coverage     tests with line coverage: 90 % overall, 95 % in guard, redact, store, rules"
	@echo "make audit        licences and known vulnerabilities of what is locked"
	@echo "make bench        figures; DATA=DIR adds the retrieval sets in DIR"
	@echo "make soak         the long forms of the tests"
	@echo "make api          write docs/api.txt, docs/cli.md and the output of examples;  make licences  write THIRD_PARTY_LICENSES.md"
	@echo "make lock         compile requirements.lock; UPGRADE=--upgrade takes newer versions"
	@echo "make packaging    install the wheel from a package index into empty environments, and print sizes"
	@echo "make test-web     browser tests;  make conformance  the MCP suite (Node); UPDATE=1 takes its results"
	@echo "make ranker       train the trees that rank turns; DATA=DIR has LongMemEval; docs/ranking.md"
	@echo "make clean        remove what the other targets made"

# The lock decides what is installed, hash by hash; a changed pyproject reinstalls the project alone.
$(LOCKED): requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "tacit needs Python 3.11 or newer: make PYTHON=python3.12 …" >&2; exit 2; }
	@echo "setting up $(VENV) from requirements.lock, about a minute the first time"
	@$(PYTHON) -m venv --clear $(VENV)
	@$(PYTHON) tools/install.py `grep -c '==' requirements.lock` $(BIN)/python -m pip --disable-pip-version-check install \
		--no-compile --require-hashes -r requirements.lock
	@touch $@

$(READY): $(LOCKED) pyproject.toml
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

demo: $(READY)
	@$(BIN)/tacit demo

test: $(READY)
	@$(BIN)/python $(PYTEST) $(ARGS)

lint: $(READY)
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy

format: $(READY)
	@$(BIN)/ruff check --fix --quiet || true
	@$(BIN)/ruff format

coverage: $(READY)
	@rm -rf build/coverage && mkdir -p build/coverage
	@$(BIN)/coverage run $(PYTEST) $(ARGS)
	@$(BIN)/coverage combine --quiet
	@$(BIN)/coverage report --fail-under=90
	@for room in guard redact store '*/rules'; do \
		echo "$$room:"; \
		$(BIN)/coverage report --fail-under=95 --include="*/tacit/$$room/*" || exit 1; \
	done

audit: $(READY)
	@$(BIN)/python -P tools/licences.py check
	@$(BIN)/python -P tools/licences.py vulnerabilities

licences: $(READY)
	@$(BIN)/python -P tools/licences.py write

bench: $(READY)
	@$(BIN)/tacit bench store
	@$(BIN)/tacit bench cli
	@$(BIN)/tacit bench hooks
	@$(BIN)/tacit bench mcp
	@$(BIN)/python -m tests.bench replay
	@$(BIN)/python -m tests.bench memdir
	@$(BIN)/python -m tests.bench share
	@$(BIN)/python -m tests.bench web
	@$(BIN)/python -m tests.redteam $(if $(DATA),--data "$(DATA)/poison")
	@if [ -n "$(DATA)" ]; then for what in guard redact sessions; do $(BIN)/tacit bench $$what --data "$(DATA)"; done; \
	$(BIN)/tacit bench retrieval --data "$(DATA)/retrieval"; \
	else echo "guard, redact, sessions, retrieval: left out; make bench DATA=DIR runs them on the sets in DIR"; fi

soak: $(READY)
	@$(BIN)/python $(PYTEST) -m soak --soak -o faulthandler_timeout=3600 $(ARGS)

api: $(READY)
	@mkdir -p docs
	@$(BIN)/python tools/api.py write
	@$(BIN)/python tools/commands.py write
	@$(BIN)/python tools/tour.py write
	@$(BIN)/python tools/guard_rules.py write

lock:
	@test -x $(UV) || { $(PYTHON) -m venv .venv-lock && .venv-lock/bin/python -m pip install -qq uv; }
	@$(UV) pip compile pyproject.toml --all-extras --group build --group dev --universal --python-version 3.11 \
		--generate-hashes --no-emit-index-url --no-emit-find-links --no-header --quiet $(UPGRADE) -o requirements.lock
	@$(MAKE) licences

packaging: $(READY)
	@$(BIN)/python tools/packaging.py

# Training alone needs LightGBM, so it has an environment of its own.
$(RANKER)/.ready:
	@$(PYTHON) -m venv --clear $(RANKER)
	@$(RANKER)/bin/python -m pip --disable-pip-version-check install -qq 'lightgbm==4.7.0' 'numpy==2.4.6'
	@touch $@

ranker: $(READY) $(RANKER)/.ready
	@test -n "$(DATA)" || { echo "make ranker DATA=DIR: the folder with longmemeval*.json" >&2; exit 2; }
	@$(BIN)/python tools/ranker.py features "$(DATA)" build/ranker/features.npz
	@$(RANKER)/bin/python tools/ranker.py fit build/ranker/features.npz build/ranker/trees.json build/ranker/folds.json
	@$(BIN)/python tools/ranker.py pin build/ranker/trees.json
	@echo "measure: $(BIN)/tacit bench retrieval --data \"$(DATA)\" --folds build/ranker/folds.json"

test-web: $(READY)
	@$(BIN)/python -m tests.browser $(ARGS)

conformance: $(READY)
	@$(BIN)/python -m tests.conformance $(if $(UPDATE),--write)

clean:
	rm -rf $(VENV) .venv-lock $(RANKER) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find src tests tools -name __pycache__ -type d -prune -exec rm -rf {} +
