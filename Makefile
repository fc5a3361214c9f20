# `make` alone prints what there is to do. The first target that needs it sets everything up.

VENV := .venv
BIN := $(CURDIR)/$(VENV)/bin
# The python3 of the system, also for someone who has activated .venv.
PYTHON ?= $(shell PATH="$(subst $(BIN):,,$(PATH))" command -v python3)
UV := .tools/bin/uv
READY := $(VENV)/.ready
NODE_TOOLS := tools/node/node_modules/.ready
NODE_PEERS := tests/conformance/node/node_modules/.ready
PYTHON_PEER := .cache/bench/python-bullmq/.ready
# The newest redis-py is in .venv, and valkey-py beside it.
OLD_CLIENTS := redis-6 redis-7
CLIENT_TESTS := tests/unit/connection tests/integration/connection \
	tests/integration/toolkit/_async tests/integration/toolkit/test_sharing.py \
	tests/integration/toolkit/locks/_async tests/integration/toolkit/cache/_async \
	tests/integration/bullmq/_async/test_jobs.py tests/integration/bullmq/_async/test_results.py
WORKERS ?= 2

# Tools of the environment first; certificates from the system; one toolchain: the one given.
export PATH := $(BIN):$(PATH)
export UV_SYSTEM_CERTS := 1
export UV_PYTHON_DOWNLOADS := never
export NODE_USE_SYSTEM_CA := 1

MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

.PHONY: help
help: ## Print this list
	@awk -F ':.*## ' '/^##@/ {printf "\n%s\n", substr($$0, 5)} \
		/^[a-z\/]+:.*## / {printf "  %-20s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

##@ Every day

.PHONY: setup
setup: $(READY) $(NODE_TOOLS) ## Install everything into .venv, from the locks
	@:

.PHONY: demo
demo: $(READY) ## Watch jobs flow through an embedded server
	$(BIN)/toril demo

.PHONY: check
check: setup ## All that can be known without running tests; under a minute
	@$(MAKE) --keep-going --jobs=2 --output-sync=target $(CHECKS)
	@echo "check: all good"

.PHONY: test
test: $(READY) ## Unit, architecture, Lua and integration tests
	$(BIN)/pytest -n $(WORKERS) --dist worksteal $(ARGS) --ignore=tests/conformance

.PHONY: test/unit
test/unit: $(READY) ## Tests that need no server
	$(BIN)/pytest -n $(WORKERS) --dist worksteal $(ARGS) tests/unit tests/architecture

.PHONY: test/lua
test/lua: $(READY) ## Every script alone: jail and slots
	$(BIN)/pytest -n $(WORKERS) --dist worksteal $(ARGS) tests/lua

.PHONY: test/integration
test/integration: $(READY) ## The public API against real servers
	$(BIN)/pytest -n $(WORKERS) --dist worksteal $(ARGS) tests/integration tests/contracts

.PHONY: test/clients
test/clients: test/clients/old ## What meets redis-py, with each of its supported majors
	$(BIN)/pytest -n $(WORKERS) --dist worksteal -q $(ARGS) $(CLIENT_TESTS)

.PHONY: test/clients/old
test/clients/old: $(READY) $(OLD_CLIENTS:%=.cache/clients/%/.ready) ## The same with all but the newest
	@for python in $(OLD_CLIENTS:%=.cache/clients/%/bin/python); do \
		$$python -c 'import redis; print("redis-py", redis.__version__)' && \
		$$python -m pytest -n $(WORKERS) --dist worksteal -q $(ARGS) $(CLIENT_TESTS) || exit 1; \
	done

.PHONY: toolkit/long
toolkit/long: $(READY) ## What tests of the toolkit try in seconds, tried for minutes
	$(BIN)/pytest -m long $(ARGS) tests/integration/toolkit tests/property

.PHONY: conformance
conformance: $(READY) $(NODE_PEERS) ## The same scenarios through Node BullMQ and through toril
	$(BIN)/python tests/conformance/run.py $(ARGS)

.PHONY: conformance/random
conformance/random: $(READY) $(NODE_PEERS) ## 100 random histories through both, compared after every step
	$(BIN)/python tests/conformance/random_run.py --seed 1 $(ARGS)

.PHONY: conformance/long
conformance/long: $(READY) $(NODE_PEERS) ## 1,000 random histories that nobody has played before
	$(BIN)/python tests/conformance/random_run.py --sequences 1000 $(ARGS)

.PHONY: bench
bench: $(READY) $(NODE_PEERS) $(PYTHON_PEER) ## toril beside Node BullMQ on the same server; under 10 minutes
	$(BIN)/python -m benchmarks.run $(ARGS)

.PHONY: bench/smoke
bench/smoke: $(READY) $(NODE_PEERS) $(PYTHON_PEER) ## Whether every benchmark runs, once and small
	$(BIN)/python -m benchmarks.run --smoke $(ARGS)

.PHONY: chaos
chaos: $(READY) $(NODE_PEERS) ## Break a queue under load in every way we know; ARGS="-k S10 --seed 7" plays one
	$(BIN)/python -m tests.chaos.run $(ARGS)

.PHONY: chaos/short
chaos/short: $(READY) $(NODE_PEERS) ## The telling ways, in a few minutes
	$(BIN)/python -m tests.chaos.run --short $(ARGS)

##@ Checks, one by one

