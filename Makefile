# Needs python3 (3.11 or newer) with venv, plus make; every target installs what it needs into .venv first.
# `make help` lists the targets. Another interpreter: make check PYTHON=/path/to/python3.13

PYTHON ?= python3
VENV ?= .venv
BUILD := build
PY := $(VENV)/bin/python
# The stamp carries the interpreter's version, so that another PYTHON gets a fresh environment.
PYTHON_VERSION := $(shell $(PYTHON) -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])' 2>/dev/null)
STAMP := $(VENV)/.installed-$(PYTHON_VERSION)
PAIR := $(BUILD)/airflow/.checked
AIRFLOW_EXCLUDE := tag=Backfill

export OLD NEW EXCLUDE MODEL_URL MODEL WINDOW TASKS
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help dev demo pair environments test test-adapters check lint types contracts offline-check wheel-check bench-compat bench-store bench-start bench-projector bench-retention bench-runs bench-walk bench-diff bench-counters bench-live bench-adapters bench-proxy bench-service bench-service-kills bench-tenancy mcp-clients bench-peers docs fuzz fuzz-http openapi lock clean version

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

version:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "needs Python 3.11 or newer, this is %s: make PYTHON=/path/to/python3.11" % sys.version.split()[0])'

$(STAMP): requirements/dev.txt pyproject.toml | version
	@echo "install: requirements/dev.txt into $(VENV) (Python $(PYTHON_VERSION), every package checked against its hash)"
	@rm -rf $(VENV)
	@$(PYTHON) -m venv $(VENV)
	@$(PY) -m pip install -qq --require-hashes -r requirements/dev.txt
	@$(PY) -m pip install -qq --no-deps --no-build-isolation -e .
	@touch $@

dev: $(STAMP) ## make the environment in .venv
	@echo "ready: $(VENV)/bin/evidence --help"

pair: $(PAIR) ## fetch the two Airflow documents of the demo, once

$(PAIR): examples/airflow/fetch.py | $(STAMP)
	@echo "fetch: the OpenAPI documents of apache-airflow-core 3.0.0 and 3.1.0, checked against their SHA-256"
	@$(PY) examples/airflow/fetch.py $(BUILD)/airflow
	@touch $@

# A rule begins at a word with `=` or with `glob:`; further words belong to it: EXCLUDE="tag=Task Instance glob:/api/v2/pools/**".
define run_demo
set -f; rule=; set --; \
for word in $$EXCLUDE; do \
  case $$word in \
    *=*|glob:*) [ -z "$$rule" ] || set -- "$$@" --exclude "$$rule"; rule=$$word;; \
    *) rule="$${rule:+$$rule }$$word";; \
  esac; \
done; \
[ -z "$$rule" ] || set -- "$$@" --exclude "$$rule"; \
echo "compare: $$OLD with $$NEW$${EXCLUDE:+, leaving out $$EXCLUDE}"; \
$(VENV)/bin/evidence --store $(BUILD)/demo-store demo "$$OLD" "$$NEW" --report $(BUILD)/compat-report.md "$$@"
endef

# Backfill is left out of the pair because it has breaking changes: its ids went from string to integer in four operations and its
# `order_by` from string to array. So the report shows an exclusion that matters, beside the same changes in scope elsewhere.
ifeq ($(OLD)$(NEW),)
demo: OLD := $(BUILD)/airflow/airflow-core-3.0.0.yaml
demo: NEW := $(BUILD)/airflow/airflow-core-3.1.0.yaml
ifndef EXCLUDE
demo: EXCLUDE := $(AIRFLOW_EXCLUDE)
endif
demo: $(PAIR)
endif
demo: $(STAMP) ## compare two API documents: the Airflow pair, or OLD=… NEW=… EXCLUDE=…
	@[ -n "$$OLD" ] && [ -n "$$NEW" ] || { echo "demo: give both OLD=FILE and NEW=FILE, or neither" >&2; exit 2; }
	@rm -rf $(BUILD)/demo-store
	@$(run_demo)

environments: $(STAMP) ## environments of frameworks, clients and the documentation, for their tests (installs them into build/)
	@echo "install: what the tests use beside our own packages; what cannot be installed is named"
	@$(PY) -m benchmarks.environments

test: environments ## run all tests
	@echo "test: pytest, warnings are errors"
	@$(PY) -m pytest -q

test-adapters: $(STAMP) ## the adapters alone, each with its framework
	@echo "test: adapters, each with its framework"
	@$(PY) -m benchmarks.environments --required adapters
	@$(PY) -m pytest -q tests/adapters

lint: $(STAMP) ## style and formatting faults
	@echo "lint: ruff"
	@$(PY) -m ruff check .

types: $(STAMP) ## mypy, strict
	@echo "types: mypy --strict"
	@$(PY) -m mypy

contracts: $(STAMP) ## directions of dependencies
	@echo "contracts: import-linter"
	@$(VENV)/bin/lint-imports --no-cache --no-logo

check: lint types contracts test ## everything a change must pass: lint, types, contracts, tests

offline-check: $(STAMP) $(PAIR) ## demo and tests again, with only the loopback interface up
	@echo "offline: the demo and the tests in a network namespace of their own"
	@$(PY) .ci/offline.py $(MAKE) --no-print-directory demo test

