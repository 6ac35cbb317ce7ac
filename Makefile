# Two commands do everything on a fresh Debian machine: `make run` and `make test`. Each sets up what is missing first.

.DEFAULT_GOAL := help
.PHONY: help run test test-ns2 test-wheel test-blocks soak simulate faults versions fuzz sanitize audit bench reproduce docs man wheel linux-wheel container pages judge tune-check lint format
.PHONY: setup system-packages test-packages simulator linux-kernel quic constraints clean
.DELETE_ON_ERROR:

# Containers often set it; each start of a command would then compile all its imports, for seconds.
unexport PYTHONDONTWRITEBYTECODE

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SYSTEM_PACKAGES ?= install
# Tests of kernels beside slow twins and formulas; others reach the same ones, or start programs, as tests with ns-2 do.
JIT_OFF_TESTS := $(addprefix tests/,$(addprefix channels/test_,channels.py lms_kernels.py neyman_a.py) fit/test_fit.py schemes)

help:  ## show this list
	@sed -nE 's/^([a-z0-9-]+):.*## (.*)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 22

run: system-packages  ## compare the TCP variants over the sample trace and a measured one: tables, figures, a report
	@$(MAKE) --no-print-directory --jobs 2 SYSTEM_PACKAGES=skip $(VENV)/installed simulator PROGRAMS=ns
	$(BIN)/tmt run scenarios/measured-gnss-drive.toml
	$(BIN)/tmt run scenarios/quickstart.toml
	@$(BIN)/tmt report scenarios/out/quickstart --no-figures > /dev/null
	@echo "open scenarios/out/quickstart/report/report.html"

test: setup test-packages $(VENV)/installed-dev  ## run all tests that fit in twelve minutes, with the JIT on and off
	$(BIN)/pytest -n 3 --dist worksteal -q
	NUMBA_DISABLE_JIT=1 $(BIN)/pytest -n 2 --dist worksteal -q -m "not ns2 and not jit" $(JIT_OFF_TESTS)

test-ns2: setup test-packages $(VENV)/installed-dev  ## run all of ns-2's own tests with both programs, ten minutes and more
	TMT_NS2_SUITES=all $(BIN)/pytest -n 2 --dist worksteal -q tests/ns2/test_stock_scripts.py

test-wheel: wheel $(VENV)/installed-dev  ## install the wheel into an environment of its own and repeat the quickstart, minutes
	TMT_WHEEL=build/wheel $(BIN)/pytest -q tests/packaging

test-blocks: setup test-packages $(VENV)/installed-dev  ## run every command of the documentation, its campaigns too, minutes
	TMT_CODE_BLOCKS=all $(BIN)/pytest -n 2 --dist worksteal -q tests/house/test_code_blocks.py tests/api/test_notebook.py

soak: setup test-packages $(VENV)/installed-dev  ## kill two engines KILLS=200 times, invert every byte of its files, repeat random tests of the core 200 times under sanitizers, emulate 5000 times
	TMT_SOAK_KILLS=$(or $(KILLS),200) TMT_SOAK_STOPPED_S=60 $(BIN)/pytest -n 2 -q --timeout 7200 tests/campaign/test_engine.py -k "killed_many_times or stopped_goes_on"
	TMT_EVERY_BYTE=1 $(BIN)/pytest -n 2 -q --timeout 7200 tests/campaign/test_inverted_bytes.py tests/campaign/test_packs.py -k inverted
	CLIFT_SANITIZE=ON CLIFT_SOAK_ROUNDS=200 $(BIN)/pytest -q --timeout 7200 tests/ns2/test_core.py
	TMT_SOAK_EMULATION_S=600 TMT_SOAK_EMULATIONS=5000 $(BIN)/pytest -q tests/emulate/test_soak.py

simulate: setup $(VENV)/installed-dev  ## play 5000 schedules of crashes, two engines, lying workers and lost messages, two minutes
	PYTHONPATH=tests $(BIN)/python -m simulation --schedules 5000

faults: setup  ## fail every system call of convert, import, pack, report, run and a worker in turn, an hour; LOG=FILE goes on
	$(BIN)/python -m tests.faults $(if $(LOG),--log $(LOG))

versions: setup  ## compare what channels and schemes write with the oldest allowed versions of the libraries, minutes
	$(BIN)/python tools/library_versions.py

fuzz: setup  ## give random inputs to every reader, Python and C++, guided by coverage, for ten minutes
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --requirement tests/fuzz/requirements.txt
	$(BIN)/python -m tests.fuzz --seconds 600

bench: setup  ## measure speed, as ratios within one run; SLOTS=100000000 for longer traces
	$(BIN)/python -m benchmarks $(if $(SLOTS),--slots $(SLOTS))

sanitize: setup $(VENV)/installed-dev  ## play RUNS=10000 random replays under the address and undefined-behaviour sanitizers; BACKEND=linux, BACKEND=quic
	$(BIN)/python -m tests.ns2.random_replays --backend $(or $(BACKEND),ns2) --runs $(or $(RUNS),10000)

