# make demo: set up and run the main job. make test: set up and pass every check. Nothing else is needed first.
.DEFAULT_GOAL := help
VENV ?= .venv
BIN := $(VENV)/bin
export VENV
# Tests write and sync thousands of small files; where memory has room for them (4 GB), that takes half of the time.
FILES := $(shell [ -w /dev/shm ] && [ "$$(df -Pk /dev/shm | awk 'NR == 2 { print $$4 }')" -gt 4000000 ] && echo /dev/shm || echo $${TMPDIR:-/tmp})
# Two processes test at once: each has one thread for its small matrices, since more of them wait for each other.
QUICKLY := TMPDIR=$(FILES) OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1

.PHONY: help demo test test-fast coverage torture check bench docs house requirements clean

help:
	@echo "make demo          set up and publish the bundled census sample"
	@echo "make test          set up and run all checks and tests"
	@echo "make test-fast     the quick tests of the rooms, one by one: two minutes"
	@echo "make coverage      all tests, and which lines they reach; takes nearly twice as long"
	@echo "make torture       the long loops of kills, faults, races and bad input (docs/reliability.md)"
	@echo "make check         ruff, mypy, import-linter"
	@echo "make bench         benchmarks; results are printed, not kept"
	@echo "make docs          build the documentation into docs/_build/html"
	@echo "make house         count the rooms anew: docs/house.md and its map"
	@echo "make requirements  pin the dependencies anew (needs uv)"
	@echo "make clean         remove the virtual environment and what was built"

$(VENV)/base: requirements/base.txt pyproject.toml studies/pyproject.toml scripts/setup
	@scripts/setup base

$(VENV)/dev: requirements/dev.txt pyproject.toml studies/pyproject.toml scripts/setup
	@scripts/setup dev

demo: $(VENV)/base
	@$(BIN)/sfumato demo

check: $(VENV)/dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

test: check
	$(QUICKLY) $(BIN)/python -m pytest -n 2 --doctest-modules

coverage: $(VENV)/dev
	$(QUICKLY) $(BIN)/python -m pytest -n 2 --doctest-modules --cov --cov-report=term

test-fast: $(VENV)/dev
	$(QUICKLY) $(BIN)/python -m pytest -n 2 -m "not slow" tests/unit tests/golden

torture: $(VENV)/dev
	$(BIN)/python -m pytest -n 2 --torture tests

bench: $(VENV)/dev
	$(BIN)/python -m pytest benchmarks -p no:xdist -s

docs: $(VENV)/dev
	$(BIN)/sphinx-build -W -b html docs docs/_build/html

house: $(VENV)/base
	@$(BIN)/python scripts/house.py

requirements:
	uv pip compile pyproject.toml requirements/build.in --universal --python-version 3.11 --generate-hashes --no-strip-extras --no-header -q -o requirements/base.txt
	uv pip compile pyproject.toml requirements/dev.in --universal --python-version 3.11 --generate-hashes --no-strip-extras --no-header -q -c requirements/base.txt -o requirements/dev.txt
	uv pip compile pyproject.toml --extra web --extra postgres --extra excel --universal --python-version 3.11 --generate-hashes --no-strip-extras --no-header -q -c requirements/dev.txt -o requirements/service.txt
	uv pip compile requirements/build.in --universal --python-version 3.11 --generate-hashes --no-strip-extras --no-header -q -c requirements/base.txt -o requirements/build.txt

clean:
	rm -rf $(VENV) docs/_build .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage* sfumato-demo
