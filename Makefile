# Everything a user or a developer runs. Needs Python 3.11 or newer with pip, and make; the rest is installed here.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
JOBS ?= 2

.PHONY: demo test lint bench bench-latency bench-grad bench-adbench bench-eliminate bench-reversible bench-coarsen fuzz fuzz-grad fuzz-eliminate fuzz-reversible fuzz-coarsen compare-peers mutate-rules docs clean

$(READY): pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -q --disable-pip-version-check --upgrade "pip>=25.1"
	@$(BIN)/python -m pip install -q --disable-pip-version-check --editable . --group test --group lint
	@touch $@

demo: $(READY)
	$(BIN)/python examples/demo.py

# JAX has threads of its own, so a process that has imported it must not fork, as some tests do: it gets its own run.
test: $(READY)
	$(BIN)/python -m pytest -n $(JOBS) --ignore=tests/jax
	$(BIN)/python -m pytest -n $(JOBS) tests/jax

lint: $(READY)
	$(BIN)/ruff check src tests bench examples tools
	$(BIN)/ruff format --check src tests bench examples tools
	$(BIN)/pyright
	$(BIN)/lint-imports
	$(BIN)/tapeless ops --check

# The long random run; N programs, seeds from SEED on.
N ?= 20000
SEED ?= 0
fuzz: $(READY)
	$(BIN)/python -m tapeless.testing.fuzz -n $(N) --seed $(SEED) --jobs $(JOBS)

# The same of derivatives, of first order or ORDER=2.
ORDER ?= 1
fuzz-grad: $(READY)
	$(BIN)/python -m tapeless.testing.fuzz --derivatives $(ORDER) -n $(N) --seed $(SEED) --jobs $(JOBS)

# Programs run backwards, and derivatives whose loops do.
fuzz-reversible: $(READY)
	$(BIN)/python -m tapeless.testing.reversible -n $(N) --seed $(SEED) --jobs $(JOBS)

# Programs of branches, recurrences and sums with coarsening on and off, and which symbolic rules fired.
fuzz-coarsen: $(READY)
	$(BIN)/python -m tapeless.testing.coarsen -n $(N) --seed $(SEED) --jobs $(JOBS)

# Eliminations of random graphs and programs: entries, multiplications, exact search.
fuzz-eliminate: $(READY)
	$(BIN)/python -m tapeless.testing.elimination -n $(N) --seed $(SEED)
	$(BIN)/python -m tapeless.testing.accumulation -n $(N) --seed $(SEED)

# Gradients of N random programs beside those of JAX and PyTorch; their environment is that of `make bench-grad`.
compare-peers:
	PYTHONPATH=src bench/.venv/bin/python -W ignore tools/compare_peers.py -n $(N) --seed $(SEED)

# All mistakes that can be planted in the rules of derivatives: which are not caught?
mutate-rules: $(READY)
	$(BIN)/python tools/mutate_rules.py --jobs $(JOBS)

# Peers (Numba, JAX) are installed into an environment of their own.
bench: $(READY)
	$(BIN)/python bench/run.py

# CPU time until the first value and the first gradient, by what it is spent on.
bench-latency: $(READY)
	$(BIN)/python bench/latency.py

bench-grad: $(READY)
	$(BIN)/python bench/grad/run.py eight
	$(BIN)/python bench/grad/scaling.py

bench-adbench: $(READY)
	$(BIN)/python bench/grad/run.py adbench
	$(BIN)/python bench/grad/run.py arrays

# Programs that run backwards, beside published ratios; then how far they come back.
bench-reversible: $(READY)
	$(BIN)/python bench/reversible/run.py
	$(BIN)/python bench/reversible/leapfrog.py

# Gradients with coarsening and without, beside published speed-ups; then kernels of a robot arm.
bench-coarsen: $(READY)
	$(BIN)/python bench/coarsen/run.py
	$(BIN)/python bench/coarsen/arm.py

# Multiplications and times of Jacobians by elimination; PUBLISH=1 keeps the results and writes their page.
SEARCH ?= 10
bench-eliminate: $(READY)
	$(BIN)/python bench/eliminate/counts.py --seconds $(SEARCH) $(if $(PUBLISH),--publish)
	$(BIN)/python bench/eliminate/times.py $(if $(PUBLISH),--publish)
	$(if $(PUBLISH),$(BIN)/python bench/eliminate/page.py)

docs: $(READY)
	$(BIN)/python tools/generate_docs.py

clean:
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache
