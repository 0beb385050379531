# A thin front of Meson. Everything is built in $(BUILD); `make build` gives build/heddle and
# build/heddle-cc.
#   LLVM=22                     another LLVM (19 is the baseline)
#   CC=clang-19                 another compiler for heddle itself
#   SANITIZE=address,undefined  with sanitizers, in a directory of its own
#   COVERAGE=1                  with coverage, in a directory of its own
#   PREFIX, DESTDIR             for install
LLVM ?= 19
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
MESONFLAGS ?=

BUILD := build
MESON_OPTIONS := -Dllvm=$(LLVM) --prefix=$(abspath $(PREFIX))
ifneq ($(LLVM),19)
BUILD := $(BUILD)-llvm$(LLVM)
endif
ifdef SANITIZE
BUILD := $(BUILD)-sanitize
MESON_OPTIONS += -Db_sanitize=$(SANITIZE) -Db_lundef=false
TEST_OPTIONS += --timeout-multiplier=4
endif
ifdef COVERAGE
BUILD := $(BUILD)-coverage
MESON_OPTIONS += -Db_coverage=true
endif
ifeq ($(origin CC),command line)
BUILD := $(BUILD)-$(notdir $(CC))
export CC
endif
MESON_OPTIONS += $(MESONFLAGS)
export LLVM

all: build

build:
	@tools/deps build
	@tools/configure $(BUILD) $(MESON_OPTIONS)
	@ninja -C $(BUILD) -j $(JOBS)

demo: build
	@BUILD=$(BUILD) tools/demo

test: build
	@tools/deps test
	@meson test -C $(BUILD) --no-rebuild --print-errorlogs $(TEST_OPTIONS); \
		tools/test-summary $(BUILD) $$?

test-long: build
	@tools/deps long
	@BUILD=$(BUILD) tools/test-long

bench: build
	@BUILD=$(BUILD) bench/run

install: build
	@DESTDIR=$(DESTDIR) meson install -C $(BUILD) --no-rebuild

deps:
	@tools/deps test

format:
	@tools/deps format
	@git ls-files '*.c' '*.h' | xargs clang-format-$(LLVM) -i

clean:
	rm -rf $(BUILD)

.PHONY: all build demo test test-long bench install deps format clean
