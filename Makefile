# Benchcard. `make run` serves it, `make test` proves it; both need only python3 (3.11 or later).
PYTHON ?= python3
BIN := .venv/bin
export PORT ?= 8000

.PHONY: help run runner test test-code test-browser test-engines check bench pictures lighthouse messages lock clean
help:  ## what there is
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

run: .venv/run  ## create the environment, migrate, load the catalogue, serve on 127.0.0.1:$(PORT); RUNNER=1 runs jobs here too
	$(BIN)/benchcard serve $(if $(RUNNER),--runner)

runner: .venv/run  ## take jobs from a server and run them on this machine, as CONFIG (runner.toml) says
	$(BIN)/benchcard runner start --config $(or $(CONFIG),runner.toml)

test: test-code test-browser  ## every test; what could not run here is named in the last lines

test-code: .venv/dev
	$(BIN)/pytest -n auto --ignore tests/browser $(ARGS)

test-browser: .venv/dev  # by themselves: Playwright keeps an event loop running in its process
	$(BIN)/pytest -n auto tests/browser $(ARGS)

test-engines: .venv/dev  ## real vLLM and SGLang on this machine's CPU; installs them (5 GB) under the cache folder
	BENCHCARD_TEST_ENGINES=1 $(BIN)/pytest -n 0 --timeout 2400 -o faulthandler_timeout=3000 tests/engines $(ARGS)

check: .venv/dev  ## format, lint, types, import order, the catalogue
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/benchcard catalogue check

bench: .venv/dev  ## speed of the table beside Datasette's, as ratios within one run
	$(BIN)/python -m bench.table_speed

pictures: .venv/dev  ## pictures of the main pages, for README and for the test that holds the pages against them
	$(BIN)/python -m bench.pictures

lighthouse: .venv/dev  ## Lighthouse 12.2.3 on the main pages, mobile and desktop (needs npm and Chromium)
	$(BIN)/python -m bench.lighthouse

messages: .venv/dev  ## bring the catalogues of other languages up to the texts of code and templates
	$(BIN)/python -m app.locale.messages

lock: .venv/dev  ## resolve pyproject.toml again into .ci/requirements*.txt, with hashes
	$(BIN)/python .ci/lock.py

clean:  ## remove the environment (never the data)
	rm -rf .venv bench/.venv

.venv/run: .ci/requirements.txt pyproject.toml
	.ci/environment $(PYTHON) .ci/requirements.txt
	touch $@

.venv/dev: .ci/requirements-dev.txt pyproject.toml
	.ci/environment $(PYTHON) .ci/requirements-dev.txt
	touch $@ .venv/run