audit: setup  ## run TCP-Linux under the address and undefined-behaviour sanitizers, and under memcheck
	$(BIN)/python -m analysis.tcp.audit

reproduce: setup $(VENV)/installed-dev  ## draw the papers' figures and tables beside ours
	$(BIN)/python -m analysis

docs: $(VENV)/installed-dev  ## build the documentation as a site: build/docs/index.html
	$(BIN)/sphinx-build --quiet --fail-on-warning --nitpicky docs build/docs
	@echo "docs: open build/docs/index.html"

man: $(VENV)/installed  ## write a man page for each command: man -l build/man/tmt-run.1
	$(BIN)/python tools/man_pages.py build/man

wheel: setup  ## build a wheel with the simulator inside: one `pip install` without compiler or Tcl (docs/install.md)
	$(BIN)/python packaging/static_programs.py
	$(BIN)/python tools/man_pages.py clift-ns2/build-wheel/man
	HATCH_BUILD_HOOK_ENABLE_CUSTOM=true $(BIN)/python -m hatchling build --target wheel --directory build/wheel

linux-wheel: setup linux-kernel  ## build a wheel of the kernels for `stack = "linux"` and programs, beside the other
	cd packaging/linux && ../../$(BIN)/python -m hatchling build --target wheel --directory ../../build/wheel

container:  ## build an image of the wheel that `make wheel` has made; ENGINE=podman for another program than Docker
	$(or $(ENGINE),docker) build --file packaging/Containerfile --tag tmt build/wheel

pages: setup $(VENV)/installed-dev  ## make the pages anew that are older than their code, the cheapest first; LIST=1 lists them
	$(BIN)/python -m analysis.stale_pages $(if $(LIST),--list)

judge: setup $(VENV)/installed-dev  ## compare ns-2's TCP with the kernel's over the same links (docs/kernel.md), minutes
	$(BIN)/python -m analysis.judge

tune-check: setup  ## search spaces whose best schemes are known, and compare (docs/tune-check.md), minutes
	$(BIN)/python -m analysis.tuning

lint: $(VENV)/installed-dev  ## check style, types and the layering contract
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/installed-dev  ## rewrite the Python files in the house style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

setup: system-packages  ## install what is missing: packages, .venv, the simulator
	@$(MAKE) --no-print-directory --jobs 2 SYSTEM_PACKAGES=skip $(VENV)/installed simulator

system-packages:
ifneq ($(SYSTEM_PACKAGES),skip)
	@tools/system-packages.sh run
endif

test-packages:
ifneq ($(SYSTEM_PACKAGES),skip)
	@tools/system-packages.sh test
endif

# uv installs in a tenth of pip's time; pip takes over where uv does not find the package index.
PIP_OPTIONS := --quiet --require-hashes --requirement
INSTALL = $(BIN)/uv pip install --python $(BIN)/python $(PIP_OPTIONS) $(1) || $(BIN)/pip install $(PIP_OPTIONS) $(1)

$(VENV)/installed: pyproject.toml constraints.txt | system-packages
	@echo "setup: making $(VENV)"
	@$(PYTHON) -m venv --clear $(VENV)
	@sed -n '/^uv==/,/[^\\]$$/p' constraints.txt > $(VENV)/uv.txt
	@$(BIN)/pip install --disable-pip-version-check $(PIP_OPTIONS) $(VENV)/uv.txt
	@$(call INSTALL,constraints.txt)
	@$(BIN)/uv pip install --python $(BIN)/python --quiet --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/installed-dev: constraints-dev.txt $(VENV)/installed
	@echo "setup: installing what tests, checkers and the documentation need"
	@$(call INSTALL,constraints-dev.txt)
	@touch $@

simulator: | system-packages
	@$(PYTHON) clift-ns2/build.py $(PROGRAMS)

quic:  ## build QUIC in simulated time, for `stack = "quic"`: a minute or two with Rust, once
	@$(PYTHON) clift-quic/build.py

linux-kernel:  ## build Linux's own TCP in simulated time, for `stack = "linux"`: some minutes, once
ifneq ($(SYSTEM_PACKAGES),skip)
	@tools/system-packages.sh linux
endif
	@$(PYTHON) clift-linux/build.py

COMPILE = $(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --quiet

constraints: $(VENV)/installed  ## pin the newest allowed version of every dependency, with hashes
	$(COMPILE) --extra dev --upgrade pyproject.toml --output-file constraints-dev.txt
	$(COMPILE) --extra setup --constraints constraints-dev.txt pyproject.toml --output-file constraints.txt

clean:  ## remove what setup has built (.venv, the simulator); results (out/, scenarios/out/) stay
	rm -rf $(VENV) clift-ns2/build clift-ns2/build-wheel
