# Two commands for a fresh machine: `make run` and `make test`. They need python3 (3.10 or newer) and
# make, and set up everything else in .venv from hash-locked lists.

PYTHON ?= python3
INVOKE := .venv/bin/python -m invoke

.PHONY: help run test lint format bench setup setup-dev

help:
	@echo "make setup  set up .venv and run nothing"
	@echo "make run    set up, build both environments, run the quick preset, write the report"
	@echo "make test   set up, then run every test that this machine can run"
	@echo "make lint   ruff and mypy"
	@echo "make bench  time the tool itself (merge, render, no-op build)"

setup:
	@$(PYTHON) requirements/install.py host

setup-dev:
	@$(PYTHON) requirements/install.py dev

run: setup
	$(INVOKE) build run-all

test: setup-dev
	.venv/bin/python -m pytest $(ARGS)

lint: setup-dev
	.venv/bin/python -m ruff format --check .
	.venv/bin/python -m ruff check .
	.venv/bin/python -m mypy
	.venv/bin/python -m mypy tasks.py

format: setup-dev
	.venv/bin/python -m ruff format .
	.venv/bin/python -m ruff check --fix .

bench: setup-dev
	.venv/bin/python -m pytest tests/bench -p no:cacheprovider -s --bench $(ARGS)