wheel-check: $(STAMP) ## build the wheel, install it alone elsewhere, run its demo there
	@$(PY) .ci/wheel_check.py $(BUILD)/wheel

bench-store: $(STAMP) ## the store against what it stands on (needs a corpus: CORPUS=…)
	@echo "bench: reading, taking in and keeping large documents and logs"
	@$(PY) -m benchmarks.bench_store

bench-start: $(STAMP) ## start of the command line
	@echo "bench: evidence resources as a whole process"
	@$(PY) -m benchmarks.bench_start

bench-projector: $(STAMP) ## the projector's own time and use of its budget, and against trim_messages
	@echo "bench: projections of long histories, counts, budget"
	@$(PY) -m benchmarks.bench_projector

bench-retention: $(STAMP) ## what each model input still holds, ours against other packages' context strategies (installs them into build/)
	@echo "bench: generated runs with every strategy; the whole takes about ten minutes, QUICK=1 one"
	@$(PY) -m benchmarks.bench_retention

bench-runs: $(STAMP) ## whole compat runs over large documents (needs a corpus: CORPUS=…)
	@echo "bench: compat runs over the oldest and the newest version of large documents"
	@$(PY) -m benchmarks.bench_runs

bench-compat: $(STAMP) $(PAIR) ## our report against `redocly diff` (needs Node.js)
	@echo "bench: the report's conclusions against redocly diff"
	@$(PY) -m benchmarks.bench_compat

bench-walk: $(STAMP) ## places of real documents through the store against jsonpointer (needs a corpus: CORPUS=…)
	@echo "bench: 10 000 pointers of 13 documents"
	@$(PY) -m benchmarks.walk

bench-diff: $(STAMP) $(PAIR) ## our diff against `redocly diff` (needs Node.js and a corpus: CORPUS=…)
	@echo "bench: what redocly diff cites, in the pairs of our diff"
	@$(PY) -m benchmarks.bench_diff

mcp-clients: $(STAMP) ## our MCP server with clients of other packages (installs them into build/)
	@echo "try: clients of MCP in environments of their own, over stdio and HTTP"
	@$(PY) -m benchmarks.bench_mcp_clients

bench-adapters: $(STAMP) ## what LangGraph saves with our adapter and without (installs it into build/)
	@echo "bench: checkpoints of a run of 42 model calls"
	@$(PY) -m benchmarks.bench_adapters

bench-peers: $(STAMP) ## large tool outputs in ours and in other packages (installs them into build/; needs a corpus: CORPUS=…)
	@echo "bench: reach of passages, tokens, second revisions, restarts; the whole takes about twenty minutes"
	@$(PY) -m benchmarks.bench_peers $(PEERS)

docs: version ## build the documentation site into build/site, with every link checked
	@$(PYTHON) -m benchmarks.environments --required docs
	@echo "docs: zensical, warnings are errors"
	@$(BUILD)/docs-env/bin/python .ci/docs_site.py $(BUILD)/docs $(BUILD)/site

bench-live: $(STAMP) ## a model that really reads: MODEL_URL=http://host:port/v1 MODEL=… WINDOW=… TASKS="canonical retention"
	@echo "bench: whole conversation, trim_messages and projector, by a model at $(or $(MODEL_URL),no endpoint)"
	@$(PY) -m benchmarks.bench_live

bench-proxy: $(STAMP) ## what the proxy before an MCP server adds to a call
	@echo "bench: calls directly and through evidence mcp wrap, by turns"
	@$(PY) -m benchmarks.bench_proxy

bench-service: $(STAMP) ## what the server costs: CPU time against a bare route, memory of uploads and reads
	@echo "bench: server against a bare Starlette route, batches, an upload, 1 000 reads in flight"
	@ulimit -n 4096 && $(PY) -m benchmarks.bench_service

bench-counters: $(STAMP) ## token counts against tiktoken: seen once, seen again, hostile
	@echo "bench: token counts, cuts and hostile texts"
	@$(PY) -m benchmarks.bench_counters

bench-service-kills: $(STAMP) ## 500 kills of a server under load: nothing acknowledged is lost, nothing is done twice
	@echo "bench: uploads, claims and projections while servers die"
	@$(PY) -m benchmarks.bench_service_kills

bench-tenancy: $(STAMP) ## how long answers take for what may not be seen, against what is not there
	@echo "bench: every read of what is hidden or foreign, by turns with what is absent"
	@$(PY) -m benchmarks.bench_tenancy

fuzz: $(STAMP) ## an hour of fuzzing over all readers, or READERS="json yaml" (guided by coverage where atheris is installed)
	@echo "fuzz: each reader in a process of its own"
	@$(PY) -m benchmarks.fuzz $(READERS)

openapi: $(STAMP) ## write docs/openapi.json anew after additions; where clients would break it says so and writes nothing (BREAKING=1 writes)
	@$(PY) -m tests.docs.openapi_document $(if $(BREAKING),--breaking)

fuzz-http: $(STAMP) ## thousands of requests generated from the description of HTTP: no 5xx, nothing undocumented (installs schemathesis into build/)
	@echo "fuzz: schemathesis at a served store"
	@$(PY) -m benchmarks.fuzz_http $(EXAMPLES)

lock: ## write requirements/*.txt anew (needs uv on the path)
	@sh requirements/lock.sh

clean: ## remove the environment and all that was built
	@rm -rf $(VENV) $(BUILD) dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache benchmarks/results
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
