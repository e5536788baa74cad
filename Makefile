# Crosstalk: every target sets up what it needs, once.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
USABLE := $(VENV)/.usable
OLDEST := .venv-oldest
READY  := $(VENV)/.ready
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
COMPILE := $(BIN)/pip-compile --quiet --no-emit-index-url --no-emit-trusted-host --no-emit-find-links \
           --no-header --annotation-style=line --strip-extras --allow-unsafe

# Real corpora, when they lie beside the project; tests that need them say so when they skip.
ifneq ($(wildcard ../shared/data),)
export CROSSTALK_DATA ?= $(abspath ../shared/data)
endif

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-oldest lint types unit format bench reference pictures wheels lock fuzz sbom audit clean

help: ## List the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(READY) ## Make the virtual environment with everything for development

# Two steps, because using Crosstalk needs a tenth of what developing it needs.
$(USABLE): requirements/base.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Crosstalk needs Python 3.11 or later; set PYTHON=...")'
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) --require-hashes -r requirements/base.txt
	$(INSTALL) --no-deps --editable .
	@touch $(USABLE)

$(READY): $(USABLE) requirements/dev.txt
	$(INSTALL) --require-hashes -r requirements/dev.txt
	@touch $(READY)

demo: $(USABLE) ## Walk the whole path on the built-in world
	$(BIN)/crosstalk demo

test: lint types unit ## Lint, format check, strict types and all tests

lint: $(READY) ## Lint and check the format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY) ## Check types, strictly
	$(BIN)/mypy

unit: $(READY) ## Run the tests on all cores
	$(BIN)/pytest -n auto

# Tests that take minutes, need a browser or kill servers say nothing about versions that the others do not.
SLOW := $(wildcard tests/web/browser tests/reports/browser tests/test_docs.py tests/test_recipes.py tests/test_training_kill.py tests/web/test_killing.py \
        tests/web/test_power.py tests/web/test_several_servers.py)

$(OLDEST)/.ready: requirements/oldest.txt requirements/dev.txt
	$(PYTHON) -m venv $(OLDEST)
	sed -nE 's/^((axe-playwright-python|hypothesis|jsonschema|playwright|pytest|pytest-xdist|schemathesis)==[^ ]+).*/\1/p' requirements/dev.txt > $(OLDEST)/tools.txt
	$(OLDEST)/bin/python -m pip install --quiet --disable-pip-version-check -r requirements/oldest.txt -r $(OLDEST)/tools.txt
	$(OLDEST)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

# Old libraries call what newer ones of theirs deprecate; such warnings are not ours.
test-oldest: $(OLDEST)/.ready ## Run the fast tests with the oldest dependencies we allow
	$(OLDEST)/bin/pytest -n auto $(addprefix --ignore=,$(SLOW)) -W default::DeprecationWarning -W default::PendingDeprecationWarning

format: $(READY) ## Format the code and mend what lint can mend
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(READY) ## Measure speeds and figures, write benchmarks/RESULTS.md
	$(BIN)/python -m benchmarks.run

reference: $(READY) ## Write docs/reference.md from the docstrings
	$(BIN)/python -m recipes.docs.reference

pictures: $(READY) ## Make the pictures of the README anew (needs Chromium)
	$(BIN)/python -m recipes.docs.pictures

wheels: $(READY) ## Build both distributions into dist/
	$(BIN)/python -m pip install --quiet build
	$(BIN)/python -m build --wheel --outdir dist .
	$(BIN)/python -m build --wheel --outdir dist packages/crosstalk-models

lock: $(READY) ## Pin the requirements anew
	$(BIN)/python -m pip install --quiet pip-tools
	$(COMPILE) --constraint requirements/constraints.txt -o requirements/base.txt pyproject.toml
	$(COMPILE) --constraint requirements/constraints.txt --extra neural --extra postgres --extra retrieval --extra sentences --extra dev -o requirements/dev.txt pyproject.toml
	sed -i 's/+cpu//' requirements/dev.txt
	$(BIN)/python -m recipes.supply.hashes requirements/base.txt requirements/dev.txt

fuzz: $(READY) ## Give all commands and servers broken input, for minutes (INPUTS=2000 SEED=1)
	$(BIN)/python -m tests.fuzz.run --inputs $(or $(INPUTS),2000) --seed $(or $(SEED),1)
	$(BIN)/python -m tests.fuzz.run_servers --inputs $(or $(INPUTS),2000) --seed $(or $(SEED),1)

sbom: $(READY) ## Write the software bill of materials, sbom.json (CycloneDX)
	$(BIN)/python -m recipes.supply.sbom requirements/base.txt > sbom.json

# pip-audit asks a public service for known weaknesses; without it there is no answer, and that is said
# (--strict: what the service does not know counts as no answer).
audit: $(READY) ## Look for known weaknesses of the locked dependencies
	$(PYTHON) -m venv .venv-audit
	.venv-audit/bin/python -m pip install --quiet --disable-pip-version-check pip-audit
	.venv-audit/bin/pip-audit --strict --require-hashes --disable-pip -r requirements/base.txt || \
	  { echo "pip-audit found weaknesses, or its data cannot be reached from here (see above)"; exit 1; }

clean: ## Remove the virtual environment and caches
	rm -rf $(VENV) $(OLDEST) .venv-audit .mypy_cache .pytest_cache .ruff_cache .hypothesis
