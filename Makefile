# `make demo` and `make test` are all the set-up there is; the rest is for those who work on Headland.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
UV     := $(BIN)/uv
STAMP  := $(VENV)/.installed

.DEFAULT_GOAL := help
.PHONY: help demo test clients assets faults long databases lint format serve bench docs lock clean

help: ## Show what can be made
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/' | expand -t 16

# A package index may be signed by a company's own authority, which the system trusts. uv is told in pyproject.toml to
# take what the system takes; pip does so from version 24.2 on, and an older one is told of the system's file, unless
# somebody has told it of another.
CERTIFICATES = import pip, ssl; old = tuple(map(int, pip.__version__.split(".")[:2])) < (24, 2); \
  print(ssl.get_default_verify_paths().cafile or "" if old else "")
TRUSTING = [ -n "$$PIP_CERT$$REQUESTS_CA_BUNDLE$$CURL_CA_BUNDLE" ] || $(BIN)/python -m pip config get global.cert >/dev/null 2>&1 \
  || export PIP_CERT="$$($(BIN)/python -c '$(CERTIFICATES)')";

# The requirement files pin every package by hash; pip fetches the installer, which fetches the rest. Compiled here,
# once: where Python may not write beside what it imports, each start would compile it all again, for a second.
$(STAMP): requirements/uv.txt requirements/build.txt requirements/dev.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Headland needs Python 3.11 or later; $(PYTHON) is $$($(PYTHON) --version 2>&1). Try: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@echo "Setting up $(VENV) (the first time fetches Spark and a Java runtime, about 700 MB) ..."
	@$(PYTHON) -m venv --clear $(VENV)
	@$(TRUSTING) $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/uv.txt
	@$(UV) pip sync --quiet --compile-bytecode --python $(BIN)/python --require-hashes --build-constraints requirements/build.txt requirements/dev.txt requirements/uv.txt
	@$(UV) pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m compileall -q src
	@touch $@

demo: $(STAMP) ## Run the main job end to end on this machine and print what happened
	@$(BIN)/python examples/demo.py

test: $(STAMP) ## Run the tests, real Spark included, several at a time
	@$(BIN)/python -m pytest -n auto

clients: $(STAMP) ## Install the public clients that tests/clients runs
	@UV=$(CURDIR)/$(UV) PYTHON=$(CURDIR)/$(BIN)/python tests/clients/livy/install
	@UV=$(CURDIR)/$(UV) PYTHON=$(CURDIR)/$(BIN)/python tests/clients/identity/install
	@UV=$(CURDIR)/$(UV) PYTHON=$(CURDIR)/$(BIN)/python tests/clients/arm/install
	@UV=$(CURDIR)/$(UV) PYTHON=$(CURDIR)/$(BIN)/python tests/clients/farm/install

assets: ## Bring what the portal's pages need from npm, into src/headland/portal/built
	@src/headland/portal/build

faults: $(STAMP) ## Run the long fault suite: 240 blows at random moments, some 20 minutes
	@FAULT_ROUNDS=$${FAULT_ROUNDS:-240} $(BIN)/python -m pytest tests/faults -s -m ""

long: $(STAMP) ## Run what is left out of `make test`
	@$(BIN)/python -m pytest -m long
	@SCHEMATHESIS_EXAMPLES=30 $(BIN)/python -m pytest tests/clients/farm/test_descriptions.py

databases: $(STAMP) ## Run on SQLite and on PostgreSQL what CI runs on one of them, too
	@EVERY_DATABASE=1 $(BIN)/python -m pytest -n auto tests/unit/database tests/unit/farm tests/unit/jobs tests/service

lint: $(STAMP) ## Check style, types and the direction of imports
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache

format: $(STAMP) ## Rewrite the code in the house's format
	@$(BIN)/ruff check --fix-only --quiet .
	@$(BIN)/ruff format .

serve: $(STAMP) ## Start Headland on this machine
	@$(BIN)/headland serve

bench: $(STAMP) ## Measure, beside a yardstick in the same run; writes benchmarks/results.json
	@UV=$(CURDIR)/$(UV) PYTHON=$(CURDIR)/$(BIN)/python benchmarks/install
	@$(BIN)/python -m benchmarks

docs: $(STAMP) ## Write the generated pages of docs/ anew
	@$(BIN)/python docs/generate.py

COMPILE = $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --upgrade --custom-compile-command "make lock"

# The Python SDKs that tests/clients/arm runs.
ARM = 'azure-identity>=1.27' 'azure-mgmt-resource>=26' azure-mgmt-resource-subscriptions \
  'azure-mgmt-authorization==4.0.0' azure-mgmt-agrifood azure-mgmt-marketplaceordering 'azure-agrifood-farming>=1.0.0b2'

lock: $(STAMP) ## Pin the newest packages that pyproject.toml allows
	@echo uv | $(COMPILE) -o requirements/uv.txt -
	@echo setuptools | $(COMPILE) -o requirements/build.txt -
	@$(COMPILE) -c requirements/uv.txt -o requirements/runtime.txt pyproject.toml
	@printf 'hatchling\neditables\n' | $(COMPILE) -c requirements/runtime.txt --group dev -o requirements/dev.txt pyproject.toml -
	@echo 'apache-airflow-providers-apache-livy>=4.6.4' | $(COMPILE) -o tests/clients/livy/airflow.txt -
	@echo 'dbt-spark-livy>=1.3.1' | $(COMPILE) --override tests/clients/livy/without-kerberos.txt \
	  --override tests/clients/livy/dbt-overrides.txt -o tests/clients/livy/dbt.txt -
	@echo 'livy>=0.8' | $(COMPILE) -o tests/clients/livy/pylivy.txt -
	@printf 'sparkmagic>=0.23\nnbclient\nipykernel<7\nsetuptools\n' \
	  | $(COMPILE) --override tests/clients/livy/without-kerberos.txt -o tests/clients/livy/sparkmagic.txt -
	@printf 'azure-identity>=1.20\naiohttp>=3.13\n' | $(COMPILE) -o tests/clients/identity/azure.txt -
	@printf '%s\n' $(ARM) | $(COMPILE) --prerelease=allow -o tests/clients/arm/python.txt -
	@printf 'azure-agrifood-farming>=1.0.0b2\nazure-identity>=1.25\naiohttp>=3.13\n' | $(COMPILE) -o tests/clients/farm/python.txt -
	@echo 'schemathesis>=4' | $(COMPILE) -o tests/clients/farm/schemathesis.txt -
	@printf 'tipg\nuvicorn[standard]\n' | $(COMPILE) -o benchmarks/tipg.txt -

clean: ## Remove the environments and what the demo left
	rm -rf $(VENV) .demo benchmarks/.environments tests/clients/*/.environments tests/clients/*/javascript/node_modules \
	  src/headland/portal/built src/headland/portal/node_modules tests/browser/node_modules
