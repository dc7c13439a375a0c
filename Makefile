# `make run` and `make test` need Python 3.11 or newer, git and make; everything else is installed from the locks.
SHELL := /bin/sh
PY ?= python3
VENV := .venv
BIN := $(VENV)/bin
# A stamp named by the lock's hash: an unchanged lock costs nothing, a changed one installs again.
stamp = $(VENV)/.$(1)-$(shell git hash-object $(2) pyproject.toml | git hash-object --stdin | cut -c1-12)
RUN := $(call stamp,run,requirements.lock)
DEV := $(call stamp,dev,requirements-dev.lock)
COMPILE := $(BIN)/uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-header --no-annotate --quiet

.PHONY: run test test-instances lint types imports ci prove bench bench-scale demo install install-dev lock clean

run: $(RUN)  ## start everything on this machine
	@exec $(BIN)/python manage.py up

# A file's tests stay in one process, so that those of a started instance start it once.
test: $(DEV)  ## the fast suite, on SQLite
	$(BIN)/python -m pytest -n 2 -q --dist loadfile -m "not instance"

test-instances: $(DEV)  ## the tests that start whole instances, on the embedded default
	$(BIN)/python -m pytest -n 2 -q --dist loadfile -m instance

lint: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(DEV)
	$(BIN)/mypy

imports: $(DEV)
	$(BIN)/lint-imports

ci: $(DEV)  ## everything that must pass
	bash .ci/run

prove: $(DEV)
	$(BIN)/python -m benchmarks.prove

bench: $(DEV)
	$(BIN)/python -m benchmarks.run

bench-scale: $(DEV)  ## reads at a million entities, on PostgreSQL
	$(BIN)/python -m benchmarks.scale

demo: $(DEV)
	$(BIN)/python -m examples.demo

install: $(RUN)
install-dev: $(DEV)

lock: $(DEV)  ## resolve again, to the newest versions that pyproject.toml allows
	$(COMPILE) --upgrade -o requirements.lock
	$(COMPILE) --upgrade --group dev --constraint requirements.lock -o requirements-dev.lock

clean:
	rm -rf $(VENV) build *.egg-info

$(BIN)/python:
	@$(PY) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; say which: make PY=python3.11")'
	$(PY) -m venv $(VENV)

$(RUN): | $(BIN)/python
	$(call install-lock,requirements.lock)

$(DEV): | $(BIN)/python
	$(call install-lock,requirements-dev.lock)

define install-lock
@echo "installing $(1)"
@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $(1)
@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
@touch $@
endef