CHECKS := check/types check/lua check/lint check/format check/layers check/budgets \
	check/generated check/hygiene check/spelling

.PHONY: check/lint
check/lint: $(READY) ## ruff, with every rule on
	@$(BIN)/ruff check --quiet

.PHONY: check/format
check/format: $(READY) ## Formatting of Python
	@$(BIN)/ruff format --quiet --check

.PHONY: check/types
check/types: $(READY) ## mypy, strict
	@$(BIN)/mypy --no-error-summary

.PHONY: check/layers
check/layers: $(READY) ## Who may import whom
	@$(BIN)/lint-imports --no-logo --cache-dir .cache/import-linter

.PHONY: check/budgets
check/budgets: $(READY) ## Sizes of files, functions, classes and scripts
	@$(BIN)/python -m tools.check_budgets

.PHONY: check/lua
check/lua: $(READY) $(NODE_TOOLS) ## stylua, luacheck, headers, Lua 5.1 and 5.4
	@$(BIN)/python -m tools.check_lua

.PHONY: check/generated
check/generated: $(READY) ## Generated code and pages are what their tools write
	@$(BIN)/python -m tools.generate_sync --check
	@$(BIN)/python -m tools.reference_pages --check

.PHONY: check/hygiene
check/hygiene: $(READY) ## No paths of a machine, no registry hosts, locks in step
	@$(BIN)/python -m tools.check_hygiene

.PHONY: check/spelling
check/spelling: $(READY) ## codespell
	@$(BIN)/codespell

##@ Writing

.PHONY: format
format: setup ## Format Python and Lua, and fix what ruff can fix
	@$(BIN)/ruff check --quiet --fix-only
	@$(BIN)/ruff format --quiet
	@$(BIN)/python -m tools.check_lua --format

.PHONY: sync
sync: $(READY) ## Write every _sync room from its _async twin
	@$(BIN)/python -m tools.generate_sync

.PHONY: pages
pages: $(READY) ## Write the reference pages that the code knows: API, errors, events
	@$(BIN)/python -m tools.reference_pages

.PHONY: lua
lua: $(READY) ## Assemble every script into .cache/lua, to be read
	@$(BIN)/python -m tools.check_lua --assemble

.PHONY: new/operation
new/operation: $(READY) ## product=bullmq moment=finish verb=complete
	@$(BIN)/python -m tools.new_operation $(product) $(moment) $(verb)

.PHONY: lock
lock: $(UV) ## Write the locks again from pyproject.toml (ARGS=--upgrade for newer versions)
	@$(COMPILE) requirements/bootstrap.in --output-file requirements/bootstrap.txt
	@$(COMPILE) requirements/bench.in --output-file requirements/bench.txt
	@for client in $(OLD_CLIENTS); do \
		$(COMPILE) requirements/$$client.in --output-file requirements/$$client.txt || exit 1; \
	done
	@$(COMPILE) pyproject.toml --all-extras --output-file requirements/runtime.txt
	@$(COMPILE) pyproject.toml --all-extras --group dev \
		--constraint requirements/runtime.txt --output-file requirements/dev.txt

.PHONY: wheel
wheel: $(READY) ## Build the wheel into dist/
	@$(UV) build --quiet --wheel --no-build-isolation --python $(BIN)/python --out-dir dist

.PHONY: clean
clean: ## Remove all that setup and checks have made
	@rm -rf $(VENV) .tools .cache dist .hypothesis
	@find . -name node_modules -prune -exec rm -rf {} +
	@find . -name __pycache__ -prune -exec rm -rf {} +

# How the things above come to be.

COMPILE = $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--custom-compile-command "make lock" $(ARGS)

$(UV): requirements/bootstrap.txt
	@echo "setup: uv"
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("toril needs Python 3.11: make PYTHON=python3.11")'
	@$(PYTHON) -m pip install --quiet --quiet --disable-pip-version-check --upgrade \
		--require-hashes --target .tools --requirement $<
	@touch $@

$(READY): requirements/dev.txt pyproject.toml $(UV)
	@echo "setup: Python environment in $(VENV)"
	@test -x $(BIN)/python || $(UV) venv --quiet --python $(PYTHON) $(VENV)
	@$(UV) pip install --quiet --python $(BIN)/python --require-hashes --requirement $<
	@$(UV) pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@touch $@

$(PYTHON_PEER): requirements/bench.txt $(UV)
	@echo "setup: the Python peer of the benchmarks"
	@test -x $(@D)/bin/python || $(UV) venv --quiet --python $(PYTHON) $(@D)
	@$(UV) pip install --quiet --python $(@D)/bin/python --require-hashes --requirement $<
	@touch $@

.cache/clients/%/.ready: requirements/%.txt $(READY)
	@echo "setup: an environment with $*"
	@test -x $(@D)/bin/python || $(UV) venv --quiet --python $(PYTHON) $(@D)
	@$(UV) pip install --quiet --python $(@D)/bin/python --require-hashes --requirement requirements/dev.txt
	@$(UV) pip install --quiet --python $(@D)/bin/python --no-deps --require-hashes --requirement $<
	@$(UV) pip install --quiet --python $(@D)/bin/python --no-deps --no-build-isolation --editable .
	@touch $@

%/node_modules/.ready: %/package-lock.json %/package.json | $(READY)
	@echo "setup: packages of $*"
	@$(BIN)/npm ci --loglevel=error --no-progress --prefix $*
	@touch $@
