# One command per chore. Each makes the environment it needs; on a fresh machine that is all there is to do.
#
#   make demo      pick 10 diverse digits out of scikit-learn's 1,797, and a page about them (no network)
#   make test      the suite and the examples in the docstrings
#   make test-all  the same with the tests marked slow
#   make check     lint, format, types
#   make format    let ruff rewrite what it can
#   make paper     the paper's figures and claims on the real data, into paper/ (FAST=1: a smaller grid)
#   make docs      docs/paper.md and its figures, from the last full run of make paper
#   make bench     one table: diverset beside what people use today
#   make clean     remove environments, caches and build products
#
# PYTHON=python3.12 make test    another interpreter (run `make clean` first)
# make test ARGS="-n 0 -k greedy"     more arguments for pytest, or for the benchmarks

PYTHON ?= python3
ARGS ?=
FAST ?=
OUT ?= paper
DATA ?=

VENV := .venv
VENV_BENCH := .venv-bench
BIN := $(VENV)/bin
BIN_BENCH := $(VENV_BENCH)/bin
SOURCES := src tests benchmarks examples

.DEFAULT_GOAL := help
.PHONY: help environment demo test test-all check format paper docs bench clean

help:
	@sed -n 's/^#   make/  make/p' Makefile

environment: $(VENV)/.stamp

demo: $(VENV)/.stamp
	@mkdir -p out
	@$(BIN)/diverset demo --report out/demo.html $(ARGS)

# On all cores; tests that share a cluster or a browser stay together.
PYTEST := $(BIN)/python -m pytest -n auto --dist loadgroup

test: $(VENV)/.stamp
	$(PYTEST) $(ARGS)

# The last -m wins: an empty one deselects nothing.
test-all: $(VENV)/.stamp
	$(PYTEST) -m "" $(ARGS)

check: $(VENV)/.stamp
	$(BIN)/ruff check $(wildcard $(SOURCES))
	$(BIN)/ruff format --check $(wildcard $(SOURCES))
	$(BIN)/mypy

format: $(VENV)/.stamp
	$(BIN)/ruff check --fix $(wildcard $(SOURCES))
	$(BIN)/ruff format $(wildcard $(SOURCES))

paper: $(VENV)/.stamp
	$(BIN)/diverset paper --out $(OUT) $(if $(FAST),--fast) $(if $(DATA),--data $(DATA)) $(ARGS)

# The page as it may be passed on, and the figures that it shows.
docs:
	cp $(OUT)/index.md docs/paper.md
	cp $(addprefix $(OUT)/,$(shell grep -o 'figures/[a-z-]*[.]png' $(OUT)/index.md)) docs/figures/

bench: $(VENV_BENCH)/.stamp
	@$(BIN_BENCH)/python -m benchmarks $(ARGS)

# The stamp is younger than pyproject.toml once the requirements in it are installed.
$(VENV)/.stamp: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@

# Apart from the other: a peer asks for an older scikit-learn.
$(VENV_BENCH)/.stamp: pyproject.toml
	$(PYTHON) -m venv $(VENV_BENCH)
	$(BIN_BENCH)/python -m pip install --quiet --editable '.[bench]'
	@touch $@

clean:
	rm -rf $(VENV) $(VENV_BENCH) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find $(wildcard $(SOURCES)) -name __pycache__ -type d -prune -exec rm -rf {} +
