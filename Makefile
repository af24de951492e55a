# hermes-sim: `make demo` answers the main question on a fresh machine, `make test` proves the code.
# Needs Python >= 3.11, make and the package registries; nothing outside this repository.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check --no-input
JOBS   ?= 2

.PHONY: help demo test validate bench look gallery campaign clean

help:
	@echo "make demo      the main job: scenarios/cap-vs-ratio.yaml through the real engine"
	@echo "make test      lint, types, the whole test suite and the notebooks"
	@echo "make validate DATA=FOLDER   real transcripts and traces; figures go to docs/validation.md"
	@echo "make campaign  long differential and property campaigns; figures go to docs/"
	@echo "make bench     timings as ratios"
	@echo "make look      report pages and figures as pictures under .make/look (needs pdftoppm; chromium for the HTML page)"
	@echo "make gallery   rebuild reports/gallery"

# Set-up happens once: a stamp newer than the lock means nothing is installed again.
$(VENV)/.run: requirements/run.txt pyproject.toml
	@echo "Setting up $(VENV): once, about a minute, most of it downloads." >&2
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) install --quiet --no-deps --require-hashes --only-binary :all: -r requirements/run.txt
	$(PIP) install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: requirements/dev.txt $(VENV)/.run
	@echo "Installing the tools of the tests: once, a minute or two." >&2
	$(PIP) install --quiet --no-deps --require-hashes --only-binary :all: -r requirements/dev.txt
	@touch $@

demo: $(VENV)/.run
	$(BIN)/hermes-sim engines install
	$(BIN)/hermes-sim run scenarios/cap-vs-ratio.yaml --jobs $(JOBS)

test: $(VENV)/.dev
	$(BIN)/hermes-sim engines install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile
	$(BIN)/python -m pytest --nbmake --nbmake-timeout=300 notebooks

validate: $(VENV)/.dev
	@test -n "$(DATA)" || { echo "give the folder of real transcripts: make validate DATA=FOLDER" >&2; exit 2; }
	$(BIN)/python -m tests.validation "$(DATA)" docs/validation.md

campaign: $(VENV)/.dev
	HYPOTHESIS_PROFILE=full $(BIN)/python -m pytest -n $(JOBS) --dist loadfile tests

bench: $(VENV)/.dev
	@for name in engine_session cache workload dual explain replay; do \
	  echo "== $$name"; $(BIN)/python bench/$$name.py || exit 1; done

look: $(VENV)/.dev
	$(BIN)/python bench/look.py

gallery: $(VENV)/.run
	$(BIN)/python bench/gallery.py

clean:
	rm -rf .make build dist .pytest_cache .mypy_cache .ruff_cache
